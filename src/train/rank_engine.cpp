#include "train/rank_engine.h"

#include <algorithm>

#include "support/aligned_bytes.h"
#include "support/check.h"

namespace mtfc::runtime {

RankEngine::RankEngine(net::Network& network, std::vector<std::int64_t> mesh, int threads)
    : pool_(threads), groups_(network, std::move(mesh)) {
  AlignedBytes::set_processes_alike(network.processes_here());
}

void RankEngine::add_variable(VariableInfo info, net::ShardedTensor tensor, void* shard) {
  variables_.push_back({std::move(info), shard});
  tensors_.push_back(std::move(tensor));
}

void RankEngine::add_input(std::string name, net::ShardedTensor tensor) {
  inputs_.push_back({std::move(name), std::move(tensor)});
}

std::size_t RankEngine::number(std::string_view path) const {
  for (std::size_t i = 0; i < variables_.size(); ++i)
    if (variables_[i].info.path == path) return i;
  MTFC_CHECK(false, "no variable " + std::string(path));
}

std::vector<VariableInfo> RankEngine::variables() const {
  std::vector<VariableInfo> all;
  for (const Variable& variable : variables_) all.push_back(variable.info);
  return all;
}

HostTensor RankEngine::variable(std::string_view path) {
  const std::size_t i = number(path);
  return net::assembled(groups_, pool_, tensors_[i], variables_[i].shard);
}

void RankEngine::set_variable(std::string_view path, const HostTensor& value) {
  const std::size_t i = number(path);
  net::take_shard(groups_, pool_, tensors_[i], value, variables_[i].shard);
}

std::vector<Share> RankEngine::shares() const { return net::shares_of(groups_, tensors_); }

HostTensor RankEngine::part(std::string_view path) {
  const std::size_t i = number(path);
  return net::part_of(groups_, pool_, tensors_[i], variables_[i].shard);
}

NotFinite RankEngine::worst_of(std::string_view path) {
  const std::size_t i = number(path);
  return net::worst_of_part(groups_, pool_, tensors_[i], variables_[i].shard);
}

void RankEngine::set_part(std::string_view path, const HostTensor& value) {
  const std::size_t i = number(path);
  net::set_part(groups_, pool_, tensors_[i], value, variables_[i].shard);
}

std::span<std::byte> RankEngine::shard(std::string_view path) const {
  const std::size_t i = number(path);
  return {static_cast<std::byte*>(variables_[i].shard),
          static_cast<std::size_t>(tensors_[i].shard_bytes())};
}

net::ShardRange RankEngine::range(std::string_view path) const {
  return net::range_of(groups_, tensors_[number(path)]);
}

net::Group* RankEngine::replicas(std::string_view path) {
  const std::vector<int>& varying = tensors_[number(path)].varying;
  std::vector<int> alike;
  for (int axis = 0; axis < static_cast<int>(groups_.sizes().size()); ++axis)
    if (groups_.sizes()[static_cast<std::size_t>(axis)] > 1 &&
        std::find(varying.begin(), varying.end(), axis) == varying.end())
      alike.push_back(axis);
  return alike.empty() ? nullptr : &groups_.along(alike);
}

bool RankEngine::takes_input(std::string_view input) const {
  return std::any_of(inputs_.begin(), inputs_.end(),
                     [&](const Input& entry) { return entry.name == input; });
}

Block RankEngine::input_part(std::string_view input,
                             const std::vector<std::int64_t>& extents) const {
  std::vector<net::ShardedTensor> fed;
  for (const Input& entry : inputs_)
    if (entry.name == input) fed.push_back(entry.tensor);
  return net::part_of_batch(groups_, fed, extents);
}

}  // namespace mtfc::runtime
