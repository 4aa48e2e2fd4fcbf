// Small programs written by hand, and what they should compute, by brute force over named indices.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/execute/simulator.h"
#include "ir/module.h"

namespace lab {

using namespace mtfc;

/// A whole tensor of numbers with named dimensions.
struct Tensor {
  DimList dims;
  std::vector<std::int64_t> extents;
  std::vector<double> data;

  std::int64_t place(const std::map<DimId, std::int64_t>& at) const;
  double operator[](const std::map<DimId, std::int64_t>& at) const {
    return data[static_cast<std::size_t>(place(at))];
  }
};

using Point = std::map<DimId, std::int64_t>;
using Splits = std::vector<std::pair<DimId, std::vector<AxisId>>>;

/// A module with one program "p", built instruction by instruction.
class Lab {
 public:
  explicit Lab(std::vector<MeshAxis> axes);

  DimId dim(const std::string& name, std::int64_t size);
  ShardType type(DimList dims, Splits splits = {}, std::vector<AxisId> partial = {},
                 DType dtype = DType::f32, Combine combine = Combine::sum) const;

  ValueId add(InstructionKind kind, std::vector<ValueId> operands, ShardType result);
  /// A fed tensor of small integers made by `make` (default: all different).
  ValueId feed(ShardType type, std::function<double(std::int64_t)> make = {});
  ValueId read(const std::string& variable);
  void write(const std::string& variable, ValueId value);
  void variable(const std::string& path, ShardType type, double value);
  /// Fetches a value; its number among the results of `run`.
  std::size_t fetch(ValueId value);

  /// Runs "p" with one shared copy of everything, with all replicas, and on real ranks (threads).
  /// All must agree, bit for bit.
  std::vector<Tensor> run(int times = 1);
  Tensor variable_after(const std::string& path);
  runtime::Counters counters() const { return simulator_->counters("p"); }
  const Tensor& fed(ValueId value) const { return fed_.at(value); }

  /// The whole tensor given by f at every point.
  Tensor tensor(DimList dims, const std::function<double(const Point&)>& f) const;
  /// Sum of f over all points of `dims`, on top of `at`.
  double sum(const DimList& dims, Point at, const std::function<double(const Point&)>& f) const;

  Module module;
  Program& program() { return module.programs[0]; }

 private:
  void set_variables(runtime::Engine& engine) const;
  void check_ranks(int times, const std::vector<runtime::Fetched>& expected) const;
  runtime::HostTensor host(const Tensor& tensor, DType dtype) const;
  Tensor named(const runtime::HostTensor& value, DimList dims) const;

  std::map<ValueId, Tensor> fed_;
  runtime::Feeds feeds_;
  std::map<std::string, double> initial_;
  std::vector<DimList> fetched_dims_;
  std::unique_ptr<backends::Simulator> simulator_;
};

inline AxisId axis(int i) { return AxisId{i}; }

/// Scalar programs by hand: leaf(operand) and ops, the last instruction is the result.
ScalarInstruction operand_leaf(int operand, DType dtype = DType::f32);
ScalarInstruction constant_leaf(double value, DType dtype = DType::f32);
ScalarInstruction index_leaf(int leaf);
ScalarInstruction random_leaf(int leaf, DType dtype = DType::f32);
ScalarInstruction step_of(ScalarOp op, std::vector<int> args, DType dtype = DType::f32);
Map map_of(std::vector<ScalarInstruction> code);

}  // namespace lab
