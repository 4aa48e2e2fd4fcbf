#include "lowering/pipeline.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "lowering/graph/rewrite.h"
#include "lowering/program/program_passes.h"
#include "lowering/state/passes.h"
#include "lowering/step/split_programs.h"
#include "support/check.h"
#include "support/program_names.h"

namespace mtfc::lowering {

namespace {

template <auto pass>
void each_graph(State& s) {
  for (Graph& graph : s.made.graphs) graph = pass(graph, s.model.dims);
}

template <auto pass>
void each_program(State& s) {
  Module& m = s.made.module;
  for (Program& program : m.programs) {
    if constexpr (std::is_invocable_v<decltype(pass), Program&>)
      pass(program);
    else if constexpr (std::is_invocable_v<decltype(pass), Program&, const DimTable&>)
      pass(program, m.dims);
    else
      pass(program, m.dims, m.mesh);
  }
}

template <auto pass>
void each_init(State& s) {
  for (Program& program : s.made.module.programs)
    if (program_names::is_part_of(program.name, program_names::init)) pass(program);
}

constexpr PassStage graphs = PassStage::graphs, programs = PassStage::programs;
constexpr auto compressing = [](const State& s) { return s.options.compress_gradients; };
constexpr auto by_library = [](const State& s) { return s.options.library_reductions; };
constexpr auto joining = [](const State& s) { return !s.request.apart; };
constexpr auto tiling = [](const State& s) { return joining(s) && !s.options.store_scores; };
constexpr auto scores_again = [](const State& s) {
  return joining(s) && (s.options.recompute_scores || tiling(s));
};

/// What is not tiled is computed again only where a layout says so.
void rematerialize_products_of(State& s) {
  const Module& m = s.made.module;
  for (Program& program : s.made.module.programs)
    rematerialize_products(program, m.dims, m.mesh, s.options.recompute_scores);
}

}  // namespace

/// The order, and why: of what models and graphs go through, and then programs.
static const Pass passes_of_graphs[] = {
    // before layouts are checked: rules apply to the dimensions of micro-batches
    {"split-batch", PassStage::model, split_batch},
    // first: what later passes make has the scopes of what it is made for
    {"mark-scopes", graphs, mark_scopes},
    // before anything reads the loss
    {"sum-losses", graphs, sum_losses},
    // on the global graph: collectives have no gradients
    {"differentiate-step", graphs, differentiate_step},
    // after it, since the update adds variables and their first values
    {"split-programs", graphs, split_programs},
    // once composites' own gradients have been used
    {"expand-composites", graphs, each_graph<expand_composites>},
    // once composites are gone; what follows sees sizes that divide
    {"pad-dims", graphs, pad_dims},
    // before what it makes alike is shared
    {"blockwise", graphs, blockwise},
    // gradients repeat parts of the forward pass, and both repeat constants
    {"share-operations", graphs, each_graph<share_operations>},
    // when graphs are as they will be computed; before anything is sharded or sent
    {"cut-stages", graphs, cut_stages},
    // when equal casts are one
    {"prepare-parameters", graphs, prepare_parameters},
    // when no value is added any more but by the next
    {"assign-shardings", graphs, assign_shardings},
    // where gradients are summed over replicas is known only now
    {"shard-update", graphs, shard_update},
};

static const Pass passes_of_programs[] = {
    // all local work and all collectives; the rest makes them fewer, smaller, earlier
    {"lower", programs, lower},
    // before anything counts who uses what is moved
    {"share-moves", programs, each_program<share_moves>},
    // after it: casts of one value are one; before what is gathered is made again
    {"narrow-moves", programs, each_program<narrow_moves>},
    // beside it: the other way, for sums
    {"widen-sums", programs, each_program<widen_sums>},
    // after it: what is gathered twice is meant so
    {"gather-again", programs, gather_again},
    // before reductions are scattered: its sums may be cut
    {"gather-reduce", programs, each_program<gather_reduce>},
    // before maps hide the slices
    {"scatter-reductions", programs, each_program<scatter_reductions>},
    // after it: what parts do with a sum is seen then
    {"share-sums", programs, share_sums},
    // after it: what is kept is complete; a cast would stand between a sum and its slice
    {"compress-gradients", programs, each_program<compress_gradients>, compressing},
    // once no sum stands between a product and what it is added to; while each addition is a map
    {"add-products", programs, each_program<add_products>, joining},
    // while each cast is a map of its own
    {"fold-casts", programs, each_program<fold_casts>},
    // so that there is something to pack
    {"batch-updates", programs, each_program<batch_updates>, joining},
    // after what makes collectives, or takes one apart
    {"bucket-collectives", programs, each_program<bucket_collectives>},
    // before what is computed again is shared by maps side by side
    {"delay-sums", programs, each_program<delay_sums>},
    // before maps are judged by what is kept
    {"rematerialize-products", programs, rematerialize_products_of, scores_again},
    // while each operation is a map of its own
    {"rematerialize-maps", programs, each_program<rematerialize_maps>, joining},
    // after it: a product that is used again is stored anyway
    {"contract-products", programs, each_program<contract_products>, joining},
    // once no sum stands between; while each addition is a map
    {"add-onto", programs, each_program<add_onto>, joining},
    // after collectives stand where they stay: a map does not reach across one
    {"fuse-maps", programs, each_program<fuse_maps>, joining},
    // after it: of maps that are stored only once
    {"tile-products", programs, each_program<tile_products>, tiling},
    // after both: what is fused may move
    {"overlap-sums", programs, each_program<overlap_sums>},
    // after it: sums that wait keep their places
    {"overlap-gathers", programs, each_program<overlap_gathers>},
    // once what samples are scaled by is part of their map
    {"sample-shards", programs, each_init<sample_shards>},
    // after all that moves instructions
    {"order-first-values", programs, each_init<order_first_values>},
    // last: nothing decides by it
    {"library-reductions", programs, library_reductions, by_library},
};

const std::vector<Pass>& passes() {
  static const std::vector<Pass> table = [] {
    std::vector<Pass> all(std::begin(passes_of_graphs), std::end(passes_of_graphs));
    all.insert(all.end(), std::begin(passes_of_programs), std::end(passes_of_programs));
    return all;
  }();
  return table;
}

const Pass* find_pass(std::string_view name) {
  const auto found = std::find_if(passes().begin(), passes().end(),
                                  [&](const Pass& pass) { return pass.name == name; });
  return found == passes().end() ? nullptr : &*found;
}

LoweringOptions options_of(const Model& model, const Assignment& assignment) {
  LoweringOptions options = assignment.options;
  options.shard_update = options.shard_update || model.settings.update == UpdateForm::sharded;
  return options;
}

State start(const Model& model, const Assignment& assignment, const Request& request) {
  State s;
  s.model = model;
  s.assignment = assignment;
  s.options = options_of(model, assignment);
  s.request = request;
  if (!has_loss(model.train) && request.tensors.empty() && !request.generation)
    s.request.tensors = unused_names(model.eval);
  if (request.evaluation) s.model.train.outputs.clear();  // no loss, so no update either
  s.model.init.name = program_names::init;
  s.model.train.name = program_names::train;
  s.model.eval.name = program_names::eval;
  s.model.microbatch.graph.name = "microbatch";
  return s;
}

void run(const Pass& pass, State& state) {
  if (pass.wanted == nullptr || pass.wanted(state)) pass.run(state);
}

void run_after(const Pass* pass, State& state, const Pass* last) {
  for (const Pass& next : passes()) {
    if (pass != nullptr && &next <= pass) continue;
    if (last != nullptr && &next > last) break;
    run(next, state);
    MTFC_CHECK(state.diagnostics.errors() == 0, "a micro-batch cannot be made");
  }
}

bool run_before_layout(Model& model, const Request& request, Diagnostics& diagnostics) {
  State s;
  s.model = std::move(model);
  s.request = request;
  for (const Pass& pass : passes())
    if (pass.stage == PassStage::model) run(pass, s);
  model = std::move(s.model);
  for (const Diagnostic& d : s.diagnostics.all()) diagnostics.report(d);
  return s.diagnostics.errors() == 0;
}

Compilation compile(const Model& model, const Assignment& assignment, const Request& request) {
  State state = start(model, assignment, request);
  run_after(nullptr, state);
  return std::move(state.made);
}

Module lower(const Model& model, const Assignment& assignment, const Request& request) {
  return compile(model, assignment, request).module;
}

}  // namespace mtfc::lowering
