// mtfc why: how each line's result is split, what it costs and sends; and for one line or tensor
// which rules are behind it, and what the layout would cost without each of them.
#include "cli/options/commands.h"
#include "cli/reports/costed.h"
#include "cli/reports/why_text.h"
#include "cli/session/compile.h"
#include "cli/session/judge_layout.h"
#include "layout/without_rule.h"
#include "lowering/pipeline.h"
#include "messages/wrap.h"
#include "support/figures.h"

namespace mtfc::cli {
namespace {

/// The rules of the command line's layout.
std::vector<std::string> rules_of(Session& session, const Model& model, const std::string& path) {
  std::vector<std::string> rules;
  int status = exit_done;
  judge_layout(session, model, path, status,
               [&](Layout& layout) { rules = lowering::rule_texts(layout); });
  // Without stages processors are fewer: their costs do not compare.
  std::erase(rules, lowering::pipeline_text);
  return rules;
}

/// Every rule is left out once, and the step costed anew: what remains legal and takes away some
/// collectives of the target, the cheapest first.
std::vector<WhyChange> changes_for(Session& session, const Model& model, const std::string& path,
                                   const WhyTarget& target, const cost::Cost& cost) {
  std::vector<WhyChange> changes;
  if (collectives_of(target, cost).empty()) return changes;
  for (const std::string& rule : rules_of(session, model, path)) {
    int status = exit_done;
    const lowering::LayoutReport report = judge_layout(
        session, model, path, status, [&](Layout& layout) { lowering::remove_rule(layout, rule); });
    if (!report.assignment) continue;
    const auto tried = costed(session, model, *report.assignment, report.hardware, status);
    if (tried) add_change(changes, target, cost, {rule, tried->cost, {}, 0, 0});
  }
  sort_by_price(changes, cost);
  return changes;
}

/// The step with what its lines make, and in which stages.
struct Explained {
  Costed costed;
  std::vector<cost::LineShard> shards;
  cost::LineStages stages;  // empty: there are none
};

std::optional<Explained> explained(Session& session, const Compiled& compiled, int& status) {
  const auto& [model, assignment, hardware, settings] = compiled;
  if (assignment.stages) {
    std::optional<Costed> found = costed(session, model, assignment, hardware, status);
    if (!found) return std::nullopt;
    const PipelineModule& module = found->pipeline->module;
    auto shards = cost::line_shards(module, assignment, session.sources);
    auto stages = cost::line_stages(module, session.sources);
    return Explained{std::move(*found), std::move(shards), std::move(stages)};
  }
  status = exit_usage;
  const Module module = lowering::lower(model, assignment, {});
  std::optional<Costed> found = costed(session, module);
  if (!found) return std::nullopt;
  return Explained{std::move(*found), cost::line_shards(module, assignment, session.sources), {}};
}

/// What all processors send to other stages in a step: no line has it. Absent: there are no stages.
std::optional<double> sent_between_stages(const Costed& costed) {
  if (!costed.pipeline) return std::nullopt;
  const PipelineModule& module = costed.pipeline->module;
  double sum = 0;
  for (std::size_t i = 0; i < module.stages.size(); ++i)
    sum += costed.pipeline->cost.sent(module, static_cast<int>(i)) *
           static_cast<double>(module.stages[i].mesh.processors());
  return sum;
}

std::string title_of(const Model& model, const Costed& costed) {
  const std::string title = model.path + " on " + mesh_text(costed) +
                            (costed.step ? ", one training step" : ", one run") +
                            (costed.pipeline ? ", all processors" : ", per processor");
  return wrapped(title, {.indent = 2}) + "\n\n";
}

int unknown_target(Session& session, const std::string& text, const Model& model,
                   const std::vector<std::string>& known) {
  return session.usage_error(
      "the step computes nothing that is called or stands at " + backquoted(text, 60),
      help_without_target(text, model, known));
}

}  // namespace

int why(Session& session) {
  int status = exit_done;
  const std::optional<Compiled> compiled = compile(session, {}, status);
  if (!compiled) return session.finish(status);
  const Model& model = compiled->model;
  const std::optional<Explained> found = explained(session, *compiled, status);
  if (!found) return session.finish(status);
  const auto& [costed, shards, stages] = *found;
  const std::string title = title_of(model, costed);
  if (session.options.names.empty()) {
    session.print(title +
                  why_listing(session.sources, *session.model_file, costed.cost, shards, stages));
    JsonFields fields = {{"lines", why_json(costed.cost, shards, stages)}};
    if (const auto between = sent_between_stages(costed)) {
      session.print("\nbetween stages " + scaled(*between, "B") + " more are sent\n");
      fields.emplace_back("sent_between_stages", json(*between));
    }
    return session.finish(exit_done, std::move(fields));
  }
  std::vector<std::string> known;
  const std::string& text = session.options.names.front();
  const auto target = find_target(text, model, session.sources.path(*session.model_file),
                                  costed.cost, shards, known);
  if (!target) return unknown_target(session, text, model, known);
  const std::string path = session.options.layouts.empty() ? "" : session.options.layouts.front();
  const std::vector<WhyChange> changes = changes_for(session, model, path, *target, costed.cost);
  session.print(title + why_text(*target, costed.cost, shards, stages, changes));
  return session.finish(exit_done, why_json(*target, costed.cost, shards, stages, changes));
}

}  // namespace mtfc::cli
