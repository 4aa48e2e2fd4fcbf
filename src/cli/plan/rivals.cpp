#include "cli/plan/rivals.h"

#include <algorithm>
#include <map>

#include "cli/plan/json.h"
#include "cli/plan/shown.h"
#include "cost/cost.h"
#include "messages/wrap.h"
#include "support/figures.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

struct Seen {
  cost::Cost cost;
  predict::Prediction prediction;
};

class Explainer {
 public:
  Explainer(const plan::Models& models, const SourceMap& sources, const predict::Machine& machine,
            const Layout& given)
      : models_(models),
        sources_(sources),
        machine_(machine),
        compiler_(sources, given, machine.chip.detail()) {}

  std::optional<Seen> look(const plan::Choice& choice) {
    const Model* model = models_.find(choice.microbatches);
    const auto mapping = predict::map_mesh(choice.mesh, machine_);
    if (!model || !mapping) return std::nullopt;
    const std::optional<plan::Compiled> made = compiler_.compile(choice, *model);
    if (!made) return std::nullopt;
    Seen seen{cost::cost_of_step(made->module, sources_, machine_.chip.detail()), {}};
    seen.prediction = predict::predict(seen.cost, machine_, *mapping);
    return seen;
  }

  /// What takes most of the time that `other` takes longer.
  static std::string reason(const Seen& best, const Seen& other) {
    const predict::Prediction &a = best.prediction, &b = other.prediction;
    const double products = b.products - a.products, exposed = b.exposed - a.exposed;
    const double rest = (b.others + b.memory + b.launches) - (a.others + a.memory + a.launches);
    if (exposed >= products && exposed >= rest)
      return "waits " + duration(exposed) + " longer for messages" + message(best, other, exposed);
    if (products >= rest)
      return "products take " + duration(products) + " longer" + line(best, other);
    return "other work takes " + duration(rest) + " longer";
  }

 private:
  /// Which collective is waited for so much longer; of one that takes the place of another, which
  /// is longer by more than all together, the name alone.
  static std::string message(const Seen& best, const Seen& other, double all) {
    std::map<std::string, double> waited;
    const auto add = [&](const Seen& seen, double sign) {
      for (std::size_t i = 0; i < seen.cost.collectives.size(); ++i) {
        const cost::CollectiveCost& one = seen.cost.collectives[i];
        const std::string where = one.model_line().empty() ? "" : ", " + one.model_line();
        waited[one.kind + " over " + one.axes + " for " + one.phase + where] +=
            sign * seen.prediction.collectives[i].exposed;
      }
    };
    add(other, 1);
    add(best, -1);
    const auto most =
        std::max_element(waited.begin(), waited.end(),
                         [](const auto& x, const auto& y) { return x.second < y.second; });
    if (most == waited.end()) return "";
    const bool replaces = most->second > all * (1 + 1e-9);
    return ", most for " + most->first + (replaces ? "" : " (" + duration(most->second) + ")");
  }

  /// Where so much more is computed.
  static std::string line(const Seen& best, const Seen& other) {
    std::map<std::string, double> flops;
    for (const cost::LineCost& one : other.cost.lines) flops[one.source] += one.flops;
    for (const cost::LineCost& one : best.cost.lines) flops[one.source] -= one.flops;
    const auto most =
        std::max_element(flops.begin(), flops.end(),
                         [](const auto& x, const auto& y) { return x.second < y.second; });
    if (most == flops.end() || most->second <= 0 || most->first.empty()) return "";
    return ", most in " + most->first + " (" + scaled(most->second, "FLOP") + " more)";
  }

  const plan::Models& models_;
  const SourceMap& sources_;
  const predict::Machine& machine_;
  plan::Compiler compiler_;
};

/// `computing` is a step without messages. `stages`: one of the two has some, which wait for each
/// other.
std::string rough_reason(const plan::Price& best, const plan::Price& other, bool stages) {
  const double computing = other.computing - best.computing;
  const double waiting = other.step - best.step - computing;
  return waiting >= computing ? "waits " + duration(waiting) + " longer for messages"
                              : "computes " + duration(computing) + " longer" +
                                    (stages ? ", with what stages wait for each other" : "");
}

}  // namespace

std::vector<Rival> rivals_of(const plan::Plan& plan, const plan::Models& models,
                             const SourceMap& sources, const predict::Machine& machine,
                             const Layout& given, bool quickly) {
  Explainer explainer(models, sources, machine, given);
  const bool plainly = quickly || plan.best->choice.pipeline;
  const std::optional<Seen> best = plainly ? std::nullopt : explainer.look(plan.best->choice);
  std::vector<Rival> rivals;
  for (const plan::Judged* one : slower_kinds(plan)) {
    if (!best || one->choice.pipeline) {
      rivals.push_back({*one, rough_reason(plan.best->price, one->price,
                                           plan.best->choice.pipeline || one->choice.pipeline)});
      continue;
    }
    const std::optional<Seen> seen = explainer.look(one->choice);
    if (!seen) continue;
    rivals.push_back({*one, Explainer::reason(*best, *seen)});
    rivals.back().judged.price.step = seen->prediction.step;
  }
  return rivals;
}

std::string rivals_text(const std::vector<Rival>& rivals) {
  if (rivals.empty()) return "";
  std::string text = "why others lose\n";
  for (const Rival& rival : rivals)
    text += "  " +
            wrapped(duration(rival.judged.price.step) + ", " +
                        (rival.judged.choice.mesh.axes.empty()
                             ? ""
                             : plan::meshes_text(rival.judged.choice) + "; ") +
                        plan::description(rival.judged.choice) + ": " + rival.reason,
                    {.column = 2, .indent = 4}) +
            "\n";
  return text + "\n";
}

std::string rivals_json(const std::vector<Rival>& rivals) {
  std::vector<std::string> all;
  for (const Rival& rival : rivals)
    all.push_back(json_object({{"", judged_json(rival.judged)}, {"reason", json(rival.reason)}}));
  return json_array(all);
}

}  // namespace mtfc::cli
