// Which lines of a model need what which others make.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "ir/module.h"
#include "messages/source_map.h"

namespace mtfc::draw {

struct GraphLine {
  std::string source;           // "models/gpt.mtf:14"
  std::set<std::size_t> users;  // lines further down that take what it makes
  std::set<std::size_t> below;  // lines further down that make what it takes, in an instance before
  std::int64_t instances = 0;   // of blocks that compute it
};

/// Of the forward pass, in the order in which it first computes them, without lines where
/// parameters are only gathered.
std::vector<GraphLine> line_graph(const Module& module, const SourceMap& sources);

/// For each line the lane of its connection, from 0: two that share one do not overlap. -1: nobody
/// further down needs it.
std::vector<int> lanes_of(const std::vector<GraphLine>& lines);

}  // namespace mtfc::draw
