// The network between threads: every rank gets what the definition of each call says.
#include <catch2/catch.hpp>
#include <vector>

#include "comm/threads.h"
#include "train/emitted/devices.h"

namespace comm_threads_test {

using namespace mtfc::runtime;
using namespace mtfc::runtime::net;

namespace {

constexpr int kRanks = 6;

/// Runs body on all ranks; what it returns (Catch is not for several threads) is the number of
/// mistakes that it saw.
int mistakes(const std::function<int(Network&)>& body) { return run_on_threads(kRanks, body); }

/// What rank `from` has for rank `to`.
int token(int from, int to) { return 100 * from + to; }

}  // namespace

TEST_CASE("threads: groups are numbered in ascending order") {
  CHECK(mistakes([](Network& network) {
          int wrong = 0;
          for (int round = 0; round < 20; ++round) {
            // Even and odd ranks, in descending order.
            const auto channel = network.split(network.rank() % 2, -network.rank());
            wrong += channel->size() != kRanks / 2;
            wrong += channel->number() != (kRanks - 1 - network.rank()) / 2;
            std::vector<int> all(kRanks / 2, -1);
            const int mine = network.rank();
            channel->all_gather(&mine, all.data(), sizeof mine);
            for (int i = 0; i < kRanks / 2; ++i)
              wrong += all[static_cast<std::size_t>(i)] != kRanks - 2 + network.rank() % 2 - 2 * i;
          }
          return wrong;
        }) == 0);
}

TEST_CASE("threads: ranks of one process count its memory once") {
  CHECK(mistakes([](Network& network) {
          return network.ranks_here() != kRanks || network.processes_here() != 1 ? 1 : 0;
        }) == 0);
}

TEST_CASE("threads: blocks go where they belong") {
  CHECK(mistakes([](Network& network) {
          const int me = network.rank();
          const auto channel = network.split(0, me);
          int wrong = 0;
          std::vector<int> from, to(kRanks, -1);
          for (int r = 0; r < kRanks; ++r) from.push_back(token(me, r));
          channel->all_to_all(from.data(), to.data(), sizeof(int));
          for (int r = 0; r < kRanks; ++r) wrong += to[static_cast<std::size_t>(r)] != token(r, me);
          int got = -1;
          channel->send_receive(kRanks - 1 - me, &me, kRanks - 1 - me, &got, sizeof me);
          wrong += got != kRanks - 1 - me;
          wrong += network.lowest(10 + me) != 10;
          wrong += network.highest(10 + me) != 10 + kRanks - 1;
          double data[3] = {1.0 * me, 2.0 * me, 3.0};
          if (me == 0) data[0] = 7.5;
          network.broadcast(data, sizeof data);
          wrong += data[0] != 7.5 || data[1] != 0.0;
          return wrong;
        }) == 0);
}

TEST_CASE("threads: messages arrive in order, whether they are expected before or after") {
  CHECK(mistakes([](Network& network) {
          const int me = network.rank();
          const auto channel = network.split(5, me);
          const int next = (me + 1) % kRanks, before = (me + kRanks - 1) % kRanks;
          int wrong = 0;
          for (const bool expected_first : {true, false}) {
            int got[2] = {-1, -1};
            Transfer coming[2], going;
            const auto expect = [&] {
              for (int i = 0; i < 2; ++i)
                channel->receive(before, &got[i], sizeof got[i], coming[i]);
            };
            if (expected_first) {
              expect();
              network.lowest(0);  // nobody has sent anything
              wrong += channel->test(coming[0]) || channel->test(coming[1]);
              network.lowest(0);
            }
            for (const int sent : {token(me, next), token(me, next) + 1})
              channel->send(next, &sent, sizeof sent, going);
            if (!expected_first) {
              network.lowest(0);
              expect();
            }
            channel->wait(coming[1]);
            channel->wait(coming[0]);
            wrong += coming[0].open || !channel->test(coming[1]);
            wrong += got[0] != token(before, me) || got[1] != token(before, me) + 1;
          }
          return wrong;
        }) == 0);
}

TEST_CASE("threads: blocks of different lengths") {
  CHECK(mistakes([](Network& network) {
          // Rank a sends a + b numbers to rank b.
          const int me = network.rank();
          const auto channel = network.split(3, me);
          std::vector<int> send_counts, send_places, receive_counts, receive_places, from, to;
          for (int r = 0; r < kRanks; ++r) {
            send_counts.push_back(me + r);
            send_places.push_back(static_cast<int>(from.size()));
            from.insert(from.end(), static_cast<std::size_t>(me + r), token(me, r));
            receive_counts.push_back(me + r);
            receive_places.push_back(static_cast<int>(to.size()));
            to.insert(to.end(), static_cast<std::size_t>(me + r), -1);
          }
          channel->all_to_all(from.data(), send_counts.data(), send_places.data(), to.data(),
                              receive_counts.data(), receive_places.data(), sizeof(int));
          int wrong = 0;
          for (int r = 0; r < kRanks; ++r)
            for (int i = 0; i < me + r; ++i)
              wrong +=
                  to[static_cast<std::size_t>(receive_places[static_cast<std::size_t>(r)] + i)] !=
                  token(r, me);
          // Rank r gives r numbers; they lie in reverse order of the ranks.
          std::vector<int> counts, places, all(kRanks * (kRanks - 1) / 2, -1);
          for (int r = 0; r < kRanks; ++r) {
            counts.push_back(r);
            places.push_back((kRanks - 1) * kRanks / 2 - r * (r + 1) / 2);
          }
          const std::vector<int> mine(static_cast<std::size_t>(me), token(me, me));
          channel->all_gather(mine.data(), me, all.data(), counts.data(), places.data(),
                              sizeof(int));
          for (int r = 0; r < kRanks; ++r)
            for (int i = 0; i < r; ++i)
              wrong += all[static_cast<std::size_t>(places[static_cast<std::size_t>(r)] + i)] !=
                       token(r, r);
          return wrong;
        }) == 0);
}

TEST_CASE("threads: messages between two ranks arrive in the order in which they were sent") {
  CHECK(mistakes([](Network& network) {
          const int me = network.rank();
          const auto channel = network.split(0, me);
          int wrong = 0;
          Transfer transfer;
          for (int number = 0; number < 5; ++number)
            for (int r = 0; r < kRanks; ++r)
              if (const int message = token(me, r) + 10000 * number; r != me)
                channel->send(r, &message, sizeof message, transfer);
          for (int r = kRanks - 1; r >= 0; --r)
            for (int number = 0; number < 5 && r != me; ++number) {
              int message = 0;
              channel->receive(r, &message, sizeof message, transfer);
              channel->wait(transfer);
              wrong += message != token(r, me) + 10000 * number;
            }
          return wrong;
        }) == 0);
}

TEST_CASE("threads: a part of the ranks is a network of its own") {
  CHECK(mistakes([](Network& network) {
          const int me = network.rank();
          const std::unique_ptr<Network> part = network.divide(me % 2);
          int wrong = part->ranks() != kRanks / 2 || part->rank() != me / 2;
          // Each part by itself, one of them more often.
          for (int round = 0; round <= me % 2; ++round) {
            wrong += part->highest(me) != kRanks - 2 + me % 2;
            const auto pair = part->split(part->rank() / 2, 0);
            wrong += pair->size() != (part->rank() == 2 ? 1 : 2);
          }
          int first = me;
          part->broadcast(&first, sizeof first);
          wrong += first != me % 2;
          return wrong;
        }) == 0);
}

TEST_CASE("the highest status is that of all threads") {
  CHECK(run_on_threads(5, [](Network& network) { return network.rank() == 2 ? 3 : 0; }) == 3);
  CHECK(run_on_threads(1, [](Network& network) { return network.ranks() - 1; }) == 0);
}

TEST_CASE("devices by name") {
  CHECK(parse_device("cpu:3") == Device{3, 3});
  CHECK(parse_device("cpu:0-7") == Device{0, 7});
  for (const char* wrong : {"", "cpu", "cpu:", "cpu:x", "cpu:-1", "cpu:3-1", "cpu:1-", "cpu:1 ",
                            "cpu:99999", "cpu:99999999999999999999", "gpu:0", "cpu:1;", "CPU:0"})
    CHECK_FALSE(parse_device(wrong));
  CHECK(device_list("cpu:0,cpu:2-3") == std::vector<std::string>{"cpu:0", "cpu:2-3"});
  CHECK(device_list("cpu:0,").empty());
  CHECK(device_list("cpu:0\",system(\"x\")").empty());
}

}  // namespace comm_threads_test
