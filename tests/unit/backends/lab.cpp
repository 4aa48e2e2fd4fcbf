#include "lab.h"

#include <catch2/catch.hpp>

#include "backends/execute/module_rank.h"
#include "comm/threads.h"

namespace lab {

std::int64_t Tensor::place(const Point& at) const {
  std::int64_t place = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) place = place * extents[i] + at.at(dims[i]);
  return place;
}

Lab::Lab(std::vector<MeshAxis> axes) {
  module.mesh.axes = std::move(axes);
  module.programs.emplace_back("p");
}

DimId Lab::dim(const std::string& name, std::int64_t size) {
  Dim made;
  made.name = name;
  made.size = size;
  return module.dims.add(made);
}

ShardType Lab::type(DimList dims, Splits splits, std::vector<AxisId> partial, DType dtype,
                    Combine combine) const {
  ShardType type{{dtype, dims}, {{}, std::move(partial), combine}};
  type.sharding.split.resize(dims.size());
  for (const auto& [dim, axes] : splits)
    type.sharding.split.at(static_cast<std::size_t>(position(dims, dim))) = axes;
  return type;
}

ValueId Lab::add(InstructionKind kind, std::vector<ValueId> operands, ShardType result) {
  const auto id = next_id<ValueId>(program().values);
  program().values.push_back({std::move(result), ""});
  program().instructions.push_back({std::move(kind), std::move(operands), {id}, {}});
  return id;
}

ValueId Lab::feed(ShardType type, std::function<double(std::int64_t)> make) {
  const std::string name = "in" + std::to_string(fed_.size());
  const DType dtype = type.tensor.dtype;
  Tensor tensor{type.tensor.dims, {}, {}};
  std::int64_t n = 1;
  for (DimId dim : tensor.dims) {
    tensor.extents.push_back(module.dims.size(dim));
    n *= tensor.extents.back();
  }
  const auto seed = static_cast<std::int64_t>(fed_.size());
  for (std::int64_t i = 0; i < n; ++i)
    tensor.data.push_back(make ? make(i) : static_cast<double>((i * 7 + seed * 3) % 23 - 11));
  feeds_[name] = host(tensor, dtype);
  const ValueId id = add(Feed{name}, {}, std::move(type));
  fed_[id] = std::move(tensor);
  return id;
}

void Lab::variable(const std::string& path, ShardType type, double value) {
  module.variables.push_back({path, std::move(type), Variable::Kind::parameter});
  initial_[path] = value;
}

ValueId Lab::read(const std::string& variable) {
  return add(Read{variable}, {}, module.find_variable(variable)->type);
}

void Lab::write(const std::string& variable, ValueId value) {
  program().instructions.push_back({Write{variable}, {value}, {}, {}});
}

std::size_t Lab::fetch(ValueId value) {
  const std::string name = "out" + std::to_string(fetched_dims_.size());
  program().instructions.push_back({Fetch{Output::Kind::tensor, name}, {value}, {}, {}});
  fetched_dims_.push_back(program().at(value).type.tensor.dims);
  return fetched_dims_.size() - 1;
}

std::vector<Tensor> Lab::run(int times) {
  std::vector<std::vector<runtime::Fetched>> fetched(2);
  for (const bool all : {true, false}) {
    simulator_ = std::make_unique<backends::Simulator>(module, backends::SimulatorOptions{2, all});
    set_variables(*simulator_);
    for (int i = 0; i < times; ++i) {
      fetched[all].clear();
      simulator_->run("p", feeds_, fetched[all]);
    }
    CHECK(simulator_->replica_error() == "");
  }
  check_ranks(times, fetched[0]);
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < fetched[0].size(); ++i) {
    CHECK(fetched[0][i].value.data == fetched[1].at(i).value.data);
    results.push_back(named(fetched[0][i].value, fetched_dims_[i]));
  }
  return results;
}

void Lab::set_variables(runtime::Engine& engine) const {
  for (const auto& [path, number] : initial_) {
    const TensorType& type = module.find_variable(path)->type.tensor;
    const double value = number;
    engine.set_variable(path,
                        host(tensor(type.dims, [&](const Point&) { return value; }), type.dtype));
  }
}

/// Catch is not for several threads: ranks count their mistakes.
void Lab::check_ranks(int times, const std::vector<runtime::Fetched>& expected) const {
  const runtime::Counters simulated = simulator_->counters("p");
  std::map<std::string, runtime::HostTensor> variables;
  for (const ModuleVariable& variable : module.variables)
    variables[variable.path] = simulator_->variable(variable.path);
  const auto is_same = [&](const runtime::Counters& counters) {
    bool same = counters.flops == simulated.flops &&
                counters.collectives.size() == simulated.collectives.size();
    for (std::size_t i = 0; same && i < simulated.collectives.size(); ++i) {
      const runtime::Counters::Collective &a = counters.collectives[i],
                                          &b = simulated.collectives[i];
      same = a.kind == b.kind && a.axes == b.axes && a.calls == b.calls &&
             a.elements == b.elements && a.bytes == b.bytes;
    }
    return same;
  };
  CHECK(runtime::net::run_on_threads(
            static_cast<int>(module.mesh.processors()), [&](runtime::net::Network& network) {
              backends::ModuleRank rank(module, network, 1);
              set_variables(rank);
              std::vector<runtime::Fetched> fetched;
              for (int i = 0; i < times; ++i) {
                fetched.clear();
                rank.run("p", feeds_, fetched);
              }
              int wrong = fetched.size() != expected.size();
              for (std::size_t i = 0; !wrong && i < expected.size(); ++i)
                wrong += fetched[i].value.data != expected[i].value.data;
              wrong += !is_same(rank.counters("p"));
              for (const ModuleVariable& variable : module.variables)
                wrong += rank.variable(variable.path).data != variables.at(variable.path).data;
              return wrong;
            }) == 0);
}

Tensor Lab::variable_after(const std::string& path) {
  return named(simulator_->variable(path), module.find_variable(path)->type.tensor.dims);
}

Tensor Lab::tensor(DimList dims, const std::function<double(const Point&)>& f) const {
  Tensor made{std::move(dims), {}, {}};
  std::int64_t n = 1;
  for (DimId dim : made.dims) {
    made.extents.push_back(module.dims.size(dim));
    n *= made.extents.back();
  }
  for (std::int64_t i = 0; i < n; ++i) {
    Point at;
    std::int64_t rest = i;
    for (std::size_t j = made.dims.size(); j-- > 0;) {
      at[made.dims[j]] = rest % made.extents[j];
      rest /= made.extents[j];
    }
    made.data.push_back(f(at));
  }
  return made;
}

double Lab::sum(const DimList& dims, Point at, const std::function<double(const Point&)>& f) const {
  double total = 0;
  tensor(dims, [&](const Point& inner) {
    Point both = at;
    for (const auto& [dim, i] : inner) both[dim] = i;
    total += f(both);
    return 0.0;
  });
  return total;
}

runtime::HostTensor Lab::host(const Tensor& tensor, DType dtype) const {
  runtime::HostTensor made = runtime::HostTensor::zeros(dtype, tensor.extents);
  for (std::size_t i = 0; i < tensor.data.size(); ++i) {
    if (dtype == DType::f32) made.as<float>()[i] = static_cast<float>(tensor.data[i]);
    if (dtype == DType::f64) made.as<double>()[i] = tensor.data[i];
    if (dtype == DType::i32) made.as<std::int32_t>()[i] = static_cast<int>(tensor.data[i]);
    if (dtype == DType::boolean) made.as<bool>()[i] = tensor.data[i] != 0;
  }
  return made;
}

Tensor Lab::named(const runtime::HostTensor& value, DimList dims) const {
  Tensor made{std::move(dims), value.extents, {}};
  for (std::int64_t i = 0; i < value.elements(); ++i) {
    if (value.dtype == DType::f32) made.data.push_back(value.as<float>()[i]);
    if (value.dtype == DType::f64) made.data.push_back(value.as<double>()[i]);
    if (value.dtype == DType::i32) made.data.push_back(value.as<std::int32_t>()[i]);
    if (value.dtype == DType::boolean) made.data.push_back(value.as<bool>()[i]);
  }
  return made;
}

ScalarInstruction operand_leaf(int operand, DType dtype) {
  return mtfc::scalar::operand(operand, dtype);
}
ScalarInstruction constant_leaf(double value, DType dtype) {
  return mtfc::scalar::constant(value, dtype);
}
ScalarInstruction index_leaf(int number) { return mtfc::scalar::index(number, DType::i32); }
ScalarInstruction random_leaf(int number, DType dtype) {
  return mtfc::scalar::random(number, dtype);
}
ScalarInstruction step_of(ScalarOp op, std::vector<int> args, DType dtype) {
  ScalarInstruction made;
  made.op = op;
  made.dtype = dtype;
  for (std::size_t i = 0; i < args.size(); ++i) made.args[i] = args[i];
  return made;
}
Map map_of(std::vector<ScalarInstruction> code) {
  Map map;
  map.body.results = {static_cast<int>(code.size()) - 1};
  map.body.code = std::move(code);
  return map;
}

}  // namespace lab
