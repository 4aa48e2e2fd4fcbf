// Connections between the machines of a run, over which each learns of failures on the others.
//
// The first rank of every machine has one (TCP) to rank 0. When a process ends in whatever way, its
// kernel closes the connection. A machine that fails as a whole closes nothing; its silence is
// noticed after two minutes (keepalive), so that a network may fail for a moment.
#pragma once
#include <mpi.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace mtfc::runtime::mpi {

class PeerConnections {
 public:
  /// Messages beside the rank that failed: orderly shutdown; a failure has been reported.
  static constexpr int closing = -1, reported = -2;
  struct Peer {
    int rank;    // in the world
    int socket;  // owned
    bool closed = false;
    bool has_reported = false;
  };

  /// Called by the first ranks of all machines, which form `firsts`, rank 0 of the world first.
  /// Null, on all of them, if they cannot reach each other within seconds.
  static std::unique_ptr<PeerConnections> open(MPI_Comm firsts);
  ~PeerConnections();
  PeerConnections(const PeerConnections&) = delete;
  PeerConnections& operator=(const PeerConnections&) = delete;

  /// From now on failed(rank) is called, on a thread of its own, when another machine sends the
  /// rank that failed, or when a connection breaks: then it is the rank at the other end, or
  /// `reported` if that rank had sent so before. It does not return. on_reported() is called when
  /// another machine sends `reported`.
  void listen(std::function<void(int rank)> failed, std::function<void()> on_reported);
  /// To all peers: a rank, or `reported`. On any thread.
  void send(int message) const;
  /// Sends `closing`, and waits until all peers have.
  void close();

 private:
  explicit PeerConnections(std::vector<Peer> peers) : peers_(std::move(peers)) {}
  void receive(Peer& peer);

  std::vector<Peer> peers_;
  std::function<void(int)> failed_;
  std::function<void()> on_reported_;
  std::thread thread_;
};

}  // namespace mtfc::runtime::mpi
