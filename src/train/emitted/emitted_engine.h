// An emitted program as the training loop sees it.
#pragma once
#include "train/emitted/emitted_processor.h"
#include "train/rank_engine.h"

namespace mtfc::runtime {

class EmittedEngine : public RankEngine {
 public:
  /// `stage`: this processor's, of a pipeline; `network`: of that stage.
  EmittedEngine(const EmittedModule& module, net::Network& network, int threads, int stage = 0);

  bool has_program(std::string_view program) const override;
  void run(std::string_view program, const Feeds& feeds, std::vector<Fetched>& fetched) override;
  Counters counters(std::string_view program) const override;

 private:
  int number(std::string_view program) const;  // -1: there is none

  const EmittedModule& module_;
  Processor processor_;
};

}  // namespace mtfc::runtime
