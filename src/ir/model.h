// Model: everything a checked .mtf file says, without a mesh. What the front end hands on.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "sources/source_spec.h"
#include "support/setting_words.h"
#include "support/special_members.h"
#include "support/variant.h"

namespace mtfc {

/// A parameter, a state, or (added later) optimiser state.
struct Variable {
  // accumulator: sums that evaluations and micro-batches add up; cache: what generation keeps; both
  // are never saved
  enum class Kind { parameter, state, optimizer, accumulator, cache };
  std::string path;  // "layers.3.attn.wq"
  TensorType type;
  Kind kind{};
  bool trainable = true;  // parameters; false if frozen
  Span declared;          // the name; its shape
  Span shape_span;
};

/// A source's field fed into the model each step.
struct Input {
  std::string name;
  TensorType type;
  std::string
      source;         // name of a DataSource (an inline `from gaussian(...)` gets the input's name)
  std::string field;  // "image", "window"; empty for single-field generators
  Span declared;
};

/// A source, not opened, with where the model has it.
struct DataSource : SourceSpec {
  Span span;
};

/// A settings expression with named arguments, all static: adamw(lr=cosine(peak=1e-3, warmup=100)).
struct SettingCall {
  using Value = Variant<double, std::int64_t, bool, std::string, std::vector<SettingCall>>;
  std::string function;                             // "adamw", "cosine"
  std::vector<std::pair<std::string, Value>> args;  // a nested call is a vector of one
  Span span;
};

/// `params "glob", ... { lr_scale decay frozen trust init }`
struct ParamSettings {
  std::vector<std::string> globs;
  Span init_span;  // of the value of `init`
  std::map<std::string, Variant<double, bool, std::string>> settings;
};

/// What multiplies the loss before it is differentiated (docs/precision.md).
struct LossScale {
  double value = 1;         // dynamic: in the first step
  std::int64_t growth = 0;  // good steps until it doubles; 0: it is always the same
};

struct TrainSettings {
  bool present = false;
  SettingCall optimizer;   // checked: known function, known arguments, defaults filled in
  std::int64_t steps = 0;  // one of the two is > 0 if present
  double epochs = 0;
  std::int64_t eval_every = 0;  // 0: only after the last step
  double clip = 0;              // 0: none
  std::int64_t seed = 0;
  std::int64_t microbatches = 1;
  Span microbatches_span;
  std::string precision = "f32";  // or "f64", "bf16", "f16"
  std::int64_t checkpoint_every = 0, keep = 3;
  LossScale loss_scale;
  CheckpointForm checkpoint = CheckpointForm::one_file;
  std::optional<UpdateForm> update;  // absent: as the layout says
  OnNan on_nan = OnNan::stop;
  std::vector<ParamSettings> params;
  Span span;
};

/// `generate L from T over d { ... }`, in the graph of the evaluation.
struct Generation {
  ValueId logits, tokens;
  DimId over, vocab;
  DimId rows;                         // T's other dimension; not valid if it has none
  std::string prompt;                 // the input that is fed whole; empty: the prompt is T's own
  std::optional<std::int64_t> start;  // T's first value
  std::optional<std::int64_t> stop;
  Span span;
};
/// A dimension whose positions belong to examples, and its alias in one micro-batch. Of `count`
/// micro-batches number m has, in their order, the positions p for which (p / inner) mod count is
/// m.
struct ExampleDim {
  DimId batch, micro;
  std::int64_t inner = 1;
  /// Where examples themselves (inner = 1) were merged with others: what was merged, major to
  /// minor.
  std::vector<DimId> merged;

  /// Whether the positions that a micro-batch has are those of examples themselves, alone or
  /// merged.
  bool is_of_whole_examples() const { return inner == 1 || !merged.empty(); }
};
/// The training graph on one micro-batch (docs/memory.md).
struct Microbatch {
  std::int64_t count = 1;  // 1: there are none
  std::vector<ExampleDim> dims;
  DimId number;  // of size `count`
  Graph graph;   // as Model::train; inputs have the dimensions `micro`

  /// The entry with this dimension of the batch (of a micro-batch); null if there is none.
  const ExampleDim* of_batch(DimId dim) const;
  const ExampleDim* of_micro(DimId dim) const;
};

/// The examples that an evaluation takes at once: a batch, or one of `count` parts of it, where
/// training has micro-batches and no number changes by it.
struct EvaluationBatch {
  std::int64_t count = 1;
  DimId examples;  // of one part; not valid: a whole batch
};

struct Model {
  MTFC_DECLARE_SPECIAL_MEMBERS(Model, noexcept(false));
  std::string path;
  /// All texts that it was made from, the model's first: where each lies (absolute; "library/NAME"
  /// for the shipped ones) and the text itself.
  std::vector<std::pair<std::string, FileId>> files;
  DimTable dims;
  std::vector<Variable> variables;
  std::vector<Input> inputs;
  std::vector<DataSource> sources;
  Graph init;   // outputs: one `variable` each; `read` and `input` do not occur
  Graph train;  // forward with `training` true; outputs: losses, state updates (kind variable)
  Graph eval;   // forward with `training` false; outputs: losses and metrics
  EvaluationBatch evaluation;  // of `eval`
  /// By recompute tag (StepRole): the tag of the `recompute` that holds it, 0 for none. Tag 0 is
  /// none.
  std::vector<int> recompute_parents{0};
  Microbatch microbatch;  // of `train`, with `microbatches`
  TrainSettings settings;
  std::optional<Generation> generation;
  std::vector<std::string> notes;  // what was passed over
};

}  // namespace mtfc
