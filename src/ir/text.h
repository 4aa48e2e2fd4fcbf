// The text form of graphs and modules. parse(print(x)) == x.
#pragma once
#include <optional>
#include <string>

#include "ir/module.h"

namespace mtfc {

std::string print(const Graph& graph, const DimTable& dims);
std::string print(const Module& module);
/// One instruction, without its place: "%p: f32[batch/rows] partial(cols) = contract %x, %w ...".
std::string print(const Program& program, const Instruction& instruction, const Module& module);

/// Absent, with `error` = "line 12: ...", if the text is not a dump of a module.
std::optional<Module> parse_module(const std::string& text, std::string& error);

}  // namespace mtfc
