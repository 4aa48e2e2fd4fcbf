#include "runtime/mpi/watch.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace mtfc::runtime::mpi {
namespace {

constexpr int status_lost = 3;
constexpr int name_length = 64;

/// In shared memory: who has told already, and a mutex for each rank.
struct Board {
  std::atomic<int> told;
  pthread_mutex_t alive[1];  // as many as there are ranks

  static std::size_t size(int ranks) {
    return sizeof(Board) + static_cast<std::size_t>(ranks) * sizeof(pthread_mutex_t);
  }
};

/// The first rank makes the memory, the others find it by the name that it tells them.
Board* share(MPI_Comm machine, int number, int ranks) {
  char name[name_length] = "";
  int file = -1;
  if (number == 0) {
    std::random_device chance;
    std::snprintf(name, sizeof name, "/mtfc-%ld-%u", static_cast<long>(::getpid()), chance());
    file = ::shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file >= 0 && ::ftruncate(file, static_cast<off_t>(Board::size(ranks))) != 0) {
      ::close(file);
      file = -1;
    }
  }
  MPI_Bcast(name, name_length, MPI_CHAR, 0, machine);
  if (number != 0) file = ::shm_open(name, O_RDWR, 0600);
  void* memory = MAP_FAILED;
  if (file >= 0)
    memory = ::mmap(nullptr, Board::size(ranks), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) ::close(file);
  int mine = memory != MAP_FAILED ? 1 : 0, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, machine);
  if (number == 0) ::shm_unlink(name);  // the memory stays as long as somebody has it
  if (all == 1) return static_cast<Board*>(memory);
  if (mine == 1) ::munmap(memory, Board::size(ranks));
  return nullptr;
}

/// Held by this thread from now on.
void take(pthread_mutex_t& mutex) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &kind);
  pthread_mutexattr_destroy(&kind);
  pthread_mutex_lock(&mutex);
}

}  // namespace

struct Watch::Parts {
  Board* board = nullptr;
  int number = 0, ranks = 1;
  int watched = 0;  // the rank in the world of the next one here
  std::function<void(int)> lost;
  std::thread thread;

  void wait_for_next() {
    pthread_mutex_t& next = board->alive[(number + 1) % ranks];
    if (pthread_mutex_lock(&next) == EOWNERDEAD) {
      if (board->told.exchange(1) == 0) lost(watched);
      ::_exit(status_lost);  // whoever watches this rank goes the same way
    }
    pthread_mutex_unlock(&next);
  }
};

std::unique_ptr<Watch> Watch::start(std::function<void(int rank)> lost) {
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  auto parts = std::make_unique<Parts>();
  MPI_Comm_size(machine, &parts->ranks);
  MPI_Comm_rank(machine, &parts->number);
  parts->lost = std::move(lost);
  int world = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  std::vector<int> worlds(static_cast<std::size_t>(parts->ranks));
  MPI_Allgather(&world, 1, MPI_INT, worlds.data(), 1, MPI_INT, machine);
  parts->watched = worlds[static_cast<std::size_t>((parts->number + 1) % parts->ranks)];
  if (parts->ranks > 1) parts->board = share(machine, parts->number, parts->ranks);
  if (parts->board != nullptr) {
    take(parts->board->alive[parts->number]);
    MPI_Barrier(machine);
  }
  MPI_Comm_free(&machine);
  if (parts->board == nullptr) return nullptr;
  // Signals are for the thread that runs the program.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  parts->thread = std::thread([p = parts.get()] { p->wait_for_next(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::unique_ptr<Watch> watch(new Watch);
  watch->parts_ = std::move(parts);
  return watch;
}

Watch::~Watch() {
  pthread_mutex_unlock(&parts_->board->alive[parts_->number]);
  parts_->thread.join();
  ::munmap(parts_->board, Board::size(parts_->ranks));
}

bool Watch::is_first() {
  if (parts_->board->told.exchange(1) == 0) return true;
  std::this_thread::sleep_for(std::chrono::seconds(1));
  return false;
}

}  // namespace mtfc::runtime::mpi
