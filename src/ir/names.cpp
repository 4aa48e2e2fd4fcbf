// Names of the IR's small enumerations and instruction kinds, and look-ups by name.
#include "ir/module.h"
#include "ir/text_words.h"

namespace mtfc {

std::string_view name(StepRole::Kind kind) {
  switch (kind) {
    case StepRole::Kind::model:
      return "model";
    case StepRole::Kind::gradient:
      return "gradient";
    case StepRole::Kind::update:
      return "update";
  }
  return "?";
}

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return "forward";
    case Phase::backward:
      return "backward";
    case Phase::update:
      return "update";
    case Phase::recompute:
      return "recompute";
  }
  return "";
}

std::string_view name(Output::Kind kind) {
  switch (kind) {
    case Output::Kind::loss:
      return "loss";
    case Output::Kind::metric:
      return "metric";
    case Output::Kind::report:
      return "report";
    case Output::Kind::variable:
      return "variable";
    case Output::Kind::accumulate:
      return "accumulate";
    case Output::Kind::tensor:
      return "tensor";
  }
  return "";
}

std::string_view name(Variable::Kind kind) {
  switch (kind) {
    case Variable::Kind::parameter:
      return "parameter";
    case Variable::Kind::state:
      return "state";
    case Variable::Kind::optimizer:
      return "optimizer";
    case Variable::Kind::accumulator:
      return "accumulator";
    case Variable::Kind::cache:
      return "cache";
  }
  return "";
}

const ExampleDim* Microbatch::of_batch(DimId dim) const {
  for (const ExampleDim& d : dims) {
    if (d.batch == dim) return &d;
  }
  return nullptr;
}
const ExampleDim* Microbatch::of_micro(DimId dim) const {
  for (const ExampleDim& d : dims) {
    if (d.micro == dim) return &d;
  }
  return nullptr;
}

const Program* Module::find(std::string_view program) const {
  for (const Program& p : programs) {
    if (p.name == program) return &p;
  }
  return nullptr;
}

const ModuleVariable* Module::find_variable(std::string_view path) const {
  for (const ModuleVariable& v : variables) {
    if (v.path == path) return &v;
  }
  return nullptr;
}

std::vector<CountedProgram> counted_programs(const Module& module) {
  std::vector<CountedProgram> programs;
  for (const StepProgram& step : module.step)
    programs.push_back({module.find(step.program), step.microbatches});
  if (const Program* run = module.find(program_names::run); programs.empty() && run)
    programs.push_back({run, 1});
  return programs;
}

const std::vector<AxisId>& Assignment::axes(DimId dim) const {
  static const std::vector<AxisId> none;
  return dim.at() < dims.size() ? dims[dim.at()].axes : none;
}

std::optional<int> Stages::of_block(std::string_view block) const {
  while (!block.empty()) {
    if (const auto found = blocks.find(block); found != blocks.end()) return found->second;
    const std::size_t dot = block.rfind('.');
    block = dot == block.npos ? std::string_view{} : block.substr(0, dot);
  }
  return std::nullopt;
}

std::string_view name(Schedule schedule) {
  switch (schedule) {
    case Schedule::gpipe:
      return "gpipe";
    case Schedule::one_f_one_b:
      return "1f1b";
    case Schedule::interleaved:
      return "interleaved";
  }
  return "";
}

std::string_view name(LayoutScope::Kind kind) {
  constexpr std::string_view names[] = {"param", "value", "in"};
  const auto i = static_cast<std::size_t>(kind);
  return i < std::size(names) ? names[i] : std::string_view{};
}

const Assignment::Scope::Split* Assignment::Scope::find(DimId dim) const {
  for (const Split& split : splits)
    if (split.dim == dim) return &split;
  return nullptr;
}

const Assignment::Scope::Split* Assignment::find(const std::vector<int>& numbers, DimId dim) const {
  for (const int number : numbers)
    if (const Scope::Split* split = scopes[static_cast<std::size_t>(number)].find(dim))
      return split;
  return nullptr;
}

const SharedText& Assignment::cause(DimId dim) const {
  static const SharedText none;
  return dim.at() < dims.size() ? dims[dim.at()].cause : none;
}

Assignment::Entry Assignment::entry(DimId dim) const {
  return dim.at() < dims.size() ? dims[dim.at()] : Entry{};
}

DimId Assignment::add_dim(DimTable& table, Dim dim, Entry entry) {
  dims.resize(table.size());
  dims.push_back(std::move(entry));
  return table.add(std::move(dim));
}

}  // namespace mtfc
