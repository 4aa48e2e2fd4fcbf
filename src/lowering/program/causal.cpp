// Abstract interpretation of steps behind the diagonal, where a column's position is larger than
// its row's. A mask `where(index(rows) >= index(columns), s, -1e9)` makes scores low there, so that
// no maximum is among them; exp of what is low less a row's maximum is zero; zeros add nothing to
// sums. In front of the diagonal nothing but the mask may make scores low: each row then has its
// diagonal as a maximum that is not.
#include "lowering/program/causal.h"

#include <algorithm>
#include <cmath>

namespace mtfc::lowering {
namespace {

/// Masked scores from here on count as low: what is visible is above them, by far enough for exp of
/// the difference to be 0. Visible scores of -1e4, a common mask, do occur. f16 ends at -65504.
double low_score(DType dtype) { return dtype == DType::f16 ? -6e4 : -1e8; }

/// Constants beyond this, added to scores or multiplied with them, may make visible ones as low.
constexpr double kLargeConstant = 1e4;

/// What is known of a value behind the diagonal.
enum class Behind : std::uint8_t { unknown, low, zero, yes, no };

using Code = std::vector<ScalarInstruction>;

const ScalarInstruction& arg(const Code& code, const ScalarInstruction& step, int k) {
  return code[static_cast<std::size_t>(step.args[k])];
}

/// Rows and columns of a comparison of positions that does not hold behind the diagonal.
struct Comparison {
  DimId rows, columns;
};
std::optional<Comparison> comparison_of(const Map& map, const ScalarInstruction& step) {
  const Code& code = map.body.code;
  if (step.kind != LeafKind::none || arity(step.op) != 2) return std::nullopt;
  const ScalarInstruction &a = arg(code, step, 0), &b = arg(code, step, 1);
  if (a.kind != LeafKind::index || b.kind != LeafKind::index) return std::nullopt;
  const DimId first = map.index_leaves[static_cast<std::size_t>(a.leaf)];
  const DimId second = map.index_leaves[static_cast<std::size_t>(b.leaf)];
  switch (step.op) {
    case ScalarOp::ge:  // row >= column; without the diagonal the first row would see nothing
      return Comparison{first, second};
    case ScalarOp::le:  // column <= row
      return Comparison{second, first};
    default:
      return std::nullopt;
  }
}

bool is_low(const ScalarInstruction& step) {
  return step.kind == LeafKind::constant && step.value <= low_score(step.dtype);
}

class CausalCheck {
 public:
  CausalCheck(const Tiled& tiled, const ShardTypes& operands)
      : tiled_(tiled), operands_(operands) {}

  DimList run() {
    products_.assign(operands_.size(), false);
    for (const Tiled::Step& step : tiled_.steps)
      products_.insert(products_.end(), step.to.size(),
                       std::holds_alternative<Contract>(step.kind));
    for (const Tiled::Step& step : tiled_.steps)
      if (const auto* map = std::get_if<Map>(&step.kind))
        for (const ScalarInstruction& scalar : map->body.code)
          if (const auto found = mask_of(*map, scalar, step); found && holds(*found))
            return {found->rows, found->columns};
    return {};
  }

 private:
  /// where(row >= column, score, low), the score a product with arithmetic on it.
  std::optional<Comparison> mask_of(const Map& map, const ScalarInstruction& scalar,
                                    const Tiled::Step& step) const {
    const Code& code = map.body.code;
    if (scalar.kind != LeafKind::none || scalar.op != ScalarOp::select) return std::nullopt;
    if (!is_low(arg(code, scalar, 2)) || !is_plain_score(map, scalar.args[1], step))
      return std::nullopt;
    return comparison_of(map, arg(code, scalar, 0));
  }
  /// Of products and constants.
  bool is_plain_score(const Map& map, int number, const Tiled::Step& step) const {
    const ScalarInstruction& scalar = map.body.code[static_cast<std::size_t>(number)];
    if (scalar.kind == LeafKind::operand)
      return products_[static_cast<std::size_t>(step.from[static_cast<std::size_t>(scalar.leaf)])];
    if (scalar.kind == LeafKind::constant) return std::abs(scalar.value) < kLargeConstant;
    if (scalar.kind != LeafKind::none) return false;
    switch (scalar.op) {
      case ScalarOp::add:
      case ScalarOp::sub:
      case ScalarOp::mul:
      case ScalarOp::div:
      case ScalarOp::neg:
      case ScalarOp::tanh:
      case ScalarOp::cast:
        break;
      default:
        return false;
    }
    for (int k = 0; k < arity(scalar.op); ++k)
      if (!is_plain_score(map, scalar.args[k], step)) return false;
    return true;
  }

  // --- Whether all steps may leave out what is behind the diagonal
  bool has(const ShardType& type, DimId dim) const { return contains(type.tensor.dims, dim); }
  bool is_square(const ShardType& type) const { return has(type, rows_) && has(type, columns_); }

  bool holds(const Comparison& mask) {
    rows_ = mask.rows, columns_ = mask.columns;
    if (contains(tiled_.dims, rows_) || contains(tiled_.dims, columns_)) return false;
    values_.assign(operands_.size(), Behind::unknown);
    bool fine = true;
    tiled_.each_step(
        operands_, [&](const Tiled::Step& step, const ShardTypes& in, const ShardTypes& out) {
          fine = fine && whole(in) && whole(out);
          const auto behind = [&](std::size_t k) {
            return values_[static_cast<std::size_t>(step.from[k])];
          };
          if (const auto* map = std::get_if<Map>(&step.kind))
            run_map(*map, step, in);
          else if (const auto* reduce = std::get_if<Reduce>(&step.kind))
            fine = fine && may_leave_out(*reduce, in[0], behind(0));
          else
            fine = fine && may_leave_out(std::get<Contract>(step.kind), in, behind(0), behind(1));
          if (!std::holds_alternative<Map>(step.kind)) values_.push_back(Behind::unknown);
        });
    return fine;
  }
  bool whole(const ShardTypes& types) const {
    return std::all_of(types.begin(), types.end(), [&](const ShardType& type) {
      return split_of(type, rows_).empty() && split_of(type, columns_).empty();
    });
  }
  bool may_leave_out(const Reduce& reduce, const ShardType& in, Behind behind) const {
    if (contains(reduce.reduced, rows_)) return false;
    if (!contains(reduce.reduced, columns_) || !is_square(in)) return true;
    return reduce.kind == Combine::max ? behind == Behind::low
                                       : reduce.kind == Combine::sum && behind == Behind::zero;
  }
  bool may_leave_out(const Contract& product, const ShardTypes& in, Behind a, Behind b) const {
    if (!contains(product.reduced, rows_) && !contains(product.reduced, columns_)) return true;
    const bool zero =
        (is_square(in[0]) && a == Behind::zero) || (is_square(in[1]) && b == Behind::zero);
    return zero || (!is_square(in[0]) && !is_square(in[1]) && !contains(product.reduced, rows_));
  }

  /// Appends what is known of each result.
  void run_map(const Map& map, const Tiled::Step& step, const ShardTypes& in) {
    std::vector<Behind> states;
    for (const ScalarInstruction& scalar : map.body.code)
      states.push_back(state(map, scalar, states, step, in));
    for (std::size_t k = 0; k < step.to.size(); ++k)
      values_.push_back(is_square(step.to[k])
                            ? states[static_cast<std::size_t>(map.body.results[k])]
                            : Behind::unknown);
  }
  Behind state(const Map& map, const ScalarInstruction& scalar, const std::vector<Behind>& states,
               const Tiled::Step& step, const ShardTypes& in) const {
    const auto of = [&](int k) { return states[static_cast<std::size_t>(scalar.args[k])]; };
    if (scalar.kind == LeafKind::constant)
      return scalar.value == 0 ? Behind::zero : is_low(scalar) ? Behind::low : Behind::unknown;
    if (scalar.kind == LeafKind::operand)
      return is_square(in[static_cast<std::size_t>(scalar.leaf)])
                 ? values_[static_cast<std::size_t>(
                       step.from[static_cast<std::size_t>(scalar.leaf)])]
                 : Behind::unknown;
    if (scalar.kind != LeafKind::none) return Behind::unknown;
    if (const auto mask = comparison_of(map, scalar))
      return mask->rows == rows_ && mask->columns == columns_ ? Behind::no : Behind::unknown;
    switch (scalar.op) {
      case ScalarOp::select:
        if (of(0) == Behind::yes && of(1) == Behind::zero) return Behind::zero;
        if (of(0) == Behind::no && of(2) == Behind::zero) return Behind::zero;
        return mask_of(map, scalar, step) && of(0) == Behind::no ? Behind::low
                                                                 : both(of(1), of(2), Behind::zero);
      case ScalarOp::sub:  // a row's maximum
        if (of(0) == Behind::low && is_statistic(map, scalar.args[1], in)) return Behind::low;
        return both(of(0), of(1), Behind::zero);
      case ScalarOp::add:
        return both(of(0), of(1), Behind::zero);
      case ScalarOp::mul:
        return of(0) == Behind::zero || of(1) == Behind::zero ? Behind::zero : Behind::unknown;
      case ScalarOp::div:
      case ScalarOp::neg:
        return of(0) == Behind::zero ? Behind::zero : Behind::unknown;
      case ScalarOp::exp:
        return of(0) == Behind::low ? Behind::zero : Behind::unknown;
      case ScalarOp::cast:
        return of(0);
      case ScalarOp::logical_not:
        return of(0) == Behind::no    ? Behind::yes
               : of(0) == Behind::yes ? Behind::no
                                      : Behind::unknown;
      case ScalarOp::logical_and:
        return of(0) == Behind::no || of(1) == Behind::no ? Behind::no : Behind::unknown;
      case ScalarOp::logical_or:
        return of(0) == Behind::yes || of(1) == Behind::yes ? Behind::yes : Behind::unknown;
      default:
        return Behind::unknown;
    }
  }
  static Behind both(Behind a, Behind b, Behind wanted) {
    return a == wanted && b == wanted ? wanted : Behind::unknown;
  }
  bool is_statistic(const Map& map, int number, const ShardTypes& in) const {
    const ScalarInstruction& step = map.body.code[static_cast<std::size_t>(number)];
    return step.kind == LeafKind::operand &&
           !has(in[static_cast<std::size_t>(step.leaf)], columns_);
  }

  const Tiled& tiled_;
  const ShardTypes& operands_;
  DimId rows_, columns_;
  std::vector<Behind> values_;  // by number
  std::vector<char> products_;  // by number
};

}  // namespace

DimList causal_dims(const Tiled& tiled, const ShardTypes& operands) {
  return CausalCheck(tiled, operands).run();
}

}  // namespace mtfc::lowering
