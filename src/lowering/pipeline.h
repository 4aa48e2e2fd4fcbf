// Model + assignment -> Module: the passes, in order.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lowering/state/state.h"

namespace mtfc::lowering {

/// What a pass works on: the model before its layout is known, graphs, or programs.
enum class PassStage { model, graphs, programs };

struct Pass {
  const char* name;  // of its file, its function and its dumps
  PassStage stage;   // of what it leaves behind
  void (*run)(State&);
  bool (*wanted)(const State&) = nullptr;  // null: always
};
const std::vector<Pass>& passes();
/// Null if no pass is so named.
const Pass* find_pass(std::string_view name);

/// Of the layout, and what `train.update` of the model adds to them.
LoweringOptions options_of(const Model& model, const Assignment& assignment);
/// Before the first pass. The model must be checked and the assignment legal for it (legality.h).
State start(const Model& model, const Assignment& assignment, const Request& request);
/// The pass, if the state's options and request want it.
void run(const Pass& pass, State& state);
/// The passes behind `pass`, or all if it is null, up to `last`, or to the end if that is null.
void run_after(const Pass* pass, State& state, const Pass* last = nullptr);

/// The passes that come before layouts are checked, on the model alone. False if the model is at
/// fault, which `diagnostics` says.
bool run_before_layout(Model& model, const Request& request, Diagnostics& diagnostics);

Compilation compile(const Model& model, const Assignment& assignment, const Request& request);
/// The module alone.
Module lower(const Model& model, const Assignment& assignment, const Request& request);

/// Types and order of a graph, by the operations' shape rules; empty if all is well.
std::string verify(const Graph& graph, const DimTable& dims);
/// What the stage must obey after the pass.
std::string verify(const State& state, PassStage stage);

}  // namespace mtfc::lowering
