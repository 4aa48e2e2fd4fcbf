// What Mesh-TensorFlow counts when it lowers a graph, under its names (Shazeer et al., 2018,
// arXiv:1811.02084; `Lowering.add_counter` in mesh_tensorflow/ops.py), of these programs.
#pragma once
#include <map>
#include <string>

#include "ir/module.h"

namespace mtfc::cost {

/// By path, "allreduce/[0]/einsum_op", and by each of its beginnings, which sum up what is below.
/// In elements on all processors together (einsum: multiplications), of a training step, or of a
/// run where there is none; `_unique` as if nothing were replicated:
///
///   output/X, output_unique/X       what instructions X make
///   einsum, einsum_unique           contractions: the size of the union of their operands
///   allreduce/[axes]/X_op           sums: of what X made, before it is cut if it is
///   reduce-scattered allconcat/[axes]/reshape_op     all-gathers: their results
///   alltoall/[axes]/reshape_op      all-to-alls
///   permute/[axes]/reshape_op       permutations, which Mesh-TensorFlow has not
///   variables/trainable, untrainable  parameters; states and optimiser states
///
/// Axes are numbers. A product of elements is part of a `map` here and not an einsum.
std::map<std::string, double> mesh_tensorflow_counters(const Module& module);

}  // namespace mtfc::cost
