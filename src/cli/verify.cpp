// mtfc verify: the same steps under the layout and on one processor; the largest differences.
#include <fmt/core.h>

#include <algorithm>

#include "backends/execute/simulator.h"
#include "cli/commands.h"
#include "cli/compare.h"
#include "cli/compile.h"
#include "cli/execution.h"
#include "cli/train_plan.h"
#include "data/feeder.h"
#include "train/loop/initialise.h"
#include "train/loop/log_lines.h"
#include "train/loop/step.h"
#include "train/loop/train_loop.h"

namespace mtfc::cli {
namespace {

constexpr double loss_tolerance = 1e-5, default_tolerance = 1e-4;
constexpr std::int64_t default_steps = 3;
// Gradients and parameters this much smaller than the largest one are rounding.
constexpr double noise = 1e-6;
constexpr std::size_t rows_shown = 24;

struct Row {
  Difference difference;
  double tolerance = 0;
  bool ok() const { return difference.relative <= tolerance; }
};

class Verification {
 public:
  Verification(Session& session, const Model& model, Execution& split, runtime::Engine& whole)
      : session_(session),
        model_(model),
        split_(split.engine()),
        whole_(whole),
        step_(split.module().step) {}

  runtime::Status run(runtime::Feeder& feeder, const runtime::TrainPlan& plan, std::int64_t steps) {
    runtime::Feeds feeds;
    // A rank that cannot go on must be known to the others before they wait for it.
    for (runtime::Engine* engine : {&split_, &whole_}) {
      const runtime::Status initialised = runtime::initialise(*engine, plan.initial);
      if (split_.any(!initialised)) return initialised ? elsewhere() : initialised;
    }
    for (std::int64_t step = 0; step < steps; ++step) {
      const runtime::Status fed = feeder.train(step, feeds);
      if (split_.any(!fed)) return fed ? elsewhere() : fed;
      split_fetched_.clear();
      whole_fetched_.clear();
      step_.run(split_, feeds, split_fetched_);
      step_.run(whole_, feeds, whole_fetched_);
      compare_step();
    }
    compare_parameters();
    return {};
  }

  std::vector<Row> rows() const {
    const double chosen = session_.options.tolerance.value_or(default_tolerance);
    std::vector<Row> rows;
    for (const Difference& d : losses_.all())
      rows.push_back({d, session_.options.tolerance.value_or(loss_tolerance)});
    for (const Difference& d : gradients_.all()) rows.push_back({d, chosen});
    for (const Difference& d : parameters_.all()) rows.push_back({d, chosen});
    return rows;
  }

 private:
  static runtime::Status elsewhere() { return runtime::Error{runtime::failed_elsewhere, {}, {}}; }
  static bool is_gradient(const runtime::Fetched& item) {
    return item.kind == "tensor" && item.name.starts_with("grad.");
  }

  void compare_step() {
    double floor = 0;
    for (const runtime::Fetched& item : whole_fetched_)
      if (is_gradient(item)) floor = std::max(floor, noise * largest(item.value));
    for (const runtime::Fetched& item : whole_fetched_) {
      const runtime::HostTensor* other =
          runtime::find_fetched(split_fetched_, item.kind, item.name);
      if (other == nullptr) continue;
      if (item.kind == "loss") losses_.add(item.name, *other, item.value);
      if (is_gradient(item)) gradients_.add(item.name, *other, item.value, floor);
    }
  }

  void compare_parameters() {
    std::vector<std::pair<std::string, runtime::HostTensor>> values;
    double floor = 0;
    for (const Variable& variable : model_.variables) {
      values.emplace_back(variable.path, whole_.variable(variable.path));
      floor = std::max(floor, noise * largest(values.back().second));
    }
    for (const auto& [path, value] : values)
      parameters_.add(path, split_.variable(path), value, floor);
  }

  Session& session_;
  const Model& model_;
  runtime::Engine& split_;
  runtime::Engine& whole_;  // on this rank alone
  runtime::StepRunner step_;
  std::vector<runtime::Fetched> split_fetched_, whole_fetched_;
  Comparison losses_, gradients_, parameters_;
};

/// Long names lose their middle: the end tells tensors apart, the beginning groups them.
std::string fitted(const std::string& name, std::size_t width) {
  if (name.size() <= width) return name;
  const std::size_t head = width / 3;
  return name.substr(0, head) + "..." + name.substr(name.size() - (width - head - 3));
}

std::string difference_table(std::vector<Row> rows) {
  std::string text = "                                                    max|a-b|     relative\n";
  std::string note;
  if (rows.size() > rows_shown) {
    std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
      return a.difference.relative / a.tolerance > b.difference.relative / b.tolerance;
    });
    note = "  (the " + std::to_string(rows_shown) + " largest of " + std::to_string(rows.size()) +
           "; --json has all)\n";
    rows.resize(rows_shown);
  }
  for (const Row& row : rows) {
    text +=
        fmt::format("  {:<48} {:10.2e}   {:10.2e}  {}\n", fitted(row.difference.name, 48),
                    row.difference.absolute, row.difference.relative, row.ok() ? "ok" : "DIFFERS");
  }
  return text + note;
}

std::string json_rows(const std::vector<Row>& rows) {
  std::vector<std::string> items;
  for (const Row& row : rows) {
    JsonFields fields = {{"name", json(row.difference.name)},
                         {"absolute", json(row.difference.absolute)},
                         {"relative", json(row.difference.relative)},
                         {"tolerance", json(row.tolerance)},
                         {"ok", json(row.ok())}};
    if (row.difference.relative > 1e300) fields.emplace_back("not_finite", "true");
    items.push_back(json_object(fields));
  }
  return json_array(items);
}

int judge(Session& session, const std::vector<Row>& rows) {
  session.print(difference_table(rows));
  const auto far =
      std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !row.ok(); });
  if (far > 0)
    session.report(diag(DiagKind::results_differ,
                        counted(far, "tensor") +
                            " under the layout differ from one processor beyond the tolerance"));
  return session.finish(far > 0 ? exit_failed : exit_done, {{"differences", json_rows(rows)}});
}

/// Half precisions are compared in f32, unless a tolerance says how near is near enough.
std::string in_f32(const Session& session, const Model& model) {
  const auto dtype = dtype_named(model.settings.precision);
  if (!dtype || !is_half(*dtype) || session.options.tolerance) return "";
  return ", in f32 instead of " + model.settings.precision + " (--tolerance X compares " +
         model.settings.precision + ")";
}

bool steps_given(const Options& options) {
  return std::any_of(options.settings.begin(), options.settings.end(),
                     [](const KeyValue& setting) { return setting.first == "train.steps"; });
}

}  // namespace

int verify(Session& session) {
  int status = exit_done;
  lowering::Request request;
  request.dump_tensors = true;
  std::optional<Compiled> compiled = compile(session, request, status);
  if (!compiled) return session.finish(status);
  const Model& model = compiled->model;
  std::optional<Module> split = lower_for(session, model, compiled->assignment, request, status);
  if (!split) return session.finish(status);
  if (split->step.empty())
    return session.usage_error("the model has no loss, so there are no steps to compare");
  const std::int64_t steps = steps_given(session.options) ? model.settings.steps : default_steps;
  std::optional<Execution> execution = Execution::make(
      session, std::move(*split), status, {{"the number of steps", std::to_string(steps)}});
  if (!execution) return session.finish(status);
  backends::Simulator whole_engine(lowering::lower(model, Assignment{}, request),
                                   {session.options.threads, false});
  session.note("verifying " + model.path + ": " + counted(steps, "step") + " on " +
               execution->text() + " and on one processor" + in_f32(session, model));
  const runtime::TrainPlan plan = make_train_plan(model);
  runtime::Result<runtime::Feeder> feeder = runtime::open_feeder(plan);
  Verification verification(session, model, *execution, whole_engine);
  const bool ready = !execution->engine().any(!feeder);
  if (ready && !same_data(session, *feeder)) return session.finish(exit_failed);
  runtime::Status ran = !feeder ? feeder.error()
                        : ready ? verification.run(*feeder, plan, steps)
                                : runtime::Status();
  if (feeder && !ready) return session.finish(exit_failed);
  if (!ran) {
    report_data_failure(session, model, ran.error());
    return session.finish(exit_failed);
  }
  if (const std::string differ = execution->replica_error(); !differ.empty()) {
    session.report(diag(DiagKind::run_failed, "replicas differ: " + differ));
    return session.finish(exit_internal);
  }
  return judge(session, verification.rows());
}

}  // namespace mtfc::cli
