#include "cost/symbolic/formula.h"

#include <algorithm>

namespace mtfc::cost {
namespace {

struct Instance {
  std::string block, number;
};

/// "layers" and "3" of "layers.3.attn"; nothing of what is in no numbered block.
Instance instance_of(std::string_view path) {
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    const bool number = !name.empty() && std::all_of(name.begin(), name.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
    if (number && begin > 0) return {std::string(path.substr(0, begin - 1)), std::string(name)};
    begin = end + 1;
  }
  return {};
}

/// How many instances of a block count the same.
struct Alike {
  Polynomial each;
  std::int64_t times = 0;
};

void add_alike(std::vector<Alike>& list, const Polynomial& each) {
  const auto same =
      std::find_if(list.begin(), list.end(), [&](const Alike& one) { return one.each == each; });
  ++(same == list.end() ? list.emplace_back(Alike{each, 0}) : *same).times;
}

/// Blocks of as many instances are one part.
void add_part(std::vector<Formula::Part>& parts, const std::string& block, const Alike& alike) {
  auto part = std::find_if(parts.begin(), parts.end(),
                           [&](const Formula::Part& one) { return one.times == alike.times; });
  if (part == parts.end()) part = parts.insert(parts.end(), {alike.times, "", {}});
  part->each += alike.each;
  if (part->times > 1 &&
      (", " + part->blocks + ", ").find(", " + block + ", ") == std::string::npos)
    part->blocks += (part->blocks.empty() ? "" : ", ") + block;
}

/// Without symbols.
bool is_number(const Polynomial& sum) {
  return sum.is_zero() || (sum.is_product() && sum.terms().begin()->first.empty());
}

}  // namespace

Polynomial Formula::total() const {
  Polynomial sum;
  for (const Part& part : parts) sum += part.each * static_cast<double>(part.times);
  return sum;
}

void InstanceSums::add(std::string_view path, const Polynomial& count) {
  Instance instance = instance_of(path);
  sums_[std::move(instance.block)][std::move(instance.number)] += count;
}

Formula InstanceSums::take() const {
  Formula formula;
  for (const auto& [block, instances] : sums_) {
    std::vector<Alike> alike;
    for (const auto& [number, count] : instances) add_alike(alike, count);
    for (const Alike& one : alike) {
      if (one.each.is_zero()) continue;
      const bool repeats = !block.empty() && !is_number(one.each);
      add_part(formula.parts, block + ".*",
               repeats ? one : Alike{one.each * static_cast<double>(one.times), 1});
    }
  }
  return formula;
}

}  // namespace mtfc::cost
