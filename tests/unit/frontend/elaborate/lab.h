// Models from a text, for tests of the elaborator.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "frontend/elaborate/elaborate.h"
#include "messages/render.h"

namespace mtfc::test {

struct Elaborated {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<Model> model;

  explicit Elaborated(const std::string& text, const ElaborateOptions& options = {},
                      const std::string& path = "model.mtf") {
    model = elaborate(sources, sources.add(path, text), options, diagnostics);
  }
  /// All diagnostics as the user sees them: for INFO.
  std::string said() const {
    std::string text;
    for (const Diagnostic& d : diagnostics.all()) text += render_text(d, sources, {}) + "\n";
    return text;
  }
  /// "E201 E302"
  std::string codes() const {
    std::string text;
    for (const Diagnostic& d : diagnostics.all())
      text += (text.empty() ? "" : " ") + std::string(info(d.kind).code);
    return text;
  }
  const Variable* variable(const std::string& path) const {
    for (const Variable& v : model->variables)
      if (v.path == path) return &v;
    return nullptr;
  }
  static const Value* named(const Graph& graph, const std::string& name) {
    for (const Value& v : graph.values)
      if (v.name == name) return &v;
    return nullptr;
  }
  /// "f32[batch=4, n=2]" of a named value of the training graph; "nothing" if there is none.
  std::string type(const std::string& name) const {
    const Value* v = named(model->train, name);
    return v ? to_string(model->dims, v->type) : "nothing";
  }
  /// How many operations of that name the training graph has.
  int count(const std::string& op) const {
    int n = 0;
    for (const Operation& o : model->train.ops) n += o.op == op;
    return n;
  }
};

}  // namespace mtfc::test
