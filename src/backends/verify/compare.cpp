#include "backends/verify/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "ir/graph.h"
#include "support/program_names.h"
#include "support/random_key.h"

namespace mtfc::backends {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// In roundings: by how many a disturbance changes a number; how many are allowed without one, of
// the tensor itself, and of the largest of its kind, from which what is zero in exact arithmetic is
// the difference.
constexpr double disturbance = 512, own_rounding = 512, kind_rounding = 16;
// How many times as far as a disturbance two orders of summation may bring a result: the
// disturbance is itself a sample.
constexpr double samples = 16;

/// max |x| of what is finite.
double largest_finite(const runtime::HostTensor& tensor) {
  double found = 0;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double value = std::abs(runtime::element(tensor, i));
    if (std::isfinite(value)) found = std::max(found, value);
  }
  return found;
}

/// max |a - b|; equal infinities and two that are not numbers do not differ.
double apart(const runtime::HostTensor& a, const runtime::HostTensor& b) {
  double most = 0;
  for (std::int64_t i = 0; i < b.elements(); ++i) {
    const double x = runtime::element(a, i), y = runtime::element(b, i);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double now = std::abs(x - y);
    most = std::max(most, std::isnan(now) ? infinite : now);
  }
  return most;
}

/// The worst of what is not finite in both at the same places, and alike.
NotFinite not_finite_in_both(const runtime::HostTensor& a, const runtime::HostTensor& b) {
  NotFinite worst = NotFinite::none;
  for (std::int64_t i = 0; i < b.elements(); ++i) {
    const double x = runtime::element(a, i), y = runtime::element(b, i);
    if (std::isnan(x) && std::isnan(y)) return NotFinite::not_a_number;
    if (std::isinf(x) && x == y) worst = NotFinite::infinite;
  }
  return worst;
}

/// ||a - b|| / ||b||; equal infinities and two that are not numbers do not differ.
double apart_overall(const runtime::HostTensor& a, const runtime::HostTensor& b) {
  double between = 0, whole = 0;
  for (std::int64_t i = 0; i < b.elements(); ++i) {
    const double x = runtime::element(a, i), y = runtime::element(b, i);
    if (std::isfinite(y)) whole += y * y;
    if (x != y && !(std::isnan(x) && std::isnan(y))) between += (x - y) * (x - y);
  }
  if (between == 0) return 0;
  const double share = std::sqrt(between / whole);
  return std::isnan(share) ? infinite : share;
}

struct Item {
  Difference::Kind kind{};
  std::string name;
  const runtime::HostTensor* value = nullptr;
  bool parameter = false;
  std::string fetched = {};  // as what: a loss may be called like a report, `lr`
  int number = 0;  // of those of one name: a tensor may be called like a gradient, `grad.w`
};

/// What is compared of an outcome.
std::vector<Item> items_of(const Outcome& outcome, bool evaluation) {
  using Kind = Difference::Kind;
  std::vector<Item> items;
  std::map<std::pair<std::string, std::string>, int> named;
  for (const runtime::Fetched& f : outcome.fetched) {
    const Kind kind = f.kind != "tensor"                          ? Kind::loss
                      : !gradient_names::value_of(f.name).empty() ? Kind::gradient
                                                                  : Kind::value;
    const int number = named[{f.kind, f.name}]++;
    items.push_back({kind, (evaluation ? "eval " : "") + f.name, &f.value, false, f.kind, number});
  }
  for (const auto& [path, value] : outcome.variables)
    items.push_back({Kind::variable, path, &value, !owner_names::is_optimizer_state(path)});
  return items;
}

const runtime::HostTensor* find(const std::vector<Item>& items, const Item& wanted) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const Item& item) {
    return item.kind == wanted.kind && item.fetched == wanted.fetched && item.name == wanted.name &&
           item.number == wanted.number;
  });
  return found == items.end() ? nullptr : found->value;
}

/// What programs fetch only if they were lowered to show it, which those of a dump may not be.
bool is_asked_for(Difference::Kind kind) {
  return kind == Difference::Kind::gradient || kind == Difference::Kind::value;
}

/// How far the other's value of an item is, as `measure` has it; infinite if it has none of this
/// shape.
template <class Measure>
double apart(const std::vector<Item>& items, const Item& wanted, const Measure& measure) {
  const runtime::HostTensor* value = find(items, wanted);
  const std::vector<std::int64_t>& extents = wanted.value->extents;
  if (value == nullptr || value->extents.size() != extents.size()) return infinite;
  return measure(*runtime::PaddedTo(*value, extents).operator->(), *wanted.value);
}
double apart(const std::vector<Item>& items, const Item& wanted) {
  return apart(items, wanted, [](auto& a, auto& b) { return apart(a, b); });
}
double apart_overall(const std::vector<Item>& items, const Item& wanted) {
  return apart(items, wanted, [](auto& a, auto& b) { return apart_overall(a, b); });
}

NotFinite not_finite_in_both(const std::vector<Item>& items, const Item& wanted) {
  NotFinite found = NotFinite::none;
  apart(items, wanted, [&](auto& a, auto& b) {
    found = not_finite_in_both(a, b);
    return 0.0;
  });
  return found;
}

/// A number in [-1, 1] that is a function of a name and an index.
double sample(std::uint64_t key, std::int64_t index) {
  const std::uint64_t bits = random_key(key + static_cast<std::uint64_t>(index), "");
  return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

void disturb(const std::string& name, runtime::HostTensor& tensor, double by) {
  if (!is_float(tensor.dtype)) return;
  const std::uint64_t key = random_key(0, name);
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    runtime::set_element(tensor, i, runtime::element(tensor, i) * (1 + by * sample(key, i)));
}

}  // namespace

runtime::Status disturb(runtime::Engine& engine, const runtime::TrainPlan& plan, double unit,
                        Expected& expected) {
  if (expected.before.empty()) return {};
  Variables variables = expected.before;
  for (auto& [path, value] : variables) disturb(path, value, disturbance * unit);
  Section section = expected.section;
  for (runtime::Feeds& feeds : section.feeds)
    for (auto& [name, value] : feeds) disturb(name, value, disturbance * unit);
  set_variables(engine, variables);
  runtime::Result<Outcome> made = run_section(engine, plan, section);
  if (!made) return made.error();
  expected.disturbed = std::move(*made);
  set_variables(engine, expected.outcome.variables);
  return {};
}

std::vector<Difference> compare(const Expected& expected, const Outcome& outcome, double unit) {
  const bool evaluation = expected.section.kind == Section::Kind::evaluation;
  const std::vector<Item> right = items_of(expected.outcome, evaluation);
  const std::vector<Item> other = items_of(outcome, evaluation);
  const std::vector<Item> disturbed =
      expected.disturbed ? items_of(*expected.disturbed, evaluation) : std::vector<Item>();
  double of_kind[4] = {};
  for (const Item& item : right)
    if (item.kind == Difference::Kind::gradient || item.parameter) {
      double& most = of_kind[static_cast<int>(item.kind)];
      most = std::max(most, largest_finite(*item.value));
    }
  std::vector<Difference> all;
  for (const Item& item : right) {
    if (find(other, item) == nullptr && is_asked_for(item.kind)) continue;
    Difference& d = all.emplace_back(Difference{item.kind, item.name});
    const double kind = of_kind[static_cast<int>(item.kind)], own = largest_finite(*item.value);
    d.absolute = apart(other, item);
    d.both = not_finite_in_both(other, item);
    d.must_be_finite =
        item.kind == Difference::Kind::variable || item.fetched == name(Output::Kind::loss);
    const double scale = std::max(own, noise * kind);
    if (d.absolute != 0) d.relative = scale == 0 ? infinite : d.absolute / scale;
    if (d.absolute != 0) d.overall = apart_overall(other, item);
    d.allowed = unit * (own_rounding * own + kind_rounding * kind);
    if (!disturbed.empty()) d.allowed += samples * apart(disturbed, item);
  }
  return all;
}

void merge(std::vector<Difference>& all, const std::vector<Difference>& more) {
  const auto excess = [](const Difference& d) {
    if (d.absolute == 0) return 0.0;
    return d.allowed == 0 ? infinite : d.absolute / d.allowed;
  };
  for (const Difference& d : more) {
    const auto old = std::find_if(all.begin(), all.end(), [&](const Difference& o) {
      return o.kind == d.kind && o.name == d.name;
    });
    if (old == all.end()) {
      all.push_back(d);
      continue;
    }
    const NotFinite both = std::max(old->both, d.both);
    if (excess(d) > excess(*old)) *old = d;
    old->both = both;
  }
}

}  // namespace mtfc::backends
