#include "kernels/map_pairs.h"

#include <algorithm>
#include <iterator>

namespace mtfc::runtime {
namespace {

/// Place of the step's operation among kFirstOps; kFirsts if it is none of them.
int number_of(const MapStep& step) {
  if (step.kind != MapStep::Kind::op || step.arity != 2 || step.rate != Rate::element ||
      repr_of(step.dtype) != Repr::f32)
    return kFirsts;
  const auto* found = std::find(std::begin(kFirstOps), std::end(kFirstOps), step.operation);
  return static_cast<int>(found - std::begin(kFirstOps));
}

Second second_of(const MapStep& step, int inner) {
  if (step.operation == ScalarOp::add) return Second::add;
  if (step.operation == ScalarOp::mul) return Second::mul;
  return inner == 0 ? Second::sub : Second::sub_from;
}

class Pairing {
 public:
  Pairing(std::vector<MapStep> steps, const std::vector<Rate>& rates)
      : steps_(std::move(steps)), rates_(rates), uses_(rates.size()), made_(rates.size(), -1) {
    for (const MapStep& step : steps_)
      for (int a = 0; a < step.arity; ++a) ++uses_[at(step.args[a])];
  }

  std::vector<MapStep> run() {
    std::vector<MapStep> kept;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      const int number = number_of(steps_[s]);
      if (number < kFirsts && !pair(s)) made_[at(steps_[s].value)] = static_cast<int>(s);
    }
    for (MapStep& step : steps_)
      if (step.arity >= 0) kept.push_back(step);
    return kept;
  }

 private:
  static std::size_t at(int value) { return static_cast<std::size_t>(value); }
  bool one_number(int value) const { return rates_[at(value)] != Rate::element; }

  /// Takes the step that makes an argument into step s, if there is one.
  bool pair(std::size_t s) {
    MapStep& second = steps_[s];
    for (int inner = 0; inner < 2; ++inner) {
      const int value = second.args[inner];
      if (made_[at(value)] < 0 || uses_[at(value)] != 1) continue;
      MapStep& first = steps_[at(made_[at(value)])];
      const int other = second.args[1 - inner];
      second.op = op_of(first, second_of(second, inner), other);
      second.args[0] = first.args[0];
      second.args[1] = first.args[1];
      second.args[2] = other;
      second.arity = 3;
      first.arity = -1;  // gone
      return true;
    }
    return false;
  }

  OpBlock op_of(const MapStep& first, Second second, int other) const {
    const int pattern =
        one_number(first.args[0]) | one_number(first.args[1]) << 1 | one_number(other) << 2;
    return blocks().pairs[number_of(first)][static_cast<int>(second)][pattern];
  }

  std::vector<MapStep> steps_;
  const std::vector<Rate>& rates_;
  std::vector<int> uses_;  // by value
  std::vector<int> made_;  // by value: the step that may become the first of a pair
};

}  // namespace

std::vector<MapStep> paired(std::vector<MapStep> steps, const std::vector<Rate>& rates) {
  return Pairing(std::move(steps), rates).run();
}

}  // namespace mtfc::runtime
