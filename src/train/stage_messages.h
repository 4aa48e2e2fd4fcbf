// What crosses between the ranks of a pipeline's stages. Ranks of equal number within their stages
// have equal shards of what crosses, and send these to each other.
#pragma once
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "train/pipeline_plan.h"
#include "train/rank_engine.h"

namespace mtfc::runtime {

/// Every rank goes through the same list of parts and micro-batches: of its own stage's it takes,
/// runs and gives, of the others' it expects what they give. Nothing but `take` waits, for what an
/// earlier entry of the list gives, so that no two ranks wait for each other; and what one stage
/// gives another arrives in the order of the list, whatever stages run at the same time.
class StageMessages {
 public:
  /// All outlive it. `own`: this rank's stage, whose engine is `stage`. Every rank calls it.
  StageMessages(const PipelinePlan& plan, int own, RankEngine& stage, net::Network& all);
  /// Waits until what was sent has left.
  ~StageMessages();
  StageMessages(const StageMessages&) = delete;
  StageMessages& operator=(const StageMessages&) = delete;

  /// Sets the variables of what the part, of the own stage, takes.
  void take(int part, std::int64_t microbatch);
  void give(int part, std::int64_t microbatch);
  /// A part of another stage gives this one something, or nothing.
  void expect(int part, std::int64_t microbatch);
  /// The bytes of a stage, on all ranks. Only those of other stages wait, for that one.
  void share(int stage, std::vector<std::byte>& bytes);

  /// The most passes held (passes_held) so far.
  std::int64_t most_held() const { return most_held_; }

 private:
  using Bytes = std::vector<std::byte>;
  struct Held {
    Bytes bytes;
    net::Transfer coming;
  };
  struct Sent {
    std::shared_ptr<const Bytes> bytes;
    net::Transfer going;
  };

  void send(int stage, const std::shared_ptr<const Bytes>& bytes);
  void note_held();

  const PipelinePlan& plan_;
  const int own_;
  /// The ranks of all stages that have this rank's number in theirs, by stage.
  const std::unique_ptr<net::Channel> line_;
  std::vector<std::span<std::byte>> shards_;  // by crossing; empty: not of this stage
  std::map<HeldKey, Held> held_;
  std::list<Sent> sent_;  // and not yet known to have left
  std::int64_t most_held_ = 0;
};

}  // namespace mtfc::runtime
