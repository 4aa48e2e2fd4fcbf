#include "kernels/tiled.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "kernels/map_plan.h"
#include "kernels/one_thread.h"
#include "kernels/plan_cache.h"
#include "kernels/scratch.h"
#include "support/fields.h"
#include "support/strides.h"

namespace mtfc::runtime {
namespace {

/// Puts all that a spec holds into a key, by its fields.
struct KeyOf {
  SpecKey& key;

  template <HasFields T>
  void operator()(const T& value) const {
    T::fields(value, [this](std::string_view, const auto& field) { (*this)(field); });
  }
  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void operator()(T value) const {
    key.add(static_cast<std::int64_t>(value));
  }
  void operator()(double value) const { key.add(value); }
  void operator()(Bits<const std::uint64_t> bits) const {
    key.add(static_cast<std::int64_t>(bits.value));
  }
  void operator()(const ScalarInstruction& step) const {
    (*this)(step.kind), (*this)(step.op), (*this)(step.dtype), (*this)(step.leaf);
    for (const int arg : step.args) (*this)(arg);
    (*this)(step.value);
  }
  void operator()(const ScalarProgram& body) const { (*this)(body.code), (*this)(body.results); }
  void operator()(const TiledSpec::Kernel& kernel) const {
    (*this)(kernel.index());
    std::visit([this](const auto& spec) { (*this)(spec); }, kernel);
  }
  template <class T>
  void operator()(const std::vector<T>& items) const {
    (*this)(items.size());
    for (const T& item : items) (*this)(item);
  }
};

/// How the kernel of a step is run.
struct Prepared {
  std::optional<MapPlan> map;
  std::shared_ptr<const PreparedContract> product;
};
using PreparedSteps = std::vector<Prepared>;

PreparedSteps prepare(const TiledSpec& spec) {
  PreparedSteps all;
  for (const TiledSpec::Step& step : spec.steps) {
    Prepared& prepared = all.emplace_back();
    if (const auto* map = std::get_if<MapSpec>(&step.kernel)) prepared.map = plan_map(*map);
    if (const auto* product = std::get_if<ContractSpec>(&step.kernel))
      prepared.product = prepare_contract(*product);
    if (const auto* sum = std::get_if<AddProductSpec>(&step.kernel))
      prepared.product = prepare_contract(sum->product);  // for its first product
  }
  return all;
}

/// One thread's work on one tile.
class TileTask {
 public:
  TileTask(const TiledSpec& spec, const PreparedSteps& prepared, const Call& call,
           std::int64_t number)
      : spec_(spec), prepared_(prepared), call_(call) {
    const std::size_t dims = spec.extents.size(), axes = static_cast<std::size_t>(spec.mesh_axes);
    coordinates_.assign(call.coordinates, call.coordinates + axes);
    coordinates_.resize(axes + dims);
    for (std::size_t d = dims; d-- > 0; number /= spec.extents[d])
      coordinates_[axes + d] = number % spec.extents[d];
    tile_ = coordinates_.data() + axes;
    thread_local Scratch memory;
    scratch_ = memory.take(static_cast<std::size_t>(spec.scratch_bytes));
  }

  void run() const {
    for (std::size_t i = 0; i < spec_.steps.size(); ++i) {
      const TiledSpec::Step& step = spec_.steps[i];
      inputs_.clear();
      outputs_.clear();
      for (const TiledSpec::Address& where : step.inputs) inputs_.push_back(address(where));
      for (const TiledSpec::Address& where : step.outputs) outputs_.push_back(address(where));
      const Call call{inputs_.data(), outputs_.data(), coordinates_.data()};
      std::visit([&](const auto& kernel) { run(kernel, prepared_[i], call); }, step.kernel);
    }
  }

 private:
  static void run(const MapSpec& spec, const Prepared& prepared, const Call& call) {
    map(one_thread(), *prepared.map, spec, &call, 1);
  }
  static void run(const ContractSpec& spec, const Prepared& prepared, const Call& call) {
    contract(one_thread(), *prepared.product, spec, &call, 1);
  }
  static void run(const AddProductSpec& spec, const Prepared&, const Call& call) {
    add_to_sum(one_thread(), spec.product, &call, 1);
  }
  static void run(const ReduceSpec& spec, const Prepared&, const Call& call) {
    reduce(one_thread(), spec, &call, 1);
  }
  static void run(const CopySpec& spec, const Prepared&, const Call& call) {
    copy(one_thread(), spec, &call, 1);
  }

  char* address(const TiledSpec::Address& where) const {
    if (where.tensor < 0) return scratch_ + where.offset;
    const void* tensor = where.tensor < spec_.inputs ? call_.inputs[where.tensor]
                                                     : call_.outputs[where.tensor - spec_.inputs];
    char* at = static_cast<char*>(const_cast<void*>(tensor)) + where.offset;
    for (std::size_t d = 0; d < where.bytes.size(); ++d) at += tile_[d] * where.bytes[d];
    return at;
  }

  // Of the thread: a step allocates nothing.
  inline static thread_local std::vector<std::int64_t> coordinates_;
  inline static thread_local std::vector<const void*> inputs_;
  inline static thread_local std::vector<void*> outputs_;

  const TiledSpec& spec_;
  const PreparedSteps& prepared_;
  const Call& call_;
  const std::int64_t* tile_ = nullptr;
  char* scratch_ = nullptr;
};

}  // namespace

double flops(const TiledSpec& spec) {
  double of_tile = 0;
  for (const TiledSpec::Step& step : spec.steps)
    of_tile += std::visit([](const auto& kernel) { return flops(kernel); }, step.kernel);
  return of_tile * static_cast<double>(product(spec.extents));
}

Pieces pieces(const TiledSpec& spec) { return {product(spec.extents), 0, 0}; }

void tiled(Pool& pool, const TiledSpec& spec, const Call* calls, int count) {
  thread_local Plans<PreparedSteps> plans;
  KeyOf{plans.start()}(spec);
  const PreparedSteps& prepared = plans.find([&] { return prepare(spec); });
  for (const Prepared& step : prepared)
    if (step.product) make_ready(*step.product);
  const std::int64_t tiles = product(spec.extents);
  pool.run(tiles * count,
           [&](std::int64_t i) { TileTask(spec, prepared, calls[i / tiles], i % tiles).run(); });
}

}  // namespace mtfc::runtime
