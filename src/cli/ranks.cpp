#include "cli/ranks.h"

namespace mtfc::cli {

Ranks::Verdict Ranks::settle(int status) {
  if (over_) return {last_.status, false};
  const std::int64_t mine = status != 0 ? rank() : network_->ranks();
  const std::int64_t first = network_->lowest(mine);
  over_ = first < network_->ranks();
  last_.status = static_cast<int>(network_->highest(status));
  last_.speaker = over_ ? first == rank() : rank() == 0;
  return last_;
}

}  // namespace mtfc::cli
