// Model and layout of the command line.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/session/judge_layout.h"
#include "lowering/state/request.h"

namespace mtfc::cli {

/// The model under the layout of the command line. Absent: reported; `status` says how to end.
struct Compiled {
  Model model;
  Assignment assignment;
  std::vector<Hardware> hardware = {};                            // as the layout has it
  std::map<std::string, lowering::WrittenSetting> settings = {};  // LayoutReport::settings
};
std::optional<Compiled> compile(Session& session, const lowering::Request& request, int& status);

}  // namespace mtfc::cli
