#include "cli/session/judge_pipeline.h"

#include "backends/backends.h"
#include "cli/options/command_rows.h"
#include "ir/stage_meshes.h"
#include "support/check.h"

namespace mtfc::cli {

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
  const backends::Backend* backend = backends::find_backend(session.options.backend);
  if (backend == nullptr || !backend->has_one_mesh) return;
  report.diagnostics.report(
      diag(DiagKind::wrong_pipeline,
           "`emit --backend " + std::string(backend->name) +
               "` does not go with stages of different meshes: what it writes has "
               "one mesh for all stages")
          .note("layout `" + report.file + "` cuts the model into stages")
          .help("give all stages one mesh for it"));
  report.ok = false;
  report.assignment.reset();
}

}  // namespace mtfc::cli
