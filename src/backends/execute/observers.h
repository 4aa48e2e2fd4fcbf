// Who looks on while programs run.
#pragma once
#include "backends/execute/executable.h"
#include "backends/execute/not_finite_watch.h"
#include "backends/execute/recording.h"

namespace mtfc::backends {

/// They outlive the runs.
struct Observers {
  Recording* recording = nullptr;   // keeps when instructions ran; may be null
  NotFiniteWatch* watch = nullptr;  // looks at their results, in the other's place; may be null

  /// A program of the module.
  void run(const Module& module, Executable& executable, runtime::Pool& pool,
           const runtime::Feeds& feeds, std::vector<runtime::Fetched>& fetched) const {
    if (watch)
      watch->run(module, executable, pool, feeds, fetched);
    else
      executable.run(pool, feeds, fetched, recording);
  }
};

/// What an engine that runs modules offers beside Engine.
class Observable {
 public:
  /// From now on, in place of those before.
  virtual void observe(const Observers& observers) = 0;
  /// Makes all executables, so that runs need no more memory.
  virtual void prepare() = 0;

 protected:
  ~Observable() = default;
};

}  // namespace mtfc::backends
