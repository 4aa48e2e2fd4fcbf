#include "frontend/elaborate/lost_results.h"

#include <algorithm>

#include "frontend/elaborate/report.h"

namespace mtfc::elab {

namespace {

/// By value: whether an output depends on it.
std::vector<bool> reaching(const Graph& graph) {
  std::vector<bool> reaches(graph.values.size());
  for (const Output& output : graph.outputs)
    if (output.kind != Output::Kind::tensor) reaches[output.value.at()] = true;
  for (std::size_t i = graph.ops.size(); i-- > 0;) {
    const Operation& op = graph.ops[i];
    const bool any = std::any_of(op.results.begin(), op.results.end(),
                                 [&](ValueId result) { return reaches[result.at()]; });
    for (ValueId operand : op.operands)
      if (any) reaches[operand.at()] = true;
  }
  return reaches;
}

}  // namespace

void note_result(Context& cx, const ast::Name& name, const Val& val, Span call) {
  const ValueId* value = val.tensor();
  if (!value || name.text.starts_with('_')) return;
  const TensorType& type = cx.graph.at(*value).type;
  if (!type.dims.empty() || !is_float(type.dtype)) return;
  const Session::Anchor anchor{name.span.file, name.span.begin};
  Session::Result& result = cx.session.results[anchor];
  result.name = name;
  result.call = call;
  (cx.training ? result.in_training : result.in_evaluation).push_back(*value);
  if (cx.training) cx.session.last_results[*value] = anchor;
}

void warn_lost_results(Session& session) {
  if (session.results.empty() || !has_loss(session.model.train)) return;
  const std::vector<bool> train = reaching(session.model.train),
                          eval = reaching(session.model.eval);
  for (const auto& [anchor, result] : session.results) {
    const bool same = result.in_training.size() == result.in_evaluation.size();
    std::size_t outermost = 0, lost = 0;
    for (std::size_t i = 0; i < result.in_training.size(); ++i) {
      const ValueId value = result.in_training[i];
      if (session.last_results.at(value) != anchor) continue;
      ++outermost;
      lost += !train[value.at()] && !(same && eval[result.in_evaluation[i].at()]);
    }
    if (lost == 0) continue;
    const std::string& name = result.name.text;
    const std::string where =
        lost == outermost ? ""
                          : " in " + std::to_string(lost) + " of " + counted(outermost, "instance");
    session.diagnostics.report(
        diag(DiagKind::lost_result, "`" + name + "` reaches no loss, metric or state" + where)
            .at(result.name.span, "computed, and without an effect")
            .also(result.call, "a result of this call")
            .help("add it to the loss in the line below, in the same `repeat` or block: `loss " +
                  name + " = 0.01 * " + name + "`; or watch it: `metric " + name + " = " + name +
                  "`; or call it `_`: it is not wanted"));
  }
}

}  // namespace mtfc::elab
