#include "ir/layout.h"

namespace mtfc {

std::optional<int> Stages::of_block(std::string_view block) const {
  while (!block.empty()) {
    if (const auto found = blocks.find(block); found != blocks.end()) return found->second;
    const std::size_t dot = block.rfind('.');
    block = dot == block.npos ? std::string_view{} : block.substr(0, dot);
  }
  return std::nullopt;
}

const std::vector<AxisId>& Assignment::axes(DimId dim) const {
  static const std::vector<AxisId> none;
  return dim.at() < dims.size() ? dims[dim.at()].axes : none;
}

const Assignment::Scope::Split* Assignment::Scope::find(DimId dim) const {
  for (const Split& split : splits)
    if (split.dim == dim) return &split;
  return nullptr;
}

const Assignment::Scope::Split* Assignment::find(const std::vector<int>& numbers, DimId dim) const {
  for (const int number : numbers)
    if (const Scope::Split* split = scopes[static_cast<std::size_t>(number)].find(dim))
      return split;
  return nullptr;
}

const SharedText& Assignment::cause(DimId dim) const {
  static const SharedText none;
  return dim.at() < dims.size() ? dims[dim.at()].cause : none;
}

Assignment::Entry Assignment::entry(DimId dim) const {
  return dim.at() < dims.size() ? dims[dim.at()] : Entry{};
}

DimId Assignment::add_dim(DimTable& table, Dim dim, Entry entry) {
  dims.resize(table.size());
  dims.push_back(std::move(entry));
  return table.add(std::move(dim));
}

}  // namespace mtfc
