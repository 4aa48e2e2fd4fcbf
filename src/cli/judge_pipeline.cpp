#include "cli/judge_pipeline.h"

#include "cli/command_rows.h"
#include "support/check.h"

namespace mtfc::cli {
namespace {

/// What does not go with stages: an option, and why.
struct Refusal {
  std::string what, why, help;
};

std::optional<Refusal> refused_option(const Options& o) {
  const std::string without = "take the `pipeline` out of the layout for it";
  if (!o.start_from.empty())
    return Refusal{"`--start-from`", "a dump does not say how the stages were cut", without};
  if (o.symbolic) return Refusal{"`--symbolic`", "it does not know pipelines yet", without};
  if (o.counters) return Refusal{"`--counters`", "it does not know pipelines yet", without};
  if (o.passes) return Refusal{"`--passes`", "it does not know pipelines yet", without};
  return std::nullopt;
}

std::optional<Refusal> refusal(const Options& o, Pipelines pipelines) {
  if (pipelines != Pipelines::refused) return refused_option(o);
  return Refusal{"`" + o.command + "`", "it does not know pipelines yet",
                 "take the `pipeline` out of the layout for it"};
}

}  // namespace

void judge_pipeline(Session& session, lowering::LayoutReport& report) {
  if (!report.assignment || !report.assignment->stages) return;
  const CommandRow* command = find_command(session.options.command);
  MTFC_CHECK(command != nullptr, "no command " + session.options.command);
  if (command->pipelines == Pipelines::on_one_stage) {
    report.assignment->stages.reset();
    session.note("note: computed without stages, on the mesh of one of them");
    return;
  }
  const std::optional<Refusal> refused = refusal(session.options, command->pipelines);
  if (!refused) return;
  report.diagnostics.report(diag(DiagKind::wrong_pipeline,
                                 refused->what + " does not go with a pipeline: " + refused->why)
                                .note("layout `" + report.file + "` cuts the model into stages")
                                .help(refused->help));
  report.ok = false;
  report.assignment.reset();
}

}  // namespace mtfc::cli
