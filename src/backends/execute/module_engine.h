// What all engines that run a module have in common: its variables and where they are found.
#pragma once
#include <string>

#include "ir/module.h"
#include "train/engine.h"

namespace mtfc::backends {

class ModuleEngine : public runtime::Engine {
 public:
  explicit ModuleEngine(Module module) : module_(std::move(module)) {}

  const Module& module() const { return module_; }
  bool has_program(std::string_view program) const override { return module_.find(program); }
  std::vector<runtime::VariableInfo> variables() const override;
  /// The first instruction whose replicas differed, or "": only where replicas are compared.
  virtual std::string replica_error() const { return ""; }

 protected:
  /// There must be such a variable (such a program).
  std::size_t number(std::string_view variable) const;
  const Program& program(std::string_view name) const;

 private:
  const Module module_;
};

}  // namespace mtfc::backends
