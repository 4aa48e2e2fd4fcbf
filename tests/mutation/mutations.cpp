#include "mutation/mutations.h"

#include <algorithm>

#include "mutation/field_mutations.h"

namespace mtfc::test {
namespace {

constexpr double planted = 1.001;

void replace_uses(Program& program, ValueId from, ValueId to) {
  for (Instruction& instruction : program.instructions)
    std::replace(instruction.operands.begin(), instruction.operands.end(), from, to);
}

bool is_async(const Instruction& instruction) {
  const Summing* how = summing(instruction.kind);
  return how != nullptr && how->async;
}

/// A map that changes a number by 1e-3 of it, a bool to the other one, an int by one.
Map changed(DType dtype) {
  Map map;
  map.body.code.push_back({LeafKind::operand, {}, dtype, {-1, -1, -1}, 0, 0});
  if (dtype == DType::boolean) {
    map.body.code.push_back({LeafKind::none, ScalarOp::logical_not, dtype, {0, -1, -1}, -1, 0});
  } else {
    const bool number = is_float(dtype);
    map.body.code.push_back(
        {LeafKind::constant, {}, dtype, {-1, -1, -1}, -1, number ? planted : 1});
    map.body.code.push_back(
        {LeafKind::none, number ? ScalarOp::mul : ScalarOp::add, dtype, {0, 1, -1}, -1, 0});
  }
  map.body.results = {static_cast<int>(map.body.code.size()) - 1};
  return map;
}

void change_result(Program& program, std::size_t i, std::size_t result) {
  const ValueId before = next_id<ValueId>(program.values);
  const ValueId value = program.instructions[i].results[result];
  program.values.push_back(program.at(value));
  program.instructions[i].results[result] = before;
  Instruction map{changed(program.at(value).type.tensor.dtype), {before}, {value}, {}, {}};
  map.origin = program.instructions[i].origin;
  program.instructions.insert(program.instructions.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                              std::move(map));
}

class Collector {
 public:
  explicit Collector(const Module& module) : module_(module) {}

  std::vector<Mutation> run() {
    for (p_ = 0; p_ < module_.programs.size(); ++p_)
      for (i_ = 0; i_ < program().instructions.size(); ++i_) {
        change_results();
        leave_out();
        move_to_front();
        other_operands();
        change_types();
        change_fields();
      }
    return std::move(all_);
  }

 private:
  const Program& program() const { return module_.programs[p_]; }
  const Instruction& at() const { return program().instructions[i_]; }
  void add(std::string what, std::function<void(Program&, std::size_t)> change) {
    all_.push_back({p_, i_, std::move(what),
                    [p = p_, i = i_, change](Module& module) { change(module.programs[p], i); }});
  }

  void change_results() {
    if (is_async(at())) return;  // nothing but its wait may read it
    for (std::size_t r = 0; r < at().results.size(); ++r) {
      const ShardType& type = program().at(at().results[r]).type;
      if (type.sharding.is_partial() && type.sharding.combine != Combine::sum) continue;
      add("result changed by 1e-3", [r](Program& p, std::size_t i) { change_result(p, i, r); });
    }
  }

  /// Its first operand in place of its result; what has no result is gone.
  void leave_out() {
    if (!at().results.empty() && at().operands.empty()) return;
    // Gradients and named values are fetched to be compared, and are no part of the step.
    const auto* fetch = std::get_if<Fetch>(&at().kind);
    if (fetch && fetch->kind == Output::Kind::tensor) return;
    add("left out", [](Program& p, std::size_t i) {
      const Instruction gone = p.instructions[i];
      p.instructions.erase(p.instructions.begin() + static_cast<std::ptrdiff_t>(i));
      for (std::size_t r = 0; r < gone.results.size(); ++r)
        replace_uses(p, gone.results[r], gone.operands[std::min(r, gone.operands.size() - 1)]);
    });
  }

  void move_to_front() {
    if (at().operands.empty()) return;  // nothing that it needs would be later
    add("moved to the front", [](Program& p, std::size_t i) {
      std::rotate(p.instructions.begin(), p.instructions.begin() + static_cast<std::ptrdiff_t>(i),
                  p.instructions.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    });
  }

  /// The newest value of the same type that is there: what would have been made for another
  /// purpose.
  ValueId similar(ValueId value) const {
    ValueId found;
    for (std::size_t k = 0; k < i_; ++k)
      for (ValueId made : program().instructions[k].results)
        if (made != value && program().at(made).type == program().at(value).type &&
            !is_async(program().instructions[k]))
          found = made;
    return found;
  }

  void other_operands() {
    const std::vector<ValueId>& operands = at().operands;
    for (std::size_t k = 0; k < operands.size(); ++k)
      if (const ValueId other = similar(operands[k]); other.valid())
        add("another operand of the same type",
            [k, other](Program& p, std::size_t i) { p.instructions[i].operands[k] = other; });
    // A product of two is the same the other way round.
    if (operands.size() < 2 || operands[0] == operands[1] ||
        std::holds_alternative<Contract>(at().kind))
      return;
    add("operands exchanged", [](Program& p, std::size_t i) {
      std::swap(p.instructions[i].operands[0], p.instructions[i].operands[1]);
    });
  }

  /// A collective left out, and its operand taken for complete.
  void change_types() {
    if (!is_collective(at().kind) || at().operands.size() != 1 || is_async(at())) return;
    add("left out, its operand's type made to fit", [](Program& p, std::size_t i) {
      const Instruction gone = p.instructions[i];
      p.values[gone.operands[0].at()].type = p.at(gone.results[0]).type;
      p.instructions.erase(p.instructions.begin() + static_cast<std::ptrdiff_t>(i));
      replace_uses(p, gone.results[0], gone.operands[0]);
    });
  }

  void change_fields() {
    const std::vector<std::string> names = field_mutations(at().kind, module_);
    for (std::size_t n = 0; n < names.size(); ++n)
      all_.push_back({p_, i_, names[n], [p = p_, i = i_, n](Module& module) {
                        mutate_field(module.programs[p].instructions[i].kind, module, n);
                      }});
  }

  const Module& module_;
  std::size_t p_ = 0, i_ = 0;
  std::vector<Mutation> all_;
};

}  // namespace

std::vector<Mutation> mutations_of(const Module& module) { return Collector(module).run(); }

}  // namespace mtfc::test
