#include "lowering/program/program_passes.h"

#include <algorithm>
#include <unordered_map>

namespace mtfc::lowering {

namespace {

/// Scalar instructions of one map that each element has its own result of: more would not fit a
/// block's scratch in the first-level cache.
constexpr std::size_t kLongestBody = 48;
/// Of a map that is to become part of another, which copies it: sums of one number per iteration
/// grow long.
constexpr std::size_t kMostCode = 256;
/// What others read of two maps that become one.
constexpr std::size_t kMostResults = 6;

/// The instructions of a body by their marks. Bodies that add up over all parameters are long.
class Marks {
 public:
  void clear() {
    marks_.clear();
    earlier_.clear();
    last_.clear();
  }
  int add(std::uint64_t mark) {
    const int number = static_cast<int>(marks_.size());
    marks_.push_back(mark);
    if (marks_.size() == few)
      for (std::size_t i = 0; i < few; ++i) link(static_cast<int>(i));
    else if (marks_.size() > few)
      link(number);
    return number;
  }
  /// The first with this mark that is `equal`; -1: none is.
  template <class Equal>
  int find(std::uint64_t mark, const Equal& equal) const {
    if (marks_.size() < few) {
      for (std::size_t i = 0; i < marks_.size(); ++i)
        if (marks_[i] == mark && equal(static_cast<int>(i))) return static_cast<int>(i);
      return -1;
    }
    int found = -1;
    const auto at = last_.find(mark);
    for (int i = at == last_.end() ? -1 : at->second; i >= 0;
         i = earlier_[static_cast<std::size_t>(i)])
      if (equal(i)) found = i;
    return found;
  }

 private:
  static constexpr std::size_t few = 64;  // looked through one by one
  void link(int number) {
    const auto [at, fresh] = last_.try_emplace(marks_[static_cast<std::size_t>(number)], number);
    earlier_.push_back(fresh ? -1 : at->second);
    at->second = number;
  }
  std::vector<std::uint64_t> marks_;
  std::unordered_map<std::uint64_t, int> last_;  // by mark
  std::vector<int> earlier_;                     // with the same mark; -1: none
};

class Fusion {
 public:
  explicit Fusion(Program& program) : p_(program) {}

  void run() {
    producer_.assign(p_.values.size(), -1);
    uses_.assign(p_.values.size(), {});
    lengths_.assign(p_.instructions.size(), 0);
    operand_numbers_.assign(p_.values.size(), -1);
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) note(static_cast<int>(i));
    for (std::size_t i = 0; i < p_.instructions.size(); ++i) {
      if (std::holds_alternative<Map>(p_.instructions[i].kind)) fuse_into(static_cast<int>(i));
    }
    std::erase_if(p_.instructions, [](const Instruction& i) {
      return i.results.empty() && std::holds_alternative<Map>(i.kind);
    });
  }

 private:
  void note(int i) {
    const Instruction& instruction = p_.instructions[static_cast<std::size_t>(i)];
    for (ValueId r : instruction.results) producer_[r.at()] = i;
    for (ValueId o : instruction.operands) uses_[o.at()].push_back(i);
    if (std::holds_alternative<Map>(instruction.kind)) lengths_[number(i)] = varying(instruction);
  }
  static std::size_t number(int i) { return static_cast<std::size_t>(i); }

  Instruction& at(int i) { return p_.instructions[static_cast<std::size_t>(i)]; }

  void fuse_into(int consumer) {
    bool again = true;
    while (again) {
      again = false;
      const std::vector<ValueId> operands = at(consumer).operands;
      for (ValueId operand : operands) {
        const int producer = producer_[operand.at()];
        if (producer < 0 || producer == consumer) continue;
        if (!std::holds_alternative<Map>(at(producer).kind)) continue;
        if (std::get<Map>(at(producer).kind).body.code.size() > kMostCode) continue;
        if (samples_by(at(consumer), operand)) continue;
        if (may_inline(producer, operand, consumer)) {
          inline_operand(producer, operand, consumer);
          again = true;
          break;
        }
        if (may_join(producer, consumer)) {
          join(producer, consumer);
          again = true;
          break;
        }
      }
    }
  }

  /// Samples of the instruction depend on the value, which is an operand and no part of a body.
  static bool samples_by(const Instruction& instruction, ValueId value) {
    const auto& samples = std::get<Map>(instruction.kind).random_leaves;
    const auto is = [&](int operand) {
      return operand >= 0 && instruction.operands[static_cast<std::size_t>(operand)] == value;
    };
    return std::any_of(samples.begin(), samples.end(), [&](const Map::Random& random) {
      return is(random.step_operand) || is(random.first_operand);
    });
  }

  /// Reads nothing but scalars handed in (the step).
  bool reads_no_tensor(int i) {
    for (ValueId operand : at(i).operands) {
      const int from = producer_[operand.at()];
      if (from < 0 || !std::holds_alternative<Feed>(at(from).kind)) return false;
      if (!p_.at(operand).type.tensor.dims.empty()) return false;
    }
    return true;
  }

  std::size_t length(int i) const { return lengths_[number(i)]; }
  std::size_t varying(const Instruction& instruction) const {
    const auto& code = std::get<Map>(instruction.kind).body.code;
    std::vector<bool> varies(code.size());
    for (std::size_t s = 0; s < code.size(); ++s) {
      const ScalarInstruction& step = code[s];
      varies[s] = step.kind == LeafKind::index || step.kind == LeafKind::random;
      if (step.kind == LeafKind::operand) {
        const ValueId operand = instruction.operands[static_cast<std::size_t>(step.leaf)];
        varies[s] = !p_.at(operand).type.tensor.dims.empty();
      }
      for (const int arg : step.args)
        if (arg >= 0 && varies[static_cast<std::size_t>(arg)]) varies[s] = true;
    }
    return static_cast<std::size_t>(std::count(varies.begin(), varies.end(), true));
  }

  bool may_inline(int producer, ValueId value, int consumer) {
    const Instruction& from = at(producer);
    if (from.results.size() != 1) return false;
    if (length(producer) + length(consumer) > kLongestBody) return false;
    if (reads_no_tensor(producer)) return true;
    if (!same_region(producer, consumer)) return false;
    // Every use is this consumer, over the same dimensions: nothing is computed twice.
    for (int use : uses_[value.at()]) {
      if (use != consumer) return false;
    }
    const ShardType &a = p_.at(value).type, &b = p_.at(at(consumer).results[0]).type;
    return same_set(a.tensor.dims, b.tensor.dims) && partials_agree(producer, consumer);
  }

  bool may_join(int producer, int consumer) {
    const Instruction &from = at(producer), &to = at(consumer);
    if (!same_region(producer, consumer)) return false;
    if (length(producer) + length(consumer) > kLongestBody) return false;
    const ShardType &a = p_.at(from.results[0]).type, &b = p_.at(to.results[0]).type;
    if (a.tensor.dims != b.tensor.dims || a.sharding != b.sharding) return false;
    if (!partials_agree(producer, consumer)) return false;
    // The joined map stands where the consumer stood: nobody between may use the producer.
    for (ValueId r : from.results) {
      for (int use : uses_[r.at()]) {
        if (use < consumer) return false;
      }
    }
    return count_others(producer, consumer) + to.results.size() <= kMostResults;
  }
  /// Results of the producer that others use as well.
  std::size_t count_others(int producer, int consumer) const {
    const std::vector<ValueId>& results = p_.instructions[number(producer)].results;
    return static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(),
                      [&](ValueId result) { return is_used_beside(result, consumer); }));
  }
  bool is_used_beside(ValueId value, int consumer) const {
    const std::vector<int>& uses = uses_[value.at()];
    return std::any_of(uses.begin(), uses.end(), [&](int use) { return use != consumer; });
  }

  bool same_region(int a, int b) { return at(a).role.recompute == at(b).role.recompute; }

  /// A complete value that meets a partial one inside one body would have to be checked anew.
  bool partials_agree(int producer, int consumer) {
    auto partial = [&](int i) { return p_.at(at(i).results[0]).type.sharding.is_partial(); };
    return partial(producer) == partial(consumer);
  }

  /// Appends the producer's body to a new, empty body; returns where each of its instructions went.
  std::vector<int> append(const Map& from, const std::vector<ValueId>& from_operands, Map& to,
                          std::vector<ValueId>& operands) {
    std::vector<int> where;
    where.reserve(from.body.code.size());
    for (ScalarInstruction s : from.body.code) {
      for (int& arg : s.args) {
        if (arg >= 0) arg = where[static_cast<std::size_t>(arg)];
      }
      switch (s.kind) {
        case LeafKind::operand:
          s.leaf = operand_number(from_operands[static_cast<std::size_t>(s.leaf)], operands);
          break;
        case LeafKind::index:
          to.index_leaves.push_back(from.index_leaves[static_cast<std::size_t>(s.leaf)]);
          s.leaf = static_cast<int>(to.index_leaves.size()) - 1;
          break;
        case LeafKind::random: {
          Map::Random random = from.random_leaves[static_cast<std::size_t>(s.leaf)];
          if (random.step_operand >= 0) {
            random.step_operand = operand_number(
                from_operands[static_cast<std::size_t>(random.step_operand)], operands);
          }
          if (random.first_operand >= 0) {
            random.first_operand = operand_number(
                from_operands[static_cast<std::size_t>(random.first_operand)], operands);
          }
          to.random_leaves.push_back(std::move(random));
          s.leaf = static_cast<int>(to.random_leaves.size()) - 1;
          break;
        }
        case LeafKind::constant:
        case LeafKind::none:
          break;
      }
      // A body has no equal operations, but by way of equal operands.
      where.push_back(s.kind == LeafKind::none ? push(to, s) : add(to, s));
    }
    return where;
  }

  /// An equal instruction is used again.
  int add(Map& map, const ScalarInstruction& s) {
    const auto there = [&](int i) -> const ScalarInstruction& {
      return map.body.code[static_cast<std::size_t>(i)];
    };
    const int i = marks_.find(mark(s), [&](int one) { return equal(map, there(one), s); });
    if (i < 0) return push(map, s);
    if (s.kind == LeafKind::index && there(i).leaf != s.leaf) map.index_leaves.pop_back();
    if (s.kind == LeafKind::random && there(i).leaf != s.leaf) map.random_leaves.pop_back();
    return i;
  }
  int push(Map& map, const ScalarInstruction& s) {
    map.body.code.push_back(s);
    return marks_.add(mark(s));
  }
  static bool equal(const Map& map, const ScalarInstruction& a, const ScalarInstruction& b) {
    const auto leaf = [](const ScalarInstruction& s) { return static_cast<std::size_t>(s.leaf); };
    if (a.kind != b.kind || a.dtype != b.dtype) return false;
    if (a.kind == LeafKind::index) return map.index_leaves[leaf(a)] == map.index_leaves[leaf(b)];
    if (a.kind == LeafKind::random) return map.random_leaves[leaf(a)] == map.random_leaves[leaf(b)];
    return a == b;
  }
  /// Equal instructions have equal marks.
  static std::uint64_t mark(const ScalarInstruction& s) {
    std::uint64_t mark =
        static_cast<std::uint64_t>(s.kind) << 16 | static_cast<std::uint64_t>(s.dtype) << 8;
    if (s.kind == LeafKind::operand) mark |= static_cast<std::uint64_t>(s.leaf) << 32;
    if (s.kind == LeafKind::constant) mark ^= std::hash<double>()(s.value) << 24;
    if (s.kind == LeafKind::none)
      mark |= static_cast<std::uint64_t>(s.op) | static_cast<std::uint64_t>(s.args[0] + 1) << 24 |
              static_cast<std::uint64_t>(s.args[1] + 1) << 44;
    return mark;
  }

  int operand_number(ValueId value, std::vector<ValueId>& operands) {
    int& number = operand_numbers_[value.at()];
    if (number < 0) {
      number = static_cast<int>(operands.size());
      operands.push_back(value);
    }
    return number;
  }

  /// The consumer's body after the producer's, the producer's results read from registers.
  void merge(int producer, int consumer, bool keep_results) {
    const Instruction &from = at(producer), &to = at(consumer);
    const Map &a = std::get<Map>(from.kind), &b = std::get<Map>(to.kind);
    Map joined;
    marks_.clear();
    joined.body.code.reserve(a.body.code.size() + b.body.code.size());
    std::vector<ValueId> operands;
    operands.reserve(from.operands.size() + to.operands.size());
    const std::vector<int> where_a = append(a, from.operands, joined, operands);

    // The consumer's body, with its leaves that are the producer's results replaced.
    std::vector<int> where_b;
    where_b.reserve(b.body.code.size());
    for (ScalarInstruction s : b.body.code) {
      if (s.kind == LeafKind::operand) {
        const ValueId value = to.operands[static_cast<std::size_t>(s.leaf)];
        const auto it = std::find(from.results.begin(), from.results.end(), value);
        if (it != from.results.end()) {
          const auto k = static_cast<std::size_t>(it - from.results.begin());
          where_b.push_back(where_a[static_cast<std::size_t>(a.body.results[k])]);
          continue;
        }
      }
      for (int& arg : s.args) {
        if (arg >= 0) arg = where_b[static_cast<std::size_t>(arg)];
      }
      where_b.push_back(append_one(s, b, to.operands, joined, operands));
    }
    for (const ValueId operand : operands) operand_numbers_[operand.at()] = -1;
    Instruction merged{std::move(joined), std::move(operands), {}, to.origin, to.role};
    Map& map = std::get<Map>(merged.kind);
    if (keep_results) {
      for (std::size_t k = 0; k < from.results.size(); ++k) {
        merged.results.push_back(from.results[k]);
        map.body.results.push_back(where_a[static_cast<std::size_t>(a.body.results[k])]);
      }
    }
    for (std::size_t k = 0; k < to.results.size(); ++k) {
      merged.results.push_back(to.results[k]);
      map.body.results.push_back(where_b[static_cast<std::size_t>(b.body.results[k])]);
    }
    replace(consumer, std::move(merged));
  }

  /// One instruction whose arguments are already numbers of `to`.
  int append_one(ScalarInstruction s, const Map& from, const std::vector<ValueId>& from_operands,
                 Map& to, std::vector<ValueId>& operands) {
    if (s.kind == LeafKind::operand)
      s.leaf = operand_number(from_operands[static_cast<std::size_t>(s.leaf)], operands);
    if (s.kind != LeafKind::index && s.kind != LeafKind::random) return add(to, s);
    Map single;
    single.index_leaves = from.index_leaves;
    single.random_leaves = from.random_leaves;
    single.body.code = {s};
    return append(single, from_operands, to, operands)[0];
  }

  void replace(int i, Instruction instruction) {
    for (ValueId o : at(i).operands) std::erase(uses_[o.at()], i);
    at(i) = std::move(instruction);
    note(i);
  }
  void remove(int i) {
    for (ValueId o : at(i).operands) std::erase(uses_[o.at()], i);
    at(i).operands.clear();
    at(i).results.clear();
    at(i).kind = Map{};
  }

  void inline_operand(int producer, ValueId value, int consumer) {
    merge(producer, consumer, false);
    if (uses_[value.at()].empty()) remove(producer);
  }

  void join(int producer, int consumer) {
    // A result that only the consumer used is not stored.
    Instruction& from = at(producer);
    std::vector<bool> needed;
    for (ValueId r : from.results) needed.push_back(is_used_beside(r, consumer));
    merge(producer, consumer, true);
    Instruction& merged = at(consumer);
    Map& body = std::get<Map>(merged.kind);
    for (std::size_t k = needed.size(); k-- > 0;) {
      if (needed[k]) continue;
      merged.results.erase(merged.results.begin() + static_cast<std::ptrdiff_t>(k));
      body.body.results.erase(body.body.results.begin() + static_cast<std::ptrdiff_t>(k));
    }
    remove(producer);
    note_results(consumer);
  }
  void note_results(int i) {
    for (ValueId r : at(i).results) producer_[r.at()] = i;
  }

  Program& p_;
  std::vector<int> producer_;
  std::vector<std::vector<int>> uses_;
  std::vector<std::size_t> lengths_;  // by instruction
  // Of the body that is being made: its instructions, and its operands by value (-1: none).
  Marks marks_;
  std::vector<int> operand_numbers_;
};

}  // namespace

void fuse_maps(Program& program) {
  Fusion(program).run();
  prune(program);
}

}  // namespace mtfc::lowering
