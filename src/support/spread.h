// How work is spread over threads, for rooms that have none of their own.
#pragma once
#include <cstdint>
#include <functional>

namespace mtfc::runtime {

/// Calls task(i) once for every i in [0, count), in any order, perhaps on several threads; returns
/// when all are done.
using Spread =
    std::function<void(std::int64_t count, const std::function<void(std::int64_t)>& task)>;

/// On the thread that asks.
inline void on_this_thread(std::int64_t count, const std::function<void(std::int64_t)>& task) {
  for (std::int64_t i = 0; i < count; ++i) task(i);
}

}  // namespace mtfc::runtime
