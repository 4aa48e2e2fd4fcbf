// The engine of one rank of a pipeline: mtfc under mpirun and emitted programs have it in common.
#pragma once
#include <memory>

#include "train/stage_messages.h"

namespace mtfc::runtime {

/// Runs the parts of its stage. Every rank runs the same programs and parts in the same order, and
/// passes over those of other stages.
class PipelineRank final : public Engine {
 public:
  /// `among`: the ranks of this rank's stage; `stage`: its engine on these. `all` outlives it;
  /// every rank of it calls it.
  PipelineRank(PipelinePlan plan, net::Network& all, std::unique_ptr<net::Network> among,
               std::unique_ptr<RankEngine> stage);

  bool has_program(std::string_view program) const override;
  void run(std::string_view program, const Feeds& feeds, std::vector<Fetched>& fetched) override;
  std::vector<VariableInfo> variables() const override;
  HostTensor variable(std::string_view path) override;  // every rank calls it
  void set_variable(std::string_view path, const HostTensor& value) override;
  Counters counters(std::string_view program) const override;  // of the own stage
  void give_back_memory() override { stage_->give_back_memory(); }
  void spread(std::int64_t count, const std::function<void(std::int64_t)>& task) override {
    stage_->spread(count, task);
  }
  Block input_part(std::string_view input, const std::vector<std::int64_t>& extents) const override;
  std::vector<Share> shares() const override;
  HostTensor part(std::string_view path) override;
  NotFinite worst_of(std::string_view path) override {
    return is_own(path) ? stage_->worst_of(path) : NotFinite::none;
  }
  void set_part(std::string_view path, const HostTensor& value) override;
  net::Network& network() const override { return all_; }

  /// As PipelineSimulator's, of all stages. Every rank calls it.
  std::vector<std::int64_t> most_held();

 private:
  void run_part(int part, const Feeds& feeds, std::vector<Fetched>& fetched);
  bool is_own(std::string_view path) const { return plan_.variable(path).stage == own_; }

  const PipelinePlan plan_;
  net::Network& all_;
  const int own_;
  const std::unique_ptr<net::Network> among_;
  const std::unique_ptr<RankEngine> stage_;
  StageMessages messages_;
};

}  // namespace mtfc::runtime
