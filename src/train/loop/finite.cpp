#include "train/loop/finite.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "support/host_tensor.h"
#include "train/checkpoint/checkpoint.h"

namespace mtfc::runtime {
namespace {

/// In the order of how bad they are.
enum class Worst : std::int64_t { finite, infinite, not_a_number };

template <class Float>
Worst worst_of(const HostTensor& tensor) {
  Worst worst = Worst::finite;
  const auto* values = tensor.as<Float>();
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    if (std::isnan(values[i])) return Worst::not_a_number;
    if (std::isinf(values[i])) worst = Worst::infinite;
  }
  return worst;
}

Worst worst_value(const HostTensor& tensor) {
  if (!is_float(tensor.dtype)) return Worst::finite;
  if (tensor.dtype == DType::f32) return worst_of<float>(tensor);
  if (tensor.dtype == DType::f64) return worst_of<double>(tensor);
  Worst worst = Worst::finite;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double value = element(tensor, i);
    if (std::isnan(value)) return Worst::not_a_number;
    if (std::isinf(value)) worst = Worst::infinite;
  }
  return worst;
}

struct Found {
  std::size_t at;
  Worst worst;  // on any rank

  std::string text() const { return worst == Worst::infinite ? "is infinite" : "is not a number"; }
};

/// The first that is not finite on any rank; `mine` has as many on each.
std::optional<Found> first_of(const std::vector<Worst>& mine, net::Network& network) {
  const auto is_bad = [](Worst worst) { return worst != Worst::finite; };
  const std::int64_t own = std::find_if(mine.begin(), mine.end(), is_bad) - mine.begin();
  const auto first = static_cast<std::size_t>(network.lowest(own));
  if (first == mine.size()) return std::nullopt;
  return Found{first, static_cast<Worst>(network.highest(static_cast<std::int64_t>(mine[first])))};
}

}  // namespace

std::optional<std::string> find_not_finite(Engine& engine) {
  const std::vector<VariableInfo> variables = engine.variables();
  std::vector<Worst> mine;
  // Getting one may be a collective act: every rank goes through all of them.
  for (const VariableInfo& variable : variables)
    mine.push_back(is_saved(variable) ? worst_value(engine.part(variable.path)) : Worst::finite);
  const std::optional<Found> found = first_of(mine, engine.network());
  if (!found) return std::nullopt;
  const VariableInfo& variable = variables[found->at];
  return (variable.kind == "optimizer" ? "optimizer state" : variable.kind) + " `" + variable.path +
         "` " + found->text();
}

std::optional<std::string> find_not_finite_input(const Feeds& feeds, net::Network& network) {
  std::vector<Worst> mine;
  for (const auto& [name, tensor] : feeds) mine.push_back(worst_value(tensor));
  const std::optional<Found> found = first_of(mine, network);
  if (!found) return std::nullopt;
  return "input `" + std::next(feeds.begin(), static_cast<std::ptrdiff_t>(found->at))->first +
         "` " + found->text();
}

const char* kind_of_not_finite(double value) {
  return std::isnan(value) ? "not a number" : "infinite";
}

std::optional<std::string> find_not_finite_loss(const std::vector<Fetched>& fetched,
                                                const std::string& whose) {
  std::optional<std::string> total;
  for (const Fetched& item : fetched) {
    if (item.kind != "loss" || std::isfinite(item.value.scalar())) continue;
    const std::string kind = kind_of_not_finite(item.value.scalar());
    if (item.name != "loss") return whose + " loss `" + item.name + "` is " + kind;
    total = whose + " loss is " + kind;
  }
  return total;
}

}  // namespace mtfc::runtime
