// What every Module obeys, whatever pass it comes from.
#include <algorithm>
#include <set>

#include "ir/text.h"
#include "layout/reshard.h"
#include "lowering/pipeline.h"
#include "layout/partial.h"

namespace mtfc::lowering {

namespace {

using ShardTypes = std::vector<ShardType>;

/// Returns what is wrong with one instruction, or "".
struct Rules {
  const Module& m;
  const ShardTypes& in;
  const ShardTypes& out;

  static bool same_split(const ShardType& a, const ShardType& b, DimId dim) {
    return split_of(a, dim) == split_of(b, dim);
  }
  /// Every dimension that both have is split alike.
  static std::string aligned(const ShardType& a, const ShardType& b) {
    for (DimId dim : a.tensor.dims) {
      if (contains(b.tensor.dims, dim) && !same_split(a, b, dim))
        return "operands are split differently";
    }
    return "";
  }
  std::string counts(std::size_t operands, std::size_t results) const {
    return in.size() == operands && out.size() == results ? ""
                                                          : "wrong number of operands or results";
  }
  std::string partial_axes(const InstructionKind& kind) const {
    // What is read and written is as the variable is, pending or not: compared whole above.
    if (std::holds_alternative<Read>(kind) || std::holds_alternative<Write>(kind)) return "";
    // What is sent may be rounded first (narrow_sums.cpp).
    const auto expected = partial_of(kind, in, true);
    if (!expected) return "an operand must be completed first";
    for (const ShardType& type : out) {
      if (type.sharding.partial != expected->axes) return "the result is partial over other axes";
      if (!expected->axes.empty() && type.sharding.combine != expected->combine) {
        return "the result combines differently";
      }
    }
    return "";
  }

  std::string operator()(const Map& map) const {
    if (out.empty() || out.size() != map.body.results.size())
      return "results do not match the body";
    for (const ShardType& type : out) {
      if (type.tensor.dims != out[0].tensor.dims || type.sharding != out[0].sharding) {
        return "results of one map differ";
      }
    }
    for (const ShardType& type : in) {
      if (!is_subset(type.tensor.dims, out[0].tensor.dims))
        return "an operand has a further dimension";
      if (std::string error = aligned(type, out[0]); !error.empty()) return error;
    }
    for (const ScalarInstruction& s : map.body.code) {
      if (s.kind == LeafKind::operand &&
          (s.leaf < 0 || static_cast<std::size_t>(s.leaf) >= in.size())) {
        return "a leaf names no operand";
      }
    }
    for (DimId dim : map.index_leaves) {
      if (!contains(out[0].tensor.dims, dim)) return "an index is over no dimension of the result";
    }
    return "";
  }
  std::string operator()(const Contract& c) const {
    if (std::string error = counts(2, 1); !error.empty()) return error;
    const DimList all = union_of(in[0].tensor.dims, in[1].tensor.dims);
    if (!same_set(without(all, c.reduced), out[0].tensor.dims)) return "wrong resulting dimensions";
    for (const auto* pair : {&in[0], &in[1]}) {
      if (std::string error = aligned(*pair, out[0]); !error.empty()) return error;
    }
    return aligned(in[0], in[1]);
  }
  std::string operator()(const Reduce& r) const {
    if (std::string error = counts(1, 1); !error.empty()) return error;
    if (!same_set(without(in[0].tensor.dims, r.reduced), out[0].tensor.dims)) {
      return "wrong resulting dimensions";
    }
    return aligned(in[0], out[0]);
  }
  std::string operator()(const Rearrange& r) const {
    if (std::string error = counts(1, 1); !error.empty()) return error;
    DimList from, to;
    for (const DimGroup& g : r.groups) {
      from.insert(from.end(), g.from.begin(), g.from.end());
      to.insert(to.end(), g.to.begin(), g.to.end());
      if (split_of(in[0], g.from[0]) != split_of(out[0], g.to[0]))
        return "the split does not follow";
      for (std::size_t i = 1; i < g.from.size(); ++i) {
        if (!split_of(in[0], g.from[i]).empty()) return "a minor dimension is split";
      }
      for (std::size_t i = 1; i < g.to.size(); ++i) {
        if (!split_of(out[0], g.to[i]).empty()) return "a minor dimension is split";
      }
    }
    const DimList kept = without(in[0].tensor.dims, from);
    for (DimId dim : kept) {
      if (!same_split(in[0], out[0], dim))
        return "a dimension beside the view is split differently";
    }
    DimList expected = kept;
    expected.insert(expected.end(), to.begin(), to.end());
    return same_set(expected, out[0].tensor.dims) ? "" : "wrong resulting dimensions";
  }
  std::string cut(DimId from, DimId to) const {
    if (std::string error = counts(1, 1); !error.empty()) return error;
    if (!contains(in[0].tensor.dims, from) || !contains(out[0].tensor.dims, to)) {
      return "the cut dimension is missing";
    }
    if (!split_of(in[0], from).empty() || !split_of(out[0], to).empty())
      return "a cut dimension is split";
    return aligned(in[0], out[0]);
  }
  std::string operator()(const Slice& s) const { return cut(s.dim, s.fresh); }
  std::string operator()(const Pad& p) const { return cut(p.fresh, p.dim); }
  std::string operator()(const Gather& g) const {
    return in.size() == g.dims.size() + 1 && out.size() == 1 ? "" : "one index for each dimension";
  }
  std::string operator()(const ScatterAdd& s) const {
    return in.size() == s.dims.size() + 1 && out.size() == 1 ? "" : "one index for each dimension";
  }
  std::string operator()(const Put& p) const {
    if (std::string error = counts(3, 1); !error.empty()) return error;
    if (in[2].tensor != TensorType{DType::i32, {}}) return "the position is not one int";
    if (in[0] != out[0] || in[1].tensor.dtype != in[0].tensor.dtype) return "the type changes";
    DimList expected = without(in[0].tensor.dims, {p.dim});
    expected.push_back(p.entry);
    if (!contains(in[0].tensor.dims, p.dim) || !same_set(expected, in[1].tensor.dims)) {
      return "the entry has other dimensions";
    }
    if (m.dims.size(p.entry) != 1) return "the entry has more than one position";
    return aligned(in[1], in[0]);
  }

  static std::string whole(const ShardType& type, const DimList& dims) {
    for (DimId dim : dims) {
      if (!contains(type.tensor.dims, dim)) return "a dimension is missing";
      if (!split_of(type, dim).empty()) return "a dimension that must be whole is split";
    }
    return "";
  }
  /// `x` is what is read in windows, `y` has the positions.
  std::string window(const std::vector<WindowItem>& items, const ShardType& x,
                     const ShardType& y) const {
    if (std::string error = counts(1, 1); !error.empty()) return error;
    DimList indexed, positions;
    for (const WindowItem& item : items) {
      indexed.push_back(item.dim);
      for (const Affine::Term& term : item.at.terms) positions = union_of(positions, {term.dim});
    }
    if (std::string error = whole(x, indexed); !error.empty()) return error;
    const DimList rest = without(x.tensor.dims, indexed);
    if (!same_set(union_of(rest, positions), y.tensor.dims)) return "wrong resulting dimensions";
    for (DimId dim : rest)
      if (!same_split(x, y, dim)) return "a dimension beside the window is split differently";
    return "";
  }
  std::string operator()(const Window& w) const { return window(w.items, in[0], out[0]); }
  std::string operator()(const WindowAdd& w) const { return window(w.items, out[0], in[0]); }
  std::string operator()(const PrefixSum& p) const {
    if (std::string error = counts(1, 1); !error.empty()) return error;
    if (in[0] != out[0]) return "a running sum changes the type";
    return whole(in[0], {p.dim});
  }
  std::string operator()(const TopPlaces& t) const {
    if (std::string error = counts(1, 1); !error.empty()) return error;
    if (std::string error = whole(in[0], {t.dim}); !error.empty()) return error;
    if (std::string error = whole(out[0], {t.ranks}); !error.empty()) return error;
    if (t.first < 0 || t.first > m.dims.size(t.dim) - m.dims.size(t.ranks))
      return "more ranks than elements";
    DimList expected = in[0].tensor.dims;
    expected[static_cast<std::size_t>(position(expected, t.dim))] = t.ranks;
    if (expected != out[0].tensor.dims) return "wrong resulting dimensions";
    return out[0].tensor.dtype == DType::i32 ? aligned(in[0], out[0]) : "the result is not int";
  }
  std::string operator()(const Concat& c) const {
    if (in.empty() || out.size() != 1 || (!c.parts.empty() && c.parts.size() != in.size()))
      return "wrong number of operands or results";
    std::int64_t size = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const DimList part = c.parts.empty() ? DimList{} : DimList{c.parts[i]};
      if (std::string error = whole(in[i], part); !error.empty()) return error;
      if (std::string error = aligned(in[i], out[0]); !error.empty()) return error;
      const DimList rest = without(in[i].tensor.dims, part);
      if (!same_set(rest, without(out[0].tensor.dims, {c.dim})))
        return "wrong resulting dimensions";
      size += elements(m.dims, part);
    }
    return size == m.dims.size(c.dim) ? whole(out[0], {c.dim}) : "the sizes do not add up";
  }

  /// Operand number i becomes result number i by this step.
  std::string moves(std::size_t i, const ReshardStep& step) const {
    if (in[i].tensor != out[i].tensor) return "a move changes the tensor";
    const Sharding moved = after(in[i].tensor.dims, in[i].sharding, step);
    const bool fits = moved.split != in[i].sharding.split;
    return fits && moved.split == out[i].sharding.split ? ""
                                                        : "the split does not follow from the move";
  }
  std::string moves(const ReshardStep& step) const {
    std::string error = counts(1, 1);
    return error.empty() ? moves(0, step) : error;
  }
  /// A bucket: as many operands, of one element type and partial alike, as results.
  std::string bucket(std::size_t operands) const {
    if (in.empty()) return "wrong number of operands or results";
    if (std::string error = counts(operands, operands); !error.empty()) return error;
    for (const ShardType& type : in) {
      if (type.tensor.dtype != in[0].tensor.dtype) return "a bucket of several element types";
      const Sharding& a = type.sharding;
      const Sharding& b = in[0].sharding;
      if (a.partial != b.partial || (a.is_partial() && a.combine != b.combine))
        return "a bucket of values that are partial differently";
    }
    return "";
  }
  std::string operator()(const Shard& s) const { return moves(s); }
  std::string operator()(const AllToAll& s) const { return moves(s); }
  std::string operator()(const Permute& s) const {
    if (std::string error = moves(s); !error.empty()) return error;
    for (std::size_t i = 0; i < in[0].sharding.split.size(); ++i)
      if (parts(m.mesh, in[0].sharding, i) != parts(m.mesh, out[0].sharding, i))
        return "a permutation cuts a dimension into more or fewer blocks";
    return "";
  }
  std::string operator()(const AllReduce& a) const {
    if (std::string error = bucket(in.size()); !error.empty()) return error;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i].tensor != out[i].tensor || in[i].sharding.split != out[i].sharding.split) {
        return "a reduction changes the split";
      }
      if (in[i].sharding.partial != a.axes || in[i].sharding.combine != a.kind) {
        return "the operand is not partial over these axes";
      }
    }
    return "";
  }
  std::string operator()(const ReduceScatter& r) const {
    if (std::string error = bucket(r.dims.size()); !error.empty()) return error;
    const std::vector<AxisId>& partial = in[0].sharding.partial;
    if (std::find(partial.begin(), partial.end(), r.axis) == partial.end() ||
        in[0].sharding.combine != r.kind)
      return "the operand is not partial over this axis";
    for (std::size_t i = 0; i < in.size(); ++i)
      if (std::string error = moves(i, Shard{r.dims[i], r.axis}); !error.empty()) return error;
    return "";
  }
  std::string operator()(const AllGather& a) const {
    if (std::string error = bucket(a.dims.size()); !error.empty()) return error;
    for (std::size_t i = 0; i < in.size(); ++i)
      if (std::string error = moves(i, AllGather{{a.dims[i]}, a.axis}); !error.empty())
        return error;
    return "";
  }
  std::string operator()(const Await&) const {
    if (in.size() != 2 * out.size() || out.empty()) return "wrong number of operands or results";
    return std::equal(out.begin(), out.end(), in.begin()) ? "" : "awaiting changes a type";
  }
  std::string operator()(const Read& r) const {
    const ModuleVariable* v = m.find_variable(r.variable);
    if (!v || out.size() != 1) return "no such variable";
    return out[0] == v->type ? "" : "the variable has another type";
  }
  std::string operator()(const Write& w) const {
    const ModuleVariable* v = m.find_variable(w.variable);
    if (!v || in.size() != 1) return "no such variable";
    return in[0] == v->type ? "" : "the variable has another type";
  }
  std::string operator()(const Feed&) const { return counts(0, 1); }
  std::string operator()(const Fetch&) const { return counts(1, 0); }
};

std::string check_law(const Module& m, const ShardType& type) {
  if (type.sharding.split.size() != type.tensor.dims.size()) return "the split has another rank";
  const std::vector<AxisId> axes = varying_axes(type.sharding);
  if (std::set<AxisId>(axes.begin(), axes.end()).size() != axes.size()) {
    return "a mesh axis occurs twice";
  }
  for (std::size_t i = 0; i < type.tensor.dims.size(); ++i) {
    if (m.dims.size(type.tensor.dims[i]) % parts(m.mesh, type.sharding, i) != 0) {
      return "a size is not divisible";
    }
  }
  return "";
}

/// What is on its way is awaited, whole and once, before anything else reads it.
class Ways {
 public:
  explicit Ways(const Program& program) : begun_(program.values.size(), nullptr) {}

  std::string check(const Instruction& instruction) {
    const bool awaits = std::holds_alternative<Await>(instruction.kind);
    const Instruction* sum =
        awaits && !instruction.operands.empty() ? begun_[instruction.operands[0].at()] : nullptr;
    if (awaits && (!sum || instruction.operands != joined(sum->results, sum->operands)))
      return "what is awaited is not one sum on its way";
    for (ValueId id : instruction.operands) {
      if (begun_[id.at()] && !awaits) return "a sum on its way is read";
      begun_[id.at()] = nullptr;
    }
    const Summing* how = summing(instruction.kind);
    if (how && how->begun)
      for (ValueId id : instruction.results) begun_[id.at()] = &instruction;
    return "";
  }
  static std::vector<ValueId> joined(std::vector<ValueId> list, const std::vector<ValueId>& more) {
    list.insert(list.end(), more.begin(), more.end());
    return list;
  }
  bool all_arrived() const {
    return std::all_of(begun_.begin(), begun_.end(), [](const auto* sum) { return !sum; });
  }

 private:
  std::vector<const Instruction*> begun_;  // by value
};

std::string check_program(const Module& m, const Program& program) {
  std::vector<bool> made(program.values.size());
  Ways ways(program);
  for (const Instruction& instruction : program.instructions) {
    ShardTypes in, out;
    std::string error;
    for (ValueId id : instruction.operands) {
      if (!made[id.at()]) error = "a value is used before it is made";
      in.push_back(program.at(id).type);
    }
    for (ValueId id : instruction.results) {
      if (made[id.at()]) error = "a value is made twice";
      made[id.at()] = true;
      out.push_back(program.at(id).type);
      if (error.empty()) error = check_law(m, out.back());
    }
    const Rules rules{m, in, out};
    if (error.empty()) error = std::visit(rules, instruction.kind);
    if (error.empty()) error = rules.partial_axes(instruction.kind);
    if (error.empty()) error = ways.check(instruction);
    if (!error.empty()) {
      return program.name + ": " + error + ": " + print(program, instruction, m);
    }
  }
  return ways.all_arrived() ? "" : program.name + ": a sum that was begun is not awaited";
}

}  // namespace

std::string verify(const Module& module) {
  for (const Program& program : module.programs) {
    if (std::string error = check_program(module, program); !error.empty()) return error;
  }
  return "";
}

}  // namespace mtfc::lowering
