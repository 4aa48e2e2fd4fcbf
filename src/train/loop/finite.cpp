#include "train/loop/finite.h"

#include <algorithm>
#include <cmath>
#include <cstring>

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

}  // namespace

std::optional<std::string> find_not_finite(Engine& engine) {
  const std::vector<VariableInfo> variables = engine.variables();
  const auto count = static_cast<std::int64_t>(variables.size());
  std::vector<Worst> found(variables.size(), Worst::finite);
  std::int64_t first = count;
  for (std::int64_t i = 0; i < count; ++i) {
    const VariableInfo& variable = variables[static_cast<std::size_t>(i)];
    if (!is_saved(variable)) continue;
    // Getting it may be a collective act: every rank goes through all of them.
    const Worst worst = worst_value(engine.part(variable.path));
    found[static_cast<std::size_t>(i)] = worst;
    if (worst != Worst::finite) first = std::min(first, i);
  }
  first = engine.network().lowest(first);
  if (first == count) return std::nullopt;
  const auto at = static_cast<std::size_t>(first);
  const auto worst =
      static_cast<Worst>(engine.network().highest(static_cast<std::int64_t>(found[at])));
  const std::string kind =
      variables[at].kind == "optimizer" ? "optimizer state" : variables[at].kind;
  return kind + " `" + variables[at].path +
         (worst == Worst::infinite ? "` is infinite" : "` is not a number");
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
