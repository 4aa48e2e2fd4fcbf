// mtfc trace: the predicted timeline of a step, as a file for Perfetto.
#include "cli/options/commands.h"
#include "cli/options/usage.h"
#include "cli/reports/costed_pipeline.h"
#include "cli/session/compile.h"
#include "cli/session/mesh_text.h"
#include "cli/session/outputs.h"
#include "cli/session/target.h"
#include "data/files/atomic_file.h"
#include "lowering/pipeline.h"
#include "messages/wrap.h"
#include "support/figures.h"
#include "trace/pipeline_tracks.h"
#include "trace/predicted.h"

namespace mtfc::cli {
namespace {

/// Ends the command if the model computes nothing.
std::optional<std::vector<trace::ProgramTracks>> step_of(Session& session, const Module& module,
                                                         const cost::Detail& detail) {
  std::vector<trace::ProgramTracks> step = trace::tracks_of_step(module, session.sources, detail);
  if (!step.empty()) return step;
  session.report(diag(DiagKind::wrong_usage, "the model computes nothing"));
  return std::nullopt;
}

/// What a timeline is of.
struct About {
  std::string mesh, hardware;  // as text, and a name
  std::string mapping;         // where the one lies on the other
  double step = 0;
};

JsonFields fields_of(const Model& model, const About& about) {
  return {{"model", json(model.path)},
          {"mesh", json(about.mesh)},
          {"hardware", json(about.hardware)},
          {"mapping", json(about.mapping)},
          {"step_seconds", json(about.step)}};
}

/// Prints or writes it, and ends the command.
int finish(Session& session, const Model& model, const trace::ChromeTrace& made,
           const About& about) {
  const double seconds = about.step;
  std::string text = made.text(fields_of(model, about));
  if (session.options.out.empty()) {
    session.print(text);
    std::erase(text, '\n');  // all of --json is one line
    return session.finish(exit_done, {{"step_seconds", json(seconds)}, {"trace", text}});
  }
  if (const runtime::Status written = runtime::write_text(session.options.out, text); !written) {
    session.report_failure(DiagKind::run_failed, written.error());
    return session.finish(exit_failed);
  }
  session.print(wrapped(model.path + " on " + about.mesh + ", predicted on " + about.hardware +
                            ": " + duration(seconds) + " in " + session.options.out +
                            ", for ui.perfetto.dev",
                        {0, 2, output_columns()}) +
                "\n");
  return session.finish(exit_done,
                        {{"step_seconds", json(seconds)}, {"out", json(session.options.out)}});
}

int no_machine(Session& session) {
  return session.usage_error("a timeline is predicted for a machine, and none is named",
                             "name one by --hardware or in the layout: `hardware h100`");
}

int trace_pipeline(Session& session, const Compiled& compiled) {
  int status = exit_done;
  const std::optional<CostedPipeline> costed =
      cost_pipeline(session, compiled.model, compiled.assignment, compiled.hardware, status);
  if (!costed) return session.finish(status);
  if (!costed->machine) return no_machine(session);
  const Stages& stages = *compiled.assignment.stages;
  trace::ChromeTrace made;
  trace::add_pipeline(made, *costed->prediction, stages.count);
  return finish(session, compiled.model, made,
                {mesh_text(compiled.assignment), costed->machine->name, costed->where,
                 costed->prediction->step});
}

}  // namespace

int trace_step(Session& session) {
  int status = exit_done;
  const std::optional<Compiled> compiled = compile(session, {}, status);
  if (!compiled) return session.finish(status);
  if (const auto refused =
          refused_outputs(session, {{session.options.out, runtime::OutputForm::trace}},
                          read_by(session, compiled->model));
      refused)
    return session.finish(*refused);
  if (compiled->assignment.stages) return trace_pipeline(session, *compiled);
  status = exit_done;
  const std::optional<Target> target =
      find_target(session, compiled->hardware, compiled->assignment.mesh, status);
  if (status != exit_done) return session.finish(status);
  if (!target) return no_machine(session);
  const Model& model = compiled->model;
  const Module module = lowering::lower(model, compiled->assignment, {});
  const auto step = step_of(session, module, target->machine.chip.detail());
  if (!step) return session.finish(exit_usage);
  trace::ChromeTrace made;
  const double seconds = trace::add_predicted(made, *step, target->machine, target->mapping);
  return finish(session, model, made,
                {mesh_text(module.mesh), target->machine.name,
                 to_string(target->mesh, target->machine, target->mapping), seconds});
}

}  // namespace mtfc::cli
