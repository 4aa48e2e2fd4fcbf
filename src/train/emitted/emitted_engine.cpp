#include "train/emitted/emitted_engine.h"

#include "support/check.h"

namespace mtfc::runtime {

int EmittedEngine::number(std::string_view program) const {
  const auto& programs = processor_.module().programs;
  for (std::size_t i = 0; i < programs.size(); ++i)
    if (programs[i].name == program) return static_cast<int>(i);
  return -1;
}

std::size_t EmittedEngine::variable_number(std::string_view path) const {
  const auto& variables = processor_.module().variables;
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (variables[i].path == path) return i;
  MTFC_CHECK(false, "no variable " + std::string(path));
}

bool EmittedEngine::has_program(std::string_view program) const { return number(program) >= 0; }

void EmittedEngine::run(std::string_view program, const Feeds& feeds,
                        std::vector<Fetched>& fetched) {
  const int i = number(program);
  MTFC_CHECK(i >= 0, "no program " + std::string(program));
  processor_.run(static_cast<std::size_t>(i), feeds, fetched);
}

std::vector<VariableInfo> EmittedEngine::variables() const {
  std::vector<VariableInfo> all;
  for (const EmittedVariable& variable : processor_.module().variables)
    all.push_back({variable.path, variable.kind, variable.form->tensor.dtype,
                   variable.form->tensor.stored_extents, variable.form->dims});
  return all;
}

HostTensor EmittedEngine::variable(std::string_view path) {
  return processor_.variable_value(variable_number(path));
}

void EmittedEngine::set_variable(std::string_view path, const HostTensor& value) {
  processor_.set_variable(variable_number(path), value);
}

Block EmittedEngine::input_part(std::string_view input,
                                const std::vector<std::int64_t>& extents) const {
  return processor_.input_part(input, extents);
}

std::vector<Share> EmittedEngine::shares() const { return processor_.shares(); }

HostTensor EmittedEngine::part(std::string_view path) {
  return processor_.variable_part(variable_number(path));
}

void EmittedEngine::set_part(std::string_view path, const HostTensor& value) {
  processor_.set_variable_part(variable_number(path), value);
}

Counters EmittedEngine::counters(std::string_view program) const {
  const int i = number(program);
  return i < 0 ? Counters{} : processor_.counters(static_cast<std::size_t>(i));
}

}  // namespace mtfc::runtime
