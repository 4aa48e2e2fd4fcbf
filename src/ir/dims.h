// The dimension table: the one place where sizes stand.
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "messages/source_map.h"
#include "support/special_members.h"

namespace mtfc {

/// No dimension, no mesh axis and no mesh is larger.
inline constexpr std::int64_t largest_size = (std::int64_t{1} << 31) - 1;

/// A dimension is a declaration and, for one declared inside a block, an instance of that block.
struct Dim {
  std::string name;  // as written; what layout rules match: "krow", "length'"
  std::string
      unique_name;        // what dumps print: the name, or "krow~2" if it is not the first so named
  std::int64_t size = 1;  // 1 .. largest_size
  std::int64_t microbatches = 1;  // of examples: how many micro-batches share what is declared
  std::string formula;            // as written, of dimensions: "d_model / heads", "3"
  std::string origin;             // where the size comes from if not the line itself: "-D heads=5"
  std::string scope;              // path of the owning block instance; empty for the file's own
  DimId pads;      // this one with padding at its end, which is never stored; mostly none
  Span declared;   // the name in its declaration
  Span size_span;  // the size in its declaration
};

/// One that `x[length -> length']` or the like made: the quote is the language's mark of an alias.
inline bool is_alias_dim(const Dim& dim) { return dim.name.ends_with('\''); }
/// "length" of "length'": the dimension that a size can be given for.
inline std::string_view declared_name(const Dim& dim) {
  return std::string_view(dim.name).substr(0, dim.name.find('\''));
}

/// References to its elements stay valid while dimensions are added: names and sizes are read while
/// passes make dimensions from them.
class DimTable {
 public:
  MTFC_DECLARE_SPECIAL_MEMBERS(DimTable, noexcept(false));
  /// Appends; sets unique_name.
  DimId add(Dim dim);
  std::size_t size() const { return dims_.size(); }
  const Dim& operator[](DimId id) const { return dims_[id.at()]; }
  std::int64_t size(DimId id) const { return dims_[id.at()].size; }
  /// What dumps print.
  const std::string& name(DimId id) const { return dims_[id.at()].unique_name; }
  std::optional<DimId> find_unique(std::string_view unique_name) const;
  const std::deque<Dim>& all() const { return dims_; }

 private:
  std::deque<Dim> dims_;
  std::unordered_map<std::string, DimId> by_name_;  // by unique_name
  // By name, the largest number tried after its "~": unique names are never given back, so that
  // all up to it are taken, and the search resumes there.
  std::unordered_map<std::string, std::int64_t> tried_;
};

/// The dimension without its padding.
DimId stored_dim(const DimTable& dims, DimId dim);
/// The dimensions without their padding: what tensors have outside of programs.
std::vector<DimId> stored_dims(const DimTable& dims, std::vector<DimId> list);
/// Product of the sizes; 1 for none.
std::int64_t elements(const DimTable& dims, const std::vector<DimId>& list);
/// "[batch=64, hidden=32]"
std::string to_string(const DimTable& dims, const std::vector<DimId>& list);

bool contains(const std::vector<DimId>& list, DimId dim);
/// Position of `dim` in `list`, or -1.
int position(const std::vector<DimId>& list, DimId dim);
bool is_subset(const std::vector<DimId>& part, const std::vector<DimId>& whole);
bool same_set(const std::vector<DimId>& a, const std::vector<DimId>& b);
/// `list` with `fresh` in the place of `old`, which it has.
std::vector<DimId> replaced(std::vector<DimId> list, DimId old, DimId fresh);
std::vector<DimId> without(const std::vector<DimId>& list, const std::vector<DimId>& remove);
/// If one contains the other as a set, that one; else the dims of `a`, then the new ones of `b`.
std::vector<DimId> union_of(const std::vector<DimId>& a, const std::vector<DimId>& b);

}  // namespace mtfc
