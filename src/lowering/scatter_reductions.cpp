#include "lowering/program_passes.h"

namespace mtfc::lowering {

namespace {

/// The chain all_reduce -> views -> shard that ends in a shard, if nothing else uses its values.
class Scattering {
 public:
  explicit Scattering(Program& program) : p_(program), uses_(program.values.size()) {
    producer_.assign(program.values.size(), -1);
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
      for (ValueId o : program.instructions[i].operands) ++uses_[o.at()];
      for (ValueId r : program.instructions[i].results) producer_[r.at()] = static_cast<int>(i);
    }
  }

  void run() {
    for (Instruction& instruction : p_.instructions) {
      if (std::holds_alternative<Shard>(instruction.kind)) scatter(instruction);
    }
  }

 private:
  Instruction* only_producer(ValueId value) {
    const int i = producer_[value.at()];
    if (i < 0 || uses_[value.at()] != 1) return nullptr;
    return &p_.instructions[static_cast<std::size_t>(i)];
  }

  void scatter(Instruction& instruction) {
    const Shard shard = std::get<Shard>(instruction.kind);
    std::vector<Instruction*> views;
    Instruction* from = only_producer(instruction.operands[0]);
    while (from && std::holds_alternative<Rearrange>(from->kind)) {
      views.push_back(from);
      from = only_producer(from->operands[0]);
    }
    const auto* reduction = from ? std::get_if<AllReduce>(&from->kind) : nullptr;
    if (!reduction || reduction->axes != std::vector<AxisId>{shard.axis}) return;
    // The views see the partial value; the shard becomes the reduction.
    ValueId& first = views.empty() ? instruction.operands[0] : views.back()->operands[0];
    first = from->operands[0];
    for (Instruction* view : views) {
      Sharding& sharding = p_.values[view->results[0].at()].type.sharding;
      sharding.partial = reduction->axes;
      sharding.combine = reduction->kind;
    }
    instruction.kind = ReduceScatter{reduction->kind, shard.dim, shard.axis};
    instruction.origin = from->origin;
  }

  Program& p_;
  std::vector<int> uses_;
  std::vector<int> producer_;
};

}  // namespace

void scatter_reductions(Program& program) {
  Scattering(program).run();
  prune(program);
}

}  // namespace mtfc::lowering
