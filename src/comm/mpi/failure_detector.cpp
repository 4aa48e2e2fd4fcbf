#include "comm/mpi/failure_detector.h"

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "comm/mpi/liveness_locks.h"
#include "comm/mpi/peer_connections.h"

namespace mtfc::runtime::mpi {
namespace {

constexpr int status_lost = 3;
constexpr std::chrono::milliseconds time_for_others{200};

/// Signals are for the thread that runs the program, not for those that are started meanwhile.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

struct Watch::Parts {
  std::function<void(int)> lost;
  std::unique_ptr<Board> board;  // null: alone on this machine, or nothing can be shared
  std::unique_ptr<Links> links;  // the first rank of each of several machines
  bool tells = true;             // what is missed here; else rank 0 is told, and tells
  bool tells_of_first = false;   // of rank 0, if it is alone on its machine
  int next = 0;                  // its rank in the world
  Said alone;
  std::mutex ending;  // whoever has it says why, undisturbed, and ends this process
  std::thread thread;

  Said& said() { return board ? board->said() : alone; }

  void connect(MPI_Comm machine);
  void start();
  [[noreturn]] void missed_here();
  [[noreturn]] void missed_elsewhere(int rank);
};

/// To the other machines.
void Watch::Parts::connect(MPI_Comm machine) {
  int world = 0, number = 0, machines = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(machine, &number);
  MPI_Comm firsts;
  MPI_Comm_split(MPI_COMM_WORLD, number == 0 ? 0 : MPI_UNDEFINED, world, &firsts);
  int ranks_of_first = 1, place = 0, is_linked = 0, is_first = world == 0;
  if (number == 0) {
    MPI_Comm_size(firsts, &machines);
    MPI_Comm_rank(firsts, &place);
    MPI_Comm_size(machine, &ranks_of_first);
    MPI_Bcast(&ranks_of_first, 1, MPI_INT, 0, firsts);
    if (machines > 1) links = Links::open(firsts);
    MPI_Comm_free(&firsts);
    is_linked = links != nullptr;
  }
  MPI_Bcast(&is_linked, 1, MPI_INT, 0, machine);
  MPI_Bcast(&is_first, 1, MPI_INT, 0, machine);
  tells = !is_linked || is_first;
  tells_of_first = place == 1 && ranks_of_first == 1;
}

void Watch::Parts::start() {
  const WithoutSignals guard;
  if (board)
    thread = std::thread([this] {
      if (board->next_vanishes()) missed_here();
    });
  if (links)
    links->listen([this](int rank) { missed_elsewhere(rank); },
                  [this] { said().first(Links::told); });
}

void Watch::Parts::missed_here() {
  const std::lock_guard lock(ending);
  if (said().first(next) && tells) lost(next);
  if (links) links->say(said().what());
  ::_exit(status_lost);  // whoever watches this rank goes the same way
}

void Watch::Parts::missed_elsewhere(int rank) {
  const std::lock_guard lock(ending);
  const bool is_mine = tells || (rank == 0 && tells_of_first);
  if (said().first(rank) && rank != Links::told && is_mine) lost(rank);
  if (tells) links->say(Links::told);
  ::_exit(status_lost);
}

std::unique_ptr<Watch> Watch::start(std::function<void(int rank)> lost) {
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  std::unique_ptr<Watch> watch(new Watch);
  watch->parts_ = std::make_unique<Parts>();
  Parts& parts = *watch->parts_;
  parts.lost = std::move(lost);
  int world = 0, number = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(machine, &number);
  MPI_Comm_size(machine, &ranks);
  std::vector<int> worlds(static_cast<std::size_t>(ranks));
  MPI_Allgather(&world, 1, MPI_INT, worlds.data(), 1, MPI_INT, machine);
  parts.next = worlds[static_cast<std::size_t>((number + 1) % ranks)];
  parts.board = Board::share(machine);
  parts.connect(machine);
  MPI_Comm_free(&machine);
  if (!parts.board && !parts.links) return nullptr;
  parts.start();
  return watch;
}

Watch::~Watch() {
  if (parts_->board) {
    parts_->board->leave();
    parts_->thread.join();
  }
  if (parts_->links) parts_->links->close();
}

bool Watch::is_first() {
  // What happens on all machines at about the same time is told on rank 0's.
  if (!parts_->tells) std::this_thread::sleep_for(time_for_others);
  std::unique_lock lock(parts_->ending);
  const bool first = parts_->said().first(Links::told);
  if (parts_->links) parts_->links->say(Links::told);
  if (first) {
    lock.release();  // it stays locked: this process ends by itself
    return true;
  }
  lock.unlock();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  return false;
}

}  // namespace mtfc::runtime::mpi
