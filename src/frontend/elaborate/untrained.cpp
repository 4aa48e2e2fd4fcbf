// The note about parameters that training leaves as they are.
#include <algorithm>

#include "frontend/elaborate/settings.h"
#include "ops/op.h"

namespace mtfc::elab {

namespace {

/// Composites without a gradient of their own are rebuilt from what has one.
bool passes_gradient(const ops::OpDef& def) {
  return def.gradient || (def.expand && def.not_differentiable.empty());
}

/// The variables that a loss depends on smoothly.
std::set<std::string> reached_variables(const Graph& graph) {
  std::vector<bool> reached(graph.values.size());
  for (const Output& output : graph.outputs)
    if (output.kind == Output::Kind::loss) reached[output.value.at()] = true;
  std::set<std::string> variables;
  for (std::size_t i = graph.ops.size(); i-- > 0;) {
    const Operation& op = graph.ops[i];
    bool any = false;
    for (ValueId result : op.results) any = any || reached[result.at()];
    if (!any) continue;
    if (op.op == "read") variables.insert(op.attrs.text("variable"));
    if (!passes_gradient(ops::op_named(op.op))) continue;
    for (ValueId operand : op.operands)
      if (is_float(graph.at(operand).type.dtype)) reached[operand.at()] = true;
  }
  return variables;
}

struct Listed {
  std::string text;
  std::size_t count = 0;
  void add(const std::string& path) {
    constexpr std::size_t shown = 4;
    if (count < shown) text += (count ? ", `" : "`") + path + "`";
    if (count == shown) text += ", ...";
    ++count;
  }
};

}  // namespace

void note_untrained_parameters(Session& session) {
  const Model& model = session.model;
  const bool trains = std::any_of(model.train.outputs.begin(), model.train.outputs.end(),
                                  [](const Output& o) { return o.kind == Output::Kind::loss; });
  if (!model.settings.present || !trains) return;
  const std::set<std::string> reached = reached_variables(model.train);
  Listed frozen, unreached;
  Span first;
  for (const auto& [path, id] : session.variables) {
    const Variable& v = model.variables[id.at()];
    if (v.kind != Variable::Kind::parameter || !session.used_variables.count(id)) continue;
    if (v.trainable && reached.count(path)) continue;
    (v.trainable ? unreached : frozen).add(path);
    if (!first.valid() || v.declared.begin < first.begin) first = v.declared;
  }
  const std::size_t count = frozen.count + unreached.count;
  if (count == 0) return;
  Diagnostic d =
      diag(DiagKind::untrained_parameters, counted(static_cast<double>(count), "parameter") +
                                               (count == 1 ? " is" : " are") + " not trained")
          .at(first);
  if (frozen.count) d.notes.push_back("frozen: " + frozen.text);
  if (unreached.count) d.notes.push_back("no gradient reaches " + unreached.text);
  session.diagnostics.report(std::move(d));
}

}  // namespace mtfc::elab
