// An all-reduce of which only the own block is used becomes a reduce-scatter, where its operand is
// made: what is sent early is there when it is used, and what is held until then is a shard.
#include <deque>
#include <set>

#include "lowering/program/program_passes.h"

namespace mtfc::lowering {

namespace {

/// What a partial value may pass on its way to the shard. Zeros that are put beside it are partial
/// sums too.
bool is_view(const Instruction& instruction) {
  return std::holds_alternative<Rearrange>(instruction.kind) ||
         std::holds_alternative<Pad>(instruction.kind);
}

/// The chain all_reduce -> views -> shard that ends in a shard, if nothing else uses its values.
class Scattering {
 public:
  explicit Scattering(Program& program)
      : p_(program), uses_(program.values.size()), producer_(program.values.size()) {
    for (Instruction& instruction : program.instructions) {
      for (ValueId o : instruction.operands) ++uses_[o.at()];
      for (ValueId r : instruction.results) producer_[r.at()] = &instruction;
    }
  }

  void run() {
    for (Instruction& instruction : p_.instructions) {
      if (std::holds_alternative<Shard>(instruction.kind)) scatter(instruction);
    }
    if (!moving_.empty()) move_up();
  }

 private:
  Instruction* only_producer(ValueId value) const {
    return uses_[value.at()] == 1 ? producer_[value.at()] : nullptr;
  }

  void scatter(Instruction& instruction) {
    const Shard shard = std::get<Shard>(instruction.kind);
    std::vector<Instruction*> views;
    Instruction* from = only_producer(instruction.operands[0]);
    bool pads = false;
    while (from && is_view(*from)) {
      pads = pads || std::holds_alternative<Pad>(from->kind);
      views.push_back(from);
      from = only_producer(from->operands[0]);
    }
    const auto* found = from ? std::get_if<AllReduce>(&from->kind) : nullptr;
    if (!found || from->operands.size() != 1) return;
    const AllReduce reduction = *found;
    if (pads && reduction.kind != Combine::sum) return;
    std::vector<AxisId> rest = reduction.axes;
    if (std::erase(rest, shard.axis) == 0) return;
    // The views see the partial value; the shard becomes the reduction.
    ValueId& first = views.empty() ? instruction.operands[0] : views.back()->operands[0];
    first = from->operands[0];
    for (Instruction* view : views) {
      make_partial(view->results[0], reduction.kind, reduction.axes);
      moving_.push_back(view);
    }
    instruction.kind = ReduceScatter{reduction.kind, {shard.dim}, shard.axis};
    instruction.origin = from->origin;
    instruction.role = from->role;
    moving_.push_back(&instruction);
    if (!rest.empty()) reduce_rest(instruction, {reduction.kind, rest});
  }

  void make_partial(ValueId value, Combine combine, const std::vector<AxisId>& axes) {
    Sharding& sharding = p_.values[value.at()].type.sharding;
    sharding.partial = axes;
    sharding.combine = combine;
  }

  /// A sum over several axes goes axis by axis: what is scattered over one is still a sum over the
  /// others, on smaller shards. The next shard may scatter that one in turn.
  void reduce_rest(Instruction& scattered, const AllReduce& rest) {
    const ValueId result = scattered.results[0];
    const ValueId between = next_id<ValueId>(p_.values);
    p_.values.push_back(p_.at(result));
    make_partial(between, rest.kind, rest.axes);
    scattered.results = {between};
    uses_.push_back(1);
    producer_.push_back(&scattered);
    Instruction& added = rest_.emplace_back(
        Instruction{rest, {between}, {result}, scattered.origin, scattered.role});
    producer_[result.at()] = &added;
    moving_.push_back(&added);
  }

  void move_up() {
    users_.resize(p_.values.size());
    std::set<const Instruction*> moves(moving_.begin(), moving_.end());
    for (Instruction* instruction : moving_)
      users_[instruction->operands[0].at()].push_back(instruction);
    all_.reserve(p_.instructions.size());
    for (Instruction& instruction : p_.instructions)
      if (!moves.contains(&instruction)) append(instruction);
    p_.instructions = std::move(all_);
  }
  /// It, and what moves up to it.
  void append(Instruction& instruction) {
    const std::vector<ValueId> results = instruction.results;
    all_.push_back(std::move(instruction));
    for (ValueId result : results)
      for (Instruction* user : users_[result.at()]) append(*user);
  }

  Program& p_;
  std::vector<int> uses_;
  std::vector<Instruction*> producer_;  // by value
  std::deque<Instruction> rest_;        // what follows a reduce-scatter
  std::vector<Instruction*> moving_;    // reduce-scatters, views before and sums after them
  std::vector<std::vector<Instruction*>> users_;  // by value: those of them that use it
  std::vector<Instruction> all_;
};

}  // namespace

void scatter_reductions(Program& program) {
  Scattering(program).run();
  prune(program);
}

}  // namespace mtfc::lowering
