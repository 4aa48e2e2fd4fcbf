// JSON as text, put together from parts that are JSON already.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mtfc::cli {

/// Key -> JSON. Under an empty key stands an object whose fields are put in here.
using JsonFields = std::vector<std::pair<std::string, std::string>>;

std::string json(std::string_view text);
/// Without it text in quotes would be taken for a bool.
inline std::string json(const char* text) { return json(std::string_view(text)); }
std::string json(bool value);
std::string json(long value);
/// null if it is not finite; the object then needs "not_finite": true as well.
std::string json(double value);
std::string json_object(const JsonFields& fields);
std::string json_array(const std::vector<std::string>& items);

}  // namespace mtfc::cli
