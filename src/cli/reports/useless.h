// What of a layout a step is no better with: scopes (W423), settings (N423).
#pragma once
#include <map>
#include <string>

#include "cli/reports/costed.h"
#include "layout/settings.h"

namespace mtfc::cli {

/// Warns of scopes without which the step computes, holds and sends no more than `with` them, and
/// of settings without which it does the same: the layout is compiled without each that may be one.
/// `settings`: as the layout has them, by name.
void warn_useless(Session& session, const Model& model, const Assignment& assignment,
                  const std::map<std::string, lowering::WrittenSetting>& settings,
                  const cost::Cost& with, Diagnostics& diagnostics);

}  // namespace mtfc::cli
