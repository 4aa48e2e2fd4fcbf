// Graph + table of shardings -> Program: local instructions, and collectives where they are needed.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "ir/layout.h"
#include "ir/module.h"

namespace mtfc::lowering {

/// The module's variables while it is lowered. One that is accumulated may become a pending sum:
/// lowering the program that adds to it says so, and why; those that read it complete it.
class VariableTable {
 public:
  explicit VariableTable(std::vector<ModuleVariable>& variables);

  ModuleVariable& at(const std::string& path) { return list_[index_.at(path)]; }
  const ModuleVariable& at(const std::string& path) const { return list_[index_.at(path)]; }
  /// The layout rules that made it a pending sum.
  std::string& cause(const std::string& path) { return causes_[path]; }

 private:
  std::vector<ModuleVariable>& list_;
  std::unordered_map<std::string, std::size_t> index_;  // by path
  std::unordered_map<std::string, std::string> causes_;
};

/// `graph` must be expanded and pruned. Variables are written in the storage order and the
/// sharding of their own type.
struct LowerContext {
  const DimTable& dims;
  const Placement& placement;
  const std::vector<Sharding>& table;  // by graph value
  VariableTable& variables;
};
Program lower_graph(const Graph& graph, const LowerContext& context);

}  // namespace mtfc::lowering
