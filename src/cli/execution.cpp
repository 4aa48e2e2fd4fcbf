#include "cli/execution.h"

#include "backends/execute/module_rank.h"
#include "cli/compile.h"
#include "cli/ranks.h"
#include "comm/agreement.h"
#include "comm/consistency.h"
#include "ir/text.h"

namespace mtfc::cli {
namespace {

std::string help_for(const Mesh& mesh, int ranks) {
  if (mesh.processors() == 1)
    return "say how to use them: --layout, or --mesh \"batch:" + std::to_string(ranks) +
           "\" --rules \"batch:batch\"";
  return "mpirun -n " + std::to_string(mesh.processors()) + " ..., or another --mesh";
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
bool ranks_match(Session& session, const Module& module, const Facts& more, int& status) {
  runtime::net::Network& network = session.ranks->network();
  const auto fail = [&](Diagnostic diagnostic) {
    session.report(std::move(diagnostic));
    return false;
  };
  status = exit_failed;
  Facts facts = {{"the version of mtfc", program_version}};
  facts.insert(facts.end(), more.begin(), more.end());
  const std::string differs = runtime::net::difference(
      network, facts, {{"the compiled program", digest_of(print(module))}, causes_of(session)});
  if (!differs.empty()) {
    session.report_apart(differs);
    return false;
  }
  status = exit_usage;
  if (network.ranks() != module.mesh.processors())
    return fail(diag(DiagKind::wrong_usage,
                     "the mesh has " + counted(module.mesh.processors(), "processor") +
                         ", but there are " + std::to_string(network.ranks()) + " ranks")
                    .help(help_for(module.mesh, network.ranks())));
  status = exit_failed;
  if (!runtime::net::agree_on_kernels(network))
    return fail(diag(DiagKind::run_failed, runtime::net::products_differ)
                    .help("set MTFC_PRODUCT=eigen everywhere"));
  status = exit_done;
  return true;
}

}  // namespace

std::optional<Execution> Execution::make(Session& session, Module module, int& status,
                                         const Facts& facts) {
  // All that got this far wait here for those that did not.
  if (session.ranks && (!session.all_at(Ranks::Stage::ready, status) ||
                        !ranks_match(session, module, facts, status)))
    return std::nullopt;
  return make_further(session, std::move(module));
}

Execution Execution::make_further(Session& session, Module module) {
  Execution execution;
  const int threads = session.options.threads;
  if (!session.ranks) {
    auto simulator = std::make_unique<backends::Simulator>(
        std::move(module), backends::SimulatorOptions{threads, session.options.all_replicas});
    execution.module_ = &simulator->module();
    execution.simulator_ = simulator.get();
    execution.engine_ = std::move(simulator);
    return execution;
  }
  runtime::net::Network& network = session.ranks->network();
  execution.ranks_ = counted(network.ranks(), "rank") + ", " + network.library();
  const int share = runtime::net::share_of_threads(network);
  auto rank = std::make_unique<backends::ModuleRank>(std::move(module), network,
                                                     threads > 0 ? threads : share);
  execution.module_ = &rank->module();
  execution.rank_ = rank.get();
  execution.engine_ = std::move(rank);
  return execution;
}

Execution Execution::make_pipeline(Session& session, PipelineModule module, std::string where) {
  Execution execution;
  auto pipeline = std::make_unique<backends::PipelineSimulator>(
      std::move(module),
      backends::SimulatorOptions{session.options.threads, session.options.all_replicas});
  execution.module_ = &pipeline->module().stages.front();
  execution.pipeline_ = pipeline.get();
  execution.where_ = std::move(where);
  execution.engine_ = std::move(pipeline);
  return execution;
}

bool same_data(Session& session, const runtime::Feeder& feeder) {
  if (!session.ranks) return true;
  const std::string differs = runtime::net::difference(session.ranks->network(), feeder.facts());
  if (!differs.empty()) session.report_apart(differs);
  return differs.empty();
}

void Execution::record(backends::Recording* recording) {
  if (simulator_) simulator_->record(recording);
  if (rank_) rank_->record(recording);
}

std::string Execution::replica_error() const {
  if (pipeline_) return pipeline_->replica_error();
  return simulator_ ? simulator_->replica_error() : "";
}

std::string Execution::text() const {
  if (pipeline_) return where_;
  return mesh_text(mesh()) + (ranks_.empty() ? "" : " (" + ranks_ + ")");
}

}  // namespace mtfc::cli
