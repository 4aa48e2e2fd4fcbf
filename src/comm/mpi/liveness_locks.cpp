#include "comm/mpi/liveness_locks.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>

namespace mtfc::runtime::mpi {
namespace {

constexpr int name_length = 64;

/// The first rank creates the memory and broadcasts its name, by which the others open it.
void* share_memory(MPI_Comm machine, int number, std::size_t size) {
  char name[name_length] = "";
  int file = -1;
  if (number == 0) {
    std::random_device random;
    std::snprintf(name, sizeof name, "/mtfc-%ld-%u", static_cast<long>(::getpid()), random());
    file = ::shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file >= 0 && ::ftruncate(file, static_cast<off_t>(size)) != 0) {
      ::close(file);
      file = -1;
    }
  }
  MPI_Bcast(name, name_length, MPI_CHAR, 0, machine);
  if (number != 0) file = ::shm_open(name, O_RDWR, 0600);
  void* memory = MAP_FAILED;
  if (file >= 0) memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) ::close(file);
  int mine = memory != MAP_FAILED ? 1 : 0, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, machine);
  if (number == 0) ::shm_unlink(name);  // the memory stays as long as it is mapped
  if (all == 1) return memory;
  if (mine == 1) ::munmap(memory, size);
  return nullptr;
}

/// Initialises the mutex and locks it.
void initialise_locked(pthread_mutex_t& mutex) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &kind);
  pthread_mutexattr_destroy(&kind);
  pthread_mutex_lock(&mutex);
}

}  // namespace

std::unique_ptr<LivenessLocks> LivenessLocks::share(MPI_Comm machine) {
  int number = 0, ranks = 1;
  MPI_Comm_rank(machine, &number);
  MPI_Comm_size(machine, &ranks);
  if (ranks == 1) return nullptr;
  auto* shared = static_cast<Shared*>(share_memory(machine, number, size_for(ranks)));
  if (!shared) return nullptr;
  initialise_locked(shared->alive[number]);
  MPI_Barrier(machine);
  return std::unique_ptr<LivenessLocks>(new LivenessLocks(shared, number, ranks));
}

LivenessLocks::~LivenessLocks() { ::munmap(shared_, size_for(ranks_)); }

bool LivenessLocks::wait_for(int distance) {
  pthread_mutex_t& other = shared_->alive[(number_ + distance) % ranks_];
  if (pthread_mutex_lock(&other) == EOWNERDEAD) return true;
  pthread_mutex_unlock(&other);
  return false;
}

void LivenessLocks::release() { pthread_mutex_unlock(&shared_->alive[number_]); }

}  // namespace mtfc::runtime::mpi
