#include "layout/replication.h"

#include <algorithm>
#include <map>

#include "ir/scope_finder.h"
#include "layout/assign.h"
#include "layout/axis_conflicts.h"
#include "ops/op.h"
#include "support/figures.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

constexpr double large_tensor = 1e6;       // elements
constexpr double expensive_product = 1e9;  // multiply-adds
constexpr std::size_t most_notes = 3;

/// Something replicated. Iterations of a `repeat` have one origin and count as one.
struct Finding {
  Site site;
  double size = 0;                 // on one processor
  std::vector<AxisId> along = {};  // work: processors that differ only on these do the same
  std::size_t alike = 0;           // further ones from the same place in the source
};

class Finder {
 public:
  Finder(const Model& model, const Assignment& assignment)
      : model_(model), assignment_(assignment), scopes_(assignment) {}

  std::vector<Finding> tensors() {
    for (std::size_t i = 0; i < model_.variables.size(); ++i)
      if (!assignment_.kept.contains(model_.variables[i].path))
        tensor(model_.variables[i].type, {Site::Kind::variable, nullptr, i}, {});
    for (std::size_t i = 0; i < model_.inputs.size(); ++i)
      tensor(model_.inputs[i].type, {Site::Kind::input, nullptr, i}, {});
    const Graph& step = model_.train;
    for (std::size_t i = 0; i < step.values.size(); ++i)
      if (is_stored(step, step.values[i]))
        tensor(step.values[i].type, {Site::Kind::value, &step, i},
               scopes_.of(step, step.at(step.values[i].producer)));
    return take();
  }

  std::vector<Finding> products() {
    const Graph& step = model_.train;
    for (std::size_t i = 0; i < step.ops.size(); ++i) product(step, i);
    return take();
  }

 private:
  using Scopes = std::vector<int>;

  /// The axes that some of the dimensions are split over.
  std::vector<AxisId> used(const DimList& dims, const Scopes& scopes) const {
    std::vector<AxisId> all;
    for (const std::vector<AxisId>& axes : sharding_of(dims, assignment_, scopes).split)
      all.insert(all.end(), axes.begin(), axes.end());
    return all;
  }
  double points(const std::vector<DimId>& dims) const {
    double product = 1;
    for (DimId dim : dims) product *= static_cast<double>(model_.dims.size(dim));
    return product;
  }

  /// Variables and inputs are counted themselves; what is made of nothing (constants, indices,
  /// random numbers) is never stored.
  static bool is_stored(const Graph& graph, const Value& value) {
    return !value.name.empty() && value.producer.valid() &&
           !graph.at(value.producer).operands.empty();
  }

  void tensor(const TensorType& type, const Site& site, const Scopes& scopes) {
    const double size = points(type.dims);
    if (size >= large_tensor && used(type.dims, scopes).empty()) add(site, size);
  }

  /// The axes of the mesh that are none of these.
  std::vector<AxisId> others(const std::vector<AxisId>& used) const {
    std::vector<AxisId> axes;
    for (std::size_t i = 0; i < assignment_.mesh.axes.size(); ++i) {
      const AxisId axis{static_cast<std::int32_t>(i)};
      if (assignment_.mesh.size(axis) > 1 &&
          std::find(used.begin(), used.end(), axis) == used.end())
        axes.push_back(axis);
    }
    return axes;
  }

  /// Several operands and something summed: found by factors, not by name.
  void product(const Graph& graph, std::size_t i) {
    const Operation& op = graph.ops[i];
    if (op.operands.size() < 2) return;
    // The index space is no larger than the product of the operands: cheaper, and mostly enough.
    double bound = 1;
    for (ValueId id : op.operands) bound *= points(graph.at(id).type.dims);
    if (bound < expensive_product) return;
    std::vector<DimId> dims;
    for (ValueId id : op.operands) dims = union_of(dims, graph.at(id).type.dims);
    const std::vector<AxisId> split = used(dims, scopes_.of(graph, op));
    const std::vector<AxisId> along = others(split);
    if (along.empty()) return;
    double size = points(dims);
    for (const AxisId axis : split) size /= static_cast<double>(assignment_.mesh.size(axis));
    if (size < expensive_product) return;
    const auto factors = ops::op_of(op).factors(op, graph).list;
    const bool sums = std::any_of(factors.begin(), factors.end(), [](const ops::Factor& f) {
      return f.role == ops::Role::reduced;
    });
    if (sums) add({Site::Kind::operation, &graph, i}, size, along);
  }

  void add(const Site& site, double size, const std::vector<AxisId>& along = {}) {
    const Span span = span_of(model_, site);
    if (span.valid()) {
      const auto [known, fresh] =
          by_span_.emplace(std::tuple(span.file, span.begin, span.end), found_.size());
      if (!fresh) {
        // A named value's expression may also be the origin of others: the largest speaks.
        Finding& first = found_[known->second];
        ++first.alike;
        if (size > first.size) first.site = site, first.size = size, first.along = along;
        return;
      }
    }
    found_.push_back({site, size, along, 0});
  }

  std::vector<Finding> take() {
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Finding& a, const Finding& b) { return a.size > b.size; });
    by_span_.clear();
    return std::exchange(found_, {});
  }

  const Model& model_;
  const Assignment& assignment_;
  ScopeFinder scopes_;
  std::vector<Finding> found_;
  std::map<std::tuple<FileId, std::uint32_t, std::uint32_t>, std::size_t> by_span_;
};

/// Who does the same: all, or those that differ on some axes only.
std::string who_repeats(const Finding& finding, const Mesh& mesh, const std::string& name) {
  std::int64_t times = 1;
  std::string axes;
  for (AxisId axis : finding.along) {
    times *= mesh.size(axis);
    axes += (axes.empty() ? "`" : ", `") + mesh.name(axis) + "`";
  }
  if (times == mesh.processors())
    return "each of the " + std::to_string(times) + " processors computes all of " + name;
  return "the " + std::to_string(times) + " processors along " + axes +
         " compute the same part of " + name;
}

void report(const std::vector<Finding>& findings, const Model& model, const Assignment& assignment,
            const SourceMap& sources, std::size_t room, Diagnostics& diagnostics) {
  const std::string processors = std::to_string(assignment.mesh.processors());
  for (std::size_t i = 0; i < findings.size() && i < room; ++i) {
    const Finding& finding = findings[i];
    const TensorType* type = type_of(model, finding.site);
    const std::string name = "`" + name_of(model, sources, finding.site) + "`";
    Diagnostic d = diag(DiagKind::replicated_work,
                        type ? name + " is replicated on all " + processors + " processors"
                             : who_repeats(finding, assignment.mesh, name));
    const std::string amount = scaled(finding.size, "") + (type ? " elements" : " multiply-adds");
    d.labels.push_back({span_of(model, finding.site), amount, true});
    if (finding.alike > 0)
      d.notes.push_back(std::to_string(finding.alike) + " more like it, from the same line");
    if (type) d.notes.push_back("no rule splits any of " + to_string(model.dims, type->dims));
    if (i + 1 == room && findings.size() > room)
      d.notes.push_back(counted(findings.size() - room, "smaller one") + " not shown");
    diagnostics.report(std::move(d));
  }
}

}  // namespace

void note_replication(const Model& model, const Assignment& assignment, const SourceMap& sources,
                      Diagnostics& diagnostics) {
  if (assignment.mesh.processors() == 1) return;
  Finder finder(model, assignment);
  const std::vector<Finding> products = finder.products();
  const std::vector<Finding> tensors = finder.tensors();
  // Memory is what does not fit first; one note is kept for work.
  const std::size_t room = products.empty() ? most_notes : most_notes - 1;
  report(tensors, model, assignment, sources, room, diagnostics);
  report(products, model, assignment, sources, 1, diagnostics);
}

}  // namespace mtfc::lowering
