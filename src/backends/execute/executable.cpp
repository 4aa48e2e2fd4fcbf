#include "backends/execute/executable.h"

#include <algorithm>

#include "backends/execute/step_builder.h"
#include "kernels/flops.h"
#include "support/check.h"

namespace mtfc::backends {
namespace {

std::string axes_text(const Mesh& mesh, const std::vector<int>& axes) {
  std::string text;
  for (int axis : axes)
    text += (text.empty() ? "" : "+") + mesh.axes[static_cast<std::size_t>(axis)].name;
  return text;
}

}  // namespace

/// What a bound instruction becomes.
class StepBuilder {
 public:
  StepBuilder(Prepared& prepared, std::size_t instruction)
      : prepared_(prepared), mesh_(prepared.memory_.module().mesh) {
    const Instruction& at = prepared.program_.instructions[instruction];
    if (!at.operands.empty()) first_operand_ = at.operands[0];
    if (!at.results.empty()) first_result_ = at.results[0];
    for (ValueId id : at.operands) values_.operands.push_back(prepared.held(id));
    for (ValueId id : at.results) values_.results.push_back(prepared.held(id));
    const std::int64_t scratch = prepared.plan_.scratch[instruction];
    if (scratch >= 0) values_.scratch = prepared.arena_ + scratch;
  }

  Prepared::Step operator()(const Alias&) const { return {}; }
  Prepared::Step operator()(const Edge&) const { return {}; }
  template <class Spec>
  Prepared::Step operator()(const Spec& spec) const {
    Prepared::Step step;
    step.flops = runtime::flops(spec);
    step.kernels.push_back(local_calls(spec, values_));
    return step;
  }
  Prepared::Step operator()(const CopyList& copies) const {
    Prepared::Step step;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      const StepValues one{{values_.operands[i]}, values_.results, nullptr};
      step.kernels.push_back(local_calls(copies[i], one));
    }
    return step;
  }
  Prepared::Step operator()(const Exchanges& bucket) const {
    Prepared::Step step;
    runtime::Counters::Collective counted;
    counted.kind = runtime::name(bucket.at(0).kind);
    counted.axes = axes_text(mesh_, bucket[0].axes);
    counted.calls = 1;
    for (std::size_t i = 0; i < bucket.size(); ++i) {
      const std::int64_t elements = runtime::counted_elements(bucket[i]);
      counted.elements += elements;
      counted.bytes += elements * static_cast<std::int64_t>(size_of(bucket[i].dtype));
      if (prepared_.memory_.groups()) continue;
      for (KernelCalls& calls : exchange_calls(mesh_, bucket[i], values_, i))
        step.kernels.push_back(std::move(calls));
    }
    counted.sent = runtime::sent_bytes(bucket);
    if (auto* groups = prepared_.memory_.groups()) {
      NetworkExchange exchange{bucket, groups, values_.scratch, nullptr};
      if (bucket[0].async) {
        exchange.async = std::make_shared<runtime::net::AsyncSum>();
        prepared_.async_sums_[first_result_] = exchange.async;
      }
      step.kernels.push_back(local_calls(std::move(exchange), values_));
    }
    step.collective = static_cast<int>(prepared_.collectives_.size());
    prepared_.collectives_.push_back(std::move(counted));
    return step;
  }

  /// Simulated processors have everything at once.
  Prepared::Step operator()(const Wait&) const {
    Prepared::Step step;
    if (!prepared_.memory_.groups()) return step;
    KernelCalls calls(NetworkWait{prepared_.async_sums_.at(first_operand_)});
    step.kernels.push_back(std::move(calls));
    return step;
  }

 private:
  Prepared& prepared_;
  const Mesh& mesh_;
  ValueId first_operand_, first_result_;
  StepValues values_;
};

Prepared::Prepared(Memory& memory, const Program& program) : memory_(memory), program_(program) {
  for (const ProgramValue& value : program.values) values_.push_back(memory.shape(value.type));
  std::vector<Bound> bound;
  for (const Instruction& instruction : program.instructions)
    bound.push_back(bind(memory.context(), program, instruction));
  const auto scratch = [&](std::size_t i) {
    const auto* bucket = std::get_if<Exchanges>(&bound[i]);
    if (!bucket) return std::int64_t{0};
    if (memory.groups()) return bucket->at(0).async ? 0 : runtime::bucket_scratch(*bucket);
    std::int64_t most = 0;  // the tensors of a bucket go one after the other
    for (std::size_t j = 0; j < bucket->size(); ++j) {
      const ValueId operand = program.instructions[i].operands[j];
      most = std::max(most, exchange_scratch((*bucket)[j], *held(operand).copies));
    }
    return most;
  };
  plan_ = make_plan(memory.module(), program,
                    {[&](ValueId id) { return held(id).bytes(); }, scratch,
                     [&](std::size_t i) { return is_alias(bound[i]); }, !memory.all_replicas()});
  place_values();
  for (std::size_t i = 0; i < bound.size(); ++i)
    steps_.push_back(std::visit(StepBuilder(*this, i), bound[i]));
  prepare_edges();
}

std::byte* Prepared::address(const Place& place) {
  switch (place.kind) {
    case Place::Kind::none:
      return nullptr;
    case Place::Kind::arena:
      return arena_ + place.offset;
    case Place::Kind::variable:
      return memory_.variable(static_cast<std::size_t>(place.variable)).base;
  }
  return nullptr;
}

void Prepared::place_values() {
  arena_ = memory_.arena(plan_.arena_bytes);
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i].base = address(plan_.values[i]);
}

KernelCalls Prepared::copy_all(const ShardType& type, const Held& from, const Held& to) const {
  const Context context = memory_.context();
  const ShardView shard(context, type);
  runtime::CopySpec copy;
  copy.element_size = size_of(shard.dtype());
  copy.extents = {shard.elements()};
  copy.x_strides = copy.y_strides = {1};
  copy.y_size = shard.elements();
  KernelCalls calls(std::move(copy));
  for (std::int64_t i = 0; i < to.copies->count(); ++i)
    calls.add({from.copy(i)}, {to.copy(i)}, to.copies->coordinates(i));
  calls.seal();
  return calls;
}

/// Feeds and fetches meet the host's memory, variables are written at the end.
void Prepared::prepare_edges() {
  const Context context = memory_.context();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Instruction& at = program_.instructions[i];
    if (std::holds_alternative<Feed>(at.kind)) {
      if (memory_.groups()) continue;  // whole or in part
      const Held& to = held(at.results[0]);
      KernelCalls calls(slice_spec(context, program_.at(at.results[0]).type));
      for (std::int64_t j = 0; j < to.copies->count(); ++j)
        calls.add({nullptr}, {to.copy(j)}, to.copies->coordinates(j));
      steps_[i].kernels.push_back(std::move(calls));
    } else if (std::holds_alternative<Fetch>(at.kind)) {
      const ShardType& type = program_.at(at.operands[0]).type;
      MTFC_CHECK(!type.sharding.is_partial(), "a pending sum is fetched");
      if (memory_.groups()) continue;  // assembled by all processors together
      const Copies& blocks = memory_.distinct(type);
      KernelCalls calls(assemble_spec(context, type));
      for (std::int64_t j = 0; j < blocks.count(); ++j)
        calls.add({held(at.operands[0]).at(blocks.coordinates(j))}, {nullptr},
                  blocks.coordinates(j));
      steps_[i].kernels.push_back(std::move(calls));
    }
    for (KernelCalls& calls : steps_[i].kernels) calls.seal();
  }
  for (const WritePlan& write : plan_.writes) prepare_write(write);
}

void Prepared::prepare_write(const WritePlan& write) {
  if (write.direct) return;
  const ShardType& type = program_.at(write.value).type;
  const Held& variable = memory_.variable(static_cast<std::size_t>(write.variable));
  Held from = held(write.value);
  if (write.staging.kind == Place::Kind::arena) {
    Held staging = from;
    staging.base = address(write.staging);
    steps_[write.instruction].kernels.push_back(copy_all(type, from, staging));
    from = staging;
  }
  writes_.push_back(copy_all(type, from, variable));
}

void Prepared::run(runtime::Pool& pool, const runtime::Feeds& feeds,
                   std::vector<runtime::Fetched>& fetched) {
  begin();
  for (std::size_t i = 0; i < steps_.size(); ++i) step(pool, i, feeds, fetched);
  finish(pool);
}

void Prepared::begin() {
  counted_.flops = 0;
  counted_.collectives.clear();
  counted_.collectives.reserve(collectives_.size());
}

void Prepared::step(runtime::Pool& pool, std::size_t instruction, const runtime::Feeds& feeds,
                    std::vector<runtime::Fetched>& fetched) {
  Step& step = steps_[instruction];
  const Instruction& at = program_.instructions[instruction];
  if (const auto* feed = std::get_if<Feed>(&at.kind)) {
    const auto found = feeds.find(feed->name);
    MTFC_CHECK(found != feeds.end(), "nothing is fed to " + feed->name);
    const runtime::HostTensor& fed = found->second;
    if (memory_.groups()) return feed_shard(pool, feed->name, fed, at.results[0]);
    const TensorType& type = program_.at(at.results[0]).type.tensor;
    MTFC_CHECK(
        fed.dtype == type.dtype && fed.elements() == elements(memory_.module().dims, type.dims),
        "what is fed to " + feed->name + " has another type or size");
    step.kernels[0].set_input(fed.data.data());
  } else if (const auto* fetch = std::get_if<Fetch>(&at.kind)) {
    if (memory_.groups()) return fetch_shard(pool, *fetch, at.operands[0], fetched);
    fetched.push_back(
        {std::string(name(fetch->kind)), fetch->name,
         host_tensor(memory_.module().dims, program_.at(at.operands[0]).type.tensor)});
    step.kernels[0].set_output(fetched.back().value.data.data());
  }
  runtime::net::Groups* groups = memory_.groups();
  const std::int64_t sent_before = groups ? groups->sent : 0;
  for (const KernelCalls& calls : step.kernels) calls.run(pool);
  if (groups) groups->advance();
  counted_.flops += step.flops;
  if (step.collective < 0) return;
  counted_.collectives.push_back(collectives_[static_cast<std::size_t>(step.collective)]);
  if (groups) counted_.collectives.back().sent = groups->sent - sent_before;
}

void Prepared::feed_shard(runtime::Pool& pool, const std::string& name,
                          const runtime::HostTensor& fed, ValueId value) const {
  const auto tensor = sharded_tensor(memory_.context(), program_.at(value).type);
  runtime::net::feed(*memory_.groups(), pool, tensor, fed, name, held(value).base);
}

void Prepared::fetch_shard(runtime::Pool& pool, const Fetch& fetch, ValueId value,
                           std::vector<runtime::Fetched>& fetched) const {
  const auto tensor = sharded_tensor(memory_.context(), program_.at(value).type);
  fetched.push_back({std::string(name(fetch.kind)), fetch.name,
                     assembled(*memory_.groups(), pool, tensor, held(value).base)});
}

void Prepared::finish(runtime::Pool& pool) {
  for (const KernelCalls& calls : writes_) calls.run(pool);
}

void Prepared::blank(std::size_t instruction) {
  if (steps_[instruction].kernels.empty()) return;  // an alias or a variable: not computed here
  for (ValueId id : program_.instructions[instruction].results)
    std::fill_n(held(id).base, held(id).bytes(), std::byte{0xFF});
}

}  // namespace mtfc::backends
