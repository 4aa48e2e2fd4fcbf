// When the instructions of programs ran: what `train --profile` keeps.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mtfc::backends {

class Recording {
 public:
  /// Nanoseconds of a clock that goes steadily, the same for all processes of a machine.
  using Time = std::int64_t;
  static Time now();

  struct Run {
    std::string program;
    /// When it began, when each instruction was done, and when it was through.
    std::vector<Time> times;
  };

  /// By program how many runs are recorded, the first ones; of others none.
  explicit Recording(std::map<std::string, std::int64_t, std::less<>> wanted)
      : wanted_(std::move(wanted)) {}

  /// A run of a program begins: where its times go, or null if it is not recorded. Good until the
  /// next call.
  std::vector<Time>* begin(std::string_view program, std::size_t instructions);
  const std::vector<Run>& runs() const { return runs_; }

 private:
  std::map<std::string, std::int64_t, std::less<>> wanted_;
  std::vector<Run> runs_;
};

}  // namespace mtfc::backends
