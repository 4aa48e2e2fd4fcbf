// A data source as it is called: checked against its row, and as data. Nothing is opened here.
#pragma once
#include <optional>
#include <string>

#include "frontend/elaborate/context.h"

namespace mtfc::elab {

/// `function(arguments)` as data. The place of the expression decides where paths start. Absent:
/// reported.
std::optional<DataSource> data_source(Context& cx, const std::string& name, ast::ExprId source);

/// `--set data.NAME=...`: another call, or another first argument.
void override_source(Context& cx, DataSource& source, const std::string& name);

}  // namespace mtfc::elab
