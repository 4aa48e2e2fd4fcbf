// An emitted program as the training loop sees it.
#pragma once
#include "train/emitted/emitted_processor.h"
#include "train/rank_engine.h"

namespace mtfc::runtime {

class EmittedEngine : public RankEngine {
 public:
  /// `module`, `network`: of this processor's stage, of a pipeline.
  EmittedEngine(const EmittedModule& module, net::Network& network, int threads);

  bool has_program(std::string_view program) const override;
  void run(std::string_view program, const Feeds& feeds, std::vector<Fetched>& fetched) override;
  Counters counters(std::string_view program) const override;
  void give_back_memory() override { processor_.give_back_memory(); }

 private:
  int number(std::string_view program) const;  // -1: there is none

  const EmittedModule& module_;
  Processor processor_;
};

}  // namespace mtfc::runtime
