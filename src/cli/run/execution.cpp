#include "cli/run/execution.h"

#include "backends/execute/module_rank.h"
#include "backends/execute/plan_of_pipeline.h"
#include "cli/session/mesh_text.h"
#include "cli/session/ranks.h"
#include "comm/agreement.h"
#include "comm/consistency.h"
#include "ir/stage_meshes.h"
#include "ir/text.h"
#include "pipeline/step_order.h"
#include "train/loop/step.h"

namespace mtfc::cli {
namespace {

std::string help_for(std::int64_t processors, int stages, int ranks) {
  if (processors == 1)
    return "say how to use them: --layout, or --mesh \"batch:" + std::to_string(ranks) +
           "\" --rules \"batch:batch\"";
  return "mpirun -n " + std::to_string(processors) + " ..., or another " +
         (stages > 1 ? "layout" : "--mesh");
}

/// What of the command line and of the texts may be why programs differ.
Facts causes_of(const Session& session) {
  const Options& o = session.options;
  Facts facts = {{"the version of mtfc", program_version}, {"the command", o.command}};
  for (const auto& [key, value] : o.settings) facts.push_back({"`--set " + key + "`", value});
  for (const auto& [key, value] : o.defines) facts.push_back({"`-D " + key + "`", value});
  if (o.mesh) facts.push_back({"`--mesh`", *o.mesh});
  if (o.rules) facts.push_back({"`--rules`", *o.rules});
  for (std::size_t i = 0; i < session.sources.size(); ++i) {
    const FileId file{static_cast<std::int32_t>(i)};
    if (session.sources.path(file).starts_with("-")) continue;  // an option, which is there already
    facts.push_back(
        {backquoted(session.sources.path(file)), digest_of(session.sources.text(file))});
  }
  return facts;
}

/// All ranks must run one program on one mesh with one kind of kernels: differences are reported.
/// `program`: its text. `processors`: of all stages, if there are some.
bool ranks_match(Session& session, const std::string& program, std::int64_t processors, int stages,
                 const Facts& more, int& status) {
  runtime::net::Network& network = session.ranks->network();
  const auto fail = [&](Diagnostic diagnostic) {
    session.report(std::move(diagnostic));
    return false;
  };
  status = exit_failed;
  Facts facts = {{"the version of mtfc", program_version}};
  facts.insert(facts.end(), more.begin(), more.end());
  const std::string differs = runtime::net::difference(
      network, facts, {{"the compiled program", digest_of(program)}, causes_of(session)});
  if (!differs.empty()) {
    session.report_apart(differs);
    return false;
  }
  status = exit_usage;
  if (network.ranks() != processors)
    return fail(
        diag(DiagKind::wrong_usage,
             (stages > 1 ? "the " + counted(stages, "stage") + " have " : "the mesh has ") +
                 counted(processors, "processor") + ", but there " +
                 (network.ranks() == 1 ? "is 1 rank"
                                       : "are " + std::to_string(network.ranks()) + " ranks"))
            .help(help_for(processors, stages, network.ranks()) +
                  (session.options.runs_layout ? ", or another layout than the run's own" : "")));
  status = exit_failed;
  if (!runtime::net::agree_on_kernels(network))
    return fail(diag(DiagKind::run_failed, runtime::net::products_differ)
                    .help("set MTFC_PRODUCT=eigen everywhere"));
  status = exit_done;
  return true;
}

/// What all ranks must have in common: the stages, and how they run.
std::string text_of(const PipelineModule& module) {
  std::string text(name(module.shape.schedule));
  for (const StepProgram& step : pipeline::step_order(module))
    text += " " + step.program + ":" + std::to_string(step.only);
  for (const Crossing& crossing : module.cut.crossings) {
    text += " " + crossing.variable + ":" + std::to_string(crossing.from);
    for (const int to : crossing.to) text += ">" + std::to_string(to);
  }
  for (const Module& stage : module.stages) text += "\n" + print(stage);
  return text;
}

std::string ranks_text(const runtime::net::Network& network) {
  return counted(network.ranks(), "rank") + ", " + network.library();
}

}  // namespace

std::optional<Execution> Execution::make(Session& session, Module module, int& status,
                                         const Facts& facts) {
  // All that got this far wait here for those that did not.
  if (session.ranks &&
      (!session.all_at(Ranks::Stage::ready, status) ||
       !ranks_match(session, print(module), module.mesh.processors(), 1, facts, status)))
    return std::nullopt;
  return of_module(session, std::move(module));
}

std::optional<Execution> Execution::make(Session& session, Programs programs,
                                         const Assignment& assignment, int& status,
                                         const Facts& facts) {
  if (!programs.pipeline) return make(session, std::move(programs.made.module), status, facts);
  const PipelineModule& module = *programs.pipeline;
  if (session.ranks && (!session.all_at(Ranks::Stage::ready, status) ||
                        !ranks_match(session, text_of(module), processors_of(assignment),
                                     module.shape.stages, facts, status)))
    return std::nullopt;
  return of_pipeline(session, module, assignment);
}

Execution Execution::make_further(Session& session, Programs programs,
                                  const Assignment& assignment) {
  return programs.pipeline ? of_pipeline(session, *programs.pipeline, assignment)
                           : of_module(session, std::move(programs.made.module));
}

Execution Execution::of_module(Session& session, Module module) {
  Execution execution;
  const int threads = session.options.threads;
  if (!session.ranks) {
    auto simulator = std::make_unique<backends::Simulator>(
        std::move(module), backends::SimulatorOptions{threads, session.options.all_replicas});
    execution.module_ = &simulator->module();
    execution.observable_ = simulator.get();
    execution.replica_error_ = [made = simulator.get()] { return made->replica_error(); };
    execution.engine_ = std::move(simulator);
    return execution;
  }
  runtime::net::Network& network = session.ranks->network();
  execution.ranks_ = ranks_text(network);
  const int share = runtime::net::share_of_threads(network);
  auto rank = std::make_unique<backends::ModuleRank>(std::move(module), network,
                                                     threads > 0 ? threads : share);
  execution.module_ = &rank->module();
  execution.observable_ = rank.get();
  execution.engine_ = std::move(rank);
  return execution;
}

Execution Execution::of_pipeline(Session& session, const PipelineModule& module,
                                 const Assignment& assignment) {
  Execution execution;
  execution.where_ = mesh_text(assignment);
  execution.pipeline_ = backends::plan_of(module);
  const int threads = session.options.threads;
  if (!session.ranks) {
    auto pipeline = std::make_unique<backends::PipelineSimulator>(
        module, backends::SimulatorOptions{threads, session.options.all_replicas});
    execution.module_ = &pipeline->module();
    execution.observable_ = pipeline.get();
    execution.replica_error_ = [made = pipeline.get()] { return made->replica_error(); };
    execution.most_held_ = [made = pipeline.get()] { return made->most_held(); };
    execution.engine_ = std::move(pipeline);
    return execution;
  }
  runtime::net::Network& all = session.ranks->network();
  execution.ranks_ = ranks_text(all);
  runtime::PipelinePlan plan = *execution.pipeline_;
  const int own = plan.stage_of_rank(all.rank());
  std::unique_ptr<runtime::net::Network> among = all.divide(own);
  auto rank = std::make_unique<backends::ModuleRank>(
      module.stages[static_cast<std::size_t>(own)], *among,
      threads > 0 ? threads : runtime::net::share_of_threads(all));
  execution.module_ = &rank->module();
  execution.observable_ = rank.get();
  auto pipeline = std::make_unique<runtime::PipelineRank>(std::move(plan), all, std::move(among),
                                                          std::move(rank));
  execution.most_held_ = [made = pipeline.get()] { return made->most_held(); };
  execution.engine_ = std::move(pipeline);
  return execution;
}

runtime::Counters Execution::counters_of(int stage, const std::vector<StepProgram>& step) const {
  runtime::Counters total;
  for (const StepProgram& one : step)
    for (const int number : pipeline_->parts_of(one.program)) {
      const runtime::PipelinePlan::Part& part = pipeline_->part(number);
      if (part.stage != stage) continue;
      const runtime::StepRunner times({{part.name, one.microbatches, one.only}});
      total += times.counters(*engine_);
    }
  return total;
}

bool same_data(Session& session, const runtime::Feeder& feeder) {
  if (!session.ranks) return true;
  const std::string differs = runtime::net::difference(session.ranks->network(), feeder.facts());
  if (!differs.empty()) session.report_apart(differs);
  return differs.empty();
}

int Execution::status_of_replicas(Session& session, int status) const {
  const std::string differ = replica_error_ ? replica_error_() : "";
  if (differ.empty()) return status;
  session.report(diag(DiagKind::run_failed, "replicas differ: " + differ)
                     .note("this is a mistake of mtfc, not of the model"));
  return exit_internal;
}

std::string Execution::text() const {
  return (is_pipeline() ? where_ : mesh_text(mesh())) + (ranks_.empty() ? "" : " (" + ranks_ + ")");
}

}  // namespace mtfc::cli
