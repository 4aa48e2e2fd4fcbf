// The one thread pool.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

namespace mtfc::runtime {

/// That may be asked for.
inline constexpr int most_threads = 65536;

class Pool {
 public:
  /// threads <= 0: as many as the machine has for this process. std::system_error if the system
  /// does not give them.
  explicit Pool(int threads = 0);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const;
  /// Calls task(i) once for every i in [0, count), in any order, on all threads; returns when all
  /// are done. Tasks must not call run themselves. What a task computes must not depend on which
  /// thread runs it. Of what tasks throw, one is thrown on when all are done.
  void run(std::int64_t count, const std::function<void(std::int64_t)>& task);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mtfc::runtime
