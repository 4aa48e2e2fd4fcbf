// Mesh-TensorFlow's counters for people.
#pragma once
#include <map>
#include <string>

namespace mtfc::cli {

/// One below the other, indented by how deep they are, three digits each.
std::string counters_text(const std::map<std::string, double>& counters);

}  // namespace mtfc::cli
