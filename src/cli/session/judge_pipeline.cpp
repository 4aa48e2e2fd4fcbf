#include "cli/session/judge_pipeline.h"

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
  if (!runs_on_one_stage(session.options)) return;
  report.assignment = of_stage(*report.assignment, 0);
  report.assignment->stages.reset();
  session.note("computed without stages, on the mesh of one of them");
}

}  // namespace mtfc::cli
