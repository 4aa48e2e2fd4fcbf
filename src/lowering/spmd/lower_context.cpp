#include "lowering/spmd/lower_context.h"

namespace mtfc::lowering {

VariableTable::VariableTable(std::vector<ModuleVariable>& variables) : list_(variables) {
  for (std::size_t i = 0; i < list_.size(); ++i) index_[list_[i].path] = i;
}

}  // namespace mtfc::lowering
