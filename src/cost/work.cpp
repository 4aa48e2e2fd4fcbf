#include "cost/work.h"

#include <map>
#include <numeric>

#include "cost/moved_bytes.h"
#include "cost/reuse.h"

namespace mtfc::backends {
namespace {

ShardTypes types_of(const Program& program, const std::vector<ValueId>& values) {
  ShardTypes types;
  for (ValueId id : values) types.push_back(program.at(id).type);
  return types;
}

/// Of a product: the wider of its factors' types. They are its first two operands.
DType product_type(const ShardTypes& operands) {
  const DType a = operands[0].tensor.dtype, b = operands[1].tensor.dtype;
  return size_of(b) > size_of(a) ? b : a;
}

Work work_of(const InstrContext& context, const Instruction& at, const Bound& bound) {
  Work work;
  work.phase = at.origin.phase;
  if (is_collective(at.kind)) {
    work.kind = Work::Kind::collective;
    work.async = is_async(at.kind);
    work.exchange = std::get<Exchanges>(bound).front().kind;
    work.axes = axes_of(at.kind);
    work.bytes = static_cast<double>(traffic_of(at.kind, context).bytes);
    return work;
  }
  if (std::holds_alternative<Wait>(at.kind)) work.kind = Work::Kind::wait;
  if (is_alias(bound) || std::holds_alternative<Edge>(bound)) return work;
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
                 const std::vector<Bound>& bound, const Detail& detail) {
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
                          const std::vector<Bound>& bound, const Detail& detail) {
  std::vector<Work> all;
  std::map<ValueId, std::size_t> started;  // by the first result
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const Instruction& at = program.instructions[i];
    const ShardTypes in = types_of(program, at.operands), out = types_of(program, at.results);
    Work& work = all.emplace_back(work_of({module.dims, module.mesh, in, out}, at, bound[i]));
    if (work.async) started[at.results[0]] = i;
    if (work.kind == Work::Kind::wait) work.started = started.at(at.operands[0]);
    if (work.flops > 0) work.times = module.mesh.size(repeated_along(module.mesh, program, at));
  }
  if (detail.kernels) add_kernels(all, module, program, bound, detail);
  return all;
}

}  // namespace mtfc::backends
