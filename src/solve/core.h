// A network as flat arrays, for what goes over it many times: nodes that still have a choice, their
// costs, and what their labels use over time beyond what is used in any case.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "solve/label_network.h"
#include "solve/moments.h"

namespace mtfc::solve {

struct CoreEdge {
  std::uint32_t a = 0, b = 0;  // a < b
  std::size_t at = 0;          // its costs in `Core::costs_ab` and `costs_ba`
  std::size_t message = 0;     // room for one number for each label of a, then of b
};
struct CoreLink {
  std::uint32_t edge = 0, other = 0;
};
/// From moment `from` to before `to` each label uses what stands at `at` in `Core::usage`.
struct CorePiece {
  std::uint32_t from = 0, to = 0;
  std::size_t at = 0;
};

struct Core {
  std::vector<std::size_t> node;      // of the network
  std::vector<std::uint32_t> labels;  // how many
  std::vector<std::size_t> offset;    // of a node's labels in flat arrays; one more than nodes
  std::vector<double> costs;          // by label, flat
  std::vector<CoreEdge> edges;
  std::vector<double> costs_ab, costs_ba;  // row-major, and transposed
  std::vector<std::size_t> link_begin;     // one more than nodes
  std::vector<CoreLink> links;             // of a node, ascending by the other end
  std::vector<std::size_t> piece_begin;    // one more than nodes
  std::vector<CorePiece> pieces;
  std::vector<double> usage;           // not negative; in each piece some label uses 0
  std::vector<double> slack;           // by moment: what labels may use in all
  std::vector<std::uint32_t> moment;   // of the slack, among all moments
  std::vector<std::uint32_t> stretch;  // by moment: where in `slack` it would be
  std::size_t message_size = 0;
  double constant = 0;
  double largest = 0;  // of the edges' costs, without their signs
  bool possible = true;

  std::size_t size() const { return labels.size(); }
  std::size_t moments() const { return slack.size(); }
  std::span<const CoreLink> links_of(std::size_t i) const {
    return {links.data() + link_begin[i], links.data() + link_begin[i + 1]};
  }
  std::span<const CorePiece> pieces_of(std::size_t i) const {
    return {pieces.data() + piece_begin[i], pieces.data() + piece_begin[i + 1]};
  }
  /// Of the edge behind a link of `i`, for one of its labels: costs by the other end's label.
  const double* row(std::size_t i, const CoreLink& link, std::size_t label) const {
    const CoreEdge& edge = edges[link.edge];
    return (edge.a == i ? costs_ab.data() : costs_ba.data()) + edge.at + label * labels[link.other];
  }
};

using Labels = std::vector<int>;

Core core_of(const Network& network, const Problem& problem, const Moments& moments);

/// What the labels cost, without the constant.
double cost_of(const Core& core, const Labels& labels);
/// What a label uses in these pieces of its node, times `sign`, added to differences by moment:
/// their running sum is the usage.
void add_differences(const Core& core, std::span<const CorePiece> pieces, int label, double sign,
                     std::vector<double>& differences);
/// By moment.
std::vector<double> usage_of(const Core& core, const Labels& labels);
bool fits(const Core& core, const Labels& labels);
/// Of every label what it uses, at this price of each moment.
std::vector<double> prices_of(const Core& core, const std::vector<double>& price);
/// By how much rounding may change a sum that takes the least of each node's and each edge's costs:
/// of each a few units in the last place of the largest.
double rounding_of(const Core& core, const std::vector<double>& unary);
/// Labels of the network's nodes; those that the core leaves out have one.
Labels network_labels(const Core& core, const Network& network, const Labels& labels);

}  // namespace mtfc::solve
