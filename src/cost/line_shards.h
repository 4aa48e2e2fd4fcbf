// What each line of a model makes, and how a processor has it.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "ir/layout.h"
#include "ir/module.h"
#include "messages/source_map.h"

namespace mtfc::cost {

struct LineShard {
  struct Dim {
    std::string name, axes;  // "batch", "rows"; no axes: not split
    std::string cause;  // the rule that splits it, "batch:rows"; or leaves it unsplit, against one
    std::int64_t size = 0;  // of the shard
    friend bool operator==(const Dim&, const Dim&) = default;
  };
  struct Instance {
    std::string path;         // "layers.0.attn.q"
    std::vector<int> stages;  // of a pipeline that make it, ascending; else none
  };
  std::string source;  // "models/gpt.mtf:14"
  std::string name;    // "layers.*.attn.q", or "layers.{0,2-5}.attn.q" if others are not split so;
                       // empty: the line's last value, which has none
  std::vector<Instance> instances;  // all that are meant
  std::string partial;              // axes over which it is a partial sum
  std::vector<Dim> dims;
  bool called = false;  // the library makes it for this line, which calls it

  std::vector<std::string> paths() const;  // of the instances
  /// "q [batch:data=2, length=256]"
  std::string text() const;
};

/// Variables and values of the forward pass, in program order: of a training step, or of the run if
/// there is none. Instances of a block that are split alike are one; of several values of one name
/// the last holds. What the library makes is there twice: at its own line, and at the model's that
/// calls it. `hidden`: paths of variables that are left out.
std::vector<LineShard> line_shards(const Module& module, const Assignment& assignment,
                                   const SourceMap& sources,
                                   const std::set<std::string>& hidden = {});

/// The same with each instance for itself.
std::vector<LineShard> single_shards(const Module& module, const Assignment& assignment,
                                     const SourceMap& sources,
                                     const std::set<std::string>& hidden = {});
/// What is split alike, of those that `*` for numbers makes equal. In the order of the first.
std::vector<LineShard> instances_together(std::vector<LineShard> all);

std::string to_json(const LineShard& shard);

/// Ascending numbers, of instances or stages: "0-2, 5".
std::string ranges_text(const std::vector<int>& numbers);

}  // namespace mtfc::cost
