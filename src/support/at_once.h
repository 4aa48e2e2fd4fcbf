// Two functions that know nothing of each other, on two threads.
#pragma once
#include <future>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

namespace mtfc {

/// The results of both. One after the other where there is one processor, or no thread can be
/// started. What either throws is thrown here; neither runs on then.
template <class First, class Second>
auto at_once(First&& first, Second&& second) {
  using Result = std::invoke_result_t<First>;
  std::future<Result> other;
  if (std::thread::hardware_concurrency() > 1) try {
      other = std::async(std::launch::async, first);
    } catch (const std::system_error&) {
    }
  if (!other.valid()) {
    Result one = first();
    return std::pair(std::move(one), second());
  }
  auto made = second();
  return std::pair(other.get(), std::move(made));
}

}  // namespace mtfc
