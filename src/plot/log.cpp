#include "plot/log.h"

#include <cmath>
#include <limits>
#include <optional>

#include "support/read_json.h"

namespace mtfc::plot {
namespace {

using Json = nlohmann::json;
constexpr double gap = std::numeric_limits<double>::quiet_NaN();
// Beyond it differences of values overflow; no loss that is drawn comes near.
constexpr double largest = 1e100;

/// The number under a key; a gap for null and for what cannot be drawn; absent without the key.
std::optional<double> number(const Json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end()) return std::nullopt;
  if (!found->is_number()) return gap;
  const double value = found->get<double>();
  return std::abs(value) <= largest ? value : gap;
}

/// False if it is not a log record.
bool add_line(std::string_view text, RunCurves& run) {
  // A log's objects have three levels at most: deeper text is not followed.
  const Json line = read_json(text, 4);
  if (!line.is_object()) return false;
  const auto step = number(line, "step");
  if (!step || !(*step >= 0) || *step > 1e15) return false;
  const std::pair<const char*, Curve*> curves[] = {
      {"loss", &run.loss}, {"eval_loss", &run.eval_loss}, {"lr", &run.rate}};
  bool any = false;
  for (const auto& [key, curve] : curves)
    if (const auto value = number(line, key)) {
      curve->push_back({*step, *value});
      any = true;
    }
  return any;
}

}  // namespace

RunCurves read_log(std::string_view text, std::string name) {
  RunCurves run;
  run.name = std::move(name);
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool whole = end != std::string_view::npos;
    text.remove_prefix(whole ? end + 1 : text.size());
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (add_line(line, run) || !whole) continue;
    if (run.broken++ == 0) run.first_broken = number;
  }
  return run;
}

}  // namespace mtfc::plot
