#include "cost/moved_bytes.h"

#include <numeric>

namespace mtfc::cost {
namespace {

double bytes_of(const InstrContext& context, const ShardType& type) {
  return static_cast<double>(shard_bytes(context.dims, context.mesh, type));
}

/// Copies and look-ups read of their first operand as much as they write.
bool selects(const bind::Bound& bound) {
  return std::holds_alternative<runtime::CopySpec>(bound) ||
         std::holds_alternative<runtime::GatherSpec>(bound);
}

double sum(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

}  // namespace

std::vector<double> moved_bytes(const InstrContext& context, const bind::Bound& bound) {
  std::vector<double> in, out;
  for (const ShardType& type : context.in) in.push_back(bytes_of(context, type));
  for (const ShardType& type : context.out) out.push_back(bytes_of(context, type));
  if (selects(bound) && !in.empty()) in[0] = sum(out);
  if (std::holds_alternative<runtime::AddAtSpec>(bound)) in[2] = out[0] = in[0];
  in.insert(in.end(), out.begin(), out.end());
  return in;
}

}  // namespace mtfc::cost
