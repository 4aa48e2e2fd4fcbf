#include <nlohmann/json.hpp>

#include "cost/cost.h"

namespace mtfc::backends {
namespace {

using Json = nlohmann::ordered_json;

template <class Number>
Json both(Number per_processor, std::int64_t processors) {
  return {{"per_processor", per_processor},
          {"total", per_processor * static_cast<Number>(processors)}};
}

/// FLOPs are counted in doubles and are whole below 2^53.
Json flops_json(double per_processor, std::int64_t processors) {
  return both(static_cast<std::int64_t>(per_processor), processors);
}

}  // namespace

std::string to_json(const Cost& cost) {
  Json collectives = Json::array();
  for (const CollectiveCost& one : cost.collectives)
    collectives.push_back({{"kind", one.kind},
                           {"axes", one.axes},
                           {"elements_per_processor", one.elements_per_processor},
                           {"bytes_per_processor", one.bytes_per_processor},
                           {"bytes_sent_per_processor", one.sent_per_processor},
                           {"tensor", one.tensor},
                           {"source", one.source},
                           {"cause", one.cause},
                           {"phase", one.phase}});
  Json repeated = Json::array();
  for (const RepeatedWork& work : cost.repeated)
    repeated.push_back(
        {{"flops_per_processor", static_cast<std::int64_t>(work.flops_per_processor)},
         {"times", work.times},
         {"axes", work.axes},
         {"source", work.source},
         {"phase", work.phase}});
  const Json json = {{"processors", cost.processors},
                     {"parameters", cost.parameters},
                     {"flops", flops_json(cost.flops_per_processor, cost.processors)},
                     {"repeated", std::move(repeated)},
                     {"memory", both(cost.memory_per_processor(), cost.processors)},
                     {"collectives", std::move(collectives)}};
  return json.dump();
}

std::string to_json(const runtime::Counters& counters, const Cost& cost) {
  Json collectives = Json::array();
  for (const runtime::Counters::Collective& one : counters.collectives) {
    collectives.push_back({{"kind", one.kind},
                           {"axes", one.axes},
                           {"elements_per_processor", one.elements},
                           {"bytes_per_processor", one.bytes},
                           {"bytes_sent_per_processor", one.sent}});
    // Both lists stand in program order.
    if (counters.collectives.size() != cost.collectives.size()) continue;
    const CollectiveCost& same = cost.collectives[collectives.size() - 1];
    collectives.back()["tensor"] = same.tensor;
    collectives.back()["source"] = same.source;
  }
  const Json json = {{"processors", cost.processors},
                     {"flops", flops_json(counters.flops, cost.processors)},
                     {"collectives", std::move(collectives)}};
  return json.dump();
}

}  // namespace mtfc::backends
