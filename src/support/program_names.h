// What compiled programs and their feeds are called: the compiler makes them, what runs asks for
// them by these names.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace mtfc {

namespace program_names {

inline constexpr const char* init = "init";    // writes every variable
inline constexpr const char* train = "train";  // one step
// With micro-batches these three are the step (docs/memory.md): before, on each, and after them.
inline constexpr const char* measure = "measure";
inline constexpr const char* accumulate = "accumulate";
inline constexpr const char* apply = "apply";
inline constexpr const char* eval_begin = "eval_begin";    // clears the accumulators
inline constexpr const char* eval = "eval";                // one batch, adds to them
inline constexpr const char* eval_finish = "eval_finish";  // fetches losses and metrics
inline constexpr const char* run = "run";  // computes tensors by name; all of a model without loss

// Generation (docs/generation.md). What does not depend on the ids, if there is something:
inline constexpr const char* generate_fixed = "generate_fixed";
// One each for a window of positions: all positions, the newest one, caches of the smaller window
// into larger ones, texts in another order.
inline constexpr const char* prefill = "prefill";
inline constexpr const char* step = "step";
inline constexpr const char* grow = "grow";
inline constexpr const char* reorder = "reorder";
/// "step_64"
inline std::string of_window(const char* program, std::int64_t window) {
  return std::string(program) + "_" + std::to_string(window);
}

/// Whether it is the program, or what a stage of a pipeline computes of it ("init.0").
inline bool is_part_of(std::string_view name, std::string_view program) {
  return name == program || (name.starts_with(program) && name[program.size()] == '.');
}

}  // namespace program_names

/// What programs are fed with beside the inputs of the model, under their names: i32 scalars but
/// for the last two. Inputs have no dot in their names.
namespace feed_names {

/// Of an operation without operands that gives an int of the run.
inline std::string of_counter(std::string_view operation) {
  return "run." + std::string(operation);
}
inline constexpr const char* step = "run.step";                    // its number, from 0
inline constexpr const char* steps = "run.steps";                  // how many the run has
inline constexpr const char* examples = "run.examples";            // how many of the batch are real
inline constexpr const char* first_example = "run.first_example";  // number of the batch's first
inline constexpr const char* microbatch = "run.microbatch";  // number of the micro-batch, from 0
inline constexpr const char* position = "run.position";      // of the newest token, in generation
inline constexpr const char* generated_ids = "generate.tokens";  // [texts, positions]
inline constexpr const char* order_of_rows = "generate.rows";    // [texts]: where each comes from

}  // namespace feed_names

/// What begins the paths of variables that no model declares: the outermost instances of a model
/// have other names. What passes between programs and ends with a number ("cross.train.0") is like
/// no path of a model.
namespace owner_names {

inline constexpr const char* optimizer = "optimizer";  // its states
inline constexpr const char* step = "train";           // what a step adds up or prepares
// Of the optimizer, where the loss scale adapts:
inline constexpr const char* loss_scale = "optimizer.loss_scale";
inline constexpr const char* good_steps = "optimizer.good_steps";
/// What checkpoints (safetensors) call their notes: no variable's path.
inline constexpr const char* notes = "__metadata__";

/// "train.grad.w"
inline std::string path(const char* owner, std::string_view rest) {
  return std::string(owner) + "." + std::string(rest);
}
inline bool is_optimizer_state(std::string_view path_of_variable) {
  return path_of_variable.starts_with(path(optimizer, ""));
}

}  // namespace owner_names

/// What the gradient of the loss by a value is called.
namespace gradient_names {

/// "grad.w"
inline std::string of(std::string_view value) { return "grad." + std::string(value); }
/// "w" of "grad.w"; empty for the name of anything else.
inline std::string_view value_of(std::string_view name) {
  const std::string prefix = of("");
  return name.starts_with(prefix) ? name.substr(prefix.size()) : "";
}

}  // namespace gradient_names

/// One of the programs of a training step. With several micro-batches it runs once for each,
/// fed with its number m and the examples m, m + microbatches, m + 2 microbatches, ... of every
/// input.
struct StepProgram {
  std::string program;
  std::int64_t microbatches = 1;
  std::int64_t only = -1;  // runs for this one alone; -1: for each, one after the other
  friend bool operator==(const StepProgram&, const StepProgram&) = default;
};

}  // namespace mtfc
