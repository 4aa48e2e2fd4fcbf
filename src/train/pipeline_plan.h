// What whoever runs a pipeline needs to know of its stages, as plain data.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "train/engine.h"

namespace mtfc::runtime {

struct PipelinePlan {
  /// What one stage computes of a program without waiting for another: a program of that stage.
  struct Part {
    std::string name;
    std::string program;  // whose part it is
    int stage = 0;
    int chunk = 0;                  // of its stage
    bool backward = false;          // it is the backward pass of a micro-batch
    std::vector<int> takes, gives;  // crossings, ascending
    std::vector<Fetched> fetched;   // what it fetches, in order; the values are of the right shape
  };
  /// A value that one part makes and others use: a variable of every stage that has one of them.
  struct Crossing {
    std::string variable;
    int from = 0;         // part
    std::vector<int> to;  // parts, ascending
    bool steady = false;  // given with the first micro-batch of a step, and kept for the others
  };
  /// Not of those that cross.
  struct Variable {
    VariableInfo info;
    int stage = 0;  // that it lives in
  };

  int stages = 1;
  std::vector<std::int64_t> processors;  // by stage
  std::vector<Part> parts;               // those of one program in an order in which they can run
  std::vector<Crossing> crossings;
  std::vector<std::string> outputs;  // losses and metrics, in the order of the model
  std::vector<Variable> variables;

  const Part& part(int number) const { return parts[static_cast<std::size_t>(number)]; }
  const Crossing& crossing(int number) const { return crossings[static_cast<std::size_t>(number)]; }
  /// The part of this name, or those of the program of this name.
  std::vector<int> parts_of(std::string_view program) const;
  /// There must be such a variable.
  const Variable& variable(std::string_view path) const;
  // Ranks are dealt out to stages in order.
  int first_rank(int stage) const;
  int stage_of_rank(int rank) const;
  /// The stages that use what crosses, each once, ascending.
  std::vector<int> receivers(const Crossing& crossing) const;
  /// The part of the stage that uses it last; -1 if none does.
  int last_use(const Crossing& crossing, int stage) const;
};

/// Losses and metrics that parts fetched come in the order of the model; what else there is
/// follows.
void sort_fetched(const PipelinePlan& plan, std::vector<Fetched>& fetched);

/// A value that a stage holds from the part that gives it to the last one that takes it.
struct HeldKey {
  std::int64_t microbatch = 0;  // 0 of what is steady
  int crossing = 0;
  friend auto operator<=>(const HeldKey&, const HeldKey&) = default;
};
/// The micro-batch that is fed; 0: none is.
std::int64_t microbatch_of(const Feeds& feeds);
/// The passes, of a micro-batch through a chunk, of which the stage holds something of its own for
/// a backward pass to come.
std::int64_t passes_held(const PipelinePlan& plan, int stage, const std::vector<HeldKey>& held);

}  // namespace mtfc::runtime
