#include "cli/session/ranks.h"

#include "train/loop/train_loop.h"

namespace mtfc::cli {

Ranks::Verdict Ranks::settle(int status, Stage stage) {
  if (over_) return {last_.status, last_.apart && rank() == 0, false, false};
  const std::int64_t mine = status != 0 ? rank() : network_->ranks();
  const std::int64_t first = network_->lowest(mine);
  over_ = first < network_->ranks();
  last_.status = static_cast<int>(network_->highest(status));
  last_.reports = over_ ? first == rank() : rank() == 0;
  last_.others_are_well = over_ && network_->lowest(status) == 0;
  const auto number = static_cast<std::int64_t>(stage);
  if (over_ || network_->lowest(number) == network_->highest(number)) return last_;
  over_ = true;
  return last_ = {exit_failed, rank() == 0, true, false};
}

}  // namespace mtfc::cli
