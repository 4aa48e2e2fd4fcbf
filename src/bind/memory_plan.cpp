#include "bind/memory_plan.h"

#include <algorithm>

#include "bind/arena.h"
#include "bind/frames.h"
#include "support/check.h"

namespace mtfc::bind {
namespace {

int variable_number(const Module& module, const std::string& path) {
  for (std::size_t i = 0; i < module.variables.size(); ++i)
    if (module.variables[i].path == path) return static_cast<int>(i);
  MTFC_CHECK(false, "a program uses the unknown variable " + path);
}

class Planner {
 public:
  Planner(const Module& module, const Program& program, const Room& room)
      : module_(module), program_(program), room_(room), count_(program.instructions.size()) {}

  Plan run(const std::vector<Repeat>& repeats) {
    plan_.values.resize(program_.values.size());
    plan_.scratch.assign(count_, -1);
    occupied_at_.assign(program_.values.size(), 0);
    find_roots();
    find_writes();
    find_last_uses();
    for (WritePlan& write : plan_.writes) write_directly(write);
    make_frames(repeats);
    for (std::size_t i = 0; i < count_; ++i) assign_memory(i);
    for (std::size_t i = 0; i < roots_.size(); ++i) plan_.values[i] = plan_.values[roots_[i].at()];
    plan_.arena_bytes = arena_.bytes();
    return std::move(plan_);
  }

 private:
  const Instruction& at(std::size_t i) const { return program_.instructions[i]; }
  ValueId root(ValueId value) const { return roots_[value.at()]; }
  BufferLocation& home(ValueId value) { return plan_.values[root(value).at()]; }

  /// Values that share one memory have one root; what a Read gives is the variable itself.
  void find_roots() {
    roots_.resize(program_.values.size());
    made_.assign(program_.values.size(), 0);
    reads_.resize(module_.variables.size());
    for (std::size_t i = 0; i < count_; ++i) {
      for (ValueId result : at(i).results) {
        roots_[result.at()] = result;
        made_[result.at()] = i;
      }
      if (room_.alias(i))
        for (std::size_t j = 0; j < at(i).results.size(); ++j)
          roots_[at(i).results[j].at()] = root(at(i).operands[j]);
      if (const auto* read = std::get_if<Read>(&at(i).kind)) {
        const int variable = variable_number(module_, read->variable);
        plan_.values[at(i).results[0].at()] = {BufferLocation::Kind::variable, 0, variable};
        reads_[static_cast<std::size_t>(variable)].push_back(at(i).results[0]);
      }
    }
  }

  void find_writes() {
    for (std::size_t i = 0; i < count_; ++i)
      if (const auto* write = std::get_if<Write>(&at(i).kind))
        plan_.writes.push_back(
            {i, at(i).operands[0], variable_number(module_, write->variable), false, {}});
    for (WritePlan& write : plan_.writes) {
      const BufferLocation& location = home(write.value);
      if (location.kind != BufferLocation::Kind::variable) continue;
      if (location.variable == write.variable)
        write.direct = true;  // its own value: nothing to do
      else
        write.staging.kind = BufferLocation::Kind::arena;
    }
  }

  void find_last_uses() {
    last_use_.assign(program_.values.size(), 0);
    for (std::size_t i = 0; i < count_; ++i) {
      for (ValueId result : at(i).results) use(result, i);
      for (ValueId operand : at(i).operands) use(operand, i);
    }
    // What is written is copied at the end, unless it was put aside.
    for (const WritePlan& write : plan_.writes)
      if (write.staging.kind == BufferLocation::Kind::none && !write.direct)
        use(write.value, count_);
  }
  void use(ValueId value, std::size_t when) {
    std::size_t& last = last_use_[root(value).at()];
    last = std::max(last, when);
  }

  /// Lets the written value be computed in the variable's memory, if every reader of the old value
  /// is done by then.
  void write_directly(WritePlan& write) {
    const ValueId value = root(write.value);
    if (write.direct || home(value).kind != BufferLocation::Kind::none) return;
    MTFC_CHECK(program_.at(write.value).type ==
                   module_.variables[static_cast<std::size_t>(write.variable)].type,
               "a variable is written with another type than its own");
    const std::size_t maker = made_[value.at()];
    for (ValueId old : reads_[static_cast<std::size_t>(write.variable)]) {
      const std::size_t last = last_use_[old.at()];
      if (last > maker || (last == maker && !can_replace(maker, old, value))) return;
    }
    write.direct = true;
    home(value) = {BufferLocation::Kind::variable, 0, write.variable};
  }

  /// True if `result` may be computed where the operand `dying` stands: element by element, or
  /// because the instruction says so.
  bool can_replace(std::size_t i, ValueId dying, ValueId result) const {
    if (!room_.in_place) return false;
    if (const auto over = overwritten_operand(at(i).kind)) {
      for (std::size_t k = 0; k < at(i).operands.size(); ++k)
        if ((root(at(i).operands[k]) == dying) != (k == *over)) return false;
      return true;
    }
    if (!std::holds_alternative<Map>(at(i).kind)) return false;
    const ShardType& type = program_.at(result).type;
    for (ValueId operand : at(i).operands) {
      if (root(operand) != dying) continue;
      const ShardType& read = program_.at(operand).type;
      // The same strides and the same room, also for an alias that is read beside it.
      if (read.tensor.dims != type.tensor.dims || !(read.sharding == type.sharding) ||
          size_of(read.tensor.dtype) != size_of(type.tensor.dtype) ||
          room_.value(operand) != room_.value(result))
        return false;
    }
    return true;
  }

  /// Buffers of repeats are found before anything has a place: they depend on lifetimes alone.
  void make_frames(const std::vector<Repeat>& repeats) {
    const Lifetimes lifetimes{
        [&](ValueId value) { return root(value); },
        [&](ValueId value) { return home(value).kind == BufferLocation::Kind::variable; },
        [&](ValueId value) { return made_[value.at()]; },
        [&](ValueId value) { return last_use_[value.at()]; },
        [&](std::size_t i, ValueId dying, ValueId result) {
          return can_replace(i, dying, result);
        }};
    framed_.assign(program_.values.size(), 0);
    iterations_.assign(count_, {});
    for (const Repeat& repeat : repeats) {
      plan_.frames.push_back(make_frame(program_, repeat, room_, lifetimes));
      for (const std::size_t begin : repeat.begins)
        for (std::size_t j = 0; j < repeat.length; ++j)
          iterations_[begin + j] = {static_cast<int>(plan_.frames.size()) - 1, j};
    }
  }

  /// The iteration's base at its first instruction, and from it the places of its values.
  void enter_iteration(Frame& frame, std::size_t begin) {
    const std::int64_t base = arena_.take(frame.bytes);
    frame.bases.push_back(base);
    for (std::size_t j = 0; j < frame.repeat.length; ++j) {
      const Instruction& made = at(begin + j);
      for (std::size_t k = 0; k < made.results.size(); ++k) {
        const ValueId value = root(made.results[k]);
        const int buffer = frame.buffers[j][made.operands.size() + k];
        const std::int64_t offset = frame.offsets[static_cast<std::size_t>(buffer)];
        if (offset == Frame::kParameter || framed_[value.at()]) continue;
        framed_[value.at()] = 1;
        home(value) = {BufferLocation::Kind::arena, base + offset, -1};
      }
      if (frame.scratch[j] >= 0) plan_.scratch[begin + j] = base + frame.scratch[j];
    }
  }

  void assign_memory(std::size_t i) {
    const auto [number, j] = iterations_[i];
    Frame* frame = number >= 0 ? &plan_.frames[static_cast<std::size_t>(number)] : nullptr;
    if (frame != nullptr && j == 0) enter_iteration(*frame, i);
    assign_free(i, frame == nullptr);
    if (frame != nullptr && j + 1 == frame->repeat.length)
      arena_.give_back(frame->bases.back(), frame->bytes);
  }

  void assign_free(std::size_t i, bool scratch_too) {
    std::vector<ValueId> taken;  // operands whose place a result has taken over
    for (ValueId result : at(i).results)
      if (root(result) == result && home(result).kind == BufferLocation::Kind::none)
        assign_result(i, result, taken);
    stage(i);
    if (const std::int64_t bytes = room_.scratch(i); bytes > 0 && scratch_too) {
      plan_.scratch[i] = arena_.take(bytes);
      arena_.give_back(plan_.scratch[i], bytes);
      occupy({}, bytes, i, i);
    }
    std::vector<ValueId> dead;
    for (const auto* values : {&at(i).operands, &at(i).results})
      for (ValueId value : *values)
        if (last_use_[root(value).at()] == i && !framed_[root(value).at()] &&
            !contains(taken, root(value)) && !contains(dead, root(value)))
          dead.push_back(root(value));
    for (ValueId value : dead)
      if (home(value).kind == BufferLocation::Kind::arena)
        arena_.give_back(home(value).offset, room_.value(value));
  }

  void occupy(ValueId value, std::int64_t bytes, std::size_t begin, std::size_t end) {
    if (value.valid()) occupied_at_[value.at()] = plan_.occupied.size();
    plan_.occupied.push_back({value, bytes, begin, end});
  }

  void assign_result(std::size_t i, ValueId result, std::vector<ValueId>& taken) {
    for (ValueId operand : at(i).operands) {
      const ValueId dying = root(operand);
      if (home(dying).kind != BufferLocation::Kind::arena || framed_[dying.at()] ||
          last_use_[dying.at()] != i || contains(taken, dying) || !can_replace(i, dying, result))
        continue;
      taken.push_back(dying);
      home(result) = home(dying);
      plan_.occupied[occupied_at_[dying.at()]].end = i - 1;
      occupy(result, room_.value(result), i, last_use_[result.at()]);
      return;
    }
    occupy(result, room_.value(result), i, last_use_[result.at()]);
    home(result) = {BufferLocation::Kind::arena, arena_.take(room_.value(result)), -1};
  }

  void stage(std::size_t i) {
    if (!std::holds_alternative<Write>(at(i).kind)) return;
    for (WritePlan& write : plan_.writes)
      if (write.instruction == i && write.staging.kind == BufferLocation::Kind::arena) {
        write.staging.offset = arena_.take(room_.value(write.value));
        occupy({}, room_.value(write.value), i, count_);
      }
  }

  static bool contains(const std::vector<ValueId>& list, ValueId value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  }

  const Module& module_;
  const Program& program_;
  const Room& room_;
  const std::size_t count_;
  std::vector<ValueId> roots_;
  std::vector<std::vector<ValueId>> reads_;  // by variable: what its Reads give
  std::vector<std::size_t> made_, last_use_;
  struct Iteration {
    int frame = -1;
    std::size_t j = 0;
  };
  std::vector<Iteration> iterations_;     // by instruction
  std::vector<char> framed_;              // by root: its place is the frame's matter
  std::vector<std::size_t> occupied_at_;  // by root: number in Plan::occupied
  Arena arena_;
  Plan plan_;
};

}  // namespace

Plan make_plan(const Module& module, const Program& program, const Room& room,
               const std::vector<Repeat>& repeats) {
  return Planner(module, program, room).run(repeats);
}

}  // namespace mtfc::bind
