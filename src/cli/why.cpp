// mtfc why: how each line's result is split, what it costs and sends; and for one line or tensor
// which rules are behind it, and what the layout would cost without each of them.
#include "cli/commands.h"
#include "cli/costed.h"
#include "cli/why_text.h"
#include "layout/without_rule.h"
#include "support/render.h"

namespace mtfc::cli {
namespace {

/// The rules of the command line's layout.
std::vector<std::string> rules_of(Session& session, const Model& model, const std::string& path) {
  std::vector<std::string> rules;
  int status = exit_done;
  judge_layout(session, model, path, status,
               [&](Layout& layout) { rules = lowering::rule_texts(layout); });
  return rules;
}

/// Every rule is left out once, and the step costed anew: what remains legal and takes away some
/// collectives of the target, the cheapest first.
std::vector<WhyChange> changes_for(Session& session, const Model& model, const std::string& path,
                                   const WhyTarget& target, const backends::Cost& cost) {
  std::vector<WhyChange> changes;
  if (collectives_of(target, cost).empty()) return changes;
  for (const std::string& rule : rules_of(session, model, path)) {
    int status = exit_done;
    const lowering::LayoutReport report = judge_layout(
        session, model, path, status, [&](Layout& layout) { lowering::remove_rule(layout, rule); });
    if (!report.assignment) continue;
    const auto tried = costed(session, lowering::lower(model, *report.assignment, {}));
    if (tried) add_change(changes, target, cost, {rule, tried->cost, {}, 0, 0});
  }
  sort_by_price(changes, cost);
  return changes;
}

int unknown_target(Session& session, const std::string& text,
                   const std::vector<std::string>& known) {
  const std::vector<std::string> near = did_you_mean(text, known);
  return session.usage_error(
      "the step computes nothing that is called or stands at " + backquoted(text, 60),
      near.empty() ? "`mtfc why MODEL` without it lists lines and tensors"
                   : "did you mean " + backquoted(near.front()) + "?");
}

}  // namespace

int why(Session& session) {
  int status = exit_done;
  const std::optional<Compiled> compiled = compile(session, {}, status);
  if (!compiled) return session.finish(status);
  const Model& model = compiled->model;
  const Module module = lowering::lower(model, compiled->assignment, {});
  const std::optional<Costed> now = costed(session, module);
  if (!now) return session.finish(exit_usage);
  const std::vector<backends::LineShard> shards =
      backends::line_shards(module, compiled->assignment, session.sources);
  const std::string title = model.path + " on " + mesh_text(module.mesh) +
                            (now->step ? ", one training step" : ", one run") +
                            ", per processor\n\n";
  if (session.options.names.empty()) {
    session.print(title + why_listing(session.sources, *session.model_file, now->cost, shards));
    return session.finish(exit_done, {{"lines", why_json(now->cost, shards)}});
  }
  std::vector<std::string> known;
  const std::string& text = session.options.names.front();
  const auto target =
      find_target(text, session.sources.path(*session.model_file), now->cost, shards, known);
  if (!target) return unknown_target(session, text, known);
  const std::string path = session.options.layouts.empty() ? "" : session.options.layouts.front();
  const std::vector<WhyChange> changes = changes_for(session, model, path, *target, now->cost);
  session.print(title + why_text(*target, now->cost, shards, changes));
  return session.finish(exit_done, why_json(*target, now->cost, shards, changes));
}

}  // namespace mtfc::cli
