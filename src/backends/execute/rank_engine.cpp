#include "backends/execute/rank_engine.h"

namespace mtfc::backends {
namespace {

std::vector<std::int64_t> sizes_of(const Mesh& mesh) {
  std::vector<std::int64_t> sizes;
  for (const auto& axis : mesh.axes) sizes.push_back(axis.size);
  return sizes;
}

}  // namespace

Processor::Processor(Module module, runtime::net::Network& network, int threads)
    : ModuleEngine(std::move(module)),
      pool_(threads),
      groups_(network, sizes_of(this->module().mesh)),
      memory_(this->module(), groups_) {}

void Processor::run(std::string_view name, const runtime::Feeds& feeds,
                    std::vector<runtime::Fetched>& fetched) {
  const Program& one = program(name);
  programs_.try_emplace(one.name, memory_, one).first->second.run(pool_, feeds, fetched);
}

runtime::net::ShardedTensor Processor::tensor(const ShardType& type) const {
  return sharded_tensor(memory_.context(), type);
}

runtime::HostTensor Processor::variable(std::string_view path) {
  return memory_.save(pool_, number(path));
}

void Processor::set_variable(std::string_view path, const runtime::HostTensor& value) {
  memory_.load(pool_, number(path), value);
}

std::vector<runtime::Share> Processor::shares() const {
  std::vector<runtime::net::ShardedTensor> all;
  for (const ModuleVariable& variable : module().variables) all.push_back(tensor(variable.type));
  return shares_of(groups_, all);
}

runtime::HostTensor Processor::part(std::string_view path) {
  const std::size_t i = number(path);
  return part_of(groups_, pool_, tensor(module().variables[i].type), memory_.variable(i).base);
}

void Processor::set_part(std::string_view path, const runtime::HostTensor& value) {
  const std::size_t i = number(path);
  runtime::net::set_part(groups_, pool_, tensor(module().variables[i].type), value,
                         memory_.variable(i).base);
}

runtime::Block Processor::input_part(std::string_view input,
                                     const std::vector<std::int64_t>& extents) const {
  std::vector<runtime::net::ShardedTensor> fed;
  for (const Program& program : module().programs)
    for (const Instruction& at : program.instructions) {
      const auto* feed = std::get_if<Feed>(&at.kind);
      if (feed && feed->name == input) fed.push_back(tensor(program.at(at.results[0]).type));
    }
  return runtime::net::part_of_batch(groups_, fed, extents);
}

runtime::Counters Processor::counters(std::string_view program) const {
  const auto found = programs_.find(program);
  return found == programs_.end() ? runtime::Counters{} : found->second.counters();
}

}  // namespace mtfc::backends
