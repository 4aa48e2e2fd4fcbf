// mtfc diff: what two layouts of a model compute, send and hold differently.
#include "cli/options/commands.h"
#include "cli/options/usage.h"
#include "cli/reports/costed.h"
#include "cli/reports/diff_text.h"
#include "cli/reports/stages_diff.h"
#include "cli/session/read_model.h"
#include "layout/without_rule.h"
#include "messages/wrap.h"
#include "support/did_you_mean.h"

namespace mtfc::cli {
namespace {

/// One side of the comparison.
struct DiffSide {
  std::string path;
  std::vector<std::string> without;  // texts of rules
  std::string text() const {
    return path + (without.empty() ? "" : " without " + joined(without, ", without "));
  }
};

/// A rule that the layout does not have.
int unknown_rule(Session& session, const DiffSide& side, const std::string& rule,
                 const std::vector<std::string>& known) {
  return session.usage_error(
      backquoted(side.path) + " has no rule " + backquoted(rule, 60),
      known.empty() ? "it has no rules at all"
                    : suggested(rule, known, "it has " + joined(known, ", ", [](const auto& t) {
                                               return backquoted(t);
                                             })));
}

/// The two layouts of the command line; absent: reported.
std::optional<std::pair<DiffSide, DiffSide>> compared_sides(Session& session, int& status) {
  const Options& o = session.options;
  if (o.layouts.size() == 2 && o.without.empty())
    return std::pair{DiffSide{o.layouts[0], {}}, DiffSide{o.layouts[1], {}}};
  if (o.layouts.size() == 1 && !o.without.empty())
    return std::pair{DiffSide{o.layouts[0], {}}, DiffSide{o.layouts[0], o.without}};
  status = session.usage_error(
      o.without.empty()
          ? "`diff` compares two layouts, not " + std::to_string(o.layouts.size())
          : "`--without` compares one layout with itself, not " + std::to_string(o.layouts.size()),
      "`mtfc diff MODEL A.layout B.layout`, or `mtfc diff MODEL A.layout --without batch:rows`");
  return std::nullopt;
}

std::string json_side(const DiffSide& side, const Costed& costed) {
  JsonFields fields = {{"file", json(side.path)}, {"without", json_list(side.without)}};
  if (!costed.pipeline) fields.emplace_back("", cost::to_json(costed.cost));
  if (costed.pipeline) append(fields, costed.pipeline->fields());
  return json_object(fields);
}

/// Of one processor; with stages, of all processors together.
cost::CostDifference difference_of(const Costed& a, const Costed& b) {
  if (!a.pipeline && !b.pipeline) return cost::difference_of(a.cost, b.cost);
  cost::CostDifference found = cost::difference_of(cost_of_all(a), cost_of_all(b));
  found.same = found.same && same_stages(a, b);
  return found;
}

std::string text_of(const Costed& a, const Costed& b, const cost::CostDifference& found) {
  if (!a.pipeline && !b.pipeline) return diff_text(a.cost, b.cost, found);
  return stages_diff_text(a, b, found);
}

/// What was said since there were `before` diagnostics is said of a layout without some of its
/// rules.
void note_which_layout(Session& session, const DiffSide& side, std::size_t before) {
  if (side.without.empty() || session.diagnostics.all().size() == before) return;
  session.flush();
  session.note("this applies to " + side.text() + ", not to the file as it is");
}

}  // namespace

int diff(Session& session) {
  int status = exit_done;
  const auto both = compared_sides(session, status);
  if (!both) return status;
  const std::optional<Model> model = read_model(session, {}, status);
  if (!model) return session.finish(status);
  std::vector<Costed> costs;
  for (const DiffSide* side : {&both->first, &both->second}) {
    std::string missing;
    std::vector<std::string> known;
    const auto change = [&](Layout& layout) {
      known = lowering::rule_texts(layout);
      for (const std::string& rule : side->without)
        if (!lowering::remove_rule(layout, rule)) missing = rule;
    };
    const std::size_t before = session.diagnostics.all().size();
    std::optional<Costed> one = costed(session, *model, side->path, change, status);
    if (!missing.empty()) return unknown_rule(session, *side, missing, known);
    note_which_layout(session, *side, before);
    if (!one) return session.finish(status);
    costs.push_back(std::move(*one));
  }
  const cost::CostDifference found = difference_of(costs[0], costs[1]);
  session.print(model->path + (costs[0].step ? ", one training step\n" : ", one run\n"));
  const auto side = [&](const char* letter, const std::string& text, const Costed& costed) {
    return wrapped("  " + std::string(letter) + "  " + text + ": " + mesh_text(costed),
                   {0, 5, output_columns()}) +
           "\n";
  };
  session.print(side("a", both->first.text(), costs[0]) + side("b", both->second.text(), costs[1]) +
                "\n");
  session.print(text_of(costs[0], costs[1], found));
  JsonFields fields = {{"layouts", json_array({json_side(both->first, costs[0]),
                                               json_side(both->second, costs[1])})}};
  append(fields, cost::json_fields(found));
  return session.finish(exit_done, fields);
}

}  // namespace mtfc::cli
