#include "plan/price/made_again.h"

#include <algorithm>
#include <memory>

namespace mtfc::plan {
namespace {

/// A product of values of the program.
struct Product {
  const Contract* kind = nullptr;
  std::vector<ValueId> operands = {};  // none: it is of what its tile makes
  double share = 0;                    // of its tile's FLOPs
  bool is_matrix = false;              // not of rows, which kernels may sum up themselves

  bool is(const Product& other) const {
    return !operands.empty() && operands == other.operands && *kind == *other.kind;
  }
};

ShardTypes types_of(const std::vector<ValueId>& values, const Program& program) {
  ShardTypes types;
  for (const ValueId id : values) types.push_back(program.at(id).type);
  return types;
}

/// By step, of a program that splits nothing.
std::vector<double> shares_of(const Tiled& tiled, const ShardTypes& in, const ShardTypes& out,
                              const DimTable& dims) {
  std::vector<double> shares;
  double all = 0;
  for (const Flops& flops : tiled.flops({dims, {}, in, out})) {
    double of_step = flops.per_element;
    for (const DimId dim : flops.shard.tensor.dims) of_step *= static_cast<double>(dims.size(dim));
    shares.push_back(of_step);
    all += of_step;
  }
  for (double& share : shares) share = all > 0 ? share / all : 0;
  return shares;
}

std::vector<Product> products_of(const Tiled& tiled, const Instruction& at, const Program& program,
                                 const DimTable& dims) {
  std::vector<Product> found;
  const ShardTypes in = types_of(at.operands, program);
  const std::vector<double> shares = shares_of(tiled, in, types_of(at.results, program), dims);
  const auto is_outer = [&](int number) { return number < static_cast<int>(at.operands.size()); };
  auto share = shares.begin();
  tiled.each_step(in, [&](const Tiled::Step& step, const ShardTypes& of, const ShardTypes&) {
    const double mine = *share++;
    const auto* kind = std::get_if<Contract>(&step.kind);
    if (kind == nullptr) return;
    const DimList &a = of[0].tensor.dims, &b = of[1].tensor.dims;
    Product product{kind, {}, mine, !is_subset(a, b) && !is_subset(b, a)};
    if (std::all_of(step.from.begin(), step.from.end(), is_outer))
      for (const int number : step.from)
        product.operands.push_back(at.operands[static_cast<std::size_t>(number)]);
    found.push_back(std::move(product));
  });
  return found;
}

std::vector<Product> products_of(const Instruction& at, const Program& program,
                                 const DimTable& dims) {
  if (const auto* tiled = std::get_if<Tiled>(&at.kind))
    return products_of(*tiled, at, program, dims);
  if (const auto* kind = std::get_if<Contract>(&at.kind)) return {{kind, at.operands}};
  return {};
}

}  // namespace

cost::Work work_made_once(const Program& program, std::size_t instruction, const DimTable& dims,
                          cost::Work work) {
  const Instruction& at = program.instructions[instruction];
  if (!std::holds_alternative<Tiled>(at.kind)) return work;
  std::vector<Product> before;
  for (std::size_t i = 0; i < instruction; ++i)
    for (Product& product : products_of(program.instructions[i], program, dims))
      before.push_back(std::move(product));
  double once = 0;
  for (const Product& product : products_of(at, program, dims)) {
    const bool again = std::any_of(before.begin(), before.end(),
                                   [&](const Product& other) { return product.is(other); });
    if (!again && product.is_matrix) once += product.share;
  }
  work.flops *= once;
  work.bytes = 0;
  if (!work.kernel) return work;
  cost::KernelWork kernel = *work.kernel;
  kernel.operations = {};
  kernel.samples = kernel.far_bytes = 0;
  work.kernel = std::make_shared<cost::KernelWork>(kernel);
  return work;
}

}  // namespace mtfc::plan
