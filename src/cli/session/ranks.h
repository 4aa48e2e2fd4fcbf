// A command that runs on several ranks at once: which of them reports, and when all of them must
// stop.
//
// Every rank runs the same command on the same files. Rank 0 reports. If ranks fail, the lowest of
// those that failed does, so that a reason is printed once, by a rank that knows it.
#pragma once
#include <cstdint>
#include <memory>

#include "comm/network.h"

namespace mtfc::cli {

class Ranks {
 public:
  explicit Ranks(std::unique_ptr<runtime::net::Network> network) : network_(std::move(network)) {}

  runtime::net::Network& network() { return *network_; }
  int rank() const { return network_->rank(); }

  /// Where a rank is when it says how it stands.
  enum class Stage { folder, checkpoint, ready, end };
  /// Every rank says how it stands, before it does anything that the others must do with it. Ranks
  /// that are well but not at the same stage do not run the same command: `apart`.
  /// `reports`: this rank is to print what happened. `status`: the highest of all.
  /// `others_are_well`: some of the ranks, while others are not.
  struct Verdict {
    int status = 0;
    bool reports = false;
    bool apart = false;
    bool others_are_well = false;
  };
  Verdict settle(int status, Stage stage);

 private:
  std::unique_ptr<runtime::net::Network> network_;
  bool over_ = false;  // some rank has failed: nobody waits for anybody any more
  Verdict last_;
};

}  // namespace mtfc::cli
