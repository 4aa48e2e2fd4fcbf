#include "backends/emit/cpp/bound_program.h"

#include <algorithm>
#include <map>

#include "backends/emit/cpp/cpp_text.h"
#include "backends/emit/cpp/spec_text.h"

namespace mtfc::backends {
namespace {

/// What an instruction is bound to, as text without the keys of samples: equal texts are equal
/// code. Empty: code that stands once.
struct TokenText {
  const Instruction& at;

  std::string operator()(const bind::Alias&) const { return "alias"; }
  std::string operator()(const bind::Completion&) const { return "wait"; }
  std::string operator()(const bind::Edge&) const {
    return std::holds_alternative<Read>(at.kind) || std::holds_alternative<Write>(at.kind)
               ? std::string(name(at.kind))
               : "";
  }
  std::string operator()(runtime::MapSpec spec) const {
    for (auto& leaf : spec.random_leaves) leaf.key = 0;
    return kernel_name(spec) + spec_text(spec);
  }
  std::string operator()(const bind::CopyList& copies) const {
    std::string text = "copies";
    for (const auto& copy : copies) text += spec_text(copy);
    return text;
  }
  std::string operator()(const bind::Exchanges& bucket) const {
    std::string text = "exchange";
    for (const auto& spec : bucket) text += spec_text(spec);
    return text;
  }
  template <class Spec>
  std::string operator()(const Spec& spec) const {
    return kernel_name(spec) + spec_text(spec);
  }
};

std::vector<bind::Repeat> repeats_of(const BoundProgram& p) {
  std::map<std::string, int> numbers;
  std::vector<int> tokens, begins;
  for (std::size_t i = 0; i < p.bound.size(); ++i) {
    const Instruction& at = p.at(i);
    std::string text = std::visit(TokenText{at}, p.bound[i]);
    begins.push_back(p.block_begins(i));
    if (text.empty()) {
      tokens.push_back(-1);
      continue;
    }
    for (std::size_t k = 0; k < at.operands.size() + at.results.size(); ++k)
      text += " " + p.shard_text(p.value(i, k));
    const int fresh = static_cast<int>(numbers.size());
    tokens.push_back(numbers.try_emplace(std::move(text), fresh).first->second);
  }
  return bind::find_repeats(std::move(tokens), begins);
}

}  // namespace

BoundProgram::BoundProgram(const Module& module, const Program& program, const SourceMap& sources)
    : module(module),
      program(program),
      sources(sources),
      context{module.dims, module.mesh},
      inputs(inputs_of(module)),
      bound(bind::bind_all(context, program)) {
  const auto room = [&](ValueId id) { return bytes(id); };
  const auto scratch = [&](std::size_t i) { return scratch_of(bound[i]); };
  const auto alias = [&](std::size_t i) { return is_alias(bound[i]); };
  plan = bind::make_plan(module, program, {room, scratch, alias, true}, repeats_of(*this));
}

std::int64_t BoundProgram::bytes(ValueId id) const {
  return shard_bytes(module.dims, module.mesh, type(id));
}

ValueId BoundProgram::value(std::size_t i, std::size_t k) const {
  const Instruction& instruction = at(i);
  const std::size_t operands = instruction.operands.size();
  return k < operands ? instruction.operands[k] : instruction.results[k - operands];
}

std::string BoundProgram::shard_text(ValueId id) const {
  return std::string(name(type(id).tensor.dtype)) + " " +
         numbers(shard_extents(module.dims, module.mesh, type(id)));
}

int BoundProgram::block_begins(std::size_t i) const {
  const std::string& scope = at(i).role.block;
  const std::string before = i > 0 ? at(i - 1).role.block : "";
  if (scope == before) return 0;
  // The fewer segments two blocks share, the further out is the one that begins.
  const auto [a, b] = std::mismatch(scope.begin(), scope.end(), before.begin(), before.end());
  const auto shared = std::count(scope.begin(), a, '.');
  return scope.empty() ? 1 : std::max(2, 100 - static_cast<int>(shared));
}

}  // namespace mtfc::backends
