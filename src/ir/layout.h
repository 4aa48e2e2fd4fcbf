// A layout: which dimension is split over which mesh axis. As written, and resolved for one model.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/dims.h"
#include "ir/quantity.h"
#include "ir/type.h"
#include "support/mesh.h"
#include "support/shared_text.h"
#include "support/special_members.h"

namespace mtfc {

struct LayoutRule {
  std::string pattern;            // a dimension's name, or with '*'
  bool optional = false;          // '?': no warning if the model lacks the dimension
  bool must_divide = false;       // '!': a size that the axes do not divide is an error
  std::vector<std::string> axes;  // major to minor; none only in scopes: not split
  std::vector<Span> axis_spans;
  Span pattern_span;
  Span span;  // the whole rule
};

/// Rules for a part of the model.
struct LayoutScope {
  enum class Kind {
    param,  // `param "layers.**" { d_model:data }`: how the parameters of these paths are kept
    value,  // `value "**.attn.k" { memory:data }`: how values of these names are split
    block,  // `in "layers.*" { length:model }`: how all is split that these block instances make
  };
  Kind kind = Kind::param;
  std::string glob;  // ir/glob.h
  std::vector<LayoutRule> rules;
  Span glob_span, span;
  bool optional = false;  // '?': no warning if nothing of the model matches
};

/// "param", "value", "in".
std::string_view name(LayoutScope::Kind kind);

/// `pipeline "layers.*" { stages = 2; schedule = gpipe }`, unchecked beyond its syntax.
struct LayoutPipeline {
  struct Field {
    std::string name;                // "stages"
    std::vector<std::string> words;  // "3", "4": of `3+4`
    Span span;
  };
  std::vector<std::string> globs;  // ir/glob.h
  std::vector<Field> fields;
  Span globs_span, span;
};

/// `name=value` of a `chip` or `link` line.
struct HardwareField {
  std::string name, text;            // "mem", "80GB"
  std::optional<Quantity> quantity;  // none: the value is a word
  Span span;
};
/// One `chip` or `link` line, unchecked beyond its syntax and units.
struct HardwareLine {
  std::string kind;                // "chip" or "link"
  std::vector<std::string> words;  // link: its name and, if given, its topology
  std::vector<HardwareField> fields;
  Span span;
};
/// A machine as described; predict/read_machine.h says what it means.
struct Hardware {
  std::string name;
  std::vector<HardwareLine> lines;
  Span span;
  bool preset = false;  // a name alone, without braces
  Span name_span = {};
};

/// One layout file, or the text of --rules.
struct Layout {
  MTFC_DECLARE_SPECIAL_MEMBERS(Layout, noexcept);
  std::optional<Mesh> mesh;
  Span mesh_span;
  std::vector<Span> mesh_axis_spans;
  std::vector<LayoutRule> rules;
  std::vector<LayoutScope> scopes;
  bool replicates = false;  // `[]`: there are to be no rules
  std::optional<LayoutPipeline> pipeline;
  std::vector<Hardware> hardware;
  std::vector<std::pair<std::string, std::string>> settings;  // set NAME=WORD
  std::vector<Span> setting_spans;
};

/// How programs are carried out, beside where tensors live: what `set` lines of a layout ask for.
struct LoweringOptions {
  bool shard_update = false;        // `set update=sharded`: replicas share the weight update
  bool compress_gradients = false;  // `set wire=bf16`: their sums travel in bf16
  bool gather_once = false;   // `set gather=once`: what is gathered is kept for the backward pass
  bool gather_step = false;   // `set gather=step`: and for all micro-batches of a step
  bool store_scores = false;  // `set attention=stored`: no products tile by tile
  bool recompute_scores = false;     // `set recompute=scores`: large products of few terms alone
  bool recompute_full = false;       // `set recompute=full`: iterations keep what they get alone
  bool recompute_selective = false;  // `set recompute=selective`: and products with parameters
  /// `set recompute=full:40`: so many of each `repeat`, of each stage; 0: all.
  std::int32_t recompute_iterations = 0;
  bool library_reductions = false;  // `set reduce=library`: in the order of the network's library
};

/// In which order the stages of a pipeline run micro-batches (pipeline/schedule.h).
enum class Schedule { gpipe, one_f_one_b, interleaved };
/// "gpipe", "1f1b", "interleaved"
std::string_view name(Schedule schedule);

/// A pipeline, resolved for one model. Each stage has one or more chunks of the model; virtual
/// stage n, of count * chunks in the order of the model, is chunk n / count of stage n % count.
struct Stages {
  int count = 1;
  int chunks = 1;  // of each stage
  /// By the path of a block instance: the virtual stage of it and of what is nested in it.
  std::map<std::string, int, std::less<>> blocks;
  Schedule schedule = Schedule::one_f_one_b;

  int virtual_stages() const { return count * chunks; }
  int stage_of(int virtual_stage) const { return virtual_stage % count; }
  /// The virtual stage of a block instance ("layers.3.attn"); none if neither it nor one around it
  /// has one.
  std::optional<int> of_block(std::string_view block) const;
};

/// What lowering needs: the mesh, and for every dimension the axes it is split over.
struct Assignment {
  MTFC_DECLARE_SPECIAL_MEMBERS(Assignment, noexcept);
  struct Entry {
    std::vector<AxisId> axes;  // empty: replicated. Axes of size 1 never occur.
    int rule = -1;             // index into Layout::rules
    SharedText cause;          // the rule's text, "batch:rows"
  };
  /// How one parameter is kept where that is not how operations take it; its gradient and the
  /// optimiser's states are kept alike.
  struct Kept {
    Sharding sharding;  // by the parameter's dimensions; complete
    SharedText cause;   // `param "**" d_model:data`
    friend bool operator==(const Kept&, const Kept&) = default;
  };
  /// A `value` or `in` scope: the dimensions that it rules, and how.
  struct Scope {
    struct Split {
      DimId dim;
      std::vector<AxisId> axes;  // empty: not split
      SharedText cause;          // `in "layers.*" length:model`
      friend bool operator==(const Split&, const Split&) = default;
    };
    LayoutScope::Kind kind = LayoutScope::Kind::value;
    std::string glob;
    std::vector<Split> splits;
    Span span = {};                      // of the glob; absent in what was read from a dump
    const Split* find(DimId dim) const;  // null: it does not rule the dimension
  };
  Mesh mesh;
  std::vector<Entry> dims;    // by DimId
  std::vector<Scope> scopes;  // of several that rule one dimension of a value, the first holds
  LoweringOptions options;
  std::map<std::string, Kept> kept;  // by the parameter's path
  /// A pipeline: `mesh` is then that of each stage, unless they have meshes of their own.
  std::optional<Stages> stages;
  /// By stage, if sizes differ (ir/stage_meshes.h); `mesh` then has the largest of each axis.
  std::vector<Mesh> stage_meshes = {};

  /// What the first of some scopes (numbers) that rules a dimension says of it; null: none does.
  const Scope::Split* find(const std::vector<int>& numbers, DimId dim) const;
  const std::vector<AxisId>& axes(DimId dim) const;  // empty for dims added later
  const SharedText& cause(DimId dim) const;
  Entry entry(DimId dim) const;  // split over nothing for dims added later
  /// Adds a dimension to the table, split as `entry` says: how passes make dimensions.
  DimId add_dim(DimTable& table, Dim dim, Entry entry);
  DimId add_dim(DimTable& table, Dim dim) { return add_dim(table, std::move(dim), Entry()); }
};

}  // namespace mtfc
