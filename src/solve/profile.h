// What the labels of a network's nodes use over time.
#pragma once
#include "solve/label_network.h"
#include "solve/moments.h"

namespace mtfc::solve {

struct ProfilePiece {
  std::uint32_t from = 0, to = 0;  // moments
  std::vector<double> usage;       // by label, beyond the least of them
};

struct Profiles {
  std::vector<std::vector<ProfilePiece>> nodes;  // of the network
  std::vector<double> slack;           // by moment: the limit less the least that every node uses
  std::vector<std::uint32_t> moment;   // of these, among all moments
  std::vector<std::uint32_t> stretch;  // by moment: the one of these that it belongs to
};

/// Moments at which no labels could exceed the limit are left out, and of those that differ in
/// nothing but the slack all but one. The pieces and `slack` number those that are left.
Profiles profiles_of(const Network& network, const Problem& problem, const Moments& moments);

}  // namespace mtfc::solve
