#include "train/emitted/processor_main.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <new>
#include <system_error>

#include "comm/agreement.h"
#include "comm/consistency.h"
#include "support/exit_status.h"
#include "support/last_words.h"
#include "support/text.h"
#include "train/emitted/emitted_engine.h"
#include "train/emitted/emitted_stages.h"
#include "train/loop/interrupt.h"
#include "train/loop/training_main.h"
#include "train/pipeline_rank.h"

namespace mtfc::runtime {
namespace {

bool same_program(const EmittedModule& module, net::Network& network) {
  const std::string differs = net::difference(
      network, {{"the model", module.model}, {"the emitted program", module.digest}});
  if (!differs.empty() && network.rank() == 0)
    std::fprintf(stderr, "error: %s\n", net::differing_run(differs).message.c_str());
  return differs.empty();
}

/// Of each stage; of a module without stages the one that it has.
std::vector<const EmittedModule*> modules_of(const EmittedModule& module) {
  if (module.stages == nullptr) return {&module};
  return module.stages->modules;
}

std::string mesh_text(const Mesh& mesh) {
  return mesh.axes.empty() ? "of one processor" : to_string(mesh);
}

bool fits_mesh(const EmittedModule& module, const net::Network& network) {
  std::int64_t processors = 0;
  std::string meshes;
  for (const EmittedModule* stage : modules_of(module)) {
    processors += stage->mesh.processors();
    meshes += (meshes.empty() ? "" : " and ") + mesh_text(stage->mesh);
  }
  if (network.ranks() == processors) return true;
  if (network.rank() != 0) return false;
  std::fprintf(stderr,
               "error: this program was made for %s, but runs with %d\n"
               "  = note: mesh %s\n"
               "  = help: mpirun -n %lld ./program\n",
               mtfc::counted(processors, "processor").c_str(), network.ranks(), meshes.c_str(),
               static_cast<long long>(processors));
  return false;
}

/// `--threads N`, taken out; 0 if it is not there, -1 if it is wrong.
int take_threads(std::vector<std::string>& options) {
  const std::optional<std::string> number = take_option(options, "--threads");
  if (!number) return 0;
  return static_cast<int>(read_whole(*number, 1, most_threads).value_or(-1));
}

bool has_training(const EmittedModule& module, const TrainPlan& plan, const net::Network& network) {
  const auto present = [&](const StepProgram& step) {
    if (module.stages != nullptr) return !module.stages->plan.parts_of(step.program).empty();
    return std::any_of(module.programs.begin(), module.programs.end(),
                       [&](const EmittedProgram& program) { return program.name == step.program; });
  };
  if (std::all_of(plan.step.begin(), plan.step.end(), present)) return true;
  if (network.rank() == 0)
    std::fprintf(
        stderr,
        "error: the model has no loss: there is nothing to train\n"
        "  = help: main.cpp lists the programs that it has; call them from your own code\n");
  return false;
}

int train(const EmittedModule& module, TrainPlan plan, net::Network& network, CommandLine line) {
  const int threads = take_threads(line.left);
  line.more_usage = "[--threads N] " + line.more_usage;
  if (network.lowest(threads) < 0) {
    if (network.rank() == 0)
      std::fprintf(stderr, "error: `--threads` needs a number from 1 to %d\n", most_threads);
    return exit_usage;
  }
  int status = exit_done;
  const std::optional<EmittedOptions> options = read_options(line, plan, network, status);
  if (!options) return status;
  if (!same_program(module, network)) return exit_failed;
  if (!fits_mesh(module, network) || !has_training(module, plan, network)) return exit_usage;
  // One machine computes with one set of kernels.
  if (network.ranks_here() < network.ranks() && !net::agree_on_kernels(network)) {
    if (network.rank() == 0)
      std::fprintf(stderr, "error: %s\n  = help: set MTFC_PRODUCT=eigen everywhere\n",
                   net::products_differ);
    return exit_failed;
  }
  const int share = threads > 0 ? threads : net::share_of_threads(network);
  if (module.stages == nullptr) {
    EmittedEngine engine(module, network, share);
    return training_main(engine, plan, *options, line);
  }
  const int stage = module.stages->plan.stage_of_rank(network.rank());
  std::unique_ptr<net::Network> among = network.divide(stage);
  auto own = std::make_unique<EmittedEngine>(
      *module.stages->modules[static_cast<std::size_t>(stage)], *among, share);
  PipelineRank engine(whole_plan(*module.stages), network, std::move(among), std::move(own));
  return training_main(engine, plan, *options, line);
}

}  // namespace

void print_threads_refused(const std::system_error& error) {
  std::fprintf(stderr,
               "error: a thread cannot be started: %s\n"
               "  = help: fewer threads with --threads, or a higher limit (ulimit -u)\n",
               error.code().message().c_str());
}

int processor_main(const EmittedModule& module, TrainPlan plan, net::Network& network,
                   CommandLine line) {
  exit_when_memory_ends("error: not enough memory\n", exit_too_large);
  network.watch([ranks = network.ranks()](int rank) {
    if (InterruptGuard::signal() != 0) return;  // the launcher ends all ranks, some sooner
    std::fprintf(stderr, "error: rank %d of %d is gone: it was killed, or it crashed\n", rank,
                 ranks);
  });
  try {
    return train(module, std::move(plan), network, std::move(line));
  } catch (const std::bad_alloc&) {
    network.abort(exit_too_large,
                  [] { std::fprintf(stderr, "error: %s\n", not_enough_memory().c_str()); });
    return exit_too_large;
  } catch (const std::system_error& error) {
    network.abort(exit_too_large, [&] { print_threads_refused(error); });
    return exit_too_large;
  }
}

int processor_main(const EmittedModule& module, TrainPlan plan, net::Network& network, int argc,
                   char** argv) {
  return processor_main(
      module, std::move(plan), network,
      CommandLine{{argv, argv + argc}, without_equals({argv + 1, argv + argc}), ""});
}

}  // namespace mtfc::runtime
