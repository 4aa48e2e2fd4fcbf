#include "cli/session/judge_pipeline.h"

#include "cli/options/command_rows.h"
#include "ir/stage_meshes.h"
#include "support/check.h"

namespace mtfc::cli {
namespace {

/// What does not go with stages, why, and what to do.
struct Refusal {
  std::string what, why, help;
};

std::optional<Refusal> refusal(const Options& o) {
  if (!o.start_from.empty())
    return Refusal{"`--start-from`", "a dump does not say how the stages were cut",
                   "take the `pipeline` out of the layout for it"};
  return std::nullopt;
}

/// What needs all stages as programs of one mesh.
std::optional<Refusal> refusal_of_meshes(const Options& o) {
  const char* const help = "give all stages one mesh for it";
  if (o.command == "emit" && o.backend == "json")
    return Refusal{"`emit --backend json`", "what it writes has one mesh for all stages", help};
  const char* const option = !o.dump_after.empty() ? "`--dump-after`"
                             : o.passes            ? "`--passes`"
                             : o.verify_passes     ? "`--verify-passes`"
                                                   : nullptr;
  if (option == nullptr) return std::nullopt;
  return Refusal{option, "stages of different meshes go through the passes apart", help};
}

Diagnostic refused(const Refusal& refusal, const std::string& file) {
  return diag(DiagKind::wrong_pipeline,
              refusal.what + " does not go with a pipeline: " + refusal.why)
      .note("layout `" + file + "` cuts the model into stages")
      .help(refusal.help);
}

}  // namespace

bool runs_on_one_stage(const Options& options) {
  const CommandRow* command = find_command(options.command);
  MTFC_CHECK(command != nullptr, "no command " + options.command);
  return command->pipelines == Pipelines::on_one_stage;
}

std::optional<Diagnostic> refused_pipeline(const Options& options, const Layout& layout,
                                           const std::string& file) {
  if (!layout.pipeline || runs_on_one_stage(options)) return std::nullopt;
  const std::optional<Refusal> found = refusal(options);
  return found ? std::optional(refused(*found, file)) : std::nullopt;
}

void judge_pipeline(Session& session, lowering::LayoutReport& report) {
  if (!report.assignment || !report.assignment->stages) return;
  if (runs_on_one_stage(session.options)) {
    report.assignment = of_stage(*report.assignment, 0);
    report.assignment->stages.reset();
    session.note("computed without stages, on the mesh of one of them");
    return;
  }
  if (report.assignment->stage_meshes.empty()) return;
  const std::optional<Refusal> found = refusal_of_meshes(session.options);
  if (!found) return;
  report.diagnostics.report(refused(*found, report.file));
  report.ok = false;
  report.assignment.reset();
}

}  // namespace mtfc::cli
