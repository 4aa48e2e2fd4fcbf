// A small integer that names an element of a table, typed by what it names.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace mtfc {

template <class Tag>
struct Id {
  std::int32_t index = -1;

  constexpr bool valid() const { return index >= 0; }
  constexpr std::size_t at() const { return static_cast<std::size_t>(index); }
  friend constexpr auto operator<=>(Id, Id) = default;
};

/// The id of the element that is about to be appended to `table`.
template <class IdType, class Table>
IdType next_id(const Table& table) {
  return IdType{static_cast<std::int32_t>(table.size())};
}

using FileId = Id<struct FileTag>;    // SourceMap
using DimId = Id<struct DimTag>;      // ir::DimTable
using AxisId = Id<struct AxisTag>;    // Mesh::axes
using ValueId = Id<struct ValueTag>;  // values of one Graph or one Program
using OpId = Id<struct OpTag>;        // operations of one Graph
using VariableId = Id<struct VariableTag>;

}  // namespace mtfc

template <class Tag>
struct std::hash<mtfc::Id<Tag>> {
  std::size_t operator()(mtfc::Id<Tag> id) const noexcept {
    return std::hash<std::int32_t>{}(id.index);
  }
};
