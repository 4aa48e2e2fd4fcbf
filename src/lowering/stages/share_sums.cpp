// A gradient's sum over processors that several parts of a stage use: the part that finds its norm,
// and the one that updates with it after stages have waited for each other. The first makes it and
// keeps it for the others, on shards where a dimension divides: it is sent once, as without a
// pipeline.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "lowering/program/replacing.h"
#include "lowering/stages/cut_graph.h"
#include "lowering/state/passes.h"

namespace mtfc::lowering {

namespace {

/// A variable that is a partial sum, as one part reads it and completes it. Instructions by number.
struct Completion {
  std::size_t part = 0;  // of its stage, and the number of its program
  Program* program = nullptr;
  std::size_t read = 0;
  std::vector<std::size_t> steps;  // an all-reduce, or reduce-scatters one after the other
  ValueId result;
  bool scatters = false;
};

/// Axes that a dimension gets, one after the other.
struct ScatterAxis {
  DimId dim;
  AxisId axis;
  friend bool operator==(const ScatterAxis&, const ScatterAxis&) = default;
};

class Users {
 public:
  explicit Users(const Program& program) : by_value_(program.values.size()) {
    for (std::size_t i = 0; i < program.instructions.size(); ++i)
      for (const ValueId operand : program.instructions[i].operands)
        by_value_[operand.at()].push_back(i);
  }
  const std::vector<std::size_t>& of(ValueId value) const { return by_value_[value.at()]; }
  std::optional<std::size_t> only(ValueId value) const {
    return of(value).size() == 1 ? std::optional(of(value)[0]) : std::nullopt;
  }

 private:
  std::vector<std::vector<std::size_t>> by_value_;
};

/// The reading at instruction `read`, if all that uses it is one sum of it over processors.
std::optional<Completion> completion(Program& program, const Users& users, std::size_t read) {
  Completion found{0, &program, read, {}, program.instructions[read].results[0], false};
  while (!program.at(found.result).type.sharding.partial.empty()) {
    const std::optional<std::size_t> next = users.only(found.result);
    if (!next) return std::nullopt;
    const Instruction& step = program.instructions[*next];
    const bool scatter = std::holds_alternative<ReduceScatter>(step.kind);
    const bool whole = std::holds_alternative<AllReduce>(step.kind) && found.steps.empty();
    if (!(scatter || whole) || step.operands.size() != 1) return std::nullopt;
    found.scatters = scatter;
    found.steps.push_back(*next);
    found.result = step.results[0];
    if (whole && program.at(found.result).type.sharding.is_partial()) return std::nullopt;
  }
  return found;
}

std::vector<ScatterAxis> axes_of(const Completion& completion) {
  std::vector<ScatterAxis> axes;
  for (const std::size_t step : completion.steps) {
    const auto& scatter = std::get<ReduceScatter>(completion.program->instructions[step].kind);
    axes.push_back({scatter.dims[0], scatter.axis});
  }
  return axes;
}

/// Of the first dimension that all axes of the sum divide; none if there is no such.
std::vector<ScatterAxis> possible_axes(const ShardType& type, const Module& module) {
  const std::int64_t parts = module.mesh.size(type.sharding.partial);
  for (std::size_t i = 0; i < type.tensor.dims.size(); ++i) {
    const DimId dim = type.tensor.dims[i];
    if (module.dims.size(dim) % (parts * module.mesh.size(type.sharding.split[i])) != 0) continue;
    std::vector<ScatterAxis> axes;
    for (const AxisId axis : type.sharding.partial) axes.push_back({dim, axis});
    return axes;
  }
  return {};
}

/// A map of `value`, element by element, all of which are then summed: the sum's number.
std::optional<std::size_t> sum_of_map(const Program& program, const Users& users, std::size_t at,
                                      ValueId value) {
  const auto* map = std::get_if<Map>(&program.instructions[at].kind);
  if (map == nullptr || !map->index_leaves.empty() || !map->random_leaves.empty())
    return std::nullopt;
  const std::vector<ValueId>& operands = program.instructions[at].operands;
  const bool alone = std::all_of(operands.begin(), operands.end(), [&](ValueId operand) {
    return operand == value || program.at(operand).type.tensor.dims.empty();
  });
  const std::vector<ValueId>& results = program.instructions[at].results;
  const std::optional<std::size_t> next = users.only(results[0]);
  if (!alone || results.size() != 1 || !next) return std::nullopt;
  const auto* sum = std::get_if<Reduce>(&program.instructions[*next].kind);
  const bool all =
      sum != nullptr && sum->kind == Combine::sum &&
      same_set(program.at(results[0]).type.tensor.dims, program.at(value).type.tensor.dims) &&
      program.at(program.instructions[*next].results[0]).type.tensor.dims.empty();
  if (!all) return std::nullopt;
  // Over axes that split the value its sum is partial, and made complete.
  const ValueId result = program.instructions[*next].results[0];
  if (!program.at(result).type.sharding.is_partial()) return next;
  const std::optional<std::size_t> whole = users.only(result);
  const bool complete = whole && program.instructions[*whole].operands.size() == 1 &&
                        std::holds_alternative<AllReduce>(program.instructions[*whole].kind);
  return complete ? next : std::nullopt;
}

/// In the order of the mesh.
std::vector<AxisId> joined(std::vector<AxisId> axes, const std::vector<AxisId>& more) {
  axes.insert(axes.end(), more.begin(), more.end());
  std::sort(axes.begin(), axes.end());
  return axes;
}

class Sharing {
 public:
  explicit Sharing(State& s) : s_(s), m_(s.made.module) {}

  void run() {
    for (int stage = 0; stage < s_.assignment.stages->count; ++stage)
      for (const auto& [variable, readings] : readings_of(stage))
        if (readings.size() > 1) share(variable, readings);
    for (auto& [program, replacing] : replacing_) replacing.finish();
    for (auto& [program, writes] : writes_)
      std::move(writes.begin(), writes.end(), std::back_inserter(program->instructions));
  }

 private:
  using Readings = std::map<std::string, std::vector<Completion>>;

  /// By variable, in the order of the parts. One that a part uses otherwise is not listed.
  Readings readings_of(int stage) {
    Readings all;
    std::set<std::string> otherwise;
    for (std::size_t part = 0; part < s_.cut.parts.size(); ++part) {
      const StagePart& what = s_.cut.parts[part];
      if (what.stage != stage || what.pass != StagePart::Pass::other) continue;
      const auto found =
          std::find_if(m_.programs.begin(), m_.programs.end(),
                       [&](const Program& program) { return program.name == what.name; });
      if (found == m_.programs.end()) continue;
      add_readings(*found, part, all, otherwise);
    }
    for (const std::string& variable : otherwise) all.erase(variable);
    return all;
  }
  void add_readings(Program& program, std::size_t part, Readings& all,
                    std::set<std::string>& otherwise) {
    const Users& users = users_.try_emplace(&program, program).first->second;
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
      const auto* read = std::get_if<Read>(&program.instructions[i].kind);
      if (read == nullptr || type_of(program, i).sharding.partial.empty()) continue;
      std::optional<Completion> found = completion(program, users, i);
      std::vector<Completion>& readings = all[read->variable];
      // Once in each part of one program.
      const auto& parts = s_.cut.parts;
      if (!found ||
          (!readings.empty() && (readings.back().part == part ||
                                 parts[readings.back().part].program != parts[part].program)))
        otherwise.insert(read->variable);
      if (!found) continue;
      found->part = part;
      readings.push_back(std::move(*found));
    }
  }
  static const ShardType& type_of(const Program& program, std::size_t instruction) {
    return program.at(program.instructions[instruction].results[0]).type;
  }

  void share(const std::string& variable, const std::vector<Completion>& readings) {
    const Completion& first = readings.front();
    ShardType kept = type_of(*first.program, first.read);
    if (kept.sharding.combine != Combine::sum) return;
    std::vector<ScatterAxis> axes;
    for (const Completion& reading : readings) {
      if (!reading.scatters) continue;
      if (!axes.empty() && axes != axes_of(reading)) return;
      axes = axes_of(reading);
    }
    if (axes.empty()) axes = possible_axes(kept, m_);
    kept.sharding.partial.clear();
    for (const ScatterAxis& one : axes)
      kept.sharding = Shard{one.dim, one.axis}.after(kept.tensor.dims, kept.sharding);
    const std::string path = "cross.sum." + variable + ".0";  // no path of a model ends so
    add_variable(path, kept);
    Crossing crossing{path, static_cast<int>(first.part), {}, false};
    const ValueId value = make(first, axes);
    // For the update: that nothing else needs what is a gradient's sum is seen by it.
    const Instruction& like = first.program->instructions[first.steps.back()];
    StepRole role = like.role;
    role.kind = StepRole::Kind::update;
    writes_[first.program].push_back({Write{path}, {value}, {}, like.origin, std::move(role)});
    for (std::size_t i = 1; i < readings.size(); ++i) {
      crossing.to.push_back(static_cast<int>(readings[i].part));
      use(readings[i], path, kept, axes);
    }
    s_.cut.crossings.push_back(std::move(crossing));
  }

  void add_variable(const std::string& path, const ShardType& type) {
    m_.variables.push_back({path, type, Variable::Kind::accumulator});
    s_.model.variables.push_back(crossing_variable(path, type.tensor));
  }
  Replacing& in(const Completion& reading) {
    return replacing_.try_emplace(reading.program, *reading.program).first->second;
  }

  /// What the first part keeps. Where it only sums up squares, shards are enough for it.
  ValueId make(const Completion& first, const std::vector<ScatterAxis>& axes) {
    if (first.scatters || axes.empty()) return first.result;
    Program& program = *first.program;
    const Users& users = users_.at(&program);
    const std::set<std::size_t> maps(users.of(first.result).begin(), users.of(first.result).end());
    const bool scatter = std::all_of(maps.begin(), maps.end(), [&](std::size_t at) {
      return sum_of_map(program, users, at, first.result).has_value();
    });
    const std::size_t sum = first.steps.front();
    ValueId value = scatter ? program.instructions[first.read].results[0] : first.result;
    ShardType type = program.at(value).type;
    for (const auto& [dim, axis] : axes) {
      type.sharding = Shard{dim, axis}.after(type.tensor.dims, type.sharding);
      if (scatter) {
        std::erase(type.sharding.partial, axis);
        value = in(first).put(sum, ReduceScatter{Combine::sum, {dim}, axis}, {value}, type);
      } else {
        value = in(first).put_behind(sum, Shard{dim, axis}, {value}, type);
      }
    }
    if (scatter)
      for (const std::size_t at : maps) map_shards(first, at, value);
    return value;
  }

  /// The map of shards, whose sums are added up over the axes of the first sum.
  void map_shards(const Completion& first, std::size_t at, ValueId shards) {
    Program& program = *first.program;
    const Users& users = users_.at(&program);
    Instruction& map = program.instructions[at];
    std::replace(map.operands.begin(), map.operands.end(), first.result, shards);
    Sharding& split = program.values[map.results[0].at()].type.sharding;
    const DimList& dims = program.at(map.results[0]).type.tensor.dims;
    const ShardType& like = program.at(shards).type;
    for (std::size_t i = 0; i < dims.size(); ++i) split.split[i] = split_of(like, dims[i]);

    const std::size_t sum = *users.only(map.results[0]);
    const ValueId result = program.instructions[sum].results[0];
    const ShardType whole = program.at(result).type;
    Sharding partial = whole.sharding;
    partial.partial = joined(type_of(program, first.read).sharding.partial, partial.partial);
    partial.combine = Combine::sum;
    if (whole.sharding.is_partial()) {  // it is made complete already
      program.values[result.at()].type.sharding = partial;
      std::get<AllReduce>(program.instructions[*users.only(result)].kind).axes = partial.partial;
      return;
    }
    const ValueId part = in(first).put(sum, program.instructions[sum].kind, {map.results[0]},
                                       {whole.tensor, partial});
    in(first).put(sum, AllReduce{Combine::sum, partial.partial}, {part}, {}, result);
  }

  /// In the place of its own sum.
  void use(const Completion& reading, const std::string& path, ShardType type,
           std::vector<ScatterAxis> axes) {
    Replacing& replacing = in(reading);
    replacing.drop(reading.read);
    for (const std::size_t step : reading.steps) replacing.drop(step);
    const std::size_t at = reading.steps.back();
    if (reading.scatters || axes.empty()) {
      replacing.put(at, Read{path}, {}, {}, reading.result);
      return;
    }
    ValueId value = replacing.put(at, Read{path}, {}, type);
    for (; !axes.empty(); axes.pop_back()) {
      const AllGather gather{{axes.back().dim}, axes.back().axis};
      type.sharding = gather.after(type.tensor.dims, type.sharding);
      const bool last = axes.size() == 1;
      value = replacing.put(at, gather, {value}, type,
                            last ? std::optional(reading.result) : std::nullopt);
    }
  }

  State& s_;
  Module& m_;
  std::map<Program*, Users> users_;
  std::map<Program*, Replacing> replacing_;
  std::map<Program*, std::vector<Instruction>> writes_;
};

}  // namespace

void share_sums(State& s) {
  if (s.assignment.stages) Sharing(s).run();
}

}  // namespace mtfc::lowering
