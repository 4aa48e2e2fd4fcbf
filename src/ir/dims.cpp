#include "ir/dims.h"

#include <algorithm>

namespace mtfc {

DimId DimTable::add(Dim dim) {
  const DimId id = next_id<DimId>(dims_);
  if (dim.unique_name.empty()) {
    dim.unique_name = dim.name;
    std::int64_t& tried = tried_[dim.name];
    while (find_unique(dim.unique_name)) {
      tried = std::max<std::int64_t>(tried + 1, 2);
      dim.unique_name = dim.name + "~" + std::to_string(tried);
    }
  }
  by_name_.emplace(dim.unique_name, id);
  dims_.push_back(std::move(dim));
  return id;
}

std::optional<DimId> DimTable::find_unique(std::string_view unique_name) const {
  const auto it = by_name_.find(std::string(unique_name));
  return it == by_name_.end() ? std::nullopt : std::optional(it->second);
}

DimId stored_dim(const DimTable& dims, DimId dim) {
  while (dims[dim].pads.valid()) dim = dims[dim].pads;
  return dim;
}

std::vector<DimId> stored_dims(const DimTable& dims, std::vector<DimId> list) {
  for (DimId& dim : list) dim = stored_dim(dims, dim);
  return list;
}

std::int64_t elements(const DimTable& dims, const std::vector<DimId>& list) {
  std::int64_t product = 1;
  for (DimId dim : list) product *= dims.size(dim);
  return product;
}

std::string to_string(const DimTable& dims, const std::vector<DimId>& list) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    text += (i ? ", " : "") + dims.name(list[i]) + "=" + std::to_string(dims.size(list[i]));
  }
  return text + "]";
}

bool contains(const std::vector<DimId>& list, DimId dim) {
  return std::find(list.begin(), list.end(), dim) != list.end();
}

int position(const std::vector<DimId>& list, DimId dim) {
  const auto it = std::find(list.begin(), list.end(), dim);
  return it == list.end() ? -1 : static_cast<int>(it - list.begin());
}

bool is_subset(const std::vector<DimId>& part, const std::vector<DimId>& whole) {
  return std::all_of(part.begin(), part.end(), [&](DimId dim) { return contains(whole, dim); });
}

bool same_set(const std::vector<DimId>& a, const std::vector<DimId>& b) {
  return a.size() == b.size() && is_subset(a, b);
}

std::vector<DimId> replaced(std::vector<DimId> list, DimId old, DimId fresh) {
  list[static_cast<std::size_t>(position(list, old))] = fresh;
  return list;
}

std::vector<DimId> without(const std::vector<DimId>& list, const std::vector<DimId>& remove) {
  std::vector<DimId> rest;
  for (DimId dim : list) {
    if (!contains(remove, dim)) rest.push_back(dim);
  }
  return rest;
}

std::vector<DimId> union_of(const std::vector<DimId>& a, const std::vector<DimId>& b) {
  if (is_subset(b, a)) return a;
  if (is_subset(a, b)) return b;
  std::vector<DimId> all = a;
  for (DimId dim : b) {
    if (!contains(a, dim)) all.push_back(dim);
  }
  return all;
}

}  // namespace mtfc
