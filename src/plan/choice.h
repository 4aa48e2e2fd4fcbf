// One layout of the space that is searched, as plain data.
#pragma once
#include <string>
#include <vector>

#include "ir/layout.h"
#include "support/mesh.h"

namespace mtfc::plan {

struct Split {
  std::string dim;                // its name
  std::vector<std::string> axes;  // major to minor
  friend bool operator==(const Split&, const Split&) = default;
};

struct Choice {
  Mesh mesh;
  std::vector<Split> rules;  // general ones
  std::vector<Split> kept;   // of `param "**"`: how all parameters are kept
};

Layout layout_of(const Choice& choice);
/// "batch:outer", "batch:outer+inner"
std::string text_of(const Split& split);
/// "batch:outer; heads:inner; param "**" { d_model:outer }"; "nothing split" if there are no rules.
std::string rules_text(const Choice& choice);

}  // namespace mtfc::plan
