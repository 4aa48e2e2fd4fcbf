#include "train/emitted/emitted_processor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "comm/exchange.h"
#include "kernels/flops.h"
#include "support/check.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kAlignment = 64;

std::vector<std::int64_t> sizes_of(const EmittedModule& module) {
  std::vector<std::int64_t> sizes;
  for (const EmittedAxis& axis : module.mesh) sizes.push_back(axis.size);
  return sizes;
}

}  // namespace

EmittedMemory::EmittedMemory(std::int64_t bytes) {
  const std::int64_t room = std::max(bytes, std::int64_t{1}) + kAlignment - 1;
  void* data =
      std::aligned_alloc(kAlignment, static_cast<std::size_t>(room / kAlignment * kAlignment));
  if (data == nullptr) throw std::bad_alloc();
  data_.reset(static_cast<std::byte*>(data));
}
void EmittedMemory::Free::operator()(std::byte* data) const { std::free(data); }

Processor::Processor(const EmittedModule& module, net::Network& network, int threads)
    : module_(module), pool_(threads), groups_(network, sizes_of(module)) {
  for (const EmittedVariable& variable : module.variables) {
    variables_.emplace_back(variable.form->tensor.shard_bytes());
    std::memset(variables_.back().data(), 0,
                static_cast<std::size_t>(variable.form->tensor.shard_bytes()));
  }
  std::int64_t most = 0;
  for (const EmittedProgram& program : module.programs) most = std::max(most, program.arena_bytes);
  arena_ = EmittedMemory(most);
  counters_.resize(module.programs.size());
}

void* Processor::at(Slot slot) const {
  return slot.variable >= 0 ? variables_[static_cast<std::size_t>(slot.variable)].data()
                            : arena_.data() + slot.offset;
}

Call Processor::call(std::initializer_list<Slot> x, std::initializer_list<Slot> y) {
  groups_.advance();
  inputs_.clear();
  outputs_.clear();
  for (Slot slot : x) inputs_.push_back(at(slot));
  for (Slot slot : y) outputs_.push_back(at(slot));
  return {inputs_.data(), outputs_.data(), groups_.coordinates()};
}

void Processor::map(const MapSpec& spec, std::initializer_list<Slot> x,
                    std::initializer_list<Slot> y) {
  const Call one = call(x, y);
  runtime::map(pool_, spec, &one, 1);
  counters_[running_].flops += flops(spec);
}

void Processor::map(const MapSpec& spec, std::initializer_list<Slot> x,
                    std::initializer_list<Slot> y, const std::uint64_t* keys) {
  MapSpec keyed = spec;
  for (MapSpec::RandomLeaf& leaf : keyed.random_leaves) leaf.key = *keys++;
  map(keyed, x, y);
}

void Processor::contract(const ContractSpec& spec, Slot a, Slot b, Slot c) {
  const Call one = call({a, b}, {c});
  runtime::contract(pool_, spec, &one, 1);
  counters_[running_].flops += flops(spec);
}

void Processor::reduce(const ReduceSpec& spec, Slot x, Slot y) {
  const Call one = call({x}, {y});
  runtime::reduce(pool_, spec, &one, 1);
  counters_[running_].flops += flops(spec);
}

void Processor::copy(const CopySpec& spec, Slot x, Slot y) {
  const Call one = call({x}, {y});
  runtime::copy(pool_, spec, &one, 1);
}

void Processor::gather(const GatherSpec& spec, std::initializer_list<Slot> x, Slot y) {
  const Call one = call(x, {y});
  runtime::gather(pool_, spec, &one, 1);
}

void Processor::put(const PutSpec& spec, std::initializer_list<Slot> x, Slot y) {
  const Call one = call(x, {y});
  runtime::put(pool_, spec, &one, 1);
}

void Processor::scatter_add(const ScatterAddSpec& spec, std::initializer_list<Slot> x, Slot y) {
  const Call one = call(x, {y});
  runtime::scatter_add(pool_, spec, &one, 1);
}

void Processor::window(const WindowSpec& spec, Slot x, Slot y) {
  const Call one = call({x}, {y});
  runtime::window(pool_, spec, &one, 1);
}

void Processor::window_add(const WindowAddSpec& spec, Slot y, Slot x) {
  const Call one = call({y}, {x});
  runtime::window_add(pool_, spec, &one, 1);
  counters_[running_].flops += flops(spec);
}

void Processor::prefix_sum(const PrefixSpec& spec, Slot x, Slot y) {
  const Call one = call({x}, {y});
  runtime::prefix_sum(pool_, spec, &one, 1);
  counters_[running_].flops += flops(spec);
}

void Processor::top_places(const TopSpec& spec, Slot x, Slot y) {
  const Call one = call({x}, {y});
  runtime::top_places(pool_, spec, &one, 1);
}

void Processor::exchange(const char* axes, const std::vector<ExchangeSpec>& bucket,
                         std::initializer_list<Slot> x, std::initializer_list<Slot> y,
                         Slot scratch) {
  const Call one = call(x, y);
  std::int64_t sent = 0;
  if (bucket[0].async) {
    std::unique_ptr<net::AsyncSum>& sum = async_sums_[one.outputs[0]];
    if (!sum) sum = std::make_unique<net::AsyncSum>();
    sent = sum->start(groups_, pool_, bucket, one.inputs, one.outputs);
  } else {
    sent = net::exchange(groups_, pool_, bucket, one.inputs, one.outputs, at(scratch));
  }
  Counters::Collective counted{std::string(name(bucket[0].kind)), axes, 1, 0, 0, sent};
  for (const ExchangeSpec& spec : bucket) {
    counted.elements += counted_elements(spec);
    counted.bytes += counted_elements(spec) * static_cast<std::int64_t>(size_of(spec.dtype));
  }
  counters_[running_].collectives.push_back(std::move(counted));
}

void Processor::await(Slot y) { async_sums_.at(at(y))->wait(); }

void Processor::feed(const EmittedInput& input, Slot y) {
  const auto found = feeds_->find(input.name);
  MTFC_CHECK(found != feeds_->end(), std::string("nothing is fed to ") + input.name);
  net::feed(groups_, pool_, input.tensor, found->second, input.name, at(y));
}

void Processor::fetch(const char* kind, const char* name, const net::ShardedTensor& tensor,
                      Slot x) {
  fetched_->push_back({kind, name, net::assembled(groups_, pool_, tensor, at(x))});
}

void Processor::move(std::int64_t bytes, Slot x, Slot y) {
  std::memcpy(at(y), at(x), static_cast<std::size_t>(bytes));
}

void Processor::run(std::size_t program, const Feeds& feeds, std::vector<Fetched>& fetched) {
  running_ = program;
  feeds_ = &feeds;
  fetched_ = &fetched;
  counters_[program].flops = 0;
  counters_[program].collectives.clear();
  module_.programs[program].run(*this);
}

HostTensor Processor::variable_value(std::size_t number) {
  return net::assembled(groups_, pool_, module_.variables[number].form->tensor,
                        variables_[number].data());
}

void Processor::set_variable(std::size_t number, const HostTensor& value) {
  net::take_shard(groups_, pool_, module_.variables[number].form->tensor, value,
                  variables_[number].data());
}

std::vector<Share> Processor::shares() const {
  std::vector<net::ShardedTensor> all;
  for (const EmittedVariable& variable : module_.variables) all.push_back(variable.form->tensor);
  return net::shares_of(groups_, all);
}

HostTensor Processor::variable_part(std::size_t number) {
  return net::part_of(groups_, pool_, module_.variables[number].form->tensor,
                      variables_[number].data());
}

void Processor::set_variable_part(std::size_t number, const HostTensor& value) {
  net::set_part(groups_, pool_, module_.variables[number].form->tensor, value,
                variables_[number].data());
}

Block Processor::input_part(std::string_view input,
                            const std::vector<std::int64_t>& extents) const {
  std::vector<net::ShardedTensor> fed;
  for (const EmittedInput& entry : module_.inputs)
    if (entry.name == input) fed.push_back(entry.tensor);
  return net::part_of_batch(groups_, fed, extents);
}

}  // namespace mtfc::runtime
