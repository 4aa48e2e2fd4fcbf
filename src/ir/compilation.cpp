#include "ir/compilation.h"

namespace mtfc {

// And of what it is made of.
MTFC_DEFINE_SPECIAL_MEMBERS(Assignment);
MTFC_DEFINE_SPECIAL_MEMBERS(Compilation);
MTFC_DEFINE_SPECIAL_MEMBERS(DimTable);
MTFC_DEFINE_SPECIAL_MEMBERS(Graph);
MTFC_DEFINE_SPECIAL_MEMBERS(Layout);
MTFC_DEFINE_SPECIAL_MEMBERS(Model);
MTFC_DEFINE_SPECIAL_MEMBERS(Module);
MTFC_DEFINE_SPECIAL_MEMBERS(Program);

Program::Program(std::string named) : name(std::move(named)) {}
Graph::Graph(std::string named) : name(std::move(named)) {}
Compilation::Compilation(Module made) : module(std::move(made)) {}

}  // namespace mtfc
