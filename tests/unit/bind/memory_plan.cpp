// Values that live at the same time never share memory: random programs, random sizes.
#include <catch2/catch.hpp>
#include <random>

#include "bind/memory_plan.h"
#include "unit/backends/lab.h"

namespace bind_memory_plan_test {

using namespace lab;
using bind::BufferLocation;

namespace {

struct Random {
  std::mt19937 engine;
  int below(int n) { return static_cast<int>(engine() % static_cast<unsigned>(n)); }
};

/// A program of maps, aliases, reads and writes over one dimension. Runs nothing.
struct Made {
  Lab lab{{{"rows", 2}}};
  std::vector<bool> alias;
  std::vector<std::int64_t> bytes;  // by value

  explicit Made(Random random) {
    const DimId d = lab.dim("d", 4);
    const ShardType type = lab.type({d});
    for (const char* path : {"a", "b", "c"}) lab.variable(path, type, 0);
    std::vector<ValueId> values = {lab.read("a"), lab.read("b")};
    alias.assign(2, false);
    bytes.assign(2, 128);
    for (int i = 0; i < 40; ++i) {
      const ValueId x =
          values[static_cast<std::size_t>(random.below(static_cast<int>(values.size())))];
      const bool view = random.below(5) == 0;
      const std::int64_t room = view ? bytes[x.at()] : 128 + 64 * random.below(3);
      values.push_back(view ? lab.add(Rearrange{}, {x}, type)
                            : lab.add(Map{}, {x, values.back()}, type));
      alias.push_back(view);
      bytes.push_back(room);
    }
    for (const char* path : {"b", "c", "a"}) {
      // A variable has 128 bytes; only such a value can be written.
      ValueId value =
          values[static_cast<std::size_t>(random.below(static_cast<int>(values.size())))];
      if (bytes[value.at()] != 128) value = values[0];
      lab.write(path, value);
      alias.push_back(false);
    }
  }
};

/// Parts of the program that look alike: the same kind of instruction with as much room.
std::vector<bind::Repeat> repeats_of(const Made& made) {
  std::vector<int> tokens;
  const auto& instructions = made.lab.module.programs[0].instructions;
  for (std::size_t i = 0; i < instructions.size(); ++i)
    tokens.push_back(made.alias[i] ? 0
                     : std::holds_alternative<Map>(instructions[i].kind)
                         ? static_cast<int>(made.bytes[instructions[i].results[0].at()])
                         : -1);
  const std::vector<int> anywhere(tokens.size(), 0);
  return bind::find_repeats(tokens, anywhere, {2, 2});
}

/// In every iteration each operand and result is where the frame says that it is.
void check_frames(const Program& program, const bind::Plan& plan) {
  for (const bind::Frame& frame : plan.frames)
    for (std::size_t iteration = 0; iteration < frame.repeat.begins.size(); ++iteration) {
      std::map<int, BufferLocation> places;
      for (std::size_t j = 0; j < frame.repeat.length; ++j) {
        const Instruction& at = program.instructions[frame.repeat.begins[iteration] + j];
        for (std::size_t k = 0; k < at.operands.size() + at.results.size(); ++k) {
          const std::size_t operands = at.operands.size();
          const ValueId value = k < operands ? at.operands[k] : at.results[k - operands];
          const int buffer = frame.buffers[j][k];
          const std::int64_t offset = frame.offsets[static_cast<std::size_t>(buffer)];
          const BufferLocation& place = plan.values[value.at()];
          if (offset != bind::Frame::kParameter)
            REQUIRE(place == BufferLocation{BufferLocation::Kind::arena,
                                            frame.bases[iteration] + offset, -1});
          REQUIRE(places.try_emplace(buffer, place).first->second == place);
        }
      }
    }
}

/// Runs the plan on tokens: every 64 bytes of memory hold the number of the value that wrote them.
void check_plan(const Made& made, bool in_place, const std::vector<bind::Repeat>& repeats = {}) {
  const Program& program = made.lab.module.programs[0];
  const bind::Plan plan =
      bind::make_plan(made.lab.module, program,
                      {[&](ValueId id) { return made.bytes[id.at()]; },
                       [](std::size_t i) { return i % 7 == 0 ? std::int64_t{200} : 0; },
                       [&](std::size_t i) { return made.alias[i]; }, in_place},
                      repeats);
  check_frames(program, plan);
  constexpr std::int64_t kVariables = 1 << 20;
  std::map<std::int64_t, int> memory;
  const auto each = [&](const BufferLocation& place, std::int64_t bytes, auto&& f) {
    const std::int64_t base = place.kind == BufferLocation::Kind::variable
                                  ? kVariables * (place.variable + 1)
                                  : place.offset;
    REQUIRE(place.kind != BufferLocation::Kind::none);
    if (place.kind == BufferLocation::Kind::arena) REQUIRE(base + bytes <= plan.arena_bytes + 63);
    for (std::int64_t i = 0; i < bytes; i += 64) f(memory[base + i]);
  };
  std::vector<int> token(program.values.size());  // what a value's memory must hold
  for (int v = 0; v < 3; ++v)
    each({BufferLocation::Kind::variable, 0, v}, 128, [&](int& cell) { cell = -1 - v; });
  const auto reads = [&](ValueId id) {
    each(plan.values[id.at()], made.bytes[id.at()],
         [&](const int& cell) { REQUIRE(cell == token[id.at()]); });
  };
  std::map<std::size_t, const bind::WritePlan*> writes;
  for (const auto& write : plan.writes) writes[write.instruction] = &write;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& at = program.instructions[i];
    for (ValueId operand : at.operands) reads(operand);
    if (plan.scratch[i] >= 0)
      each({BufferLocation::Kind::arena, plan.scratch[i], -1}, 200,
           [&](int& cell) { cell = 9999; });
    for (ValueId operand : at.operands)
      if (plan.scratch[i] >= 0) reads(operand);
    if (writes.count(i) && writes[i]->staging.kind == BufferLocation::Kind::arena)
      each(writes[i]->staging, 128, [&](int& cell) { cell = token[writes[i]->value.at()]; });
    for (ValueId result : at.results) {
      if (made.alias[i]) {
        token[result.at()] = token[at.operands[0].at()];
      } else if (std::holds_alternative<Read>(at.kind)) {
        token[result.at()] = -1 - plan.values[result.at()].variable;
        reads(result);
      } else {
        token[result.at()] = static_cast<int>(i) + 1;
        each(plan.values[result.at()], made.bytes[result.at()],
             [&](int& cell) { cell = static_cast<int>(i) + 1; });
      }
    }
  }
  for (const auto& write : plan.writes) {
    if (write.direct) continue;
    std::vector<int> moved;
    const bool staged = write.staging.kind == BufferLocation::Kind::arena;
    each(staged ? write.staging : plan.values[write.value.at()], 128,
         [&](int& cell) { moved.push_back(cell); });
    std::size_t next = 0;
    each({BufferLocation::Kind::variable, 0, write.variable}, 128,
         [&](int& cell) { cell = moved[next++]; });
  }
  for (const auto& write : plan.writes)
    each({BufferLocation::Kind::variable, 0, write.variable}, 128,
         [&](const int& cell) { REQUIRE(cell == token[write.value.at()]); });
}

}  // namespace

TEST_CASE("a plan never overwrites what is still needed") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Made made(Random{std::mt19937(seed)});
    INFO("seed " << seed);
    check_plan(made, true);
    check_plan(made, false);
  }
}

TEST_CASE("iterations of a repeat have one form, and nothing is overwritten") {
  std::size_t repeats = 0, framed = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Made made(Random{std::mt19937(seed)});
    INFO("seed " << seed);
    const std::vector<bind::Repeat> found = repeats_of(made);
    repeats += found.size();
    check_plan(made, true, found);
    check_plan(made, false, found);
    const auto plan = bind::make_plan(made.lab.module, made.lab.module.programs[0],
                                      {[&](ValueId id) { return made.bytes[id.at()]; },
                                       [](std::size_t) { return std::int64_t{0}; },
                                       [&](std::size_t i) { return made.alias[i]; }, true},
                                      found);
    for (const bind::Frame& frame : plan.frames)
      framed += static_cast<std::size_t>(frame.bytes > 0);
  }
  CHECK(repeats > 300);
  CHECK(framed > 50);
}

}  // namespace bind_memory_plan_test
