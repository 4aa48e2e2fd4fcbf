// The passes of the pipeline that see more than one graph or one program; each is in the file of
// its name. The others are in graph/rewrite.h and program/program_passes.h.
#pragma once
#include "lowering/state/state.h"

namespace mtfc::lowering {

/// The graphs of training and of evaluations on one micro-batch, if the model trains on such and
/// the request does not want whole batches; nothing if that has been done.
void split_batch(State& state);
/// Which scopes of the layout hold for what each operation makes.
void mark_scopes(State& state);
/// One loss "loss", the sum of all; each under its own name too if there are others.
void sum_losses(State& state);
/// Gradients and the weight update: the programs of a step.
void differentiate_step(State& state);
/// The programs that the request wants, in the order of the module; the model's graphs are gone.
void split_programs(State& state);
/// Padding of dimensions that their mesh axes do not divide (graph/pad_dims.h).
void pad_dims(State& state);
/// What a split dimension does not allow in one go, block by block.
void blockwise(State& state);
/// Of a pipeline: every graph as the parts that its stages compute (stages/cut_graph.h).
void cut_stages(State& state);
/// What all micro-batches make of parameters is made once a step: narrower types, and with
/// `set gather=step` what is kept on shards, gathered.
void prepare_parameters(State& state);
/// Shardings of all values, variables and inputs, from the layout by dimension.
void assign_shardings(State& state);
/// The weight update and the optimiser's states, on shards (shard_update.h).
void shard_update(State& state);
/// Graphs and shardings -> programs.
void lower(State& state);
/// What is gathered of parameters that a scope keeps on shards is gathered where it is used; with
/// `set gather=once` once, else once more for the backward pass.
void gather_again(State& state);
/// Of a pipeline: sums over processors that several parts of a stage use are made once.
void share_sums(State& state);
/// Every sum over processors may be the network library's.
void library_reductions(State& state);

}  // namespace mtfc::lowering
