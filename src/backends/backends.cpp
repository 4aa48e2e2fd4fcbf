#include "backends/backends.h"

namespace mtfc::backends {

const std::vector<Backend>& backends() {
  static const std::vector<Backend> table = {json(), mpi(), placement()};
  return table;
}

const Backend* find_backend(std::string_view name) {
  for (const Backend& row : backends())
    if (row.name == name) return &row;
  return nullptr;
}

const Backend* backend_of_argument(std::string_view argument) {
  for (const Backend& row : backends())
    for (const BackendArgument& one : row.arguments)
      if (one.name == argument) return &row;
  return nullptr;
}

}  // namespace mtfc::backends
