// mtfc train: on a simulated mesh.
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include "backends/cost/cost.h"
#include "cli/commands.h"
#include "cli/compile.h"
#include "cli/machine.h"
#include "cli/run_folder.h"
#include "cli/train_plan.h"
#include "runtime/data/feeder.h"
#include "runtime/files/npz.h"
#include "runtime/loop/step.h"
#include "runtime/loop/train_loop.h"

namespace mtfc::cli {
namespace {

using runtime::Error;
using runtime::Status;

/// The log on its way to one or two files.
class Log {
 public:
  Status open(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) return Error{"cannot write `" + path + "`", {}, {}};
    files_.emplace_back(file, &std::fclose);
    return {};
  }
  void write(const std::string& line) {
    for (const auto& file : files_) {
      std::fprintf(file.get(), "%s\n", line.c_str());
      std::fflush(file.get());
    }
  }

 private:
  std::vector<std::unique_ptr<std::FILE, int (*)(std::FILE*)>> files_;
};

/// With `epochs`, data is opened first: schedules need to know the number of steps.
Status settle_steps(Model& model, runtime::TrainPlan& plan) {
  if (plan.steps > 0 || plan.epochs <= 0) return {};
  const runtime::Result<runtime::Feeder> feeder = runtime::Feeder::open(plan);
  if (!feeder) return feeder.error();
  const runtime::Result<std::int64_t> steps = feeder->steps_of(plan.epochs);
  if (!steps) return steps.error();
  plan.steps = model.settings.steps = *steps;
  return {};
}

Status save_fetched(const std::vector<runtime::Fetched>& fetched, const std::string& path) {
  runtime::Result<runtime::NpzWriter> writer = runtime::NpzWriter::create(path);
  if (!writer) return writer.error();
  for (const runtime::Fetched& item : fetched)
    if (item.kind == "tensor" || item.kind == "loss") writer->add(item.name, item.value);
  return writer->finish();
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string summary(const runtime::TrainResult& result) {
  std::string text =
      counted(static_cast<std::size_t>(result.steps), "step") + ": loss " + number(result.loss);
  if (result.evaluated) text += "; eval loss " + number(result.eval_loss);
  for (const auto& [name, value] : result.metrics) text += ", " + name + " " + number(value);
  return text + "\n";
}

JsonFields json_result(const runtime::TrainResult& result, const runtime::TrainPlan& plan,
                       Machine& machine) {
  JsonFields metrics;
  bool finite = std::isfinite(result.loss) && std::isfinite(result.eval_loss);
  for (const auto& [name, value] : result.metrics) {
    metrics.emplace_back(name, json(value));
    finite = finite && std::isfinite(value);
  }
  JsonFields fields = {{"steps", json(long{result.steps})}, {"loss", json(result.loss)}};
  if (result.evaluated) fields.emplace_back("eval_loss", json(result.eval_loss));
  if (result.evaluated) fields.emplace_back("metrics", json_object(metrics));
  if (!finite) fields.emplace_back("not_finite", "true");
  const runtime::Counters counted = runtime::StepRunner(plan.step).counters(machine.engine());
  fields.emplace_back("", backends::to_json(counted, machine.mesh().processors()));
  return fields;
}

/// What the command prepares before the loop and finishes after it.
class Training {
 public:
  Training(Session& session, Model& model, Machine& machine)
      : session_(session), model_(model), machine_(machine), engine_(machine.engine()) {}

  Status prepare() {
    const Options& o = session_.options;
    if (!engine_.is_root()) return {};
    if (!o.out.empty()) {
      if (Status made = make_run_folder(session_, model_, o.out); !made) return made;
      if (Status opened = log_.open(o.out + "/log.jsonl"); !opened) return opened;
    }
    return o.log.empty() ? Status() : log_.open(o.log);
  }

  int run(const runtime::TrainPlan& plan) {
    announce(plan);
    const runtime::TrainResult result = runtime::run_training(engine_, plan, hooks());
    int status = result.status;
    if (status == runtime::status_failed) fail(result.error);
    if (!machine_.replica_error().empty()) status = replicas_differ();
    if (status != runtime::status_failed && !save_dump()) status = exit_failed;
    if (status == exit_done) session_.print(summary(result));
    if (!session_.options.out.empty() && status != exit_failed)
      session_.say("saved in " + session_.options.out);
    return session_.finish(status, json_result(result, plan, machine_));
  }

 private:
  void announce(const runtime::TrainPlan& plan) const {
    const std::string where = session_.options.out.empty() ? "; nothing is saved (no --out)"
                                                           : ", into " + session_.options.out;
    session_.say("training " + model_.path + " on " + machine_.text() + ", " +
                 counted(static_cast<std::size_t>(plan.steps), "step") + where);
    for (const std::string& note : model_.notes) session_.say("note: " + note);
  }

  runtime::TrainHooks hooks() {
    runtime::TrainHooks hooks;
    hooks.progress = true;
    hooks.log = [this](const std::string& line) { log_.write(line); };
    if (!session_.options.out.empty())
      hooks.save = [this](std::int64_t, bool) {
        return save_parameters(machine_, session_.options.out + "/final.npz");
      };
    if (!session_.options.dump_tensors.empty())
      hooks.after_step = [this](std::int64_t, const std::vector<runtime::Fetched>& fetched) {
        last_ = fetched;
      };
    return hooks;
  }

  void fail(const Error& error) {
    const Span place = place_of(model_, error.subject);
    session_.report_failure(place.valid() ? DiagKind::data_does_not_fit : DiagKind::run_failed,
                            error, place);
  }

  bool save_dump() {
    if (session_.options.dump_tensors.empty()) return true;
    const Status saved = save_fetched(last_, session_.options.dump_tensors);
    if (!saved) fail(saved.error());
    return bool{saved};
  }

  int replicas_differ() {
    session_.report(diag(DiagKind::run_failed, "replicas differ: " + machine_.replica_error())
                        .note("this is a mistake of mtfc, not of the model"));
    return exit_internal;
  }

  Session& session_;
  Model& model_;
  Machine& machine_;
  runtime::Engine& engine_;
  Log log_;
  std::vector<runtime::Fetched> last_;
};

}  // namespace

int train(Session& session) {
  int status = exit_done;
  std::optional<Compiled> compiled = compile(session, status);
  if (!compiled) return session.finish(status);
  Model& model = compiled->model;
  if (!model.settings.present)
    return session.misused("the model says nothing about training",
                           "add `train { optimizer = sgd(lr=0.1)  steps = 100 }` and a `loss`");
  runtime::TrainPlan plan = make_train_plan(model);
  if (session.options.dump_after.empty())
    if (const Status settled = settle_steps(model, plan); !settled) {
      session.report_failure(DiagKind::data_does_not_fit, settled.error(),
                             place_of(model, settled.error().subject));
      return session.finish(exit_failed);
    }
  lowering::Request request;
  request.dump_tensors = !session.options.dump_tensors.empty();
  std::optional<Module> module = lower_for(session, model, compiled->placement, request, status);
  if (!module) return session.finish(status);
  if (module->step.empty())
    return session.misused("the model has no loss, so there is nothing to train",
                           "add `loss E`; without one a model can be checked, costed and run");
  plan.step = step_programs(*module);
  std::optional<Machine> machine = Machine::make(session, std::move(*module), status);
  if (!machine) return session.finish(status);
  Training training(session, model, *machine);
  if (const Status ready = training.prepare(); !ready) {
    session.report_failure(DiagKind::run_failed, ready.error());
    return session.finish(exit_failed);
  }
  return training.run(plan);
}

}  // namespace mtfc::cli
