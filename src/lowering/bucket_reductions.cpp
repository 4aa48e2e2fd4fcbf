// Small all-reduces packed into one: a message costs its latency whatever it carries.
#include <algorithm>
#include <map>
#include <tuple>

#include "lowering/program_passes.h"
#include "support/dtype.h"

namespace mtfc::lowering {

namespace {

// A tensor that is larger gains nothing by being copied into a bucket; a bucket that is full goes.
constexpr std::int64_t kSmallBytes = 64 << 10, kBucketBytes = 1 << 20;

class Packing {
 public:
  Packing(Program& program, const DimTable& dims) : p_(program), dims_(dims) {}

  void run() {
    std::vector<Instruction> before;
    std::swap(before, p_.instructions);
    for (Instruction& instruction : before) {
      for (ValueId operand : instruction.operands) close_bucket_of(operand);
      if (is_small_sum(instruction))
        put_off(std::move(instruction));
      else
        p_.instructions.push_back(std::move(instruction));
    }
    while (!open_.empty()) close(open_.begin());
  }

 private:
  using Key = std::tuple<std::vector<AxisId>, Combine, DType>;
  struct Bucket {
    Instruction instruction;
    std::int64_t bytes = 0;
    std::int64_t largest = 0;  // of its tensors; the bucket stands for that one's line
  };
  using Open = std::map<Key, Bucket>;

  /// Of the whole tensor: a program is the same on every mesh.
  std::int64_t bytes(ValueId id) const {
    const TensorType& type = p_.at(id).type.tensor;
    return elements(dims_, type.dims) * static_cast<std::int64_t>(size_of(type.dtype));
  }

  bool is_small_sum(const Instruction& instruction) const {
    return std::holds_alternative<AllReduce>(instruction.kind) &&
           instruction.operands.size() == 1 && bytes(instruction.operands[0]) <= kSmallBytes;
  }

  void put_off(Instruction instruction) {
    const auto& sum = std::get<AllReduce>(instruction.kind);
    const ValueId operand = instruction.operands[0], result = instruction.results[0];
    const Key key{sum.axes, sum.kind, p_.at(operand).type.tensor.dtype};
    waiting_.emplace(result.index, key);
    const std::int64_t size = bytes(operand);
    const auto [place, is_new] = open_.try_emplace(key);
    Bucket& bucket = place->second;
    bucket.bytes += size;
    if (is_new)
      bucket.instruction = std::move(instruction);
    else
      add(bucket, instruction, size > bucket.largest);
    bucket.largest = std::max(bucket.largest, size);
    if (bucket.bytes >= kBucketBytes) close(place);
  }

  static void add(Bucket& bucket, const Instruction& one, bool is_largest) {
    Instruction& all = bucket.instruction;
    all.operands.push_back(one.operands[0]);
    all.results.push_back(one.results[0]);
    std::string cause = all.origin.cause;
    if (cause.find(one.origin.cause) == std::string::npos) cause += ";" + one.origin.cause;
    if (is_largest) all.origin = one.origin;
    all.origin.cause = cause;
  }

  void close_bucket_of(ValueId value) {
    const auto found = waiting_.find(value.index);
    if (found == waiting_.end()) return;
    const auto bucket = open_.find(found->second);
    if (bucket != open_.end() && holds(bucket->second, value)) close(bucket);
  }
  static bool holds(const Bucket& bucket, ValueId value) {
    for (ValueId result : bucket.instruction.results)
      if (result == value) return true;
    return false;
  }

  void close(Open::iterator bucket) {
    p_.instructions.push_back(std::move(bucket->second.instruction));
    open_.erase(bucket);
  }

  Program& p_;
  const DimTable& dims_;
  Open open_;
  std::map<std::int32_t, Key> waiting_;  // by result: the bucket that it was put into
};

}  // namespace

void bucket_reductions(Program& program, const DimTable& dims) {
  Packing(program, dims).run();
  prune(program);  // numbers the values anew, in their order
}

}  // namespace mtfc::lowering
