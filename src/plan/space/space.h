// The space that a plan is the best of: meshes, and what may be split over their axes.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/model.h"
#include "plan/space/choice.h"
#include "plan/space/meshes.h"
#include "plan/space/submeshes.h"

namespace mtfc::plan {

/// Stages with a mesh of this shape each.
struct StagedMesh {
  int stages = 2;
  Mesh mesh;
};

/// Parameters that have dimensions of these names.
struct NamedParameters {
  std::set<std::string> dims;
  double elements = 0;
};

struct Space {
  std::vector<Mesh> meshes;               // of layouts without a pipeline
  std::vector<StagedMesh> staged;         // of those with one
  Submeshes submeshes;                    // of those whose stages may differ
  Chain chain;                            // what it cuts apart
  std::optional<Pipeline> kept_pipeline;  // of a layout that was given: every layout has it
  /// What every layout has besides: of a layout that was given, all but its mesh.
  Layout given;
  /// Its general rules, by the names of the model's dimensions.
  std::vector<Split> given_rules;
  /// Names of dimensions that general rules may split: those that the model declares and some
  /// tensor has. Over no axis, one, or several in the order of the mesh, if these divide all sizes
  /// so named, or `pads` allows it.
  std::vector<std::string> dims;
  /// Names of dimensions of parameters: all of them may be kept split along one of these, over one
  /// axis or over all of the mesh, if each of these splits a dimension of an input, by a general
  /// rule or in some blocks, or this dimension, by a rule of the plan: then most products with
  /// examples are split over it already, and how parameters are kept takes nothing from these.
  std::vector<std::string> kept_dims;
  /// What is kept, to know along which of these several together may be
  /// (plan/space/ways_to_keep.h).
  std::vector<NamedParameters> parameters;
  /// Dimensions of inputs that scopes may split over an axis where blocks leave it free
  /// (plan/space/sequence.h). Empty: the layout that was given has scopes of its own.
  std::vector<std::string> scope_dims;
  /// Dimensions of parameters that scopes may split over an axis of the examples, in blocks where
  /// everything has them (plan/space/hand_over.h). Empty as these.
  std::vector<std::string> handed_dims;
  std::vector<std::string> input_dims;  // all dimensions of inputs
  /// Paths of block instances, "layers.*.attn" (iterations are alike): what scopes may name.
  std::vector<std::string> blocks;
  std::vector<std::int64_t> microbatches = {1};  // ascending
  bool bars_microbatches = false;                // others would change results, or are not legal
  /// Axes need not divide sizes, which are padded then, to less than twice as much.
  bool pads = false;
  bool updates = false;  // `set update=sharded` is tried
  /// `set recompute=` is tried, of layouts that do not fit without.
  bool recompute = false;
  std::int64_t recompute_iterations = 0;  // of these blocks: in all, or in as few as it takes
  bool gathers = false;  // `set gather=` is tried where parameters are kept on shards
  std::unordered_map<std::string, std::size_t> numbers;  // in `dims`, by name
  /// By two numbers in `dims` (or one twice): whether they may not share an axis.
  std::vector<std::vector<bool>> clash;
  /// By number in `dims`: axes that it may not have, since those of `given_rules` that it may not
  /// share one with have them. A layout that was given with scopes of blocks says itself what
  /// holds.
  std::vector<std::set<std::string>> taken;
};

/// Of every layout of the space.
std::int64_t processors_of(const Space& space);

/// Whether it says in how many iterations blocks are computed again.
bool counts_iterations(const Layout& layout);

/// All ways to give so many processors to two stages or more, meshes as `meshes_of` has them.
std::vector<StagedMesh> staged_meshes_of(std::int64_t processors, int most_axes, int most_stages);

/// Without micro-batches and pipelines. `given`: what it rules and sets is as it says, and not
/// tried otherwise.
Space space_of(const Model& model, std::vector<Mesh> meshes, Layout given = {}, bool pads = false);

/// Subsets of the axes, each in the order of the mesh, whose product divides the dimension; of a
/// space that pads, that take less than twice its size.
std::vector<Split> splits_of(const Space& space, const std::string& dim, const Mesh& mesh,
                             const DimTable& dims);
/// Whether no tensor or operation has two dimensions on one axis then. All are of the space.
bool goes_with(const Space& space, const Split& split, const std::vector<Split>& rules);

/// The general rules of every legal layout on this mesh, in a fixed order. Nothing: there are more
/// than `most`.
std::optional<std::vector<std::vector<Split>>> legal_rules(const Space& space, const Mesh& mesh,
                                                           const DimTable& dims, std::size_t most);
/// Names of dimensions in `dims` that an axis of its meshes, or all of one, does not divide: a
/// layout of the space leaves them whole there. None if it pads.
std::vector<std::string> undivided_dims(const Space& space, const DimTable& dims);

}  // namespace mtfc::plan
