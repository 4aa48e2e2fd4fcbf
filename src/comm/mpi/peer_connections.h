// Connections between the machines of a run: a rank that vanishes is missed on the others, too.
//
// The first rank of every machine has one (TCP) to rank 0. When a process ends, however it ends,
// its kernel closes what it had open. A machine that vanishes closes nothing; its silence is
// noticed after two minutes (keepalive), so that a network may fail for a moment.
#pragma once
#include <mpi.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace mtfc::runtime::mpi {

class Links {
 public:
  /// What may be heard instead of the rank that is gone: an orderly end; that somebody has told.
  static constexpr int goodbye = -1, told = -2;
  struct Peer {
    int rank;    // in the world
    int socket;  // owned
    bool ended = false;
    bool has_told = false;
  };

  /// Called by the first ranks of all machines, which are `firsts`, rank 0 of the world first.
  /// Null, on all of them, where they cannot reach each other within seconds.
  static std::unique_ptr<Links> open(MPI_Comm firsts);
  ~Links();
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  /// From now on gone(rank) is called, on a thread of its own, when another machine says that the
  /// rank is gone, or is gone itself: then it is the rank at the other end. With `told` if it had
  /// said that somebody has told before it went. It does not return. is_told() is called when
  /// another machine says that.
  void listen(std::function<void(int rank)> gone, std::function<void()> is_told);
  /// To all at the other ends: a rank, or `told`. On any thread.
  void say(int what) const;
  /// Says goodbye, and waits until the others have.
  void close();

 private:
  explicit Links(std::vector<Peer> peers) : peers_(std::move(peers)) {}
  void hear(Peer& peer);

  std::vector<Peer> peers_;
  std::function<void(int)> gone_;
  std::function<void()> is_told_;
  std::thread thread_;
};

}  // namespace mtfc::runtime::mpi
