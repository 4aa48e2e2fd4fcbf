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
constexpr std::chrono::seconds time_for_report{1};

/// Signals go to the thread that runs the program, not to threads that are started meanwhile.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

struct FailureDetector::State {
  std::function<void(int)> lost;
  std::unique_ptr<LivenessLocks> locks;    // null: alone on this machine, or nothing can be shared
  std::unique_ptr<PeerConnections> peers;  // on the first rank of each of several machines
  bool reports = true;                     // failures detected here; else rank 0 reports them
  bool reports_root = false;               // the failure of rank 0, if it is alone on its machine
  std::vector<int> on_machine;             // the ranks of this machine, in the world
  int number = 0;                          // of this rank among them
  FirstReporter own;                       // if there are no locks
  std::mutex exiting;  // whoever holds it reports, undisturbed, and exits this process
  std::thread thread;

  FirstReporter& reporter() { return locks ? locks->reporter() : own; }

  void connect(MPI_Comm machine);
  void start();
  void wait_for_others();
  [[noreturn]] void failed_here(int rank);
  [[noreturn]] void failed_elsewhere(int rank);
};

/// Connects the machines.
void FailureDetector::State::connect(MPI_Comm machine) {
  int world = 0, machines = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  MPI_Comm firsts;
  MPI_Comm_split(MPI_COMM_WORLD, number == 0 ? 0 : MPI_UNDEFINED, world, &firsts);
  int ranks_of_first = 1, index = 0, is_connected = 0, is_first = world == 0;
  if (number == 0) {
    MPI_Comm_size(firsts, &machines);
    MPI_Comm_rank(firsts, &index);
    MPI_Comm_size(machine, &ranks_of_first);
    MPI_Bcast(&ranks_of_first, 1, MPI_INT, 0, firsts);
    if (machines > 1) peers = PeerConnections::open(firsts);
    MPI_Comm_free(&firsts);
    is_connected = peers != nullptr;
  }
  MPI_Bcast(&is_connected, 1, MPI_INT, 0, machine);
  MPI_Bcast(&is_first, 1, MPI_INT, 0, machine);
  reports = !is_connected || is_first;
  reports_root = index == 1 && ranks_of_first == 1;
}

void FailureDetector::State::start() {
  const SignalsBlocked guard;
  if (locks) thread = std::thread([this] { wait_for_others(); });
  if (peers)
    peers->listen([this](int rank) { failed_elsewhere(rank); },
                  [this] { reporter().claim(PeerConnections::reported); });
}

void FailureDetector::State::wait_for_others() {
  const int ranks = locks->ranks();
  for (int distance = 1; distance < ranks; ++distance)
    if (locks->wait_for(distance))
      failed_here(on_machine[static_cast<std::size_t>((number + distance) % ranks)]);
}

void FailureDetector::State::failed_here(int rank) {
  const std::lock_guard lock(exiting);
  if (reporter().claim(rank) && reports) lost(rank);
  if (peers) peers->send(reporter().cause());
  ::_exit(status_lost);  // the rank that watches this one exits in the same way
}

void FailureDetector::State::failed_elsewhere(int rank) {
  const std::lock_guard lock(exiting);
  const bool is_mine = reports || (rank == 0 && reports_root);
  if (reporter().claim(rank) && rank != PeerConnections::reported && is_mine) lost(rank);
  if (reports) peers->send(PeerConnections::reported);
  ::_exit(status_lost);
}

std::unique_ptr<FailureDetector> FailureDetector::start(std::function<void(int rank)> lost) {
  MPI_Comm machine;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  std::unique_ptr<FailureDetector> detector(new FailureDetector);
  detector->state_ = std::make_unique<State>();
  State& state = *detector->state_;
  state.lost = std::move(lost);
  int world = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(machine, &state.number);
  MPI_Comm_size(machine, &ranks);
  state.on_machine.resize(static_cast<std::size_t>(ranks));
  MPI_Allgather(&world, 1, MPI_INT, state.on_machine.data(), 1, MPI_INT, machine);
  state.locks = LivenessLocks::share(machine);
  state.connect(machine);
  MPI_Comm_free(&machine);
  if (!state.locks && !state.peers) return nullptr;
  state.start();
  return detector;
}

FailureDetector::~FailureDetector() {
  // The other ranks of the machine wait for the first, which waits for the other machines.
  const bool is_first = state_->peers != nullptr;
  if (state_->locks && !is_first) state_->locks->release();
  if (state_->locks) state_->thread.join();
  if (is_first) state_->peers->close();
  if (state_->locks && is_first) state_->locks->release();
}

bool FailureDetector::is_first_reporter() {
  // What happens on all machines at about the same time is reported on rank 0's machine.
  if (!state_->reports) std::this_thread::sleep_for(time_for_others);
  std::unique_lock lock(state_->exiting);
  const bool first = state_->reporter().claim(PeerConnections::reported);
  if (state_->peers) state_->peers->send(PeerConnections::reported);
  if (first) {
    lock.release();  // stays locked: this process exits by itself
    return true;
  }
  lock.unlock();
  std::this_thread::sleep_for(time_for_report);
  return false;
}

}  // namespace mtfc::runtime::mpi
