#include "cli/session/judge_pipeline.h"

#include "cli/options/command_rows.h"
#include "ir/stage_meshes.h"
#include "support/check.h"

namespace mtfc::cli {
namespace {

/// What needs all stages as programs of one mesh.
bool needs_one_mesh(const Options& o) { return o.command == "emit" && o.backend == "json"; }

}  // namespace

bool runs_on_one_stage(const Options& options) {
  const CommandRow* command = find_command(options.command);
  MTFC_CHECK(command != nullptr, "no command " + options.command);
  return command->pipelines == Pipelines::on_one_stage;
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
  if (!needs_one_mesh(session.options)) return;
  report.diagnostics.report(
      diag(DiagKind::wrong_pipeline,
           "`emit --backend json` does not go with stages of different meshes: what it writes has "
           "one mesh for all stages")
          .note("layout `" + report.file + "` cuts the model into stages")
          .help("give all stages one mesh for it"));
  report.ok = false;
  report.assignment.reset();
}

}  // namespace mtfc::cli
