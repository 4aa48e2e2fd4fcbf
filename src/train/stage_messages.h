// What crosses between the ranks of a pipeline's stages (crossing_messages.h): every byte goes from
// stage to stage once. Of a shard that replicas hold alike each is sent a part, and they gather the
// parts: on equal meshes the scatter and gather of Narayanan et al. (arXiv 2104.04473, section
// 4.1), on others the local all-gather of Alpa (Zheng et al., OSDI 2022, section 6).
#pragma once
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "train/crossing_messages.h"
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
  /// A crossing at this rank. Messages name ranks of all.
  struct Form {
    std::span<std::byte> shard;      // the variable's; empty: not of this stage
    net::Group* replicas = nullptr;  // that gather their parts; null: the part is the shard
    std::size_t part = 0;            // bytes of it that this rank is sent
    std::vector<CrossingMessage> incoming;
    std::map<int, std::vector<CrossingMessage>> outgoing;  // by stage
  };
  /// A message on its way.
  struct Arriving {
    Bytes bytes;
    net::Transfer coming;
  };
  /// A shard, or until it is taken what this rank is sent of it.
  struct Held {
    Bytes bytes = {};
    std::vector<Arriving> arriving = {};  // by message of the form
    bool arrived = true;
    bool in_place = false;  // it is in the variable, and nowhere else
  };
  struct Sent {
    std::shared_ptr<const Bytes> bytes;
    net::Transfer going;
  };

  using Ranges = std::vector<ShardRange>;  // by rank of all, of one crossing

  std::vector<Ranges> all_ranges(const RankEngine& stage, std::int64_t most_dims) const;
  Form form(RankEngine& stage, const PipelinePlan::Crossing& crossing, const Ranges& ranges) const;
  Ranges of_stage(const Ranges& ranges, int stage) const;
  void complete(const Form& form, Held& held);
  void load(int crossing, Held& held);
  void make_room(int crossing);
  void send(int rank, std::shared_ptr<const Bytes> bytes);
  void note_held();

  const PipelinePlan& plan_;
  const int own_;
  const std::unique_ptr<net::Channel> all_;  // the ranks of all stages
  std::vector<Form> forms_;                  // by crossing
  std::map<HeldKey, Held> held_;
  std::map<int, Held*> in_place_;  // by crossing, of those held
  std::list<Sent> sent_;           // and not yet known to have left
  std::int64_t most_held_ = 0;
};

}  // namespace mtfc::runtime
