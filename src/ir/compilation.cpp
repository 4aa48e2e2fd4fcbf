#include "ir/compilation.h"

namespace mtfc {

// And of what it is made of.
MTFC_DEFINE_SPECIAL_MEMBERS(Assignment, noexcept);
MTFC_DEFINE_SPECIAL_MEMBERS(Compilation, noexcept(false));
MTFC_DEFINE_SPECIAL_MEMBERS(DimTable, noexcept(false));
MTFC_DEFINE_SPECIAL_MEMBERS(Graph, noexcept);
MTFC_DEFINE_SPECIAL_MEMBERS(Layout, noexcept);
MTFC_DEFINE_SPECIAL_MEMBERS(Model, noexcept(false));
MTFC_DEFINE_SPECIAL_MEMBERS(Module, noexcept(false));
MTFC_DEFINE_SPECIAL_MEMBERS(Program, noexcept);

Program::Program(std::string named) : name(std::move(named)) {}
Graph::Graph(std::string named) : name(std::move(named)) {}
Compilation::Compilation(Module made) : module(std::move(made)) {}

}  // namespace mtfc
