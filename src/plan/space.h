// The space that a plan is the best of: meshes, and what may be split over their axes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/model.h"
#include "plan/choice.h"

namespace mtfc::plan {

struct Space {
  std::vector<Mesh> meshes;
  /// Names of dimensions that general rules may split: those that the model declares and some
  /// tensor has. Over no axis, one, or several in the order of the mesh, if all sizes so named
  /// divide.
  std::vector<std::string> dims;
  /// Names of dimensions of parameters: all of them may be kept split along one of these, over one
  /// axis or over all.
  std::vector<std::string> kept_dims;
  /// By two numbers in `dims` (or one twice): whether they may not share an axis.
  std::vector<std::vector<bool>> clash;
};

/// All ways to write `processors` as a product of one to `most_axes` factors above 1, in order. One
/// processor is a mesh without axes.
std::vector<Mesh> meshes_of(std::int64_t processors, int most_axes);

Space space_of(const Model& model, const SourceMap& sources, std::vector<Mesh> meshes);

/// The general rules of every legal layout on this mesh, in a fixed order.
std::vector<std::vector<Split>> legal_rules(const Space& space, const Mesh& mesh,
                                            const DimTable& dims);
/// What may be said of how parameters are kept, besides nothing.
std::vector<Split> ways_to_keep(const Space& space, const Mesh& mesh, const DimTable& dims);

}  // namespace mtfc::plan
