// Loads MPI at run time: it is not linked, so that commands without it do not pay for it.
#pragma once
#include <memory>
#include <string>

#include "comm/network.h"
#include "support/result.h"

namespace mtfc::backends {

/// The launcher (mpirun, mpiexec, srun), by its environment variables.
struct Launch {
  bool launched = false;
  int rank = 0;
  std::string family;  // "openmpi", "mpich"
};
Launch find_launch();

/// Loads the library of that family that was built with mtfc and starts MPI. MTFC_MPI in the
/// environment names another family, or a library by its path.
runtime::Result<std::unique_ptr<runtime::net::Network>> open_mpi(const Launch& launch);

}  // namespace mtfc::backends
