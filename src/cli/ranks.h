// A command that runs on several ranks at once: who speaks, and when all of them must stop.
//
// Every rank runs the same command on the same files. Rank 0 speaks. If ranks fail, the lowest of
// those that failed speaks, so that a reason is told once and by a rank that knows it.
#pragma once
#include <cstdint>
#include <memory>

#include "runtime/net/network.h"

namespace mtfc::cli {

class Ranks {
 public:
  explicit Ranks(std::unique_ptr<runtime::net::Network> network) : network_(std::move(network)) {}

  runtime::net::Network& network() { return *network_; }
  int rank() const { return network_->rank(); }

  /// Every rank says how it stands, once when it is ready to run and once at its end. `speaker`:
  /// this rank is to tell what happened. `status`: the highest of all.
  struct Verdict {
    int status = 0;
    bool speaker = false;
  };
  Verdict settle(int status);

 private:
  std::unique_ptr<runtime::net::Network> network_;
  bool over_ = false;  // some rank has failed: nobody waits for anybody any more
  Verdict last_;
};

}  // namespace mtfc::cli
