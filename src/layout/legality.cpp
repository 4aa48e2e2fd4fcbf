#include "layout/legality.h"

#include <algorithm>
#include <map>
#include <set>

#include "layout/axis_conflicts.h"
#include "layout/named_tensors.h"
#include "layout/repairs.h"
#include "layout/replication.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

/// After so many, further mistakes of one layout help nobody.
constexpr std::size_t most_errors = 10;

/// All clashes with one cause: two rules, or one that applies to two dimensions.
struct Cause {
  int first_rule = -1, second_rule = -1;
  Site site;  // what the user knows best among all that clash
  Clash clash;
  std::vector<std::string> tensors, work;  // all names, each once
};

class Collector {
 public:
  Collector(const Model& model, const Assignment& assignment, const SourceMap& sources)
      : model_(model), assignment_(assignment), sources_(sources) {}

  std::vector<Cause> run() {
    for_each_clash(model_, assignment_, [&](const Site& site, const Clash& clash) {
      add(site, clash);
      return true;
    });
    return std::move(causes_);
  }

 private:
  int rule_of(DimId dim) const { return assignment_.dims[dim.at()].rule; }

  /// Smaller is better known: parameters, inputs, named values, expressions, work.
  int rank(const Site& site) const {
    const bool anonymous =
        site.kind == Site::Kind::value && site.graph->values[site.index].name.empty();
    return 2 * static_cast<int>(site.kind) + (anonymous ? 1 : 0);
  }

  void add(const Site& site, Clash clash) {
    if (is_source(site)) return;
    if (rule_of(clash.first) > rule_of(clash.second)) std::swap(clash.first, clash.second);
    const std::pair rules{rule_of(clash.first), rule_of(clash.second)};
    const auto [known, fresh] = index_.emplace(rules, causes_.size());
    if (fresh) causes_.push_back({rules.first, rules.second, site, clash, {}, {}});
    Cause& cause = causes_[known->second];
    if (rank(site) < rank(cause.site)) cause.site = site, cause.clash = clash;
    const std::string name = name_of(model_, sources_, site);
    if (name.empty() || !seen_.emplace(known->second, name).second) return;
    (site.kind == Site::Kind::operation ? cause.work : cause.tensors).push_back(name);
  }

  /// What reads a parameter or an input is that parameter or input again.
  bool is_source(const Site& site) const {
    if (site.kind != Site::Kind::value) return false;
    const Value& value = site.graph->values[site.index];
    return value.producer.valid() && site.graph->at(value.producer).operands.empty() &&
           site.graph != &model_.init;
  }

  const Model& model_;
  const Assignment& assignment_;
  const SourceMap& sources_;
  std::vector<Cause> causes_;
  std::map<std::pair<int, int>, std::size_t> index_;
  std::set<std::pair<std::size_t, std::string>> seen_;
};

std::string message(const Cause& cause, const std::string& name, const std::string& axis) {
  const std::string what = name.empty() ? "a tensor" : backquoted(name);
  if (cause.site.kind != Site::Kind::operation)
    return what + " uses mesh axis `" + axis + "` for two dimensions";
  return "computing " + what + " uses mesh axis `" + axis + "` for two dimensions";
}

/// Two dimensions that are called alike, as one of a block and one of the file.
void label_namesakes(Diagnostic& d, const Dim& one, const Dim& other) {
  if (one.name != other.name || !one.declared.valid() || !other.declared.valid() ||
      one.declared == other.declared)
    return;
  const std::string name = backquoted(one.name);
  d.labels.push_back({one.declared, "one " + name, false});
  d.labels.push_back({other.declared, "another " + name, false});
  d.helps.push_back("give one of the two dimensions another name: a rule for " + name +
                    " means both");
}

Diagnostic describe(const Cause& cause, const Model& model, const Layout& layout,
                    const Assignment& assignment, const SourceMap& sources) {
  const std::string name = name_of(model, sources, cause.site);
  const std::string first = backquoted(model.dims[cause.clash.first].name);
  const std::string second = backquoted(model.dims[cause.clash.second].name);
  const auto rule = [&](int i) -> const LayoutRule& {
    return layout.rules[static_cast<std::size_t>(i)];
  };
  const bool work = cause.site.kind == Site::Kind::operation;
  const std::string of =
      name.empty() ? "" : " of " + std::string(work ? "the work of " : "") + backquoted(name);
  Diagnostic d =
      diag(DiagKind::axis_used_twice, message(cause, name, assignment.mesh.name(cause.clash.axis)));
  if (cause.first_rule == cause.second_rule) {
    const std::string both = first == second ? "two indices with dimension " + first
                                             : "both " + first + " and " + second;
    d.labels.push_back({rule(cause.first_rule).span, both + of, true});
  } else {
    d.labels.push_back({rule(cause.first_rule).span, "one dimension" + of, true});
    d.labels.push_back({rule(cause.second_rule).span, "another dimension" + of, false});
  }
  if (const Span span = span_of(model, cause.site); span.valid())
    d.labels.push_back({span,
                        first == second ? first + " occurs twice here"
                                        : first + " and " + second + " both occur here",
                        false});
  label_namesakes(d, model.dims[cause.clash.first], model.dims[cause.clash.second]);
  if (cause.tensors.size() > 1)
    d.notes.push_back("affects " + std::to_string(cause.tensors.size()) +
                      " tensors: " + list_names(cause.tensors, 4));
  if (cause.tensors.empty() && cause.work.size() > 1)
    d.notes.push_back("affects " + std::to_string(cause.work.size()) +
                      " operations: " + list_names(cause.work, 4));
  return d;
}

}  // namespace

bool check_legality(const Model& model, const Layout& layout, const Assignment& assignment,
                    const SourceMap& sources, Diagnostics& diagnostics) {
  if (is_legal(model, assignment)) {
    note_replication(model, assignment, sources, diagnostics);
    return true;
  }
  const std::vector<Cause> causes = Collector(model, assignment, sources).run();
  const Repairs repairs(model, layout, assignment.mesh);
  std::vector<RulePair> clashes;
  for (const Cause& cause : causes) clashes.emplace_back(cause.first_rule, cause.second_rule);
  for (std::size_t i = 0; i < causes.size() && i < most_errors; ++i) {
    Diagnostic d = describe(causes[i], model, layout, assignment, sources);
    if (causes.size() > most_errors && i + 1 == most_errors)
      d.notes.push_back(causes.size() == most_errors + 1
                            ? "another pair of rules clashes"
                            : std::to_string(causes.size() - most_errors) +
                                  " more pairs of rules clash");
    d.helps.push_back(repairs.help(causes[i].first_rule, causes[i].second_rule));
    if (const auto two =
            i == 0 && causes.size() > 1 ? repairs.help_with_two(clashes) : std::nullopt)
      d.helps.push_back(*two);
    diagnostics.report(std::move(d));
  }
  return false;
}

}  // namespace mtfc::lowering
