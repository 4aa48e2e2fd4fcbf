// One layout of the space that is searched, as plain data.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/layout.h"
#include "support/mesh.h"

namespace mtfc::plan {

struct Split {
  std::string dim;                // its name
  std::vector<std::string> axes;  // major to minor; none: not split, in a scope of blocks
  friend bool operator==(const Split&, const Split&) = default;
};

/// `in "glob" { splits }`
struct BlockSplit {
  std::string glob;
  std::vector<Split> splits;
  std::vector<std::string> of_parameters = {};  // dimensions, where parameters are split by it
  friend bool operator==(const BlockSplit&, const BlockSplit&) = default;
};

/// Of `set gather=`: how often weights that are kept on shards are gathered in a step.
enum class Gather : std::uint8_t { again, once, step };

/// What a pipeline may cut apart, between any two of these blocks.
struct Chain {
  std::vector<std::string> globs;
  std::int64_t blocks = 0;  // that they match
  bool alike = true;        // the iterations of one `repeat`
  /// The model can have fewer of these, from which is told what all take.
  bool counted = true;
  bool is_priced_by_iterations() const { return alike && counted; }
  friend bool operator==(const Chain&, const Chain&) = default;
};
/// `"stem", "layers.*"`
std::string text_of(const Chain& chain);

/// `pipeline "layers.*" { stages = 3+4+4; schedule = gpipe }`, or `{ stages = 3; schedule =
/// interleaved; chunks = 2 }`
struct Pipeline {
  Chain chain;
  int stages = 2;
  std::vector<std::int64_t> blocks = {};  // of each stage; none: where it is cut is not decided
  Schedule schedule = Schedule::one_f_one_b;
  int chunks = 1;  // of each stage; more only with interleaved
  /// Each stage has a submesh of its own (plan/space/submeshes.h). Undecided, it has 0 stages and
  /// no meshes, and the axes of the choice's mesh have size 1.
  bool submeshes = false;
  std::vector<Mesh> meshes = {};  // by stage, where they may differ
  /// A layout that is kept says all of it: `blocks` is empty, and there are meshes if they differ;
  /// that of the choice has the largest size of each axis.
  bool given = false;
  friend bool operator==(const Pipeline&, const Pipeline&) = default;
};
/// The numbers of chunks above 1 that stages may have: all chunks get equally many blocks. Of blocks
/// that are not alike two chunks at most.
std::vector<int> chunk_numbers(std::int64_t blocks, int stages);
std::vector<int> chunk_numbers(const Chain& chain, int stages);
/// Of one that is given: its own.
std::vector<int> chunk_numbers(const Pipeline& pipeline);

/// Of `set recompute=`: what of repeated blocks is computed again for the backward pass.
enum class Recompute : std::uint8_t { none, selective, full };

struct Choice {
  Mesh mesh;                            // with a pipeline that of any stage
  std::vector<Split> rules = {};        // general ones
  std::vector<BlockSplit> blocks = {};  // where blocks differ from them
  std::vector<Split> kept = {};         // of `param "**"`: how all parameters are kept
  bool sharded_update = false;          // `set update=sharded`: ZeRO-1
  Gather gather = Gather::again;
  std::int64_t microbatches = 1;  // of the model's settings, not of the layout
  std::optional<Pipeline> pipeline = {};
  Recompute recompute = Recompute::none;
  /// In the first so many iterations of each `repeat`; 0: in all, or in how many is not decided.
  std::int64_t recomputed = 0;
  bool pads = false;  // axes need not divide what they split
  friend bool operator==(const Choice&, const Choice&) = default;
};

/// `given`: what is kept of a layout that was given; the choice is added to it. Every rule of
/// the choice must divide unless it pads.
Layout layout_of(const Choice& choice, const Layout& given = {});

/// How the parameters of a block are kept, if not as `kept` says: an axis that the block's scope
/// gives to another dimension is not theirs to keep them split over.
std::vector<Split> kept_in(const BlockSplit& block, const Choice& choice);

bool has(const std::vector<std::string>& names, const std::string& name);
/// The axes with one more, in the order of the mesh.
std::vector<std::string> axes_with(const std::vector<std::string>& axes, const std::string& axis,
                                   const Mesh& mesh);
/// The axes that general rules split a dimension over.
std::vector<std::string> ruled_axes(const Choice& choice, const std::string& dim);

bool has_scope(const Layout& layout, LayoutScope::Kind kind);
/// Axes of more than one processor that no rule, scope or way to keep parameters names, of the
/// choice or of what was given: along them processors repeat the same work.
std::vector<std::string> idle_axes(const Choice& choice, const Layout& given);

/// Its stages have meshes that may differ.
bool has_own_meshes(const Choice& choice);
/// By stage, of a pipeline that is decided.
std::vector<Mesh> meshes_of(const Choice& choice);
/// "outer=2, inner=4"; of stages with meshes of their own "outer=2+1, inner=4"
std::string meshes_text(const Choice& choice);
/// The mesh that its layout names: of stages with meshes of their own the first one's.
const Mesh& written_mesh(const Choice& choice);
/// With what lives from step to step alone: the same rules and ways to keep and update.
Choice without_schedule(Choice choice);
/// With where a pipeline is cut, into which submeshes, and in how many iterations blocks are
/// computed again left open.
Choice uncut(Choice choice);

/// The entries of its layout but the mesh: "batch:outer", "param "**" { d_model:outer }", "set
/// update=sharded".
std::vector<std::string> entries_of(const Choice& choice);
/// The entries in one line, joined by "; "; "no entries" if there are none, which
/// splits nothing but what is kept of a layout that was given.
std::string rules_text(const Choice& choice);
/// The same with the micro-batches, for people.
std::string description(const Choice& choice);

}  // namespace mtfc::plan
