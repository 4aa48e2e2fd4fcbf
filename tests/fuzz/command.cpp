// The command line: a word a line, as they follow `mtfc`; a zero byte stands for the end of a line
// within a word. It is refused with a reason, or what its words say is read as far as no file has a
// part in it: sizes, settings, layout and mesh for a model of ours, budgets, ranges, machines.
#include <algorithm>

#include "cli/complete.h"
#include "cli/options/command_rows.h"
#include "cli/options/read_command_line.h"
#include "cli/plan/models.h"
#include "cli/plan/request.h"
#include "cli/reports/scale_axis.h"
#include "cli/run/budget.h"
#include "fuzz/case.h"

namespace mtfc::fuzz {

namespace {

using Words = std::vector<std::string>;

constexpr const char* model_text = R"(dim batch = 8, d = 4, h = 6, classes = 3
const scale = 2
input x[batch, d] from gaussian(seed=1)
input y[batch]: int from gaussian_labels(seed=2, classes=3)
param w[d, h] ~ normal(0.1)
param v[h, classes] ~ normal(0.1)
z = einsum(relu(einsum(x, w over d) * scale), v over h)
loss cross_entropy(z, y over classes)
train { optimizer = adam(lr=0.01)  steps = 2 }
)";

Words words_of(std::string_view input) {
  Words words{"mtfc"};
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    words.emplace_back(input.substr(0, end));
    std::replace(words.back().begin(), words.back().end(), '\0', '\n');
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return words;
}

void check_misuse(const cli::Misuse& misuse) {
  require(!misuse.message.empty(), "a command line is refused without a reason");
  require(!misuse.help.empty(), "a command line is refused without help");
  Diagnostics found;
  found.report(diag(DiagKind::wrong_usage, misuse.message).help(misuse.help));
  render_all(found, SourceMap());
}

/// As sections, so that they are what the other targets take.
Sections sections_of(const cli::Options& options) {
  Sections sections{{"", model_text}};
  for (const auto& [name, value] : options.defines) sections.emplace_back("define " + name, value);
  for (const auto& [key, value] : options.settings) sections.emplace_back("set " + key, value);
  if (options.rules) sections.emplace_back("layout", *options.rules);
  if (options.mesh) sections.emplace_back("mesh", *options.mesh);
  return sections;
}

void check_budget(cli::Session& session) {
  const auto limits = cli::read_budget(session);
  require(limits || !session.diagnostics.ok(), "a budget is refused without a reason");
}

void check_axis(const std::string& text) {
  const std::optional<cli::ScaleAxis> axis = cli::read_scale_axis(text);
  if (!axis) return;
  require(!axis->name.empty() && !axis->sizes.empty(), "an axis without a name or sizes");
  require(axis->sizes.front() >= 1, "an axis of no processors");
  require(std::adjacent_find(axis->sizes.begin(), axis->sizes.end(), std::greater_equal<>()) ==
              axis->sizes.end(),
          "sizes that do not ascend");
}

void check_plan(cli::Session& session, const Model& model) {
  int status = exit_done;
  const std::optional<cli::PlanRequest> request =
      cli::plan_request(session, model, cli::models_of(session, model), status);
  require(request || (status != exit_done && !session.diagnostics.ok()),
          "a plan is refused without a reason");
  if (request) require(!request->sizes.empty() && request->memory > 0, "a plan for no machine");
}

void check_options(const cli::Options& options) {
  require(cli::find_command(options.command) != nullptr, "an unknown command is taken");
  cli::Session session(options);
  check_budget(session);
  check_axis(options.axis);
  const Case c = check(sections_of(options));
  const bool reads_files = !options.plan.keep.empty() || options.hardware == "here";
  if (options.command == "plan" && c.model && !reads_files) check_plan(session, *c.model);
  render_all(session.diagnostics, session.sources);
}

void check_completions(const Words& words) {
  for (const std::string& word : words)
    if (word.ends_with(".mtf")) return;  // which it would read
  for (const std::string& word : cli::completions(words))
    require(word.starts_with(words.back()) || words.back() == "=", "another word is completed");
}

}  // namespace

void command(std::string_view input) {
  Words words = words_of(input);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  const auto read = cli::read_command_line(static_cast<int>(arguments.size()), arguments.data());
  if (const auto* answer = std::get_if<std::string>(&read))
    require(answer->ends_with('\n'), "help without a text");
  else if (const auto* misuse = std::get_if<cli::Misuse>(&read))
    check_misuse(*misuse);
  else
    check_options(std::get<cli::Options>(read));
  check_completions(words);
}

}  // namespace mtfc::fuzz
