#include "backends/execute/step_builder.h"

#include <algorithm>

#include "support/check.h"

namespace mtfc::backends {
namespace {

using runtime::ExchangeSpec;

/// Walks over the processors that differ from one only on some axes.
class Group {
 public:
  Group(const Mesh& mesh, const std::vector<int>& axes)
      : coordinates_(mesh.axes.size() + 1), axes_(axes) {
    for (const MeshAxis& axis : mesh.axes) mesh_sizes_.push_back(axis.size);
    for (int axis : axes) sizes_.push_back(mesh_sizes_[static_cast<std::size_t>(axis)]);
  }

  void centre(const std::int64_t* coordinates) {
    std::copy_n(coordinates, coordinates_.size() - 1, coordinates_.begin());
  }
  /// The centre's number in its group: row-major over the axes.
  std::int64_t number() const {
    std::int64_t number = 0;
    for (std::size_t i = 0; i < axes_.size(); ++i)
      number = number * sizes_[i] + coordinates_[static_cast<std::size_t>(axes_[i])];
    return number;
  }
  /// Moves to member number `member`.
  const std::int64_t* go(std::int64_t member) {
    for (std::size_t i = axes_.size(); i-- > 0;) {
      coordinates_[static_cast<std::size_t>(axes_[i])] = member % sizes_[i];
      member /= sizes_[i];
    }
    return coordinates_.data();
  }
  /// Moves to the one whose shard a permutation brings here.
  const std::int64_t* sender(const ExchangeSpec& spec) {
    runtime::renumber(spec.wanted, spec.held, mesh_sizes_, coordinates_.data());
    return coordinates_.data();
  }

 private:
  std::vector<std::int64_t> coordinates_;
  const std::vector<int>& axes_;
  std::vector<std::int64_t> sizes_, mesh_sizes_;
};

class ExchangeBuilder {
 public:
  ExchangeBuilder(const Mesh& mesh, const ExchangeSpec& spec, const Held& x, const Held& y,
                  std::byte* scratch)
      : spec_(spec),
        x_(x),
        y_(y),
        scratch_(scratch),
        group_(mesh, spec.axes),
        size_(static_cast<std::int64_t>(size_of(spec.dtype))),
        block_(runtime::block_elements(spec) * size_) {}

  std::vector<KernelCalls> build() {
    switch (spec_.kind) {
      case ExchangeSpec::Kind::all_reduce:
        return {combine_blocks(false)};
      case ExchangeSpec::Kind::reduce_scatter:
        if (runtime::source_blocks_dense(spec_)) return {combine_blocks(false)};
        return {pack_blocks(), combine_blocks(true)};
      case ExchangeSpec::Kind::all_gather:
      case ExchangeSpec::Kind::all_to_all:
      case ExchangeSpec::Kind::permute:
        return {move_blocks()};
    }
    return {};
  }

 private:
  /// Block number `block` of a processor's operand.
  const std::byte* source(const std::int64_t* coordinates, std::int64_t block) const {
    return x_.at(coordinates) + block * spec_.source_step * size_;
  }
  std::byte* packed(const std::int64_t* coordinates, std::int64_t block) const {
    return scratch_ + (x_.copies->number(coordinates) * spec_.group_size + block) * block_;
  }

  KernelCalls pack_blocks() {
    KernelCalls calls(runtime::pack(spec_, runtime::block_elements(spec_)));
    for (std::int64_t i = 0; i < x_.copies->count(); ++i) {
      const std::int64_t* coordinates = x_.copies->coordinates(i);
      calls.add({source(coordinates, 0)}, {packed(coordinates, 0)}, coordinates);
    }
    calls.seal();
    return calls;
  }

  KernelCalls combine_blocks(bool from_packed) {
    KernelCalls calls(CombineSpec{spec_.dtype, spec_.combine, runtime::block_elements(spec_),
                                  static_cast<int>(spec_.group_size)});
    std::vector<const void*> sources(static_cast<std::size_t>(spec_.group_size));
    for (std::int64_t i = 0; i < y_.copies->count(); ++i) {
      const std::int64_t* mine = y_.copies->coordinates(i);
      group_.centre(mine);
      const std::int64_t block = spec_.source_step == 0 ? 0 : group_.number();
      for (std::int64_t r = 0; r < spec_.group_size; ++r) {
        const std::int64_t* other = group_.go(r);
        sources[static_cast<std::size_t>(r)] =
            from_packed ? packed(other, block) : source(other, block);
      }
      calls.add(sources, {y_.copy(i)}, mine);
    }
    calls.seal();
    return calls;
  }

  KernelCalls move_blocks() {
    KernelCalls calls(runtime::transfer(spec_));
    const bool permute = spec_.kind == ExchangeSpec::Kind::permute;
    for (std::int64_t i = 0; i < y_.copies->count(); ++i) {
      const std::int64_t* mine = y_.copies->coordinates(i);
      group_.centre(mine);
      const std::int64_t block = group_.number();
      for (std::int64_t r = 0; r < (permute ? 1 : spec_.group_size); ++r) {
        const std::int64_t* other = permute ? group_.sender(spec_) : group_.go(r);
        calls.add({source(other, block)}, {y_.copy(i) + r * spec_.result_step * size_}, mine);
      }
    }
    calls.seal();
    return calls;
  }

  const ExchangeSpec& spec_;
  const Held &x_, &y_;
  std::byte* scratch_;
  Group group_;
  std::int64_t size_, block_;
};

/// By the law an operand may not vary where the result does not.
void check_varies(const Held& operand, const Held& result) {
  for (AxisId axis : operand.copies->axes())
    MTFC_CHECK(std::find(result.copies->axes().begin(), result.copies->axes().end(), axis) !=
                   result.copies->axes().end(),
               "the operand of a local instruction varies along an axis that the result lacks");
}

}  // namespace

KernelCalls local_calls(KernelSpec spec, const StepValues& values) {
  const Held& first = values.results.at(0);
  for (const Held& operand : values.operands) check_varies(operand, first);
  KernelCalls calls(std::move(spec));
  std::vector<const void*> inputs(values.operands.size());
  std::vector<void*> outputs(values.results.size());
  for (std::int64_t i = 0; i < first.copies->count(); ++i) {
    const std::int64_t* coordinates = first.copies->coordinates(i);
    for (std::size_t j = 0; j < inputs.size(); ++j) inputs[j] = values.operands[j].at(coordinates);
    for (std::size_t j = 0; j < outputs.size(); ++j) outputs[j] = values.results[j].at(coordinates);
    calls.add(inputs, outputs, coordinates);
  }
  calls.seal();
  return calls;
}

std::vector<KernelCalls> exchange_calls(const Mesh& mesh, const ExchangeSpec& spec,
                                        const StepValues& values, std::size_t i) {
  return ExchangeBuilder(mesh, spec, values.operands.at(i), values.results.at(i), values.scratch)
      .build();
}

std::int64_t exchange_scratch(const ExchangeSpec& spec, const Copies& operand) {
  if (spec.kind != ExchangeSpec::Kind::reduce_scatter || runtime::source_blocks_dense(spec))
    return 0;
  return operand.count() * spec.source_elements * static_cast<std::int64_t>(size_of(spec.dtype));
}

}  // namespace mtfc::backends
