#include "backends/execute/mpi_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "network_stamp.h"

namespace mtfc::backends {
namespace {

namespace fs = std::filesystem;

/// A launcher sets one variable to the rank's number; its name identifies the family.
struct RankVariable {
  const char* name;
  const char* family;
};
constexpr RankVariable rank_variables[] = {
    {"OMPI_COMM_WORLD_RANK", "openmpi"},
    {"PMI_RANK", "mpich"},     // MPICH, MVAPICH and Intel MPI, also under srun --mpi=pmi2
    {"PMIX_RANK", "openmpi"},  // srun --mpi=pmix
    {"MPI_LOCALRANKID", "mpich"},
};

/// Beside the program, or where `cmake --install` puts it.
std::string find_library(const std::string& family) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const char* folder : {".", "../lib/mtfc"}) {
    const fs::path file = program.parent_path() / folder / ("mtfc_mpi_" + family + ".so");
    if (fs::exists(file, error)) return file.string();
  }
  return "";
}

}  // namespace

Launch find_launch() {
  for (const RankVariable& one : rank_variables)
    if (const char* rank = std::getenv(one.name)) return {true, std::atoi(rank), one.family};
  return {};
}

runtime::Result<std::unique_ptr<runtime::net::Network>> open_mpi(const Launch& launch) {
  const char* asked = std::getenv("MTFC_MPI");
  const std::string family = asked != nullptr ? asked : launch.family;
  const std::string path = family.find('/') != std::string::npos ? family : find_library(family);
  if (path.empty())
    return runtime::Error{
        "`mtfc_mpi_" + family +
            ".so`, for the MPI library that launches it, is neither beside mtfc "
            "nor in ../lib/mtfc",
        {"copy it there from where mtfc was built; if that has none, install the library's "
         "development files (libopenmpi-dev or libmpich-dev) and build again",
         "or set MTFC_MPI to openmpi, mpich, or the path of a mtfc_mpi_*.so"},
        {}};
  // Global: Open MPI's own plugins look for its symbols.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return runtime::Error{"cannot load " + path + ": " + dlerror(), {}, {}};
  using Open = runtime::net::Network* (*)();
  const auto open = reinterpret_cast<Open>(dlsym(library, "mtfc_open_network"));
  if (open == nullptr) return runtime::Error{path + " is not an MPI library of mtfc", {}, {}};
  using Stamp = const char* (*)();
  const auto stamp = reinterpret_cast<Stamp>(dlsym(library, "mtfc_network_stamp"));
  if (stamp == nullptr || std::string_view(stamp()) != MTFC_NETWORK_STAMP)
    return runtime::Error{
        path + " is of another version of mtfc", {"copy it from where this mtfc was built"}, {}};
  return std::unique_ptr<runtime::net::Network>(open());
}

}  // namespace mtfc::backends
