// An emitted program as the training loop sees it.
#pragma once
#include "train/emitted/emitted_processor.h"
#include "train/engine.h"

namespace mtfc::runtime {

class EmittedEngine : public Engine {
 public:
  EmittedEngine(const EmittedModule& module, net::Network& network, int threads)
      : processor_(module, network, threads) {}

  bool has_program(std::string_view program) const override;
  void run(std::string_view program, const Feeds& feeds, std::vector<Fetched>& fetched) override;
  std::vector<VariableInfo> variables() const override;
  HostTensor variable(std::string_view path) override;  // every rank calls it
  void set_variable(std::string_view path, const HostTensor& value) override;
  Counters counters(std::string_view program) const override;
  Block input_part(std::string_view input, const std::vector<std::int64_t>& extents) const override;
  std::vector<Share> shares() const override;
  HostTensor part(std::string_view path) override;
  void set_part(std::string_view path, const HostTensor& value) override;
  net::Network& network() const override { return processor_.network(); }

 private:
  int number(std::string_view program) const;  // -1: there is none
  std::size_t variable_number(std::string_view path) const;

  Processor processor_;
};

}  // namespace mtfc::runtime
