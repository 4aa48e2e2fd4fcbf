#include "cli/reports/useless_scopes.h"

#include "lowering/spmd/scope_gain.h"

namespace mtfc::cli {
namespace {

/// Sums may come in another order. Memory hangs on what else is alive at the peak: a few per cent
/// are no gain of the scope's.
constexpr double rounding = 1e-9, chance = 0.1;

bool is_more(double without, double with, double margin) { return without > with * (1 + margin); }

}  // namespace

void warn_useless_scopes(Session& session, const Model& model, const Assignment& assignment,
                         const backends::Cost& with, Diagnostics& diagnostics) {
  for (lowering::UselessScope& one : lowering::useless_scopes(model, assignment)) {
    const std::optional<Costed> other = costed(session, lowering::lower(model, one.without, {}));
    if (!other) continue;
    const backends::Cost& without = other->cost;
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
