#include "train/train_plan.h"

namespace mtfc::runtime {

Result<Feeder> open_feeder(const TrainPlan& plan) {
  return Feeder::open({plan.sources, plan.inputs, plan.steps, plan.epochs, plan.seed});
}

void read_for(Feeder& feeder, const Engine& engine) {
  feeder.read_parts([&](const std::string& input, const std::vector<std::int64_t>& extents) {
    return engine.input_part(input, extents);
  });
}

}  // namespace mtfc::runtime
