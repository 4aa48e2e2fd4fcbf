// A model with its layout from one input: the model, then the sections `layout`, `mesh`, `define
// NAME` and `set KEY`, as the command line takes them.
#pragma once
#include <optional>
#include <string>

#include "fuzz/target.h"
#include "ir/layout.h"
#include "ir/model.h"
#include "lowering/pipeline.h"
#include "messages/diagnostic.h"

namespace mtfc::fuzz {

struct Case {
  SourceMap sources;
  Diagnostics found;
  std::optional<Model> model;            // absent: it has mistakes
  std::optional<Assignment> assignment;  // absent: it or its layout has
  std::vector<Hardware> hardware = {};
};

/// As text and as JSON: something is said.
void render_all(const Diagnostics& found, const SourceMap& sources);

/// As `mtfc check` does it; whatever is found is rendered as text and as JSON.
Case check(const Sections& sections);

/// The passes one after the other, each of which must leave behind what obeys the rules.
lowering::State lower(const Case& c, const lowering::Request& request = {});

}  // namespace mtfc::fuzz
