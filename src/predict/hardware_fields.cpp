#include "predict/hardware_fields.h"

#include <algorithm>
#include <cmath>

#include "support/did_you_mean.h"
#include "support/text.h"

namespace mtfc::predict {

namespace {

/// What is divided by is not nearly 0. No machine comes near the most; beyond, seconds and bytes
/// would not be numbers any more.
Limits limits_of(Quantity::Kind kind) {
  if (kind == Quantity::Kind::share) return {1e-3, 1};
  if (kind == Quantity::Kind::seconds) return {0, 1e3};
  return {1, kind == Quantity::Kind::bytes ? 1e18 : 1e30};
}

}  // namespace

void report_invalid(Diagnostics& diagnostics, std::string message, Span span, std::string help) {
  Diagnostic d = diag(DiagKind::invalid_hardware, std::move(message)).at(span);
  if (!help.empty()) d.helps.push_back(std::move(help));
  diagnostics.report(std::move(d));
}

Fields::Fields(const HardwareLine& line, Diagnostics& diagnostics)
    : line_(line), diagnostics_(diagnostics) {
  for (std::size_t i = 0; i < line.fields.size(); ++i)
    if (find(line.fields[i].name) != &line.fields[i])
      error("`" + line.fields[i].name + "` is given twice", line.fields[i].span);
}

const HardwareField* Fields::find(const std::string& name) const {
  for (const HardwareField& field : line_.fields)
    if (field.name == name) return &field;
  return nullptr;
}

std::optional<double> Fields::take(const std::string& name, Quantity::Kind kind) {
  return take(name, kind, limits_of(kind));
}

std::optional<double> Fields::take(const std::string& name, Quantity::Kind kind, Limits limits) {
  known_.push_back({name, kind});
  const HardwareField* field = find(name);
  if (!field) return std::nullopt;
  const std::string form = "`" + name + "=" + std::string(example(kind)) + "`";
  if (!field->quantity || field->quantity->kind != kind) {
    error("`" + name + "` is written like " + form + ", not `" + field->text + "`", field->span);
    return std::nullopt;
  }
  const double value = field->quantity->value;
  if (value >= limits.least && value <= limits.most) return value;
  error("`" + name + "` is too " + (value > limits.most ? "large" : "small") + ": `" + field->text +
            "`",
        field->span,
        kind == Quantity::Kind::share ? "from " + shortest(100 * limits.least) + "% to 100%" : "");
  return std::nullopt;
}

std::optional<double> Fields::need(const std::string& name, Quantity::Kind kind) {
  if (!find(name))
    error("this `" + line_.kind + "` has no `" + name + "`", line_.span,
          "write `" + name + "=" + std::string(example(kind)) + "`");
  const std::optional<double> value = take(name, kind);
  known_.back().needed = true;
  return value;
}

std::optional<std::int64_t> Fields::take_count(const std::string& name, std::int64_t most) {
  const auto value = take(name, Quantity::Kind::number, {1, static_cast<double>(most)});
  if (!value) return std::nullopt;
  if (*value == std::floor(*value)) return static_cast<std::int64_t>(*value);
  error("`" + name + "` is not a whole number", find(name)->span);
  return std::nullopt;
}

/// A name like its own; else the one field that its value could be of: first of what is missing
/// and needed, as with `bandwidth=2TB/s` for `hbm`.
std::string Fields::meant_by(const HardwareField& unknown) const {
  const std::vector<std::string> names = names_of(known_);
  if (std::string near = suggested(unknown.name, names); !near.empty()) return near;
  for (const bool needed : {true, false}) {
    std::vector<std::string> fitting;
    for (const Known& known : known_)
      if (unknown.quantity && known.kind == unknown.quantity->kind && !find(known.name) &&
          known.needed >= needed)
        fitting.push_back(known.name);
    if (fitting.size() == 1) return meant(fitting);
  }
  return "its fields are " + joined(names, ", ");
}

void Fields::finish() {
  for (const HardwareField& field : line_.fields)
    if (std::none_of(known_.begin(), known_.end(),
                     [&](const Known& known) { return known.name == field.name; }))
      error("a `" + line_.kind + "` has no field `" + field.name + "`", field.span,
            meant_by(field));
}

}  // namespace mtfc::predict
