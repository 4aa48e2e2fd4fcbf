#include "backends/processor/processor.h"

#include "backends/variables.h"
#include "support/check.h"

namespace mtfc::backends {
namespace {

std::vector<std::int64_t> sizes_of(const Mesh& mesh) {
  std::vector<std::int64_t> sizes;
  for (const auto& axis : mesh.axes) sizes.push_back(axis.size);
  return sizes;
}

}  // namespace

Processor::Processor(Module module, runtime::net::Network& network, int threads)
    : module_(std::move(module)),
      pool_(threads),
      groups_(network, sizes_of(module_.mesh)),
      memory_(module_, groups_) {}

bool Processor::has_program(std::string_view program) const { return module_.find(program); }

void Processor::run(std::string_view name, const runtime::Feeds& feeds,
                    std::vector<runtime::Fetched>& fetched) {
  const Program* program = module_.find(name);
  MTFC_CHECK(program, "no program " + std::string(name));
  programs_.try_emplace(program->name, memory_, *program).first->second.run(pool_, feeds, fetched);
}

std::vector<runtime::VariableInfo> Processor::variables() const { return variables_of(module_); }

std::size_t Processor::number(std::string_view path) const {
  for (std::size_t i = 0; i < module_.variables.size(); ++i)
    if (module_.variables[i].path == path) return i;
  MTFC_CHECK(false, "no variable " + std::string(path));
}

runtime::HostTensor Processor::variable(std::string_view path) {
  return memory_.save(pool_, number(path));
}

void Processor::set_variable(std::string_view path, const runtime::HostTensor& value) {
  memory_.load(pool_, number(path), value);
}

runtime::Counters Processor::counters(std::string_view program) const {
  const auto found = programs_.find(program);
  return found == programs_.end() ? runtime::Counters{} : found->second.counters();
}

}  // namespace mtfc::backends
