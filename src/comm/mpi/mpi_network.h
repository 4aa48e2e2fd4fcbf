// The network of an MPI run. The only part of the runtime that knows MPI: emitted programs link it,
// mtfc loads it from a shared library, one for each MPI implementation, when it runs under mpirun.
#pragma once
#include <memory>

#include "comm/network.h"

namespace mtfc::runtime::mpi {

/// Starts MPI, and ends it with the network. Once in a process.
std::unique_ptr<net::Network> open_network();

}  // namespace mtfc::runtime::mpi

/// What the shared library exports; the caller owns the network and deletes it.
extern "C" mtfc::runtime::net::Network* mtfc_open_network();
#ifdef MTFC_NETWORK_STAMP
/// Of what mtfc and the library must have alike (cmake/network_stamp.cmake).
extern "C" const char* mtfc_network_stamp();
#endif
