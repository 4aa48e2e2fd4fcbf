#include "data/args.h"

#include <algorithm>
#include <cmath>

#include "support/check.h"

namespace mtfc::runtime {
namespace {

using Kind = SourceArg::Kind;

const SourceRow& row_of(const SourceSpec& spec) {
  const SourceRow* row = find_source(spec.function);
  MTFC_CHECK(row != nullptr, "no data source is called " + spec.function);
  return *row;
}

std::string_view kind_text(Kind kind) {
  switch (kind) {
    case Kind::path:
      return "a path in quotes";
    case Kind::word:
      return "a word in quotes";
    case Kind::integer:
      return "a whole number";
    case Kind::share:
      return "a number that is at least 0 and less than 1";
    case Kind::flag:
      return "true or false";
  }
  return "";
}

bool is_whole(double value) { return std::abs(value) < 9e15 && std::floor(value) == value; }

bool has_kind(const SourceSpec::Value& value, Kind kind) {
  const auto* real = std::get_if<double>(&value);
  switch (kind) {
    case Kind::path:
    case Kind::word:
      return std::holds_alternative<std::string>(value);
    case Kind::integer:
      return std::holds_alternative<std::int64_t>(value) || (real != nullptr && is_whole(*real));
    case Kind::share:
      return std::holds_alternative<std::int64_t>(value) || real != nullptr;
    case Kind::flag:
      return std::holds_alternative<bool>(value);
  }
  return false;
}

}  // namespace

Args::Args(const SourceSpec& spec) : spec_(spec), row_(row_of(spec)) { check(); }

void Args::check() {
  for (const auto& [name, value] : spec_.args) {
    const SourceArg* arg = row_.find(name);
    const Kind kind = arg != nullptr ? arg->kind : Kind::path;
    if (arg == nullptr && !row_.more_files)
      fail("it has no argument `" + name + "`");
    else if (!has_kind(value, kind))
      fail("`" + name + "` must be " + std::string(kind_text(kind)));
  }
  for (const SourceArg& arg : row_.args)
    if (arg.required && given(arg.name) == nullptr)
      fail("`" + std::string(arg.name) + "`, " + std::string(kind_text(arg.kind)) + ", is missing");
}

const SourceSpec::Value* Args::given(std::string_view name) const {
  for (const auto& [key, value] : spec_.args)
    if (key == name) return &value;
  return nullptr;
}

void Args::fail(const std::string& what) {
  if (status_) status_ = Error{"`" + spec_.function + "`: " + what, {}, spec_.name};
}

std::string resolved(const SourceSpec& spec, const std::string& path) {
  return path_from(spec.directory, path);
}

/// A reader that asks for what its row does not have is a mistake of ours.
const SourceArg& Args::take(std::string_view name, Kind kind) {
  const SourceArg* arg = row_.find(name);
  MTFC_CHECK(
      arg != nullptr && arg->kind == kind,
      spec_.function + " declares no such argument as its reader takes: " + std::string(name));
  taken_.push_back(name);
  return *arg;
}

/// What is given, else the row's default, else (then `finish` fails) nothing in particular.
template <class T, class Default>
T Args::value(std::string_view name, Kind kind) {
  const SourceArg& arg = take(name, kind);
  const SourceSpec::Value* value = given(name);
  if (value != nullptr && has_kind(*value, kind)) return std::get<T>(*value);
  const auto* otherwise = std::get_if<Default>(&arg.otherwise);
  return otherwise != nullptr ? T(*otherwise) : T();
}

std::string Args::path(std::string_view name) {
  return resolved(spec_, value<std::string, std::string_view>(name, Kind::path));
}

std::string Args::word(std::string_view name) {
  return value<std::string, std::string_view>(name, Kind::word);
}

std::string Args::word(std::string_view name, std::string_view otherwise) {
  const std::string chosen = word(name);
  return given(name) == nullptr ? std::string(otherwise) : chosen;
}

double Args::number(std::string_view name) {
  const auto* whole = std::get_if<std::int64_t>(given(name));
  return whole != nullptr ? (take(name, Kind::share), static_cast<double>(*whole))
                          : value<double>(name, Kind::share);
}

std::int64_t Args::integer(std::string_view name) {
  const auto* real = std::get_if<double>(given(name));
  if (real == nullptr || !is_whole(*real)) return value<std::int64_t>(name, Kind::integer);
  take(name, Kind::integer);
  return static_cast<std::int64_t>(*real);
}

bool Args::flag(std::string_view name) { return value<bool>(name, Kind::flag); }

std::vector<std::pair<std::string, std::string>> Args::more_paths() {
  std::vector<std::pair<std::string, std::string>> paths;
  for (const auto& [name, value] : spec_.args)
    if (const auto* text = std::get_if<std::string>(&value); row_.find(name) == nullptr && text)
      paths.emplace_back(name, resolved(spec_, *text));
  return paths;
}

Status Args::finish() {
  for (const SourceArg& arg : row_.args)
    MTFC_CHECK(std::find(taken_.begin(), taken_.end(), arg.name) != taken_.end(),
               spec_.function + " does not take its argument " + std::string(arg.name));
  return status_;
}

}  // namespace mtfc::runtime
