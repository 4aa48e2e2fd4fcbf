#include "lowering/layout_settings.h"

#include <algorithm>

#include "support/render.h"

namespace mtfc::lowering {

void check_settings(const Layout& layout, Diagnostics& diagnostics) {
  static const std::vector<std::string> known = {"update", "reduce", "wire"};
  for (std::size_t i = 0; i < layout.settings.size() && i < 20; ++i) {
    const auto& [name, value] = layout.settings[i];
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      diagnostics.report(
          diag(DiagKind::not_yet_supported, "`set " + name + "=" + value + "` is not yet supported")
              .at(layout.setting_spans[i]));
      continue;
    }
    Diagnostic d = diag(DiagKind::unknown_name, "no layout setting is named `" + name + "`")
                       .at(layout.setting_spans[i]);
    const std::vector<std::string> near = did_you_mean(name, known);
    d.helps.push_back(near.empty() ? "settings are `update`, `reduce` and `wire`"
                                   : "did you mean `" + near.front() + "`?");
    diagnostics.report(std::move(d));
  }
}

}  // namespace mtfc::lowering
