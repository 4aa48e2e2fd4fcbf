#include "cost/mesh_tensorflow.h"

#include <algorithm>

#include "bind/bind.h"
#include "cost/served.h"
#include "support/program_names.h"

namespace mtfc::cost {
namespace {

class MeshTensorFlow {
 public:
  explicit MeshTensorFlow(const Module& module) : module_(module) {}

  std::map<std::string, double> run() {
    for (const CountedProgram& counted : counted_programs(module_))
      count(*counted.program, static_cast<double>(counted.times));
    times_ = 1;
    for (const ModuleVariable& variable : module_.variables)
      if (variable.kind == Variable::Kind::parameter)
        add("variables/trainable", whole(variable.type));
      else if (variable.kind != Variable::Kind::accumulator)
        add("variables/untrainable", whole(variable.type));
    return std::move(counters_);
  }

 private:
  void count(const Program& program, double times) {
    const std::vector<bind::Bound> bound = bind::bind_all({module_.dims, module_.mesh}, program);
    const Served served(program, bound);
    times_ = times;
    for (std::size_t i = 0; i < bound.size(); ++i) {
      const Instruction& at = program.instructions[i];
      const std::string kind = operation_name(at, bound[i]);
      for (ValueId result : at.results) {
        add("output/" + kind, laid_out(program.at(result).type));
        add("output_unique/" + kind, whole(program.at(result).type));
      }
      if (kind == "contract" || kind == "add_product") einsum(program, at);
      if (!is_collective(at.kind)) continue;
      for (std::size_t j = 0; j < at.results.size(); ++j)
        collective(program, at, j, served.operation(i, j));
    }
  }

  void einsum(const Program& program, const Instruction& at) {
    const ShardTypes in = types_of(program, at.operands), out = types_of(program, at.results);
    const InstrContext context{module_.dims, module_.mesh, in, out};
    add("einsum", flops_of(at.kind, context) / 2 * processors());
    double unique = 1;
    for (const DimId dim : union_of(in[0].tensor.dims, in[1].tensor.dims))
      unique *= static_cast<double>(module_.dims.size(dim));
    add("einsum_unique", unique);
  }

  void collective(const Program& program, const Instruction& at, std::size_t tensor,
                  const std::string& operation) {
    std::string axes;
    for (const AxisId axis : axes_of(at.kind))
      axes += (axes.empty() ? "" : ", ") + std::to_string(axis.index);
    const double given = laid_out(program.at(at.operands[tensor]).type);
    const double made = laid_out(program.at(at.results[tensor]).type);
    const std::string kind(name(at.kind));
    if (summing(at.kind))
      add("allreduce/[" + axes + "]/" + (operation == "contract" ? "einsum" : operation) + "_op",
          given);
    else
      add((kind == "all_gather"   ? "allconcat"
           : kind == "all_to_all" ? "alltoall"
                                  : kind) +
              "/[" + axes + "]/reshape_op",
          std::max(given, made));
  }

  void add(const std::string& path, double value) {
    for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
      counters_[path.substr(0, end)] += value * times_;
      if (end == path.npos) return;
    }
  }

  double processors() const { return static_cast<double>(module_.mesh.processors()); }
  double whole(const ShardType& type) const {
    double size = 1;
    for (const DimId dim : type.tensor.dims) size *= static_cast<double>(module_.dims.size(dim));
    return size;
  }
  double laid_out(const ShardType& type) const {
    return static_cast<double>(shard_elements(module_.dims, module_.mesh, type)) * processors();
  }

  const Module& module_;
  double times_ = 1;  // how often the program runs
  std::map<std::string, double> counters_;
};

}  // namespace

std::map<std::string, double> mesh_tensorflow_counters(const Module& module) {
  return MeshTensorFlow(module).run();
}

}  // namespace mtfc::cost
