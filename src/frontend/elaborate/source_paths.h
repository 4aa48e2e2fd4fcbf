// The arguments of a data source as they are written: which is which, and which of them are paths.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "frontend/syntax/ast.h"
#include "sources/source_table.h"

namespace mtfc {

namespace elab {

/// The row's argument that each argument of the call stands for; null where it has none.
std::vector<const SourceArg*> source_formals(const SourceRow& row, const ast::Call& call);

}  // namespace elab

/// The value of `--set data.NAME=VALUE`, a path or another source, with every path that is written
/// in it changed; all else keeps its text.
std::string with_source_paths(const std::string& value,
                              const std::function<std::string(const std::string&)>& change);

}  // namespace mtfc
