#include "train/loop/log_lines.h"

namespace mtfc::runtime {
namespace {

void add_number(JsonLine& line, std::string_view key, const HostTensor& value) {
  if (value.dtype == DType::f32)
    line.field(key, *value.as<float>());
  else if (value.dtype == DType::i32 || value.dtype == DType::boolean)
    line.field(key, static_cast<std::int64_t>(value.scalar()));
  else
    line.field(key, value.scalar());
}

/// All of a kind but the total, by name.
JsonLine gathered(const std::vector<Fetched>& fetched, std::string_view kind) {
  JsonLine line;
  for (const Fetched& item : fetched)
    if (item.kind == kind && !(kind == "loss" && item.name == "loss"))
      add_number(line, item.name, item.value);
  return line;
}

}  // namespace

void add_losses(JsonLine& line, const std::string& prefix, const std::vector<Fetched>& fetched) {
  if (const HostTensor* total = find_fetched(fetched, "loss", "loss"))
    add_number(line, prefix + "loss", *total);
  const JsonLine parts = gathered(fetched, "loss");
  if (!parts.empty()) line.field(prefix + "losses", parts);
}

void add_metrics(JsonLine& line, const std::vector<Fetched>& fetched) {
  line.field("metrics", gathered(fetched, "metric"));
}

const HostTensor* find_fetched(const std::vector<Fetched>& fetched, std::string_view kind,
                               std::string_view name) {
  for (const Fetched& item : fetched)
    if (item.kind == kind && item.name == name) return &item.value;
  return nullptr;
}

std::string step_line(std::int64_t step, const std::vector<Fetched>& fetched, double seconds,
                      bool skipped) {
  JsonLine line;
  line.field("step", step);
  add_losses(line, "", fetched);
  for (const Fetched& item : fetched)
    if (item.kind == "report") add_number(line, item.name, item.value);
  if (skipped) line.field("skipped", std::int64_t{1});
  // A clock's digits beyond the microsecond say nothing.
  line.field("seconds", static_cast<double>(static_cast<std::int64_t>(seconds * 1e6)) / 1e6);
  return line.text();
}

std::string eval_line(std::int64_t step, const std::vector<Fetched>& fetched) {
  JsonLine line;
  line.field("step", step);
  add_losses(line, "eval_", fetched);
  add_metrics(line, fetched);
  return line.text();
}

}  // namespace mtfc::runtime
