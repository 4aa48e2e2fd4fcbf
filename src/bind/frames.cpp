#include "bind/frames.h"

#include <algorithm>
#include <map>

#include "bind/arena.h"

namespace mtfc::bind {
namespace {

class Framer {
 public:
  Framer(const Program& program, const Repeat& repeat, const Room& room, const Lifetimes& lifetimes)
      : program_(program), repeat_(repeat), room_(room), lifetimes_(lifetimes) {}

  Frame run() {
    frame_.repeat = repeat_;
    begin_with_one_buffer();
    for (const std::size_t begin : repeat_.begins) refine(begin);
    number_buffers();
    for (const std::size_t begin : repeat_.begins) find_parameters(begin);
    frame_.scratch.assign(repeat_.length, -1);
    find_ends();
    for (std::size_t j = 0; j < repeat_.length; ++j) assign_memory(j);
    frame_.bytes = arena_.bytes();
    return std::move(frame_);
  }

 private:
  /// Operands, then results, of one instruction of an iteration.
  std::vector<ValueId> values(std::size_t begin, std::size_t j) const {
    const Instruction& at = program_.instructions[begin + j];
    std::vector<ValueId> all = at.operands;
    all.insert(all.end(), at.results.begin(), at.results.end());
    for (ValueId& value : all) value = lifetimes_.root(value);
    return all;
  }
  std::size_t first() const { return repeat_.begins[0]; }

  void begin_with_one_buffer() {
    for (std::size_t j = 0; j < repeat_.length; ++j)
      frame_.buffers.emplace_back(values(first(), j).size(), 0);
  }

  /// Places that held one value in all iterations so far are parted where they hold several in this
  /// one.
  void refine(std::size_t begin) {
    std::map<std::pair<int, ValueId>, int> parts;
    for (std::size_t j = 0; j < repeat_.length; ++j) {
      const std::vector<ValueId> held = values(begin, j);
      for (std::size_t k = 0; k < held.size(); ++k) {
        int& buffer = frame_.buffers[j][k];
        const int fresh = static_cast<int>(parts.size());
        buffer = parts.try_emplace({buffer, held[k]}, fresh).first->second;
      }
    }
    count_ = parts.size();
  }

  void number_buffers() {
    frame_.offsets.assign(count_, 0);
    frame_.lengths.assign(count_, 0);
  }

  /// What outlives the iteration, or came into it, or has several buffers in it.
  void find_parameters(std::size_t begin) {
    std::map<ValueId, int> seen;
    for (std::size_t j = 0; j < repeat_.length; ++j) {
      const std::vector<ValueId> held = values(begin, j);
      for (std::size_t k = 0; k < held.size(); ++k) {
        const int buffer = frame_.buffers[j][k];
        const int other = seen.try_emplace(held[k], buffer).first->second;
        if (other != buffer) make_parameter(other);
        if (other != buffer || !inside(held[k], begin)) make_parameter(buffer);
        std::int64_t& length = frame_.lengths[static_cast<std::size_t>(buffer)];
        length = std::max(length, room_.value(held[k]));
      }
    }
  }
  void make_parameter(int buffer) {
    frame_.offsets[static_cast<std::size_t>(buffer)] = Frame::kParameter;
  }
  bool inside(ValueId root, std::size_t begin) const {
    const std::size_t end = begin + repeat_.length;
    return !lifetimes_.in_variable(root) && lifetimes_.made(root) >= begin &&
           lifetimes_.made(root) < end && lifetimes_.last_use(root) < end;
  }

  void find_ends() {
    end_.assign(count_, 0);
    made_.assign(count_, 0);
    for (std::size_t j = 0; j < repeat_.length; ++j)
      for (const int buffer : frame_.buffers[j]) end_[static_cast<std::size_t>(buffer)] = j;
  }

  void assign_memory(std::size_t j) {
    const std::vector<int>& buffers = frame_.buffers[j];
    const std::size_t operands = program_.instructions[first() + j].operands.size();
    std::vector<int> taken;
    for (std::size_t k = operands; k < buffers.size(); ++k)
      if (framed(buffers[k]) && !made_[static_cast<std::size_t>(buffers[k])])
        assign_result(j, k, operands, taken);
    std::int64_t scratch = 0;
    for (const std::size_t begin : repeat_.begins)
      scratch = std::max(scratch, room_.scratch(begin + j));
    if (scratch > 0) {
      frame_.scratch[j] = arena_.take(scratch);
      arena_.give_back(frame_.scratch[j], scratch);
    }
    std::vector<int> dead;
    for (const int buffer : buffers)
      if (framed(buffer) && end_[static_cast<std::size_t>(buffer)] == j &&
          !contains(taken, buffer) && !contains(dead, buffer))
        dead.push_back(buffer);
    for (const int buffer : dead) arena_.give_back(offset(buffer), length(buffer));
  }

  void assign_result(std::size_t j, std::size_t k, std::size_t operands, std::vector<int>& taken) {
    const int result = frame_.buffers[j][k];
    made_[static_cast<std::size_t>(result)] = true;
    for (std::size_t o = 0; o < operands; ++o) {
      const int dying = frame_.buffers[j][o];
      if (!framed(dying) || end_[static_cast<std::size_t>(dying)] != j || contains(taken, dying) ||
          !replaceable(j, o, k - operands))
        continue;
      taken.push_back(dying);
      offset(result) = offset(dying);
      return;
    }
    offset(result) = arena_.take(length(result));
  }
  bool replaceable(std::size_t j, std::size_t operand, std::size_t result) const {
    return std::all_of(repeat_.begins.begin(), repeat_.begins.end(), [&](std::size_t begin) {
      const Instruction& at = program_.instructions[begin + j];
      return lifetimes_.can_replace(begin + j, lifetimes_.root(at.operands[operand]),
                                    at.results[result]);
    });
  }

  bool framed(int buffer) { return offset(buffer) != Frame::kParameter; }
  std::int64_t& offset(int buffer) { return frame_.offsets[static_cast<std::size_t>(buffer)]; }
  std::int64_t length(int buffer) const { return frame_.lengths[static_cast<std::size_t>(buffer)]; }
  static bool contains(const std::vector<int>& list, int buffer) {
    return std::find(list.begin(), list.end(), buffer) != list.end();
  }

  const Program& program_;
  const Repeat& repeat_;
  const Room& room_;
  const Lifetimes& lifetimes_;
  std::size_t count_ = 0;         // buffers
  std::vector<std::size_t> end_;  // by buffer: the last instruction of the iteration that uses it
  std::vector<bool> made_;        // by buffer
  Arena arena_;
  Frame frame_;
};

}  // namespace

Frame make_frame(const Program& program, const Repeat& repeat, const Room& room,
                 const Lifetimes& lifetimes) {
  return Framer(program, repeat, room, lifetimes).run();
}

}  // namespace mtfc::bind
