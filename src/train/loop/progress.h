// What is seen of a run while it runs, on stderr: one moving line on a terminal (after a second),
// now and then a plain line elsewhere.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace mtfc::runtime {

class Progress {
 public:
  /// `done` of `steps` were made earlier, by the run that this one continues.
  Progress(bool enabled, std::int64_t done, std::int64_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `seconds`: of this step; what is left is told by the clock, evaluations and saving included.
  void step(std::int64_t done, double loss, double seconds);
  /// A line that stays, above the moving one.
  void line(const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;
  void erase();
  std::string status(std::int64_t done, double loss) const;

  bool enabled_, terminal_;
  std::int64_t first_, steps_;
  double in_steps_ = 0;  // seconds
  bool shown_ = false;
  Clock::time_point started_, last_shown_;
};

}  // namespace mtfc::runtime
