#include "comm/threads.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "kernels/copy_bytes.h"
#include "support/check.h"

namespace mtfc::runtime::net {
namespace {

/// All threads wait for the last one.
class Barrier {
 public:
  explicit Barrier(int size) : size_(size) {}

  void wait() {
    std::unique_lock lock(mutex_);
    const std::int64_t round = round_;
    if (++waiting_ == size_) {
      waiting_ = 0;
      ++round_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return round_ != round; });
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  const int size_;
  int waiting_ = 0;
  std::int64_t round_ = 0;
};

/// What a member publishes to the others between two barriers.
struct Published {
  const std::byte* data = nullptr;
  const int* offsets = nullptr;  // where the blocks of the other members begin in it
};

/// A message that a member waits for.
struct Expected {
  void* data = nullptr;
  std::int64_t bytes = 0;
  bool arrived = false;
};

void copy(void* to, const void* from, std::int64_t bytes) {
  if (bytes > 0 && to != from) copy_bytes(to, from, static_cast<std::size_t>(bytes));
}

/// What is on its way from one member to another one: messages that nobody expects yet, or else
/// where those belong that are expected and have not been sent.
class Mailbox {
 public:
  void put(int from, int to, const void* data, std::int64_t bytes) {
    const auto* begin = static_cast<const std::byte*>(data);
    const std::lock_guard lock(mutex_);
    Line& line = lines_[{from, to}];
    if (line.expected.empty()) return void(line.messages.emplace(begin, begin + bytes));
    deliver(*line.expected.front(), data, bytes);
    line.expected.pop();
    arrived_.notify_all();
  }
  /// The oldest message, at once or when it is sent. `expected` lives until it has arrived.
  void expect(int from, int to, Expected& expected) {
    const std::lock_guard lock(mutex_);
    Line& line = lines_[{from, to}];
    if (line.messages.empty()) return line.expected.push(&expected);
    const std::vector<std::byte>& message = line.messages.front();
    deliver(expected, message.data(), static_cast<std::int64_t>(message.size()));
    line.messages.pop();
  }
  bool has_arrived(const Expected& expected) {
    const std::lock_guard lock(mutex_);
    return expected.arrived;
  }
  void wait(const Expected& expected) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return expected.arrived; });
  }

 private:
  struct Line {
    std::queue<std::vector<std::byte>> messages;
    std::queue<Expected*> expected;
  };
  static void deliver(Expected& expected, const void* data, std::int64_t bytes) {
    MTFC_CHECK(bytes == expected.bytes, "a message of another length");
    copy(expected.data, data, bytes);
    expected.arrived = true;
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, Line> lines_;
};

struct Meeting {
  explicit Meeting(int size) : barrier(size), published(static_cast<std::size_t>(size)) {}
  Barrier barrier;
  std::vector<Published> published;
  Mailbox mailbox;
  /// Where members of new groups find each other, by colour. All have returned from one call before
  /// the next begins.
  std::mutex mutex;
  std::map<int, std::shared_ptr<Meeting>> groups;
};

class ThreadChannel final : public Channel {
 public:
  ThreadChannel(std::shared_ptr<Meeting> meeting, int number)
      : meeting_(std::move(meeting)), number_(number) {}

  int size() const override { return static_cast<int>(meeting_->published.size()); }
  int number() const override { return number_; }

  void all_gather(const void* mine, void* all, std::int64_t bytes, Transfer*) override {
    meet({static_cast<const std::byte*>(mine), nullptr}, [&](int r, const Published& published) {
      copy(static_cast<std::byte*>(all) + r * bytes, published.data, bytes);
    });
  }
  void all_to_all(const void* from, void* to, std::int64_t bytes, Transfer*) override {
    meet({static_cast<const std::byte*>(from), nullptr}, [&](int r, const Published& published) {
      copy(static_cast<std::byte*>(to) + r * bytes, published.data + number_ * bytes, bytes);
    });
  }
  void all_to_all(const void* from, const int*, const int* send_offsets, void* to,
                  const int* receive_counts, const int* receive_offsets, int unit,
                  Transfer*) override {
    meet({static_cast<const std::byte*>(from), send_offsets},
         [&](int r, const Published& published) {
           copy(static_cast<std::byte*>(to) + std::int64_t{receive_offsets[r]} * unit,
                published.data + std::int64_t{published.offsets[number_]} * unit,
                std::int64_t{receive_counts[r]} * unit);
         });
  }
  void all_gather(const void* mine, int, void* all, const int* counts, const int* offsets, int unit,
                  Transfer*) override {
    meet({static_cast<const std::byte*>(mine), nullptr}, [&](int r, const Published& published) {
      copy(static_cast<std::byte*>(all) + std::int64_t{offsets[r]} * unit, published.data,
           std::int64_t{counts[r]} * unit);
    });
  }
  void send_receive(int, const void* mine, int sender, void* theirs, std::int64_t bytes) override {
    meet({static_cast<const std::byte*>(mine), nullptr}, [&](int r, const Published& published) {
      if (r == sender) copy(theirs, published.data, bytes);
    });
  }

  void send(int receiver, const void* data, std::int64_t bytes, Transfer&) override {
    meeting_->mailbox.put(number_, receiver, data, bytes);
  }
  void receive(int sender, void* data, std::int64_t bytes, Transfer& async) override {
    auto expected = std::make_unique<Expected>(Expected{data, bytes});
    meeting_->mailbox.expect(sender, number_, *expected);
    async = {reinterpret_cast<std::intptr_t>(expected.release()), true};
  }
  bool test(Transfer& transfer) override {
    if (transfer.open && meeting_->mailbox.has_arrived(*expected_of(transfer))) end(transfer);
    return !transfer.open;
  }
  void wait(Transfer& transfer) override {
    if (!transfer.open) return;
    meeting_->mailbox.wait(*expected_of(transfer));
    end(transfer);
  }

  /// Publishes `mine`, calls take(r, what r publishes) for every member, and returns when all have.
  template <class Take>
  void meet(const Published& mine, Take take) {
    meeting_->published[static_cast<std::size_t>(number_)] = mine;
    meeting_->barrier.wait();
    for (int r = 0; r < size(); ++r) take(r, meeting_->published[static_cast<std::size_t>(r)]);
    meeting_->barrier.wait();
  }

 private:
  // Only receiving leaves a transfer open.
  static Expected* expected_of(const Transfer& transfer) {
    return reinterpret_cast<Expected*>(transfer.handle);
  }
  static void end(Transfer& transfer) {
    delete expected_of(transfer);
    transfer = {};
  }

  std::shared_ptr<Meeting> meeting_;
  const int number_;
};

class ThreadNetwork final : public Network {
 public:
  ThreadNetwork(const std::shared_ptr<Meeting>& all, int rank) : meeting_(all), all_(all, rank) {}

  int ranks() const override { return all_.size(); }
  int rank() const override { return all_.number(); }
  int ranks_here() const override { return all_.size(); }
  int processes_here() const override { return 1; }
  const char* library() const override { return "threads"; }

  std::unique_ptr<Channel> split(int colour, int order) override {
    const auto [group, number] = join(colour, order);
    return std::make_unique<ThreadChannel>(group, number);
  }
  std::unique_ptr<Network> divide(int colour) override {
    const auto [group, number] = join(colour, rank());
    return std::make_unique<ThreadNetwork>(group, number);
  }

  std::int64_t lowest(std::int64_t mine) override {
    return fold(mine, [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
  }
  std::int64_t highest(std::int64_t mine) override {
    return fold(mine, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }
  void broadcast(void* data, std::int64_t bytes) override {
    all_.meet({static_cast<const std::byte*>(data), nullptr},
              [&](int r, const Published& published) {
                if (r == 0 && rank() != 0) copy(data, published.data, bytes);
              });
  }
  [[noreturn]] void abort(int status, const std::function<void()>& why) override {
    static std::mutex first;  // never released: the others wait for the exit here
    first.lock();
    why();
    std::fflush(nullptr);
    std::_Exit(status);
  }

 private:
  /// The members of one colour, and the number of this one.
  std::pair<std::shared_ptr<Meeting>, int> join(int colour, int order) {
    struct Request {
      int colour, order;
    };
    const Request mine{colour, order};
    int size = 0, before = 0;
    all_.meet({reinterpret_cast<const std::byte*>(&mine), nullptr},
              [&](int r, const Published& published) {
                const auto& other = *reinterpret_cast<const Request*>(published.data);
                if (other.colour != colour) return;
                ++size;
                if (other.order < order || (other.order == order && r < rank())) ++before;
              });
    std::shared_ptr<Meeting> found;
    {
      const std::lock_guard lock(meeting_->mutex);
      std::shared_ptr<Meeting>& group = meeting_->groups[colour];
      if (!group) group = std::make_shared<Meeting>(size);
      found = group;
    }
    all_.meet({}, [](int, const Published&) {});
    if (rank() == 0) meeting_->groups.clear();
    all_.meet({}, [](int, const Published&) {});
    return {found, before};
  }

  template <class Choose>
  std::int64_t fold(std::int64_t mine, Choose choose) {
    std::int64_t all = mine;
    all_.meet({reinterpret_cast<const std::byte*>(&mine), nullptr},
              [&](int, const Published& published) {
                all = choose(all, *reinterpret_cast<const std::int64_t*>(published.data));
              });
    return all;
  }

  const std::shared_ptr<Meeting> meeting_;
  ThreadChannel all_;
};

}  // namespace

int run_on_threads(int ranks, const std::function<int(Network& network)>& body) {
  const auto all = std::make_shared<Meeting>(ranks);
  std::vector<int> statuses(static_cast<std::size_t>(ranks), 0);
  std::vector<std::thread> threads;
  std::promise<bool> all_started;  // ranks wait for each other: all begin, or none
  const std::shared_future<bool> begins = all_started.get_future().share();
  const auto join = [&](bool begin) {
    all_started.set_value(begin);
    for (std::thread& thread : threads) thread.join();
  };
  try {
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank, begins] {
        if (!begins.get()) return;
        ThreadNetwork network(all, rank);
        statuses[static_cast<std::size_t>(rank)] = body(network);
      });
  } catch (...) {
    join(false);
    throw;
  }
  join(true);
  return *std::max_element(statuses.begin(), statuses.end());
}

}  // namespace mtfc::runtime::net
