#include "backends/emit/json/attributes.h"

#include <cmath>
#include <cstdio>

#include "support/fields.h"

namespace mtfc::backends {
namespace {

/// JSON has no infinity.
Json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

std::string bits_text(std::int64_t bits) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(bits));
  return text;
}

Json scalar_json(const ScalarInstruction& step) {
  Json json;
  switch (step.kind) {
    case LeafKind::none: {
      json["op"] = name(step.op);
      Json args = Json::array();
      for (int i = 0; i < arity(step.op); ++i) args.push_back(step.args[i]);
      json["args"] = std::move(args);
      break;
    }
    case LeafKind::operand:
      json["operand"] = step.leaf;
      break;
    case LeafKind::constant:
      json["constant"] = number_json(step.value);
      break;
    case LeafKind::index:
      json["index"] = step.leaf;
      break;
    case LeafKind::random:
      json["random"] = step.leaf;
      break;
  }
  json["dtype"] = name(step.dtype);
  return json;
}

/// A value by its type.
struct FieldJson {
  const Module& module;

  template <class T>
  Json operator()(const T& value) const {
    if constexpr (HasFields<T>)
      return fields(value);
    else if constexpr (std::is_enum_v<T>)
      return name(value);
    else
      return value;
  }
  Json operator()(double value) const { return number_json(value); }
  Json operator()(Bits<const std::int64_t> bits) const { return bits_text(bits.value); }
  Json operator()(DimId dim) const { return dim.valid() ? Json(module.dims.name(dim)) : Json(); }
  Json operator()(AxisId axis) const { return module.mesh.name(axis); }
  Json operator()(const ScalarInstruction& step) const { return scalar_json(step); }
  Json operator()(const ShardType& type) const { return type_json(module, type); }
  template <class... Kinds>
  Json operator()(const std::variant<Kinds...>& kind) const {
    return std::visit(
        [this]<class Kind>(const Kind& of) {
          return Json{{"kind", Kind::kName}, {"attributes", this->fields(of)}};
        },
        kind);
  }
  template <class T>
  Json operator()(const std::vector<T>& list) const {
    Json json = Json::array();
    for (const T& item : list) json.push_back((*this)(item));
    return json;
  }

  template <HasFields T>
  Json fields(const T& value) const {
    Json json = Json::object();
    T::fields(value, [&](std::string_view key, const auto& field) {
      json[std::string(key)] = (*this)(field);
    });
    return json;
  }
};

/// Their names.
Json axes_json(const Module& module, const std::vector<AxisId>& axes) {
  return FieldJson{module}(axes);
}

}  // namespace

Json attributes_json(const Module& module, const InstructionKind& kind) {
  return std::visit([&](const auto& of) { return FieldJson{module}.fields(of); }, kind);
}

Json type_json(const Module& module, const ShardType& type) {
  Json dims = Json::array();
  const std::vector<std::int64_t> shard = shard_extents(module.dims, module.mesh, type);
  for (std::size_t i = 0; i < shard.size(); ++i)
    dims.push_back({{"name", module.dims.name(type.tensor.dims[i])},
                    {"split", axes_json(module, type.sharding.split[i])},
                    {"shard", shard[i]}});
  Json json = {{"dtype", name(type.tensor.dtype)}, {"dims", std::move(dims)}};
  if (type.sharding.is_partial())
    json["partial"] = {{"axes", axes_json(module, type.sharding.partial)},
                       {"combine", name(type.sharding.combine)}};
  return json;
}

}  // namespace mtfc::backends
