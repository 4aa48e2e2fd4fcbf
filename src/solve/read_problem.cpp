#include "solve/read_problem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/text.h"

namespace mtfc::solve {
namespace {

using Json = nlohmann::json;
using runtime::Error;
using runtime::Result;
using runtime::Status;

using Lists = std::vector<std::vector<std::int64_t>>;

/// The file's lists as they stand there.
struct Raw {
  std::string name;
  Lists intervals, costs, usages, pairs, matrices;
  std::optional<std::int64_t> limit;
};

/// Where a value stands: the keys that lead to it, and what is there.
struct Column {
  const char* path;
  Lists Raw::*lists;
};
constexpr int number_beyond_doubles = 406;  // among the library's errors

constexpr std::array<Column, 5> columns = {{{"problem.nodes.intervals", &Raw::intervals},
                                            {"problem.nodes.costs", &Raw::costs},
                                            {"problem.nodes.usages", &Raw::usages},
                                            {"problem.edges.nodes", &Raw::pairs},
                                            {"problem.edges.costs", &Raw::matrices}}};

class Reader final : public nlohmann::json_sax<Json> {
 public:
  Raw raw;
  std::string wrong;

  bool start_object(std::size_t) override {
    const std::string path = this->path();
    const bool known =
        path.empty() || path == "problem" || path == "problem.nodes" || path == "problem.edges";
    if (!known || depth_ > 0) return fail(here() + " has an object as its value");
    keys_.emplace_back();
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool key(std::string& text) override {
    keys_.back() = text;
    const std::string path = this->path();
    const auto column = std::find_if(columns.begin(), columns.end(),
                                     [&](const Column& one) { return path == one.path; });
    lists_ = column == columns.end() ? nullptr : &(raw.*(column->lists));
    if (lists_ && !lists_->empty()) return fail(here() + " is there twice");
    limit_ = path == "problem.usage_limit";
    name_ = path == "problem.name";
    const bool inner = path == "problem" || path == "problem.nodes" || path == "problem.edges";
    return lists_ || limit_ || name_ || inner || fail(here() + " is not a key of this format");
  }
  bool start_array(std::size_t) override {
    if (!lists_ || depth_ == 2) return fail(here() + " has a list where none belongs");
    if (++depth_ == 2) lists_->emplace_back();
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool number_integer(std::int64_t value) override { return take(value); }
  bool number_unsigned(std::uint64_t value) override {
    return value > std::uint64_t{1} << 62 ? fail(here() + " has a number beyond 2^62")
                                          : take(static_cast<std::int64_t>(value));
  }
  /// 1e18 is a whole number too.
  bool number_float(double value, const std::string& text) override {
    if (!(std::fabs(value) <= 4e18) || value != std::floor(value))
      return fail(here() + " has " + text + ", which is not a whole number");
    return take(static_cast<std::int64_t>(value));
  }
  bool string(std::string& text) override {
    if (!name_) return fail(here() + " has a text where a number belongs");
    raw.name = text;
    return true;
  }
  bool null() override { return fail(here() + " has null where a number belongs"); }
  bool boolean(bool) override { return fail(here() + " has a bool where a number belongs"); }
  bool binary(Json::binary_t&) override { return fail(here() + " is not a number"); }
  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception& error) override {
    if (error.id == number_beyond_doubles) return fail(here() + " has a number that is too large");
    return fail("it is not JSON at byte " + std::to_string(byte));
  }

 private:
  std::string path() const { return joined(keys_, "."); }
  std::string here() const {
    return keys_.empty() ? std::string("the file") : backquoted(path(), 80);
  }
  bool take(std::int64_t value) {
    if (limit_ && depth_ == 0) {
      raw.limit = value;
      return true;
    }
    if (!lists_ || depth_ != 2) return fail(here() + " has a number where none belongs");
    lists_->back().push_back(value);
    return true;
  }
  bool fail(std::string what) {
    wrong = std::move(what);
    return false;
  }

  std::vector<std::string> keys_;
  Lists* lists_ = nullptr;  // of the key that was read last
  bool limit_ = false, name_ = false;
  int depth_ = 0;  // of lists
};

Error at(const std::string& kind, std::size_t index, const std::string& what) {
  return {kind + " " + std::to_string(index) + " " + what, {}, {}};
}

/// Adds up the largest amount of each list below `never`; false once they are too much.
class Total {
 public:
  Total(std::int64_t most, std::int64_t never) : most_(most), never_(never) {}
  bool add(const std::vector<std::int64_t>& amounts) {
    std::int64_t most = 0;
    for (const std::int64_t amount : amounts) {
      if (amount < -most_) return false;
      if (amount < never_) most = std::max(most, std::abs(amount));
    }
    return !__builtin_add_overflow(sum_, most, &sum_) && sum_ <= most_;
  }

 private:
  std::int64_t sum_ = 0;
  const std::int64_t most_, never_;
};

Error too_large(const std::string& kind, std::size_t index, const std::string& what) {
  return at(kind, index,
            "makes the sum of " + what + " too large to be exact (" +
                (what == "costs" ? "2^52; what is not possible costs 1e18)" : "2^53)"));
}

Status take_nodes(Raw& raw, Total& costs, Problem& problem) {
  const std::size_t count = raw.costs.size();
  if (raw.intervals.size() != count || raw.usages.size() != count)
    return Error{"there are " + std::to_string(raw.intervals.size()) + " intervals, " +
                     std::to_string(count) + " lists of costs and " +
                     std::to_string(raw.usages.size()) + " of usages of nodes",
                 {},
                 {}};
  Total usages(most_usage, std::numeric_limits<std::int64_t>::max());
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<std::int64_t>& interval = raw.intervals[i];
    if (interval.size() != 2) return at("node", i, "has no interval of two times");
    if (interval[0] < 0 || interval[1] < interval[0])
      return at(
          "node", i,
          "is alive from " + std::to_string(interval[0]) + " to " + std::to_string(interval[1]));
    if (raw.costs[i].empty()) return at("node", i, "has no strategy");
    if (raw.costs[i].size() != raw.usages[i].size())
      return at("node", i,
                "has " + counted(raw.costs[i].size(), "cost") + " and " +
                    counted(raw.usages[i].size(), "usage"));
    if (raw.costs[i].size() > 1u << 16) return at("node", i, "has more than 65536 strategies");
    for (const std::int64_t usage : raw.usages[i])
      if (usage < 0) return at("node", i, "has a negative usage");
    if (!costs.add(raw.costs[i])) return too_large("node", i, "costs");
    if (!usages.add(raw.usages[i])) return too_large("node", i, "usages");
    problem.nodes.push_back(
        {interval[0], interval[1], std::move(raw.costs[i]), std::move(raw.usages[i])});
  }
  return {};
}

Status take_edges(Raw& raw, Total& costs, Problem& problem) {
  const std::size_t count = raw.pairs.size(), nodes = problem.nodes.size();
  if (raw.matrices.size() != count)
    return Error{"there are " + std::to_string(count) + " edges and costs of " +
                     std::to_string(raw.matrices.size()),
                 {},
                 {}};
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<std::int64_t>& pair = raw.pairs[i];
    if (pair.size() != 2) return at("edge", i, "does not join two nodes");
    for (const std::int64_t node : pair)
      if (node < 0 || static_cast<std::size_t>(node) >= nodes)
        return at("edge", i, "names node " + std::to_string(node) + " of " + std::to_string(nodes));
    const auto a = static_cast<std::size_t>(pair[0]), b = static_cast<std::size_t>(pair[1]);
    if (a == b) return at("edge", i, "joins node " + std::to_string(a) + " with itself");
    const std::size_t rows = problem.nodes[a].costs.size(), columns = problem.nodes[b].costs.size();
    if (raw.matrices[i].size() != rows * columns)
      return at("edge", i,
                "has " + std::to_string(raw.matrices[i].size()) + " costs, and " +
                    std::to_string(rows) + " x " + std::to_string(columns) +
                    " pairs of strategies");
    if (!costs.add(raw.matrices[i])) return too_large("edge", i, "costs");
    problem.edges.push_back({a, b, std::move(raw.matrices[i])});
  }
  return {};
}

}  // namespace

Result<Problem> read_problem(std::string_view text) {
  Reader reader;
  if (!Json::sax_parse(text.begin(), text.end(), &reader)) return Error{reader.wrong, {}, {}};
  Raw& raw = reader.raw;
  Problem problem;
  problem.name = raw.name;
  problem.limit = raw.limit;
  if (raw.limit && *raw.limit < 0) return Error{"`problem.usage_limit` is negative", {}, {}};
  if (raw.costs.empty()) return Error{"it has no nodes", {}, {}};
  Total costs(most_cost, infinite);
  if (Status taken = take_nodes(raw, costs, problem); !taken) return taken.error();
  if (Status taken = take_edges(raw, costs, problem); !taken) return taken.error();
  return problem;
}

}  // namespace mtfc::solve
