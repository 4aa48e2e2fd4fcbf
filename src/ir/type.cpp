#include "ir/type.h"

#include <algorithm>

#include "support/rounding.h"

namespace mtfc {

std::int64_t shard_count(const Mesh& mesh, const Sharding& sharding, std::size_t i) {
  std::int64_t product = 1;
  for (AxisId axis : sharding.split[i]) product *= mesh.size(axis);
  return product;
}

namespace {
std::int64_t extent(const DimTable& dims, const Mesh& mesh, const ShardType& type, std::size_t i) {
  const std::int64_t n = shard_count(mesh, type.sharding, i);
  return ceil_div(dims.size(type.tensor.dims[i]), n);
}
}  // namespace

std::vector<std::int64_t> shard_extents(const DimTable& dims, const Mesh& mesh,
                                        const ShardType& type) {
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < type.tensor.dims.size(); ++i)
    extents.push_back(extent(dims, mesh, type, i));
  return extents;
}

std::int64_t shard_elements(const DimTable& dims, const Mesh& mesh, const ShardType& type) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < type.tensor.dims.size(); ++i) product *= extent(dims, mesh, type, i);
  return product;
}

std::int64_t shard_bytes(const DimTable& dims, const Mesh& mesh, const ShardType& type) {
  return shard_elements(dims, mesh, type) * static_cast<std::int64_t>(size_of(type.tensor.dtype));
}

std::vector<AxisId> varying_axes(const Sharding& sharding) {
  std::vector<AxisId> axes = sharding.partial;
  for (const auto& split : sharding.split) axes.insert(axes.end(), split.begin(), split.end());
  std::sort(axes.begin(), axes.end());
  return axes;
}

bool contains(const std::vector<AxisId>& axes, AxisId axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

const std::vector<AxisId>& split_of(const ShardType& type, DimId dim) {
  static const std::vector<AxisId> none;
  const int i = position(type.tensor.dims, dim);
  return i < 0 ? none : type.sharding.split[static_cast<std::size_t>(i)];
}

std::string check_split(const ShardType& type) {
  if (type.sharding.split.size() != type.tensor.dims.size()) return "the split has another rank";
  for (std::size_t i = 0; i < type.tensor.dims.size(); ++i)
    if (position(type.tensor.dims, type.tensor.dims[i]) != static_cast<int>(i))
      return "a dimension occurs twice";
  const std::vector<AxisId> axes = varying_axes(type.sharding);
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) return "a mesh axis occurs twice";
  return "";
}

std::string check_law(const DimTable& dims, const Mesh& mesh, const ShardType& type) {
  if (std::string error = check_split(type); !error.empty()) return error;
  for (std::size_t i = 0; i < type.tensor.dims.size(); ++i)
    if (dims.size(type.tensor.dims[i]) % shard_count(mesh, type.sharding, i) != 0)
      return "a size is not divisible";
  return "";
}

std::string to_string(const DimTable& dims, const TensorType& type) {
  return std::string(name(type.dtype)) + to_string(dims, type.dims);
}

std::string to_string(const DimTable& dims, const Mesh& mesh, const ShardType& type) {
  std::string text = std::string(name(type.tensor.dtype)) + "[";
  for (std::size_t i = 0; i < type.tensor.dims.size(); ++i) {
    text += (i ? ", " : "") + dims.name(type.tensor.dims[i]);
    const auto& split = type.sharding.split[i];
    if (!split.empty()) text += "/" + to_string(mesh, split);
  }
  text += "]";
  if (type.sharding.is_partial()) {
    text += " partial";
    if (type.sharding.combine != Combine::sum) {
      text += " " + std::string(name(type.sharding.combine));
    }
    text += "(" + to_string(mesh, type.sharding.partial) + ")";
  }
  return text;
}

}  // namespace mtfc
