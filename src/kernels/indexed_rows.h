// What gather and scatter_add walk along: rows whose place in a table is given by indices.
#pragma once
#include "kernels/extents.h"
#include "kernels/gather.h"
#include "support/check.h"

namespace mtfc::runtime {

/// Trailing dimensions along which no index changes and x is contiguous are copied as runs.
struct IndexedShape {
  std::vector<Dim> dims;  // strides: x, then one per index; without the run
  std::int64_t run = 1, rows = 1;
};

/// Planned once for each spec and thread.
const IndexedShape& find_indexed_shape(const GatherSpec& spec);

/// Whose the element is that indices point to: this processor's, another's, nobody's.
enum class Owner { here, elsewhere, nowhere };

/// One walk for x and one for every index.
class IndexedRows {
 public:
  static constexpr std::size_t kMaxIndices = 8;
  IndexedRows(const IndexedShape& shape, const GatherSpec& spec, const Call& call, std::int64_t row)
      : spec_(spec), call_(call) {
    MTFC_CHECK(spec.indices.size() <= kMaxIndices, "too many indices");
    for (std::size_t t = 0; t <= spec.indices.size(); ++t) {
      walks_[t] = Walk(shape.dims, shape.dims.size(), t, row);
    }
    for (std::size_t j = 0; j < spec.indices.size(); ++j) {
      begins_[j] = spec.indices[j].begin.at(call.coordinates);
    }
  }
  void advance() {
    for (std::size_t t = 0; t <= spec_.indices.size(); ++t) walks_[t].advance(1);
  }
  /// Where the row's indices point; `offset` is set if it is here.
  Owner find(std::int64_t& offset) const {
    offset = walks_[0].offset();
    Owner owner = Owner::here;
    for (std::size_t j = 0; j < spec_.indices.size(); ++j) {
      const auto& index = spec_.indices[j];
      const auto* values = static_cast<const std::int32_t*>(call_.inputs[j + 1]);
      const std::int64_t value = values[walks_[j + 1].offset()];
      if (value < 0 || value >= index.global_extent) return Owner::nowhere;
      const std::int64_t local = value - begins_[j];
      if (local < 0 || local >= index.extent) owner = Owner::elsewhere;
      offset += local * index.x_stride;
    }
    return owner;
  }

 private:
  const GatherSpec& spec_;
  const Call& call_;
  Walk walks_[kMaxIndices + 1];
  std::int64_t begins_[kMaxIndices] = {};
};

}  // namespace mtfc::runtime
