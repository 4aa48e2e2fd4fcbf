#include "cost/all_stages.h"

#include <algorithm>

namespace mtfc::cost {
namespace {

/// Every line once.
void add_line(Cost& all, const LineCost& one, std::int64_t processors) {
  auto line = std::find_if(all.lines.begin(), all.lines.end(),
                           [&](const LineCost& other) { return other.source == one.source; });
  if (line == all.lines.end()) line = all.lines.insert(line, {one.source, 0, 0, 0});
  line->flops += static_cast<double>(processors) * one.flops;
  line->sent += processors * one.sent;
  line->collectives += one.collectives;
}

/// `memory`: bytes of one processor.
void add(Cost& all, const Cost& stage, std::int64_t memory) {
  const std::int64_t processors = stage.processors;
  const auto times = static_cast<double>(processors);
  all.processors += processors;
  all.parameters += stage.parameters;
  all.flops_per_processor += times * stage.flops_per_processor;
  all.variable_bytes += processors * memory;
  for (const LineCost& one : stage.lines) add_line(all, one, processors);
  for (Alive one : stage.peak.alive) {
    one.bytes *= processors;
    all.peak.alive.push_back(std::move(one));
  }
  for (RepeatedWork one : stage.repeated) {
    one.flops_per_processor *= times;
    all.repeated.push_back(std::move(one));
  }
  all.collectives.insert(all.collectives.end(), stage.collectives.begin(), stage.collectives.end());
}

std::string_view phase_of(StagePart::Pass pass) {
  return pass == StagePart::Pass::other ? "update" : name(pass);
}

void add(Cost& all, const PipelineModule& module, const StageSend& send) {
  const StagePart& from = module.cut.parts[static_cast<std::size_t>(send.from)];
  CollectiveCost one;
  one.kind = "send";
  one.axes = "stages";
  one.bytes_per_processor = one.sent_per_processor = static_cast<std::int64_t>(send.bytes);
  one.cause = "pipeline";
  one.phase = phase_of(from.pass);
  for (std::int64_t i = 0; i < times(module, send); ++i) all.collectives.push_back(one);
}

}  // namespace

Cost of_all_processors(const PipelineModule& module, const PipelineCost& cost) {
  Cost all;
  all.processors = 0;
  for (const StageCost& stage : cost.stages) add(all, stage.cost, stage.memory());
  for (const StageSend& send : cost.sends) add(all, module, send);
  return all;
}

Cost of_all_processors(const Cost& cost) {
  Cost all;
  all.processors = 0;
  add(all, cost, cost.memory_per_processor());
  return all;
}

}  // namespace mtfc::cost
