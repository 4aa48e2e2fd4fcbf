#include "cost/cost.h"
#include "support/json.h"

namespace mtfc::cost {
namespace {

std::string both(std::int64_t per_processor, std::int64_t processors) {
  return json_object(
      {{"per_processor", json(per_processor)}, {"total", json(per_processor * processors)}});
}

/// FLOPs are counted in doubles and are whole below 2^53.
std::string flops_json(double count) {
  return count < 9e18 ? json(static_cast<std::int64_t>(count)) : json(count);
}
std::string flops_json(double per_processor, std::int64_t processors) {
  return json_object({{"per_processor", flops_json(per_processor)},
                      {"total", flops_json(per_processor * static_cast<double>(processors))}});
}

/// {program, instruction, source, phase, roles: {ROLE: bytes, ..., unused}, alive: [...]}
std::string peak_json(const MemoryPeak& peak) {
  JsonFields roles;
  for (const MemoryRole role : all_memory_roles)
    roles.emplace_back(json_key(role), json(peak.in_use(role)));
  roles.emplace_back("unused", json(peak.unused));
  std::vector<std::string> alive;
  for (const Alive& one : peak.alive)
    alive.push_back(json_object({{"role", json(json_key(one.role))},
                                 {"name", json(one.name)},
                                 {"source", json(one.source)},
                                 {"phase", json(one.phase)},
                                 {"count", json(one.count)},
                                 {"bytes", json(one.bytes)}}));
  return json_object({{"program", json(peak.program)},
                      {"instruction", json(peak.instruction)},
                      {"source", json(peak.source)},
                      {"phase", json(peak.phase)},
                      {"roles", json_object(roles)},
                      {"alive", json_array(alive)}});
}

}  // namespace

std::string to_json(const Cost& cost, const std::vector<JsonFields>& more) {
  std::vector<std::string> collectives, repeated;
  for (std::size_t i = 0; i < cost.collectives.size(); ++i) {
    const CollectiveCost& one = cost.collectives[i];
    JsonFields fields = {{"kind", json(one.kind)},
                         {"axes", json(one.axes)},
                         {"elements_per_processor", json(one.elements_per_processor)},
                         {"bytes_per_processor", json(one.bytes_per_processor)},
                         {"bytes_sent_per_processor", json(one.sent_per_processor)},
                         {"operation", json(one.operation)},
                         {"tensor", json(one.tensor)},
                         {"source", json(one.source)},
                         {"call", json(one.call)},
                         {"cause", json(one.cause)},
                         {"phase", json(one.phase)}};
    if (!more.empty()) fields.insert(fields.end(), more.at(i).begin(), more.at(i).end());
    collectives.push_back(json_object(fields));
  }
  for (const RepeatedWork& work : cost.repeated)
    repeated.push_back(json_object({{"flops_per_processor", flops_json(work.flops_per_processor)},
                                    {"times", json(work.times)},
                                    {"axes", json(work.axes)},
                                    {"source", json(work.source)},
                                    {"phase", json(work.phase)}}));
  return json_object({{"processors", json(cost.processors)},
                      {"parameters", json(cost.parameters)},
                      {"flops", flops_json(cost.flops_per_processor, cost.processors)},
                      {"repeated", json_array(repeated)},
                      {"memory", both(cost.memory_per_processor(), cost.processors)},
                      {"first_values_memory", both(cost.first_values_bytes, cost.processors)},
                      {"evaluation_memory", both(cost.evaluation_bytes, cost.processors)},
                      {"run_memory", both(cost.most_memory().bytes, cost.processors)},
                      {"peak", peak_json(cost.peak)},
                      {"collectives", json_array(collectives)}});
}

std::string to_json(const runtime::Counters& counters, const Cost& cost) {
  // Both lists stand in program order.
  const bool named = counters.collectives.size() == cost.collectives.size();
  std::vector<std::string> collectives;
  for (const runtime::Counters::Collective& one : counters.collectives) {
    JsonFields fields = {{"kind", json(one.kind)},
                         {"axes", json(one.axes)},
                         {"elements_per_processor", json(one.elements)},
                         {"bytes_per_processor", json(one.bytes)},
                         {"bytes_sent_per_processor", json(one.sent)}};
    if (named) {
      const CollectiveCost& same = cost.collectives[collectives.size()];
      fields.emplace_back("tensor", json(same.tensor));
      fields.emplace_back("source", json(same.source));
    }
    collectives.push_back(json_object(fields));
  }
  return json_object({{"processors", json(cost.processors)},
                      {"flops", flops_json(counters.flops, cost.processors)},
                      {"collectives", json_array(collectives)}});
}

}  // namespace mtfc::cost
