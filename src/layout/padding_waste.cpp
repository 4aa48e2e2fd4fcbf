#include "layout/padding_waste.h"

#include <algorithm>
#include <set>

#include "ir/scope_finder.h"
#include "ir/stage_meshes.h"
#include "layout/assign.h"
#include "layout/divisibility.h"
#include "layout/rules.h"
#include "layout/stages.h"
#include "layout/uneven.h"
#include "ops/op.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

constexpr double much = 0.1;
constexpr double most_elements = 9e18;

double count(const DimTable& dims, const DimList& list) {
  double product = 1;
  for (DimId dim : list) product *= static_cast<double>(dims.size(dim));
  return product;
}

/// Sums with the padding of dimensions that are alike and without.
class Sums {
 public:
  Sums(const Model& model, const Assignment& assignment, const DimList& alike, std::int64_t padded)
      : model_(model),
        assignment_(assignment),
        is_padded_(model.dims.size()),
        more_(static_cast<double>(padded) / static_cast<double>(model.dims.size(alike[0])) - 1) {
    for (DimId dim : alike) is_padded_[dim.at()] = true;
  }

  /// What one processor has of it.
  void add(const DimList& list, const Sharding& sharding, double times = 1) {
    double one = times * count(model_.dims, list);
    for (const std::vector<AxisId>& axes : sharding.split)
      one /= static_cast<double>(assignment_.mesh.size(axes));
    all_ += one;
    if (std::any_of(list.begin(), list.end(), [&](DimId dim) { return is_padded_[dim.at()]; }))
      padding_ += one * more_;
  }
  double share() const { return all_ > 0 ? padding_ / all_ : 0; }

 private:
  const Model& model_;
  const Assignment& assignment_;
  std::vector<bool> is_padded_;  // by dimension
  const double more_;
  double all_ = 0, padding_ = 0;
};

/// The dimensions over which an operation runs.
DimList index_space(const Graph& graph, const Operation& op) {
  DimList all;
  for (ValueId id : op.operands) all = union_of(all, graph.at(id).type.dims);
  for (ValueId id : op.results) all = union_of(all, graph.at(id).type.dims);
  return all;
}

/// What it computes for each index, as `mtfc cost` counts it. What only moves or makes tensors does
/// nothing; composites are taken for one operation.
double operations(const Operation& op) {
  const ops::OpDef& def = ops::op_of(op);
  if (def.kind == ops::Kind::combine) return op.operands.size() > 1 ? 2 : 1;
  return def.kind == ops::Kind::elementwise || def.kind == ops::Kind::scatter || def.expand ? 1 : 0;
}

bool is_too_large(const Model& model, DimId dim, std::int64_t padded) {
  if (padded > largest_size) return true;
  const double more = static_cast<double>(padded) / static_cast<double>(model.dims.size(dim));
  const auto too_large = [&](const DimList& list) {
    return contains(list, dim) && more * 8 * count(model.dims, list) > most_elements;
  };
  const Graph& graph = cut_graph(model);
  return std::any_of(graph.values.begin(), graph.values.end(),
                     [&](const Value& v) { return too_large(v.type.dims); }) ||
         std::any_of(model.variables.begin(), model.variables.end(),
                     [&](const Variable& v) { return too_large(v.type.dims); });
}

/// The first stage (0 without a pipeline) on whose mesh the axes do not divide the size.
std::optional<int> where_not_divided(std::int64_t size, const Assignment& assignment,
                                     const std::vector<AxisId>& axes) {
  const int meshes = std::max<int>(1, static_cast<int>(assignment.stage_meshes.size()));
  for (int stage = 0; stage < meshes; ++stage)
    if (size % mesh_of_stage(assignment, stage).size(axes) != 0) return stage;
  return std::nullopt;
}

Diagnostic not_divisible_in(int stage, const Dim& dim, const LayoutRule& rule,
                            const Assignment& assignment, const std::vector<AxisId>& axes,
                            const std::vector<std::string>& tensors) {
  const Mesh& mesh = mesh_of_stage(assignment, stage);
  Diagnostic d = not_divisible(dim, rule, mesh, axes, shards_over(assignment, axes), tensors);
  if (assignment.stage_meshes.empty()) return d;
  return d.note("in stage " + std::to_string(stage) + ", whose mesh is " + to_string(mesh));
}

/// "4", of stages that differ "2+4".
std::string shards_text(const Assignment& assignment, const std::vector<AxisId>& axes) {
  std::string text;
  std::set<std::int64_t> counts;
  for (const Mesh& mesh : meshes_of(assignment)) {
    const std::int64_t count = mesh.size(axes);
    counts.insert(count);
    text += (text.empty() ? "" : "+") + std::to_string(count);
  }
  return counts.size() == 1 ? std::to_string(*counts.begin()) : text;
}

/// Share of what one processor has without the padding of some dimensions; 0.1: a tenth more.
struct Waste {
  double memory = 0;  // parameters, and the values of the forward pass
  double work = 0;    // multiplications and additions of the forward pass
};
/// `alike`: of one size, padded to the same, as a block's own dimension in all its instances.
Waste waste_of(const Model& model, const Assignment& assignment, const DimList& alike,
               std::int64_t padded) {
  const Graph& graph = cut_graph(model);
  Sums memory(model, assignment, alike, padded), work(model, assignment, alike, padded);
  for (const Variable& v : model.variables)
    if (v.kind == Variable::Kind::parameter)
      memory.add(v.type.dims, sharding_of(v.path, v.type.dims, assignment));
  ScopeFinder finder(assignment);
  for (const Operation& op : graph.ops) {
    const std::vector<int> scopes = finder.of(graph, op);
    const auto split = [&](const DimList& list) { return sharding_of(list, assignment, scopes); };
    for (ValueId id : op.results) memory.add(graph.at(id).type.dims, split(graph.at(id).type.dims));
    const DimList all = index_space(graph, op);
    work.add(all, split(all), operations(op));
  }
  return {memory.share(), work.share()};
}

/// "3 % more memory"
std::string more(double share, const std::string& what) {
  return (share > 0 ? per_cent(share) : "no") + " more " + what;
}

/// `alike`: the dimension of the rule, and those of its name that the rule pads to as much.
Diagnostic padded_size(const Model& model, const Assignment& assignment, const UnevenRule& uneven,
                       const DimList& alike, std::int64_t padded) {
  const Dim& dim = model.dims[uneven.dim];
  const std::vector<AxisId> axes = splitting_axes(*uneven.rule, assignment.mesh);
  const std::int64_t shards = shards_over(assignment, axes);
  const Waste waste = waste_of(model, assignment, alike, padded);
  const bool warns = std::max(waste.memory, waste.work) >= much;
  Diagnostic d =
      diag(warns ? DiagKind::much_padding : DiagKind::padding,
           "`" + dim.name + "` (" + std::to_string(dim.size) + ") is padded to " +
               std::to_string(padded) + " for " + shards_text(assignment, axes) + " shards over `" +
               axes_text(*uneven.rule) + "`")
          .at(uneven.rule->span, more(waste.memory, "memory") + ", " + more(waste.work, "work"));
  if (!dim.scope.empty()) d.notes.push_back("`" + dim.name + "` belongs to `" + dim.scope + "`");
  if (!dim.origin.empty()) d.notes.push_back("size set by " + dim.origin);
  if (!warns) return d;
  const Padding better = padding(dim.size, shards);
  d.helps.push_back("choose a size that " + std::to_string(shards * dim.microbatches) +
                    " divides, such as " + std::to_string(declared_size(dim, better.size)) +
                    ", or remove `" + text_of(*uneven.rule) + "`");
  return d;
}

}  // namespace

std::optional<Diagnostic> check_divides(const Model& model, const Assignment& assignment,
                                        UnevenRule rule, const std::vector<AxisId>& axes,
                                        const Names& tensors, std::vector<UnevenRule>& uneven) {
  const Dim& dim = model.dims[rule.dim];
  const std::optional<int> stage = where_not_divided(dim.size, assignment, axes);
  if (!stage) return std::nullopt;
  if (rule.rule->must_divide)
    return not_divisible_in(*stage, dim, *rule.rule, assignment, axes, tensors());
  uneven.push_back(rule);
  return std::nullopt;
}

void note_padding(const Model& model, const Assignment& assignment,
                  const std::vector<UnevenRule>& rules, Diagnostics& diagnostics) {
  if (rules.empty()) return;
  const std::vector<Uneven> uneven = uneven_dims(model.dims, model.variables, assignment);
  std::set<std::tuple<const LayoutRule*, std::string, std::int64_t>> said;  // one name, one size
  const auto alike = [&](const UnevenRule& one) {
    DimList list;  // a dimension may occur twice
    for (const UnevenRule& other : rules) {
      const Dim &dim = model.dims[one.dim], &instance = model.dims[other.dim];
      if (other.rule == one.rule && instance.name == dim.name && instance.size == dim.size)
        list.push_back(other.dim);
    }
    return list;
  };
  for (const UnevenRule& one : rules) {
    const Dim& dim = model.dims[one.dim];
    const auto found = std::find_if(uneven.begin(), uneven.end(),
                                    [&](const Uneven& u) { return u.dim == one.dim; });
    if (found == uneven.end() || !said.insert({one.rule, dim.name, dim.size}).second) continue;
    const std::vector<AxisId> axes = splitting_axes(*one.rule, assignment.mesh);
    if (is_too_large(model, one.dim, found->size))
      diagnostics.report(not_divisible_in(where_not_divided(dim.size, assignment, axes).value_or(0),
                                          dim, *one.rule, assignment, axes, {}));
    else
      diagnostics.report(padded_size(model, assignment, one, alike(one), found->size));
  }
}

}  // namespace mtfc::lowering
