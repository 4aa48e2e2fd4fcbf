// mtfc plan: the layout that takes the least time on a machine, found and proved.
#include "cli/commands.h"
#include "cli/compile.h"
#include "cli/plan_problem.h"
#include "cli/plan_text.h"
#include "data/files/atomic_file.h"
#include "frontend/layout/parse_layout.h"
#include "plan/search.h"
#include "support/figures.h"
#include "support/quantity.h"

namespace mtfc::cli {
namespace {

/// The mesh of --mesh, or all with as many processors as --processors says. Empty: reported.
std::vector<Mesh> meshes_of(Session& session) {
  const PlanOptions& o = session.options.plan;
  if (session.options.mesh) {
    const FileId file = session.add_fragment("--mesh", *session.options.mesh);
    const std::optional<Mesh> mesh = parse_mesh(session.sources, file, session.diagnostics);
    if (!mesh) return {};
    return {*mesh};
  }
  if (o.processors > 0) return plan::meshes_of(o.processors, o.axes);
  session.usage_error("`plan` is not told for how many processors",
                      "give `--processors 8`, or a mesh: `--mesh \"rows:2;cols:4\"`");
  return {};
}

/// The machine, whatever the mesh: its memory and levels. Nothing: reported.
std::optional<predict::Machine> machine_of(Session& session, const Mesh& mesh, int& status) {
  if (session.options.hardware.empty()) {
    status = session.usage_error("`plan` is not told for which machine", "give `--hardware h100`");
    return std::nullopt;
  }
  std::optional<Target> target = find_target(session, {}, mesh, status);
  if (!target) return std::nullopt;
  return std::move(target->machine);
}

/// Bytes that a processor may hold; of the chip if --memory does not say. Negative: reported.
double memory_limit(Session& session, const predict::Machine& machine) {
  const std::string& text = session.options.plan.memory;
  if (text.empty()) return machine.chip.memory;
  const std::optional<Quantity> given = read_quantity(text);
  if (given && given->kind == Quantity::Kind::bytes && given->value > 0) return given->value;
  session.usage_error("--memory is an amount like `80GB`, not " + backquoted(text, 40));
  return -1;
}

/// The best layout without each of its rules.
std::vector<Without> tried_without(const plan::Judged& best, const Model& model,
                                   const SourceMap& sources, const predict::Machine& machine,
                                   double memory) {
  std::vector<Without> list;
  for (std::size_t i = 0; i < best.choice.rules.size() + best.choice.kept.size(); ++i) {
    plan::Choice other = best.choice;
    const bool general = i < other.rules.size();
    std::vector<plan::Split>& rules = general ? other.rules : other.kept;
    const auto at =
        rules.begin() + static_cast<std::ptrdiff_t>(general ? i : i - best.choice.rules.size());
    const std::string text = (general ? "" : "param \"**\" ") + plan::text_of(*at);
    rules.erase(at);
    list.push_back({text, plan::judge(other, model, sources, machine, memory)});
  }
  return list;
}

/// False: reported.
bool write_layout(Session& session, const plan::Judged& best, const std::vector<Without>& without) {
  if (session.options.out.empty()) return true;
  const std::string text = layout_file(best, without, "mtfc " + joined(session.options.words, " "));
  const runtime::Status written = runtime::write_text(session.options.out, text);
  if (written) return true;
  session.report_failure(DiagKind::run_failed, written.error());
  return false;
}

}  // namespace

int plan_layout(Session& session) {
  if (!session.options.plan.problem.empty()) return plan_problem(session);
  int status = exit_usage;
  if (session.overwrites_source({session.options.out})) return session.finish(exit_usage);
  const std::vector<Mesh> meshes = meshes_of(session);
  if (meshes.empty()) return session.finish(exit_usage);
  const std::optional<predict::Machine> machine = machine_of(session, meshes.front(), status);
  if (!machine) return session.finish(status);
  const double memory = memory_limit(session, *machine);
  if (memory < 0) return session.finish(exit_usage);
  const std::optional<Model> model = read_model(session, {}, status);
  if (!model) return session.finish(status);
  session.flush();

  const plan::Space space = plan::space_of(*model, session.sources, meshes);
  const plan::Plan found = plan::search(space, *model, session.sources, *machine,
                                        {memory, session.options.plan.seconds});
  std::vector<Without> without;
  if (found.best) without = tried_without(*found.best, *model, session.sources, *machine, memory);
  session.print(model->path + " on " + machine->name + ", " +
                counted(meshes.front().processors(), "processor") + ", one training step\n\n");
  session.print(plan_text(found, space, memory, without));
  status = exit_done;
  if (!found.best)
    status = exit_over_budget;
  else if (!write_layout(session, *found.best, without))
    status = exit_failed;
  return session.finish(status, plan_json(found, space, memory, without));
}

}  // namespace mtfc::cli
