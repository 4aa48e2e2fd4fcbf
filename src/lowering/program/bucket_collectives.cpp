// Small collectives of one kind packed into one: a message costs its latency whatever it carries.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "ir/causes.h"
#include "lowering/program/carriers.h"
#include "lowering/program/program_passes.h"
#include "support/dtype.h"

namespace mtfc::lowering {

namespace {

// A tensor that is larger gains nothing by being copied into a bucket; a bucket that is full goes.
constexpr std::int64_t kSmallBytes = 64 << 10, kBucketBytes = 1 << 20;

/// What a collective that can have several operands says of them.
struct Packable {
  std::vector<AxisId> axes;  // of all together
  DimList* dims = nullptr;   // of each, if the kind has that
};
std::optional<Packable> packable(InstructionKind& kind) {
  if (auto* sum = std::get_if<AllReduce>(&kind)) return Packable{sum->axes, nullptr};
  if (auto* sum = std::get_if<ReduceScatter>(&kind)) return Packable{{sum->axis}, &sum->dims};
  if (auto* gather = std::get_if<AllGather>(&kind)) return Packable{{gather->axis}, &gather->dims};
  return std::nullopt;
}

/// Collectives wait in open buckets, and what only looks at their results waits too, until
/// something needs one of these.
class Packing {
 public:
  Packing(Program& program, const DimTable& dims) : p_(program), dims_(dims) {}

  void run() {
    std::vector<Instruction> before;
    std::swap(before, p_.instructions);
    for (Instruction& instruction : before) {
      if (is_small(instruction))
        put_into_bucket(std::move(instruction));
      else if (const auto looked_at = only_looked_at(instruction))
        put_off(std::move(instruction), *looked_at);
      else
        put_here(std::move(instruction));
    }
    for (Instruction& write : writes_) put_here(std::move(write));
    while (!open_.empty()) close(open_.begin());
  }

 private:
  /// What travels together is alike in all of this.
  struct Key {
    int depth = 0;  // so many open buckets must go before it, one after the other
    std::size_t kind = 0;
    std::vector<AxisId> axes, partial;
    Combine combine{};
    DType dtype{};
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Bucket {
    Instruction instruction;
    std::int64_t bytes = 0;
    std::int64_t largest = 0;  // of its tensors; the bucket stands for that one's line
  };
  using Open = std::map<Key, Bucket>;
  struct PutOff {
    Instruction instruction;
    ValueId looked_at;  // the operand that waits
  };

  std::int64_t count(ValueId id) const { return elements(dims_, p_.at(id).type.tensor.dims); }
  /// Of the whole tensor: a program is the same on every mesh.
  std::int64_t bytes(ValueId id) const {
    return count(id) * static_cast<std::int64_t>(size_of(p_.at(id).type.tensor.dtype));
  }

  bool is_small(Instruction& instruction) const {
    return packable(instruction.kind) && instruction.operands.size() == 1 &&
           bytes(instruction.operands[0]) <= kSmallBytes;
  }
  bool waits(ValueId value) const { return put_off_.contains(value) || waiting_.contains(value); }

  /// Of a cast, a view, a slice or a write the one operand that waits, if all others are numbers
  /// that are there, as a loss scale is.
  std::optional<ValueId> only_looked_at(const Instruction& instruction) const {
    const bool looks = std::holds_alternative<Map>(instruction.kind) ||
                       std::holds_alternative<Rearrange>(instruction.kind) ||
                       std::holds_alternative<Slice>(instruction.kind) ||
                       is_write(instruction.kind);
    if (!looks || instruction.results.size() > 1) return std::nullopt;
    std::optional<ValueId> waiting;
    for (const ValueId operand : instruction.operands) {
      if (waits(operand) ? waiting.has_value() : count(operand) > 1) return std::nullopt;
      if (waits(operand)) waiting = operand;
    }
    if (!waiting || instruction.results.empty()) return waiting;
    return count(instruction.results[0]) <= count(*waiting) ? waiting : std::nullopt;
  }

  void put_off(Instruction instruction, ValueId looked_at) {
    if (instruction.results.empty()) return writes_.push_back(std::move(instruction));
    const ValueId result = instruction.results[0];
    put_off_.emplace(result, PutOff{std::move(instruction), looked_at});
  }

  void put_here(Instruction instruction) {
    close_full();
    for (ValueId operand : instruction.operands) need(operand);
    p_.instructions.push_back(std::move(instruction));
  }

  void put_into_bucket(Instruction instruction) {
    const Key key = key_of(instruction);
    const std::int64_t size = bytes(instruction.operands[0]);
    if (const auto full = open_.find(key);
        full != open_.end() && full->second.bytes >= kBucketBytes)
      close(full);
    waiting_.emplace(instruction.results[0], key);
    const auto [position, is_new] = open_.try_emplace(key);
    Bucket& bucket = position->second;
    if (is_new)
      bucket.instruction = std::move(instruction);
    else
      add(bucket, instruction, size > bucket.largest);
    bucket.bytes += size;
    bucket.largest = std::max(bucket.largest, size);
  }

  Key key_of(Instruction& instruction) const {
    ValueId made = instruction.operands[0];  // by a collective, before what was put off
    for (auto looks = put_off_.find(made); looks != put_off_.end(); looks = put_off_.find(made))
      made = looks->second.looked_at;
    const auto before = waiting_.find(made);
    const ShardType& type = p_.at(instruction.operands[0]).type;
    const bool partial = type.sharding.is_partial();
    return {before == waiting_.end() ? 0 : before->second.depth + 1,
            instruction.kind.index(),
            packable(instruction.kind)->axes,
            type.sharding.partial,
            partial ? type.sharding.combine : Combine::sum,
            type.tensor.dtype};
  }

  static void add(Bucket& bucket, Instruction& one, bool is_largest) {
    Instruction& all = bucket.instruction;
    all.operands.push_back(one.operands[0]);
    all.results.push_back(one.results[0]);
    if (DimList* dims = packable(all.kind)->dims)
      dims->push_back(packable(one.kind)->dims->front());
    std::string cause = all.origin.cause;
    add_causes(cause, one.origin.cause.str());
    if (is_largest) {
      all.origin = one.origin;
      all.role = one.role;
    }
    all.origin.cause = cause;
  }

  /// What makes the value comes now, if it was put off.
  void need(ValueId value) {
    std::vector<Instruction> looks;
    while (auto last = put_off_.extract(value)) {
      value = last.mapped().looked_at;
      looks.push_back(std::move(last.mapped().instruction));
    }
    if (const auto found = waiting_.find(value); found != waiting_.end())
      close(open_.find(found->second));
    std::move(looks.rbegin(), looks.rend(), std::back_inserter(p_.instructions));
  }

  /// A full bucket waits for what stands next to its last tensor, no longer.
  void close_full() {
    const auto is_full = [](const auto& bucket) { return bucket.second.bytes >= kBucketBytes; };
    const auto next = [&] { return std::find_if(open_.begin(), open_.end(), is_full); };
    for (auto full = next(); full != open_.end(); full = next()) close(full);
  }

  void close(Open::iterator position) {
    Instruction all = std::move(position->second.instruction);
    open_.erase(position);
    for (ValueId result : all.results) waiting_.erase(result);
    for (ValueId operand : all.operands) need(operand);
    p_.instructions.push_back(std::move(all));
  }

  Program& p_;
  const DimTable& dims_;
  Open open_;
  std::map<ValueId, Key> waiting_;     // by result: the bucket that it is in
  std::map<ValueId, PutOff> put_off_;  // by result
  std::vector<Instruction> writes_;    // put off to the end
};

}  // namespace

void bucket_collectives(Program& program, const DimTable& dims) {
  Packing(program, dims).run();
  prune(program);  // numbers the values anew, in their order
}

}  // namespace mtfc::lowering
