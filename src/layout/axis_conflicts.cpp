#include "layout/axis_conflicts.h"

#include <array>
#include <bit>

#include "ir/scope_finder.h"
#include "layout/assign.h"

namespace mtfc::lowering {
namespace {

/// The mesh axes of a dimension as bits. A mesh has less than 2^31 processors, so that at most 30
/// axes split anything; they are numbered as they occur.
class AxisBits {
 public:
  explicit AxisBits(const Assignment& assignment) : bits_(assignment.dims.size(), 0) {
    for (std::size_t i = 0; i < bits_.size(); ++i)
      for (AxisId axis : assignment.dims[i].axes) bits_[i] |= bit(axis);
  }
  std::uint32_t of(DimId dim) const { return dim.at() < bits_.size() ? bits_[dim.at()] : 0; }
  AxisId axis(std::uint32_t shared) const {
    return axes_[static_cast<std::size_t>(std::countr_zero(shared))];
  }

 private:
  std::uint32_t bit(AxisId axis) {
    std::size_t i = 0;
    while (i < axes_.size() && axes_[i] != axis) ++i;
    if (i == axes_.size()) axes_.push_back(axis);
    return std::uint32_t{1} << i;
  }
  std::vector<std::uint32_t> bits_;
  std::vector<AxisId> axes_;
};

/// Which axes some indices take. Indices are added one by one.
class Taken {
 public:
  explicit Taken(const AxisBits& bits) : bits_(bits) {}

  /// A clash of the new index with an earlier one.
  std::optional<Clash> add(DimId dim) {
    const std::uint32_t wanted = bits_.of(dim);
    if (wanted == 0) return std::nullopt;
    for (std::size_t i = 0; i < count_; ++i)
      if (const std::uint32_t shared = wanted & bits_.of(dims_[i]))
        return Clash{dims_[i], dim, bits_.axis(shared)};
    if (count_ < dims_.size()) dims_[count_++] = dim;
    return std::nullopt;
  }

 private:
  const AxisBits& bits_;
  std::array<DimId, 32> dims_;  // split ones without a clash: at most one for each axis
  std::size_t count_ = 0;
};

using Found = std::function<bool(const Site&, const Clash&)>;

bool check_tensor(const TensorType& type, const Site& site, const AxisBits& bits,
                  const Found& found) {
  Taken taken(bits);
  for (DimId dim : type.dims)
    if (const auto clash = taken.add(dim); clash && !found(site, *clash)) return false;
  return true;
}

/// Whether an operation can clash at all: cheaper than its factors, and nearly always no. Factors
/// are dimensions of operands and results; two on one dimension occur only beside int operands
/// (indices).
bool may_clash(const Operation& op, const Graph& graph, const AxisBits& bits) {
  std::array<DimId, 32> seen;
  std::size_t count = 0;
  std::uint32_t taken = 0;
  bool has_index = false, again = false;
  const auto look = [&](DimId dim) {
    const std::uint32_t wanted = bits.of(dim);
    if (wanted == 0) return false;
    for (std::size_t i = 0; i < count; ++i)
      if (seen[i] == dim) return again = true, false;
    if (taken & wanted) return true;
    taken |= wanted;
    seen[count++] = dim;
    return false;
  };
  for (ValueId id : op.operands) {
    const TensorType& type = graph.at(id).type;
    has_index = has_index || type.dtype == DType::i32;
    for (DimId dim : type.dims)
      if (look(dim)) return true;
  }
  const bool shared = again;
  for (ValueId id : op.results)
    for (DimId dim : graph.at(id).type.dims)
      if (look(dim)) return true;
  return shared && has_index;
}

bool check_operation(const Operation& op, const Site& site, const AxisBits& bits,
                     const Assignment& assignment, const Found& found) {
  const Graph& graph = *site.graph;
  if (!may_clash(op, graph, bits)) return true;
  const OpForm form = form_of(op, graph, std::nullopt);
  std::vector<Sharding> operands;
  std::vector<const Sharding*> given;
  for (const TensorType& type : form.operands)
    operands.push_back(sharding_of(type.dims, assignment));
  for (const Sharding& sharding : operands) given.push_back(&sharding);
  for (const Clash& clash : clashes_of(form, given, sharding_of(form.result.dims, assignment)))
    if (!found(site, clash)) return false;
  return true;
}

/// A clash in which a scope has a part is none: the scope holds, and what does not fit is moved.
Found unless_ruled(const Assignment& assignment, std::vector<int> scopes, const Found& found) {
  return [&assignment, scopes = std::move(scopes), &found](const Site& site, const Clash& clash) {
    for (const int number : scopes) {
      const Assignment::Scope& scope = assignment.scopes[static_cast<std::size_t>(number)];
      if (scope.find(clash.first) || scope.find(clash.second)) return true;
    }
    return found(site, clash);
  };
}

bool check_graph(const Graph& graph, const AxisBits& bits, const Assignment& assignment,
                 ScopeFinder& finder, const Found& all) {
  Found within;
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    const Operation& op = graph.ops[i];
    const std::vector<int> scopes = finder.of(graph, op);
    if (!scopes.empty()) within = unless_ruled(assignment, scopes, all);
    const Found& found = scopes.empty() ? all : within;
    for (ValueId id : op.results)
      if (!check_tensor(graph.at(id).type, {Site::Kind::value, &graph, id.at()}, bits, found))
        return false;
    if (!check_operation(op, {Site::Kind::operation, &graph, i}, bits, assignment, found))
      return false;
  }
  return true;
}

/// One line of source, white space as single blanks, not too long.
std::string snippet(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string line;
  for (char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (blank && (line.empty() || line.back() == ' ')) continue;
    line += blank ? ' ' : c;
    if (line.size() > longest + 4) break;
  }
  if (line.size() <= longest) return line;
  std::size_t end = longest - 3;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return line.substr(0, end) + "...";
}

const Operation* operation_of(const Site& site) {
  if (site.kind == Site::Kind::operation) return &site.graph->ops[site.index];
  if (site.kind != Site::Kind::value) return nullptr;
  const OpId producer = site.graph->values[site.index].producer;
  return producer.valid() ? &site.graph->at(producer) : nullptr;
}

}  // namespace

void for_each_clash(const Model& model, const Assignment& assignment, const Found& found) {
  const AxisBits bits(assignment);
  ScopeFinder finder(assignment);
  for (std::size_t i = 0; i < model.variables.size(); ++i) {
    const Variable& v = model.variables[i];
    const std::vector<int> scopes = finder.of(block_of(v.path), "");
    const Found within = unless_ruled(assignment, scopes, found);
    if (!check_tensor(v.type, {Site::Kind::variable, nullptr, i}, bits,
                      scopes.empty() ? found : within))
      return;
  }
  for (std::size_t i = 0; i < model.inputs.size(); ++i)
    if (!check_tensor(model.inputs[i].type, {Site::Kind::input, nullptr, i}, bits, found)) return;
  for (const Graph* graph : {&model.train, &model.eval, &model.init})
    if (!check_graph(*graph, bits, assignment, finder, found)) return;
}

bool is_legal(const Model& model, const Assignment& assignment) {
  bool legal = true;
  for_each_clash(model, assignment, [&](const Site&, const Clash&) { return legal = false; });
  return legal;
}

Span span_of(const Model& model, const Site& site) {
  switch (site.kind) {
    case Site::Kind::variable: {
      const Variable& v = model.variables[site.index];
      return v.shape_span.valid() ? v.shape_span : v.declared;
    }
    case Site::Kind::input:
      return model.inputs[site.index].declared;
    case Site::Kind::value:
    case Site::Kind::operation:
      break;
  }
  const Operation* op = operation_of(site);
  return op ? op->origin.span : Span{};
}

const TensorType* type_of(const Model& model, const Site& site) {
  switch (site.kind) {
    case Site::Kind::variable:
      return &model.variables[site.index].type;
    case Site::Kind::input:
      return &model.inputs[site.index].type;
    case Site::Kind::value:
      return &site.graph->values[site.index].type;
    case Site::Kind::operation:
      break;
  }
  return nullptr;
}

std::string name_of(const Model& model, const SourceMap& sources, const Site& site) {
  switch (site.kind) {
    case Site::Kind::variable:
      return model.variables[site.index].path;
    case Site::Kind::input:
      return model.inputs[site.index].name;
    case Site::Kind::value:
      if (const std::string& name = site.graph->values[site.index].name; !name.empty()) return name;
      break;
    case Site::Kind::operation:
      break;
  }
  const Operation* op = operation_of(site);
  if (!op) return "";
  return op->origin.span.valid() ? snippet(sources.text(op->origin.span)) : op->op;
}

}  // namespace mtfc::lowering
