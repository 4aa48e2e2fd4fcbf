#include "kernels/pool.h"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "support/check.h"

namespace mtfc::runtime {
namespace {

constexpr int kSpins = 2000;  // some tens of microseconds: longer than the gap between two kernels

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// A ticket is (job number, next index) in one word, so that a thread that comes late cannot claim
// an index of a job whose description it has not read.
constexpr std::uint64_t kIndexMask = 0xffffffffu;
constexpr std::uint64_t kClosed = kIndexMask;  // no index: the job's description is being written

}  // namespace

struct Pool::State {
  std::vector<std::thread> workers;
  std::mutex one_run;  // callers take turns

  std::atomic<std::uint64_t> ticket{kClosed};
  std::atomic<const std::function<void(std::int64_t)>*> task{nullptr};
  std::atomic<std::int64_t> count{0};
  alignas(64) std::atomic<std::int64_t> done{0};

  std::mutex sleep;
  std::condition_variable wake;
  std::exception_ptr thrown;  // the first of a job
  std::atomic<int> sleepers{0};
  std::atomic<bool> stop{false};
  std::atomic<int> started{0};
  std::atomic<bool> refused{false};

  // What is thrown (memory that ends) waits until nobody uses the job any more.
  void run_one(const std::function<void(std::int64_t)>& job, std::int64_t index) {
    try {
      job(index);
    } catch (...) {
      std::lock_guard lock(sleep);
      if (!thrown) thrown = std::current_exception();
    }
  }

  // Claims and runs indices until there is none left.
  void work() {
    std::uint64_t seen = ticket.load(std::memory_order_acquire);
    while (true) {
      const std::uint64_t index = seen & kIndexMask;
      const auto* job = task.load(std::memory_order_acquire);
      if (index == kClosed || static_cast<std::int64_t>(index) >= count.load()) return;
      if (!ticket.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel)) continue;
      run_one(*job, static_cast<std::int64_t>(index));
      done.fetch_add(1, std::memory_order_acq_rel);
      seen = ticket.load(std::memory_order_acquire);
    }
  }

  // Waits until the job number is not `job`: spinning first, because the next kernel is near.
  void wait_for_next(std::uint64_t job) {
    const auto changed = [&] { return (ticket.load() >> 32) != job || stop.load(); };
    for (int i = 0; i < kSpins; ++i) {
      if (changed()) return;
      pause_briefly();
    }
    std::unique_lock lock(sleep);
    sleepers.fetch_add(1);
    wake.wait(lock, changed);
    sleepers.fetch_sub(1);
  }

  // An allocator makes a heap for each thread. If it cannot, that is to be known before the thread
  // has work: there the C library would end the process.
  void begin_worker() {
    void* volatile first = std::malloc(1);
    if (first == nullptr) refused.store(true);
    std::free(first);
    started.fetch_add(1);
  }

  void wait_until_started() {
    while (started.load() != static_cast<int>(workers.size())) std::this_thread::yield();
    if (refused.load()) throw std::bad_alloc();
  }

  void worker() {
    begin_worker();
    std::uint64_t job = 0;
    while (true) {
      wait_for_next(job);
      if (stop.load()) return;
      job = ticket.load() >> 32;
      work();
    }
  }

  void end_workers() {
    {
      std::lock_guard lock(sleep);
      stop.store(true);
    }
    wake.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  void open_job(std::int64_t tasks, const std::function<void(std::int64_t)>& function) {
    const std::uint64_t job = ((ticket.load() >> 32) + 1) & kIndexMask;
    // The number stays the old one until the description is complete; only the index closes.
    ticket.store((((job - 1) & kIndexMask) << 32) | kClosed);
    task.store(&function);
    count.store(tasks);
    done.store(0);
    ticket.store(job << 32);
    if (sleepers.load() > 0) {
      std::lock_guard lock(sleep);
      wake.notify_all();
    }
  }

  void wait_until_done(std::int64_t tasks) {
    for (int i = 0; done.load(std::memory_order_acquire) != tasks; ++i) {
      if (i < kSpins) {
        pause_briefly();
      } else {
        std::this_thread::yield();
      }
    }
  }
};

Pool::Pool(int threads) : state_(std::make_unique<State>()) {
  if (threads <= 0) threads = static_cast<int>(std::thread::hardware_concurrency());
  try {
    for (int i = 1; i < threads; ++i)
      state_->workers.emplace_back([state = state_.get()] { state->worker(); });
    state_->wait_until_started();
  } catch (...) {  // the system refuses threads: those that it gave must not outlive the pool
    state_->end_workers();
    throw;
  }
}

Pool::~Pool() { state_->end_workers(); }

int Pool::threads() const { return static_cast<int>(state_->workers.size()) + 1; }

void Pool::run(std::int64_t count, const std::function<void(std::int64_t)>& task) {
  if (count <= 1 || state_->workers.empty()) {
    for (std::int64_t i = 0; i < count; ++i) task(i);
    return;
  }
  MTFC_CHECK(count < static_cast<std::int64_t>(kIndexMask), "too many tasks");
  std::lock_guard turn(state_->one_run);
  state_->open_job(count, task);
  state_->work();
  state_->wait_until_done(count);
  if (state_->thrown) std::rethrow_exception(std::exchange(state_->thrown, nullptr));
}

}  // namespace mtfc::runtime
