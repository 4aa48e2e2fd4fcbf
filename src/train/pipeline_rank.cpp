#include "train/pipeline_rank.h"

#include "support/check.h"

namespace mtfc::runtime {

PipelineRank::PipelineRank(PipelinePlan plan, net::Network& all,
                           std::unique_ptr<net::Network> among, std::unique_ptr<RankEngine> stage)
    : plan_(std::move(plan)),
      all_(all),
      own_(plan_.stage_of_rank(all.rank())),
      among_(std::move(among)),
      stage_(std::move(stage)),
      messages_(plan_, own_, *stage_, all) {}

bool PipelineRank::has_program(std::string_view program) const {
  return !plan_.parts_of(program).empty();
}

void PipelineRank::run(std::string_view program, const Feeds& feeds,
                       std::vector<Fetched>& fetched) {
  // None of a program that is empty, as `init` without variables.
  for (const int part : plan_.parts_of(program)) run_part(part, feeds, fetched);
  sort_fetched(plan_, fetched);
}

void PipelineRank::run_part(int number, const Feeds& feeds, std::vector<Fetched>& fetched) {
  const PipelinePlan::Part& part = plan_.part(number);
  const std::int64_t microbatch = microbatch_of(feeds);
  const std::size_t first = fetched.size();
  if (part.stage == own_) {
    messages_.take(number, microbatch);
    stage_->run(part.name, feeds, fetched);
    messages_.give(number, microbatch);
  } else {
    messages_.expect(number, microbatch);
    fetched.insert(fetched.end(), part.fetched.begin(), part.fetched.end());
  }
  for (std::size_t i = first; i < fetched.size(); ++i)
    messages_.share(part.stage, fetched[i].value.data);
}

std::vector<VariableInfo> PipelineRank::variables() const {
  std::vector<VariableInfo> all;
  for (const PipelinePlan::Variable& variable : plan_.variables) all.push_back(variable.info);
  return all;
}

HostTensor PipelineRank::variable(std::string_view path) {
  const auto& [info, stage] = plan_.variable(path);
  HostTensor value =
      stage == own_ ? stage_->variable(path) : HostTensor::zeros(info.dtype, info.extents);
  messages_.share(stage, value.data);
  return value;
}

void PipelineRank::set_variable(std::string_view path, const HostTensor& value) {
  if (is_own(path)) stage_->set_variable(path, value);
}

Counters PipelineRank::counters(std::string_view program) const {
  Counters total;
  for (const int number : plan_.parts_of(program)) {
    const PipelinePlan::Part& part = plan_.part(number);
    if (part.stage == own_) total += stage_->counters(part.name);
  }
  return total;
}

Block PipelineRank::input_part(std::string_view input,
                               const std::vector<std::int64_t>& extents) const {
  if (stage_->takes_input(input)) return stage_->input_part(input, extents);
  return {std::vector<std::int64_t>(extents.size(), 0),
          std::vector<std::int64_t>(extents.size(), 0)};
}

std::vector<Share> PipelineRank::shares() const {
  std::map<std::string, Share> own;
  const std::vector<VariableInfo> variables = stage_->variables();
  const std::vector<Share> shares = stage_->shares();
  for (std::size_t i = 0; i < variables.size(); ++i) own[variables[i].path] = shares[i];
  std::vector<Share> all;
  for (const auto& [info, stage] : plan_.variables) {
    const std::vector<std::int64_t> zeros(info.extents.size(), 0);
    all.push_back(stage == own_ ? own.at(info.path) : Share{{zeros, zeros}, false});
  }
  return all;
}

HostTensor PipelineRank::part(std::string_view path) {
  if (is_own(path)) return stage_->part(path);
  const VariableInfo& info = plan_.variable(path).info;
  return HostTensor::zeros(info.dtype, std::vector<std::int64_t>(info.extents.size(), 0));
}

void PipelineRank::set_part(std::string_view path, const HostTensor& value) {
  if (is_own(path)) stage_->set_part(path, value);
}

std::vector<std::int64_t> PipelineRank::most_held() {
  std::vector<std::int64_t> all;
  for (int stage = 0; stage < plan_.stages; ++stage)
    all.push_back(all_.highest(stage == own_ ? messages_.most_held() : 0));
  return all;
}

}  // namespace mtfc::runtime
