#include "cli/plan/wire.h"

#include "messages/wrap.h"
#include "plan/search/without.h"
#include "support/figures.h"
#include "support/json.h"

namespace mtfc::cli {

std::optional<plan::Price> with_narrow_sums(const plan::Judged& best, const plan::Models& models,
                                            const SourceMap& sources,
                                            const predict::Machine& machine, const Layout& given,
                                            double memory, bool quickly) {
  Layout narrow = given;
  for (const auto& [name, word] : narrow.settings)
    if (name == "wire") return std::nullopt;
  narrow.settings.emplace_back("wire", "bf16");
  narrow.setting_spans.emplace_back();
  plan::Pricer pricer(models, sources, machine, narrow);
  std::optional<plan::Price> price =
      quickly ? pricer.estimated(best.choice) : pricer.whole(best.choice);
  if (price && quickly) {
    plan::Pricer wide(models, sources, machine, given);
    const std::optional<plan::Price> few = wide.estimated(best.choice);
    if (!few) return std::nullopt;
    price = plan::in_proportion(std::move(*price), *few, best.price);
  }
  if (!price || price->memory > memory || price->step >= best.price.step ||
      duration(price->step) == duration(best.price.step))
    return std::nullopt;
  return price;
}

std::string narrow_sums_text(const std::optional<plan::Price>& price) {
  if (!price) return "";
  return wrapped("With `set wire=bf16`, which rounds sums of gradients to 16 bits, a step takes " +
                     duration(price->step) + ".",
                 {}) +
         "\n";
}

std::string narrow_sums_json(const std::optional<plan::Price>& price) {
  if (!price) return "null";
  return json_object({{"step_seconds", json(price->step)}, {"memory", json(price->memory)}});
}

}  // namespace mtfc::cli
