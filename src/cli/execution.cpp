#include "cli/execution.h"

#include "backends/execute/module_rank.h"
#include "cli/compile.h"
#include "cli/ranks.h"
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

/// FNV-1a: enough to see that two ranks do not run the same thing.
std::int64_t digest(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return static_cast<std::int64_t>(hash >> 1);
}

/// All ranks must run one program: differences are reported.
bool ranks_match(Session& session, const Module& module, int& status) {
  runtime::net::Network& network = session.ranks->network();
  const auto fail = [&](Diagnostic diagnostic) {
    session.report(std::move(diagnostic));
    return false;
  };
  status = exit_usage;
  if (network.ranks() != module.mesh.processors())
    return fail(diag(DiagKind::wrong_usage,
                     "the mesh has " + counted(module.mesh.processors(), "processor") +
                         ", but there are " + std::to_string(network.ranks()) + " ranks")
                    .help(help_for(module.mesh, network.ranks())));
  status = exit_failed;
  const std::int64_t mine = digest(program_version + print(module));
  if (network.lowest(mine) != network.highest(mine)) {
    session.report_apart();
    return false;
  }
  if (!runtime::net::agree_on_kernels(network))
    return fail(diag(DiagKind::run_failed, runtime::net::products_differ)
                    .help("set MTFC_PRODUCT=eigen everywhere"));
  status = exit_done;
  return true;
}

}  // namespace

std::optional<Execution> Execution::make(Session& session, Module module, int& status) {
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
  // All that got this far wait here for those that did not.
  if (!session.all_at(Ranks::Stage::ready, status) || !ranks_match(session, module, status))
    return std::nullopt;
  runtime::net::Network& network = session.ranks->network();
  execution.ranks_ = counted(network.ranks(), "rank") + ", " + network.library();
  const int share = runtime::net::share_of_threads(network);
  auto rank = std::make_unique<backends::ModuleRank>(std::move(module), network,
                                                     threads > 0 ? threads : share);
  execution.module_ = &rank->module();
  execution.engine_ = std::move(rank);
  return execution;
}

std::string Execution::text() const {
  return mesh_text(mesh()) + (ranks_.empty() ? "" : " (" + ranks_ + ")");
}

}  // namespace mtfc::cli
