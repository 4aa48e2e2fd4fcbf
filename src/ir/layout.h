// A layout: which dimension is split over which mesh axis. As written, and resolved for one model.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ir/dims.h"
#include "support/mesh.h"

namespace mtfc {

struct LayoutRule {
  std::string pattern;            // a dimension's name, or with '*'
  bool optional = false;          // '?': no warning if the model lacks the dimension
  std::vector<std::string> axes;  // more than one: not yet supported
  std::vector<Span> axis_spans;
  Span pattern_span;
  Span span;  // the whole rule
};

/// `key = value` pairs of one `chip` or `link` line, unchecked beyond their syntax.
struct HardwareLine {
  std::string kind;                // "chip" or "link"
  std::vector<std::string> words;  // link: axis and topology
  std::vector<std::pair<std::string, std::string>> fields;
  Span span;
};
struct Hardware {
  std::string name;
  std::vector<HardwareLine> lines;
  Span span;
};

/// One layout file, or the text of --rules.
struct Layout {
  std::optional<Mesh> mesh;
  Span mesh_span;
  std::vector<Span> mesh_axis_spans;
  std::vector<LayoutRule> rules;
  std::vector<Hardware> hardware;
  std::vector<std::pair<std::string, std::string>> settings;  // set NAME=WORD
  std::vector<Span> setting_spans;
};

/// What lowering needs: the mesh, and for every dimension the axes it is split over.
struct Placement {
  struct Entry {
    std::vector<AxisId> axes;  // empty: whole. Axes of size 1 never occur.
    int rule = -1;             // index into Layout::rules
    std::string cause;         // the rule's text, "batch:rows"
  };
  Mesh mesh;
  std::vector<Entry> dims;  // by DimId
  // `set update=sharded`, `set wire=bf16`, `set reduce=library`
  bool sharded_update = false, narrow_sums = false, library_sums = false;

  const std::vector<AxisId>& axes(DimId dim) const;  // empty for dims added later
  const std::string& cause(DimId dim) const;
};

}  // namespace mtfc
