// Names of the IR's small enumerations and instruction kinds, and look-ups by name.
#include "ir/module.h"
#include "ir/text_words.h"

namespace mtfc {

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return "forward";
    case Phase::backward:
      return "backward";
    case Phase::update:
      return "update";
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

namespace {
struct KindName {
  std::string_view operator()(const Map&) const { return "map"; }
  std::string_view operator()(const Contract&) const { return "contract"; }
  std::string_view operator()(const Reduce&) const { return "reduce"; }
  std::string_view operator()(const Rearrange&) const { return "rearrange"; }
  std::string_view operator()(const Slice&) const { return "slice"; }
  std::string_view operator()(const Pad&) const { return "pad"; }
  std::string_view operator()(const Gather&) const { return "gather"; }
  std::string_view operator()(const ScatterAdd&) const { return "scatter_add"; }
  std::string_view operator()(const Put&) const { return "put"; }
  std::string_view operator()(const Window&) const { return "window"; }
  std::string_view operator()(const WindowAdd&) const { return "window_add"; }
  std::string_view operator()(const PrefixSum&) const { return "prefix_sum"; }
  std::string_view operator()(const TopPlaces&) const { return "top_places"; }
  std::string_view operator()(const Concat&) const { return "concat"; }
  std::string_view operator()(const Shard&) const { return "shard"; }
  std::string_view operator()(const AllReduce&) const { return "all_reduce"; }
  std::string_view operator()(const ReduceScatter&) const { return "reduce_scatter"; }
  std::string_view operator()(const Await&) const { return "await"; }
  std::string_view operator()(const AllGather&) const { return "all_gather"; }
  std::string_view operator()(const AllToAll&) const { return "all_to_all"; }
  std::string_view operator()(const Permute&) const { return "permute"; }
  std::string_view operator()(const Read&) const { return "read"; }
  std::string_view operator()(const Write&) const { return "write"; }
  std::string_view operator()(const Feed&) const { return "feed"; }
  std::string_view operator()(const Fetch&) const { return "fetch"; }
};
}  // namespace

std::string_view name(const InstructionKind& kind) { return std::visit(KindName{}, kind); }

bool is_collective(const InstructionKind& kind) {
  return std::holds_alternative<AllReduce>(kind) || std::holds_alternative<ReduceScatter>(kind) ||
         std::holds_alternative<AllGather>(kind) || std::holds_alternative<AllToAll>(kind) ||
         std::holds_alternative<Permute>(kind);
}

Summing* summing(InstructionKind& kind) {
  if (auto* all = std::get_if<AllReduce>(&kind)) return &all->how;
  if (auto* part = std::get_if<ReduceScatter>(&kind)) return &part->how;
  return nullptr;
}
const Summing* summing(const InstructionKind& kind) {
  return summing(const_cast<InstructionKind&>(kind));
}

const ExampleDim* Parts::of_whole(DimId dim) const {
  for (const ExampleDim& d : dims) {
    if (d.whole == dim) return &d;
  }
  return nullptr;
}
const ExampleDim* Parts::of_part(DimId dim) const {
  for (const ExampleDim& d : dims) {
    if (d.part == dim) return &d;
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

const std::vector<AxisId>& Placement::axes(DimId dim) const {
  static const std::vector<AxisId> whole;
  return dim.at() < dims.size() ? dims[dim.at()].axes : whole;
}

const std::string& Placement::cause(DimId dim) const {
  static const std::string none;
  return dim.at() < dims.size() ? dims[dim.at()].cause : none;
}

}  // namespace mtfc
