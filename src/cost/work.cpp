#include "cost/work.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "cost/moved_bytes.h"
#include "cost/reuse.h"

namespace mtfc::cost {
namespace {

/// Of a product: the wider of its factors' types. They are its first two operands.
DType product_type(const ShardTypes& operands) {
  const DType a = operands[0].tensor.dtype, b = operands[1].tensor.dtype;
  return size_of(b) > size_of(a) ? b : a;
}

/// Which values are gradients: what the backward pass computes, and what it makes of those. What
/// only moves there is what it was before.
class GradientValues {
 public:
  explicit GradientValues(const Program& program) : is_gradient_(program.values.size()) {}

  void add(const Instruction& at, const Work& work) {
    const bool gradient = at.origin.phase == Phase::backward &&
                          (work.flops > 0 || std::any_of(at.operands.begin(), at.operands.end(),
                                                         [&](ValueId id) { return has(id); }));
    for (const ValueId id : at.results) is_gradient_[id.at()] = gradient;
  }
  bool has(ValueId id) const { return is_gradient_[id.at()]; }

 private:
  std::vector<char> is_gradient_;
};

/// Two factors, summed over what both have; not of one and the same elements, which are rows' sums.
bool is_product_of_matrices(const ShardTypes& in, const ShardTypes& out) {
  if (in.size() != 2 || out.size() != 1) return false;
  const DimList &a = in[0].tensor.dims, &b = in[1].tensor.dims, &made = out[0].tensor.dims;
  return !same_set(a, b) && std::any_of(a.begin(), a.end(), [&](DimId dim) {
    return contains(b, dim) && !contains(made, dim);
  });
}

/// Of what runs tile by tile. In the backward pass products of no gradient are scores made again.
template <class Tiles>
void add_products_of_tiles(Work& work, const Tiles& tiles, const InstrContext& context,
                           const Instruction& at, const GradientValues& gradients) {
  const auto is_kept = [&](int number) {  // from the forward pass
    const auto i = static_cast<std::size_t>(number);
    return i < at.operands.size() && !gradients.has(at.operands[i]);
  };
  tiles.each_step(context.in, [&](const auto& step, const ShardTypes& in, const ShardTypes& out) {
    if (!is_product_of_matrices(in, out)) return;
    const double flops = std::visit(
        [&](const auto& kind) {
          return flops_of(kind, {context.dims, context.mesh, in, out});
        },
        step.kind);
    work.products += flops;
    if (work.phase == Phase::backward && std::all_of(step.from.begin(), step.from.end(), is_kept))
      work.again += flops;
  });
}

void add_products(Work& work, const InstrContext& context, const Instruction& at,
                  const GradientValues& gradients) {
  if (work.kind != Work::Kind::product) return;
  const auto add = [&](const auto& kind) {
    if constexpr (requires { kind.steps; })
      add_products_of_tiles(work, kind, context, at, gradients);
    else
      work.products = work.flops;
  };
  std::visit(add, at.kind);
  if (work.phase == Phase::recompute) work.again = work.products;
}

Work work_of(const InstrContext& context, const Instruction& at, const bind::Bound& bound) {
  Work work;
  work.phase = at.origin.phase;
  if (is_collective(at.kind)) {
    work.kind = Work::Kind::collective;
    work.async = is_async(at.kind);
    work.exchange = std::get<bind::Exchanges>(bound).front().kind;
    work.axes = axes_of(at.kind);
    work.bytes = static_cast<double>(traffic_of(at.kind, context).bytes);
    return work;
  }
  if (std::holds_alternative<Wait>(at.kind)) work.kind = Work::Kind::wait;
  if (is_alias(bound) || std::holds_alternative<bind::Edge>(bound)) return work;
  const bool product = is_product(bound);
  work.kind = product ? Work::Kind::product : Work::Kind::other;
  if (product) work.dtype = product_type(context.in);
  work.flops = flops_of(at.kind, context);
  const std::vector<double> bytes = moved_bytes(context, bound);
  work.bytes = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  return work;
}

/// Of those that compute or communicate.
void add_kernels(std::vector<Work>& all, const Module& module, const Program& program,
                 const std::vector<bind::Bound>& bound, const Detail& detail) {
  std::vector<double> far(all.size(), 0);
  if (detail.cache > 0) far = far_bytes_of(module, program, bound, detail.cache);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind == Work::Kind::none || all[i].kind == Work::Kind::wait) continue;
    KernelWork kernel = kernel_work_of(bound[i]);
    kernel.far_bytes = far[i];
    all[i].kernel = std::make_shared<const KernelWork>(kernel);
  }
}

}  // namespace

std::vector<AxisId> repeated_along(const Mesh& mesh, const Program& program,
                                   const Instruction& at) {
  std::vector<AxisId> axes;
  for (std::size_t i = 0; i < mesh.axes.size(); ++i)
    if (mesh.axes[i].size > 1) axes.push_back(AxisId{static_cast<std::int32_t>(i)});
  for (const auto* values : {&at.operands, &at.results})
    for (ValueId id : *values)
      for (AxisId axis : varying_axes(program.at(id).type.sharding)) std::erase(axes, axis);
  return axes;
}

std::vector<Work> work_of(const Module& module, const Program& program,
                          const std::vector<bind::Bound>& bound, const Detail& detail) {
  std::vector<Work> all;
  std::map<ValueId, std::size_t> started;  // by the first result
  GradientValues gradients(program);
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const Instruction& at = program.instructions[i];
    const ShardTypes in = types_of(program, at.operands), out = types_of(program, at.results);
    const InstrContext context{module.dims, module.mesh, in, out};
    Work& work = all.emplace_back(work_of(context, at, bound[i]));
    add_products(work, context, at, gradients);
    gradients.add(at, work);
    if (work.async) started[at.results[0]] = i;
    if (work.kind == Work::Kind::wait) work.started = started.at(at.operands[0]);
    if (work.flops > 0) work.times = module.mesh.size(repeated_along(module.mesh, program, at));
  }
  if (detail.kernels) add_kernels(all, module, program, bound, detail);
  return all;
}

}  // namespace mtfc::cost
