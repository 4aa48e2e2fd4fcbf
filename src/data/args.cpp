#include "data/args.h"

#include <cmath>

namespace mtfc::runtime {

Args::Args(const SourceSpec& spec) : spec_(spec), taken_(spec.args.size(), false) {}

const SourceSpec::Value* Args::take(std::string_view name) {
  for (std::size_t i = 0; i < spec_.args.size(); ++i) {
    if (spec_.args[i].first != name) continue;
    taken_[i] = true;
    return &spec_.args[i].second;
  }
  return nullptr;
}

void Args::fail(const std::string& what) {
  if (status_) status_ = Error{"`" + spec_.function + "`: " + what, {}, spec_.name};
}

std::string Args::resolve(const std::string& path) const {
  if (path.empty() || path.front() == '/' || spec_.directory.empty()) return path;
  return spec_.directory.back() == '/' ? spec_.directory + path : spec_.directory + "/" + path;
}

std::string Args::path(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const SourceSpec::Value* value = take(name);
    if (value == nullptr) continue;
    if (const auto* text = std::get_if<std::string>(value)) return resolve(*text);
    fail("its first argument must be a path in quotes");
    return {};
  }
  fail("its first argument, a path, is missing");
  return {};
}

std::string Args::optional_path(std::string_view name) {
  const SourceSpec::Value* value = take(name);
  if (value == nullptr) return {};
  if (const auto* text = std::get_if<std::string>(value)) return resolve(*text);
  fail("`" + std::string(name) + "` must be a path in quotes");
  return {};
}

std::string Args::word(std::string_view name, std::string_view otherwise) {
  const SourceSpec::Value* value = take(name);
  if (value == nullptr) return std::string(otherwise);
  if (const auto* text = std::get_if<std::string>(value)) return *text;
  fail("`" + std::string(name) + "` must be a word in quotes");
  return std::string(otherwise);
}

double Args::number(std::string_view name, double otherwise) {
  const SourceSpec::Value* value = take(name);
  if (value == nullptr) return otherwise;
  if (const auto* real = std::get_if<double>(value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(value)) return static_cast<double>(*whole);
  fail("`" + std::string(name) + "` must be a number");
  return otherwise;
}

std::int64_t Args::integer(std::string_view name, std::int64_t otherwise) {
  const double value = number(name, static_cast<double>(otherwise));
  if (std::abs(value) < 9e15 && std::floor(value) == value) return static_cast<std::int64_t>(value);
  fail("`" + std::string(name) + "` must be a whole number");
  return otherwise;
}

bool Args::flag(std::string_view name, bool otherwise) {
  const SourceSpec::Value* value = take(name);
  if (value == nullptr) return otherwise;
  if (const auto* chosen = std::get_if<bool>(value)) return *chosen;
  fail("`" + std::string(name) + "` must be true or false");
  return otherwise;
}

std::vector<std::pair<std::string, std::string>> Args::remaining_paths() {
  std::vector<std::pair<std::string, std::string>> paths;
  for (std::size_t i = 0; i < spec_.args.size(); ++i)
    if (!taken_[i]) paths.emplace_back(spec_.args[i].first, optional_path(spec_.args[i].first));
  return paths;
}

Status Args::finish() {
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (!taken_[i]) fail("it has no argument `" + spec_.args[i].first + "`");
  return status_;
}

}  // namespace mtfc::runtime
