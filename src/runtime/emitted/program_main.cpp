#include "runtime/emitted/program_main.h"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "runtime/blocks.h"
#include "runtime/emitted/mpi_engine.h"
#include "runtime/loop/train_loop.h"

namespace mtfc::runtime {
namespace {

constexpr int kWrongUsage = 2;

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

bool fits_mesh(const EmittedModule& module) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == module.processors()) return true;
  if (world_rank() != 0) return false;
  std::string mesh;
  for (const EmittedAxis& axis : module.mesh)
    mesh += (mesh.empty() ? "" : ", ") + axis.name + "=" + std::to_string(axis.size);
  std::fprintf(stderr,
               "error: this program was made for %lld processors (mesh %s), but runs with %d\n"
               "  = help: mpirun -n %lld ./program\n",
               static_cast<long long>(module.processors()),
               mesh.empty() ? "of one processor" : mesh.c_str(), ranks,
               static_cast<long long>(module.processors()));
  return false;
}

/// Removes `--threads N`; 0 if it is not there, -1 if it is wrong.
int take_threads(int& argc, char** argv) {
  int threads = 0;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--threads") != 0) {
      argv[kept++] = argv[i];
      continue;
    }
    threads = i + 1 < argc ? std::atoi(argv[++i]) : -1;
    if (threads < 1) threads = -1;
  }
  argc = kept;
  return threads;
}

/// This machine's share for one rank, if it is not told.
int share_of_threads() {
  MPI_Comm machine;
  int ranks = 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &ranks);
  MPI_Comm_free(&machine);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / ranks);
}

int best_level() {
  const char* limit = std::getenv("MTFC_ISA");
  int level = limit && std::strcmp(limit, "avx2") == 0                                    ? 1
              : limit && (!std::strcmp(limit, "sse2") || !std::strcmp(limit, "baseline")) ? 0
                                                                                          : 2;
  while (level > 0 && blocks_of(static_cast<Isa>(level)) == nullptr) --level;
  return level;
}

/// Ranks on different machines must compute alike: all take the lowest instruction set that any
/// has, and one product library. Before the first kernel.
bool agree_on_kernels() {
  constexpr const char* names[] = {"sse2", "avx2", "avx512"};
  int mine = best_level(), lowest = 0;
  MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  setenv("MTFC_ISA", names[lowest], 1);
  int eigen = std::strcmp(product_library(), "eigen") == 0 ? 1 : 0, all = 0, some = 0;
  MPI_Allreduce(&eigen, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&eigen, &some, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (all == some) return true;
  if (world_rank() == 0)
    std::fprintf(stderr,
                 "error: some processors have the product library oneDNN and some have not\n"
                 "  = help: set MTFC_PRODUCT=eigen everywhere\n");
  return false;
}

bool has_training(const EmittedModule& module) {
  for (const EmittedProgram& program : module.programs)
    if (program.name == "train") return true;
  if (world_rank() == 0)
    std::fprintf(
        stderr,
        "error: the model has no loss: there is nothing to train\n"
        "  = help: main.cpp lists the programs that it has; call them from your own code\n");
  return false;
}

int train(const EmittedModule& module, TrainPlan plan, int argc, char** argv) {
  if (!fits_mesh(module) || !has_training(module)) return kWrongUsage;
  const int threads = take_threads(argc, argv);
  if (threads < 0) {
    if (world_rank() == 0) std::fprintf(stderr, "error: `--threads` needs a number from 1\n");
    return kWrongUsage;
  }
  if (!agree_on_kernels()) return status_failed;
  MpiEngine engine(module, threads > 0 ? threads : share_of_threads());
  return training_main(engine, std::move(plan), argc, argv);
}

}  // namespace

int program_main(const EmittedModule& module, TrainPlan plan, int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int status = train(module, std::move(plan), argc, argv);
  MPI_Finalize();
  return status;
}

}  // namespace mtfc::runtime
