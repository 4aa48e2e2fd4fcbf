// The text form of graphs and modules. parse(print(x)) == x.
#pragma once
#include <optional>
#include <string>

#include "ir/module.h"

namespace mtfc {

std::string print(const Graph& graph, const DimTable& dims);
std::string print(const Module& module);
/// One instruction, without its origin: "%p: f32[batch/rows] = contract %x, %w reduced=[io]".
std::string print(const Program& program, const Instruction& instruction, const Module& module);

/// Lines that dumps of modules and of states have; of a dimension the beginning.
std::string mesh_line(const Mesh& mesh);
std::string dim_text(const DimTable& dims, const Dim& dim);
std::string step_line(const StepProgram& step);

// Absent, with `error` = "line 12: ...", if the text is not such a dump. `sources`: the files that
// origins point into; a dump that points into another one is refused. Null: not checked, and nobody
// may look such an origin up.
std::optional<Module> parse_module(const std::string& text, std::string& error,
                                   const SourceMap* sources = nullptr);
/// Dimensions are those of `dims`, by their unique names. Values have the numbers of the dump, less
/// those that are missing there.
std::optional<Graph> parse_graph(const std::string& text, const DimTable& dims, std::string& error,
                                 const SourceMap* sources = nullptr);
/// One after the other, as a dump of a pass over graphs has them.
std::optional<std::vector<Graph>> parse_graphs(const std::string& text, const DimTable& dims,
                                               std::string& error,
                                               const SourceMap* sources = nullptr);

}  // namespace mtfc
