// A graph with its layout, and the variables that all graphs of a model share.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "ir/layout.h"
#include "ir/module.h"

namespace mtfc::lowering {

/// The module's variables while it is lowered. One that is accumulated may become a partial sum:
/// lowering the program that adds to it says so, and why; those that read it complete it.
class VariableTable {
 public:
  explicit VariableTable(std::vector<ModuleVariable>& variables);

  ModuleVariable& at(const std::string& path) { return list_[index_.at(path)]; }
  const ModuleVariable& at(const std::string& path) const { return list_[index_.at(path)]; }
  /// The layout rules that made it a partial sum.
  SharedText& cause(const std::string& path) { return causes_[path]; }

 private:
  std::vector<ModuleVariable>& list_;
  std::unordered_map<std::string, std::size_t> index_;  // by path
  std::unordered_map<std::string, SharedText> causes_;
};

/// Whether it adds to variables: such graphs are resolved before those that read them.
bool accumulates(const Graph& graph);

/// What is known of a graph when its operations are resolved.
struct GraphContext {
  const DimTable& dims;
  const Assignment& assignment;
  const std::vector<Sharding>& table;  // by graph value
  VariableTable& variables;
};

}  // namespace mtfc::lowering
