#include "cli/reports/useless.h"

#include <algorithm>

#include "lowering/pipeline.h"
#include "lowering/spmd/scope_gain.h"

namespace mtfc::cli {
namespace {

/// Sums may come in another order. Memory hangs on what else is alive at the peak: a few per cent
/// are no gain of the scope's.
constexpr double rounding = 1e-9, chance = 0.1;

bool is_more(double without, double with, double margin) { return without > with * (1 + margin); }

/// What is sent for the setting says so: no need to compile without it.
bool is_a_cause(const std::string& setting, const cost::Cost& cost) {
  return std::any_of(cost.collectives.begin(), cost.collectives.end(),
                     [&](const auto& one) { return one.cause.find(setting) != std::string::npos; });
}

void warn_useless_settings(Session& session, const Model& model, const Assignment& assignment,
                           const std::map<std::string, lowering::WrittenSetting>& settings,
                           const cost::Cost& with, Diagnostics& diagnostics) {
  for (const auto& [name, written] : settings) {
    const std::string text = name + "=" + written.word;
    const auto other = lowering::without_setting(assignment, name, written.word);
    if (!other || is_a_cause(text, with)) continue;
    const std::optional<Costed> costs = costed(session, lowering::lower(model, *other, {}));
    if (!costs) continue;
    const cost::Cost& without = costs->cost;
    if (without.flops_per_processor == with.flops_per_processor &&
        without.memory_per_processor() == with.memory_per_processor() &&
        without.sent_per_processor() == with.sent_per_processor())
      diagnostics.report(
          diag(DiagKind::idle_setting, "`set " + text + "` changes nothing under this layout")
              .at(written.span)
              .help("without it the step computes, holds and sends the same"));
  }
}

}  // namespace

void warn_useless(Session& session, const Model& model, const Assignment& assignment,
                  const std::map<std::string, lowering::WrittenSetting>& settings,
                  const cost::Cost& with, Diagnostics& diagnostics) {
  warn_useless_settings(session, model, assignment, settings, with, diagnostics);
  for (lowering::UselessScope& one : lowering::useless_scopes(model, assignment)) {
    const std::optional<Costed> other = costed(session, lowering::lower(model, one.without, {}));
    if (!other) continue;
    const cost::Cost& without = other->cost;
    const auto bytes = [](std::int64_t number) { return static_cast<double>(number); };
    const bool gains =
        is_more(without.flops_per_processor, with.flops_per_processor, rounding) ||
        is_more(bytes(without.memory_per_processor()), bytes(with.memory_per_processor()),
                chance) ||
        is_more(bytes(without.sent_per_processor()), bytes(with.sent_per_processor()), rounding);
    if (!gains) diagnostics.report(std::move(one.warning));
  }
}

}  // namespace mtfc::cli
