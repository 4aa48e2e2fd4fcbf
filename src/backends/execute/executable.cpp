#include "backends/execute/executable.h"

#include <algorithm>

#include "bind/sharded_tensor.h"
#include "comm/collectives.h"
#include "support/check.h"

namespace mtfc::backends {

std::vector<runtime::Fetched> fetched_by(const Program& program, const DimTable& dims) {
  std::vector<runtime::Fetched> all;
  for (const Instruction& at : program.instructions) {
    const auto* fetch = std::get_if<Fetch>(&at.kind);
    if (fetch == nullptr) continue;
    const TensorType& type = program.at(at.operands[0]).type.tensor;
    all.push_back({std::string(name(fetch->kind)), fetch->name,
                   runtime::HostTensor::zeros(type.dtype, bind::stored_extents(dims, type))});
  }
  return all;
}

/// What a bound instruction becomes.
class Executable::StepBuilder {
 public:
  explicit StepBuilder(const Executable& executable) : executable_(executable) {}

  Step build(std::size_t instruction, const bind::Bound& bound) {
    at_ = &executable_.program_.instructions[instruction];
    buffers_ = executable_.buffers_of(instruction);
    const std::int64_t scratch = executable_.plan_.scratch[instruction];
    if (scratch >= 0) buffers_.scratch = executable_.arena_ + scratch;
    return std::visit(*this, bound);
  }

  Step operator()(const bind::Alias&) const { return {}; }
  Step operator()(const bind::Edge&) const {
    Step step;
    if (const auto* feed = std::get_if<Feed>(&at_->kind))
      step.feed = transport().feed(feed->name, type(at_->results[0]), buffers_.results[0]);
    if (std::holds_alternative<Fetch>(at_->kind))
      step.fetch = transport().fetch(type(at_->operands[0]), buffers_.operands[0]);
    return step;
  }
  template <class Spec>
  Step operator()(const Spec& spec) const {
    Step step;
    step.flops = runtime::flops(spec);
    step.kernels.push_back(local_launches(spec, buffers_));
    return step;
  }
  Step operator()(const bind::CopyList& copies) const {
    Step step;
    for (std::size_t i = 0; i < copies.size(); ++i)
      step.kernels.push_back(
          local_launches(copies[i], {{buffers_.operands[i]}, buffers_.results, nullptr}));
    return step;
  }
  Step operator()(const bind::Exchanges& bucket) {
    Step step;
    step.collective = transport().collective(bucket, buffers_);
    step.counter = runtime::counted(bucket, to_string(mesh(), axes_of(at_->kind)));
    if (bucket[0].async) started_[at_->results[0]] = step.collective.wait;
    return step;
  }
  Step operator()(const bind::Completion&) const {
    Step step;
    step.wait = started_.at(at_->operands[0]);
    return step;
  }

 private:
  Transport& transport() const { return executable_.memory_.transport(); }
  const Mesh& mesh() const { return executable_.memory_.module().mesh; }
  const ShardType& type(ValueId value) const { return executable_.program_.at(value).type; }

  const Executable& executable_;
  const Instruction* at_ = nullptr;
  InstructionBuffers buffers_;
  std::map<ValueId, std::function<void()>> started_;  // by first result
};

Executable::Executable(Memory& memory, const Program& program)
    : memory_(memory), program_(program) {
  for (const ProgramValue& value : program.values) buffers_.push_back(memory.shape(value.type));
  const bind::Context context = memory.context();
  std::vector<bind::Bound> bound = bind::bind_all(context, program);
  plan(bound);
  StepBuilder builder(*this);
  for (std::size_t i = 0; i < bound.size(); ++i) steps_.push_back(builder.build(i, bound[i]));
  for (const bind::WritePlan& write : plan_.writes) prepare_write(write);
  // Not where every result is compared: temporary ones are nowhere then.
  if (!memory.options().in_place) return;
  const std::int64_t least = memory.options().least_sum;
  sums_of_products_ = find_sums_of_products(context, program, bound, buffers_, least);
  replaced_.assign(bound.size(), nullptr);
  for (SumOfProducts& sum : sums_of_products_)
    for (const std::size_t i : sum.instructions) {
      replaced_[i] = &sum;
      bound[i] = bind::Completion{};  // nothing that could be done with others
    }
  tiled_ = find_tiles(context, program, bound, plan_, buffers_, memory.options().least_tile);
  summed_parts_ = find_summed_parts(memory.module().mesh, program, bound, buffers_, least);
}

/// Gives every value and every collective its memory.
void Executable::plan(const std::vector<bind::Bound>& bound) {
  const auto scratch = [&](std::size_t i) {
    const auto* bucket = std::get_if<bind::Exchanges>(&bound[i]);
    if (!bucket) return std::int64_t{0};
    return memory_.transport().scratch_bytes(*bucket, buffers_of(i).operands);
  };
  plan_ = bind::make_plan(
      memory_.module(), program_,
      {[&](ValueId id) { return buffer(id).bytes(); }, scratch,
       [&](std::size_t i) { return is_alias(bound[i]); }, memory_.options().in_place});
  arena_ = memory_.arena(plan_.arena_bytes);
  for (std::size_t i = 0; i < buffers_.size(); ++i) buffers_[i].base = address(plan_.values[i]);
}

InstructionBuffers Executable::buffers_of(std::size_t instruction) const {
  const Instruction& at = program_.instructions[instruction];
  InstructionBuffers found;
  for (ValueId id : at.operands) found.operands.push_back(buffer(id));
  for (ValueId id : at.results) found.results.push_back(buffer(id));
  return found;
}

std::byte* Executable::address(const bind::BufferLocation& location) const {
  switch (location.kind) {
    case bind::BufferLocation::Kind::none:
      return nullptr;
    case bind::BufferLocation::Kind::arena:
      return arena_ + location.offset;
    case bind::BufferLocation::Kind::variable:
      return memory_.variable(static_cast<std::size_t>(location.variable)).base;
  }
  return nullptr;
}

KernelLaunches Executable::copy_all(const ShardType& type, const Buffer& from,
                                    const Buffer& to) const {
  const bind::Context context = memory_.context();
  const bind::ShardView shard(context, type);
  runtime::CopySpec copy;
  copy.element_size = size_of(shard.dtype());
  copy.extents = {shard.elements()};
  copy.x_strides = copy.y_strides = {1};
  copy.y_size = shard.elements();
  KernelLaunches launches(std::move(copy));
  for (std::int64_t i = 0; i < to.shards->count(); ++i)
    launches.add({from.shard(i)}, {to.shard(i)}, to.shards->coordinates(i));
  launches.seal();
  return launches;
}

void Executable::prepare_write(const bind::WritePlan& write) {
  if (write.direct) return;
  const ShardType& type = program_.at(write.value).type;
  const Buffer& variable = memory_.variable(static_cast<std::size_t>(write.variable));
  Buffer from = buffer(write.value);
  if (write.staging.kind == bind::BufferLocation::Kind::arena) {
    Buffer staging = from;
    staging.base = address(write.staging);
    steps_[write.instruction].kernels.push_back(copy_all(type, from, staging));
    from = staging;
  }
  writes_.push_back(copy_all(type, from, variable));
}

void Executable::run(runtime::Pool& pool, const runtime::Feeds& feeds,
                     std::vector<runtime::Fetched>& fetched, Recording* recording) {
  std::vector<Recording::Time>* times =
      recording ? recording->begin(program_.name, steps_.size()) : nullptr;
  begin();
  auto tiled = tiled_.begin();
  for (std::size_t i = 0; i < steps_.size();) {
    const std::size_t first = i;
    if (tiled != tiled_.end() && tiled->begin == i) {
      run_tiled(pool, *tiled);
      i = (tiled++)->end;
    } else if (const auto sums = summed_parts_.find(i);
               sums != summed_parts_.end() && sums->second.keeps_busy(pool)) {
      run_sums(pool, i, sums->second);
      i += 2;
    } else if (!replaced_.empty() && replaced_[i] != nullptr) {
      run_products(pool, i, *replaced_[i]);
      ++i;
    } else {
      step(pool, i++, feeds, fetched);
    }
    if (times) times->insert(times->end(), i - first, Recording::now());
  }
  finish(pool);
  if (times) times->push_back(Recording::now());
}

void Executable::begin() {
  counters_.flops = 0;
  counters_.collectives.clear();
}

void Executable::step(runtime::Pool& pool, std::size_t instruction, const runtime::Feeds& feeds,
                      std::vector<runtime::Fetched>& fetched) {
  const Step& step = steps_[instruction];
  const Instruction& at = program_.instructions[instruction];
  if (step.feed) {
    const std::string& input = std::get<Feed>(at.kind).name;
    const auto found = feeds.find(input);
    MTFC_CHECK(found != feeds.end(), "nothing is fed to " + input);
    step.feed(pool, found->second);
  } else if (step.fetch) {
    const auto& fetch = std::get<Fetch>(at.kind);
    fetched.push_back({std::string(name(fetch.kind)), fetch.name, step.fetch(pool)});
  } else if (step.collective.run) {
    const std::int64_t sent = step.collective.run(pool);
    counters_.collectives.push_back(step.counter);
    counters_.collectives.back().sent = sent;
  } else if (step.wait) {
    step.wait();
  }
  for (const KernelLaunches& launches : step.kernels) launches.run(pool);
  memory_.transport().advance();
  counters_.flops += step.flops;
}

void Executable::run_tiled(runtime::Pool& pool, const TiledRange& range) {
  range.tiles.run(pool);
  memory_.transport().advance();
  for (std::size_t i = range.begin; i < range.end; ++i) counters_.flops += steps_[i].flops;
}

void Executable::run_sums(runtime::Pool& pool, std::size_t product, const SummedParts& sums) {
  sums.run(pool);
  memory_.transport().advance();
  counters_.flops += steps_[product].flops;
  counters_.collectives.push_back(steps_[product + 1].counter);
  counters_.collectives.back().sent = sums.sent;
}

void Executable::run_products(runtime::Pool& pool, std::size_t instruction, SumOfProducts& sum) {
  const bool summed = sum.run(pool, instruction);
  memory_.transport().advance();
  counters_.flops += steps_[instruction].flops;
  if (!summed) return;
  counters_.collectives.push_back(steps_[instruction].counter);
  counters_.collectives.back().sent = sum.sent;
}

void Executable::finish(runtime::Pool& pool) {
  for (const KernelLaunches& launches : writes_) launches.run(pool);
}

void Executable::blank(std::size_t instruction) {
  if (!steps_[instruction].computes()) return;  // an alias or a variable
  for (ValueId id : program_.instructions[instruction].results)
    std::fill_n(buffer(id).base, buffer(id).bytes(), std::byte{0xFF});
}

}  // namespace mtfc::backends
