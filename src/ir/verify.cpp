#include "ir/verify.h"

#include <algorithm>

#include "ir/text.h"

namespace mtfc {

namespace {

/// What was started asynchronously is waited for, whole and once, before anything else reads it.
class AsyncCollectives {
 public:
  explicit AsyncCollectives(const Program& program) : started_(program.values.size(), nullptr) {}

  std::string check(const Instruction& instruction) {
    const bool waits = std::holds_alternative<Wait>(instruction.kind);
    const Instruction* one =
        waits && !instruction.operands.empty() ? started_[instruction.operands[0].at()] : nullptr;
    if (waits && (!one || instruction.operands != joined(one->results, one->operands)))
      return "a wait is not for one async collective";
    for (ValueId id : instruction.operands) {
      if (started_[id.at()] && !waits) return "what is on its way is read";
      started_[id.at()] = nullptr;
    }
    if (is_async(instruction.kind))
      for (ValueId id : instruction.results) started_[id.at()] = &instruction;
    return "";
  }
  bool all_complete() const {
    return std::all_of(started_.begin(), started_.end(), [](const auto* one) { return !one; });
  }

 private:
  static std::vector<ValueId> joined(std::vector<ValueId> list, const std::vector<ValueId>& more) {
    list.insert(list.end(), more.begin(), more.end());
    return list;
  }
  std::vector<const Instruction*> started_;  // by value
};

class ProgramCheck {
 public:
  ProgramCheck(const Module& module, const Program& program)
      : module_(module), program_(program), made_(program.values.size()), async_(program) {}

  std::string run() {
    for (const Instruction& instruction : program_.instructions)
      if (std::string error = check_one(instruction); !error.empty())
        return program_.name + ": " + error + ": " + print(program_, instruction, module_);
    return async_.all_complete() ? "" : program_.name + ": an async collective has no wait";
  }

 private:
  std::string check_one(const Instruction& instruction) {
    ShardTypes in, out;
    for (ValueId id : instruction.operands) {
      if (!made_[id.at()]) return "a value is used before it is made";
      in.push_back(program_.at(id).type);
    }
    for (ValueId id : instruction.results) {
      if (made_[id.at()]) return "a value is made twice";
      made_[id.at()] = true;
      out.push_back(program_.at(id).type);
      if (std::string error = check_law(module_.dims, module_.mesh, out.back()); !error.empty())
        return error;
    }
    const InstrContext context{module_.dims, module_.mesh, in, out, &variables_};
    if (std::string error = check(instruction.kind, context); !error.empty()) return error;
    return async_.check(instruction);
  }

  const Module& module_;
  const Program& program_;
  std::vector<bool> made_;  // by value
  AsyncCollectives async_;
  const VariableTypes variables_ = [this](const std::string& path) {
    const ModuleVariable* variable = module_.find_variable(path);
    return variable ? &variable->type : nullptr;
  };
};

}  // namespace

std::string verify(const Module& module) {
  for (const ModuleVariable& variable : module.variables)
    if (std::string error = check_law(module.dims, module.mesh, variable.type); !error.empty())
      return "variable " + variable.path + ": " + error + " in " +
             to_string(module.dims, module.mesh, variable.type);
  for (const Program& program : module.programs)
    if (std::string error = ProgramCheck(module, program).run(); !error.empty()) return error;
  return "";
}

}  // namespace mtfc
