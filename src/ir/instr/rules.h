// What the rules of instructions are given, and what several of them share.
#pragma once
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/attrs.h"
#include "ir/type.h"

namespace mtfc {

/// The types of an instruction's operands or results. Refers to them: they must outlive it.
class ShardTypes {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = ShardType;
    using difference_type = std::ptrdiff_t;
    using pointer = const ShardType*;
    using reference = const ShardType&;
    explicit Iterator(const ShardType* const* at) : at_(at) {}
    const ShardType& operator*() const { return **at_; }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return Iterator(at_++); }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    const ShardType* const* at_;
  };

  ShardTypes() = default;
  explicit ShardTypes(const std::vector<ShardType>& types) {
    for (const ShardType& type : types) push_back(type);
  }
  void push_back(const ShardType& type) { list_.push_back(&type); }
  void push_back(ShardType&&) = delete;
  const ShardType& operator[](std::size_t i) const { return *list_[i]; }
  const ShardType& back() const { return *list_.back(); }
  std::size_t size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }
  Iterator begin() const { return Iterator(list_.data()); }
  Iterator end() const { return Iterator(list_.data() + list_.size()); }

 private:
  std::vector<const ShardType*> list_;
};

/// The type of the variable with this path; null if there is none.
using VariableTypes = std::function<const ShardType*(const std::string& path)>;

/// What surrounds an instruction: the types of its operands and of its results.
struct InstrContext {
  const DimTable& dims;
  const Mesh& mesh;
  const ShardTypes& in;
  const ShardTypes& out;
  const VariableTypes* variables = nullptr;  // for `check` alone
};

/// How a sum over processors is carried out.
struct Summing {
  bool by_library = false;  // the network's library may add, in an order of its own
  bool async = false;       // started here; its results are complete after their wait
  friend bool operator==(const Summing&, const Summing&) = default;
};

// ---------------------------------------------------------------- types
// Each says what is wrong; "" if nothing is.

std::string counts(const InstrContext& c, std::size_t operands, std::size_t results);
/// Of an instruction that adds to a sum: the operands of what is added.
ShardTypes first_two(const ShardTypes& operands);
bool same_split(const ShardType& a, const ShardType& b, DimId dim);
/// All operands and results have the element type of the first one.
std::string same_dtype(const InstrContext& c);
/// No dimension is listed twice.
bool are_distinct(const DimList& dims);
/// Every dimension that both have is split alike.
std::string aligned(const ShardType& a, const ShardType& b);
/// The type has these dimensions, and none of them is split.
std::string not_split(const ShardType& type, const DimList& dims);
/// As many operands as results, of one element type and partial alike, which travel as one.
std::string bucket(const InstrContext& c, std::size_t operands);
/// Sums of bool are counts, which are not bool.
inline bool can_combine(DType dtype, Combine kind) {
  return dtype != DType::boolean || kind != Combine::sum;
}
/// The type is that of the variable.
std::string of_variable(const InstrContext& c, const std::string& path, const ShardTypes& types);

// ---------------------------------------------------------------- moves
// A move changes how a tensor is split. It has `Sharding after(const DimList&, Sharding) const`:
// the sharding after it, unchanged if it does not fit.

/// `dim` gives up `axes`, its minor-most ones; false if they are not.
bool give_axes(const DimList& dims, Sharding& sharding, DimId dim, const std::vector<AxisId>& axes);
/// `dim` gets `axes` as its minor-most ones.
void take_axes(const DimList& dims, Sharding& sharding, DimId dim, const std::vector<AxisId>& axes);
/// Result number i is operand number i, split as `after` says.
std::string moved(const InstrContext& c, std::size_t i, const Sharding& after);
template <class Move>
std::string moves(const InstrContext& c, std::size_t i, const Move& move) {
  return moved(c, i, move.after(c.in[i].tensor.dims, c.in[i].sharding));
}
template <class Move>
std::string moves(const InstrContext& c, const Move& move) {
  std::string error = counts(c, 1, 1);
  return error.empty() ? moves(c, 0, move) : error;
}

// ---------------------------------------------------------------- partial values
struct PartialAxes {
  std::vector<AxisId> axes;  // ascending; empty: complete
  Combine combine = Combine::sum;
};
/// The partial axes of the results; nothing if some operand must be completed first.
using PartialResult = std::optional<PartialAxes>;

PartialAxes partial_of_type(const ShardType& type);
void add_axes(std::vector<AxisId>& axes, const std::vector<AxisId>& more);
/// The value is split or partial along one of these axes.
bool varies_along(const ShardType& type, const std::vector<AxisId>& axes);
/// As the first operand.
PartialResult partial_as_first(const ShardTypes& operands);
/// All operands must be complete.
PartialResult never_partial(const ShardTypes& operands);
/// A sum passes if it is partial as what is added to it.
PartialResult added_to(const ShardType& sum, const PartialResult& added);
/// `operand` passes if nothing else varies along its axes; then the reduced dimensions' axes are
/// added.
PartialResult multilinear(const ShardTypes& operands, std::size_t operand, const DimList& reduced,
                          Combine combine);

// ---------------------------------------------------------------- work
/// Scalar operations of one processor: so many for each element of a shard of this type. From it
/// come numbers (`flops_of`) and formulas (cost/symbolic).
struct Flops {
  double per_element = 0;
  ShardType shard;
};

}  // namespace mtfc
