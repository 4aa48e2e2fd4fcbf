#include "backends/emit/json/attributes.h"

#include <cmath>
#include <cstdio>

namespace mtfc::backends {
namespace {

/// JSON has no infinity.
Json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

std::string key_text(std::int64_t key) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(key));
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

struct Attributes {
  const Module& module;

  std::string dim(DimId id) const { return module.dims.name(id); }
  std::string axis(AxisId id) const { return module.mesh.name(id); }
  Json dims(const DimList& list) const { return dims_json(module, list); }

  Json random(const Map::Random& draw) const {
    return {{"draw", name(draw.draw)},
            {"a", number_json(draw.a)},
            {"b", number_json(draw.b)},
            {"key", key_text(draw.key)},
            {"dims", dims(draw.dims)},
            {"step_operand", draw.step_operand},
            {"first_operand", draw.first_operand},
            {"numbered", draw.numbered.valid() ? Json(dim(draw.numbered)) : Json()},
            {"every", draw.every}};
  }
  Json operator()(const Map& map) const {
    Json body = Json::array(), draws = Json::array();
    for (const ScalarInstruction& step : map.body.code) body.push_back(scalar_json(step));
    for (const Map::Random& draw : map.random_leaves) draws.push_back(random(draw));
    return {{"body", std::move(body)},
            {"body_results", map.body.results},
            {"indices", dims(map.index_leaves)},
            {"draws", std::move(draws)}};
  }
  Json operator()(const Contract& kind) const { return {{"reduced", dims(kind.reduced)}}; }
  Json operator()(const Reduce& kind) const {
    return {{"combine", name(kind.kind)}, {"reduced", dims(kind.reduced)}};
  }
  Json operator()(const Rearrange& kind) const {
    Json groups = Json::array();
    for (const DimGroup& group : kind.groups)
      groups.push_back({{"from", dims(group.from)}, {"to", dims(group.to)}});
    return {{"groups", std::move(groups)}};
  }
  Json operator()(const Slice& kind) const {
    return {{"dim", dim(kind.dim)}, {"fresh", dim(kind.fresh)}, {"begin", kind.begin}};
  }
  Json operator()(const Pad& kind) const {
    return {{"fresh", dim(kind.fresh)}, {"dim", dim(kind.dim)}, {"begin", kind.begin}};
  }
  Json operator()(const Gather& kind) const {
    return {{"dims", dims(kind.dims)}, {"fill", number_json(kind.fill)}};
  }
  Json operator()(const ScatterAdd& kind) const {
    return {{"dims", dims(kind.dims)}, {"reduced", dims(kind.reduced)}};
  }
  Json operator()(const Put& kind) const {
    return {{"dim", dim(kind.dim)}, {"entry", dim(kind.entry)}};
  }
  Json items(const std::vector<WindowItem>& items) const {
    Json list = Json::array();
    for (const WindowItem& item : items) {
      Json terms = Json::array();
      for (const Affine::Term& term : item.at.terms)
        terms.push_back({{"dim", dim(term.dim)}, {"scale", term.scale}});
      list.push_back(
          {{"dim", dim(item.dim)}, {"begin", item.at.begin}, {"terms", std::move(terms)}});
    }
    return list;
  }
  Json operator()(const Window& kind) const {
    return {{"items", items(kind.items)}, {"fill", number_json(kind.fill)}};
  }
  Json operator()(const WindowAdd& kind) const {
    return {{"items", items(kind.items)}, {"reduced", dims(kind.reduced)}};
  }
  Json operator()(const PrefixSum& kind) const {
    return {{"dim", dim(kind.dim)}, {"exclusive", kind.exclusive}, {"reverse", kind.reverse}};
  }
  Json operator()(const TopPlaces& kind) const {
    return {{"dim", dim(kind.dim)}, {"first", kind.first}, {"ranks", dim(kind.ranks)}};
  }
  Json operator()(const Concat& kind) const {
    return {{"parts", dims(kind.parts)}, {"dim", dim(kind.dim)}};
  }
  Json operator()(const Shard& kind) const {
    return {{"dim", dim(kind.dim)}, {"axis", axis(kind.axis)}};
  }
  Json operator()(const AllReduce& kind) const {
    return {{"combine", name(kind.kind)},
            {"axes", axes_json(module, kind.axes)},
            {"by_library", kind.how.by_library},
            {"begun", kind.how.begun}};
  }
  Json operator()(const ReduceScatter& kind) const {
    return {{"combine", name(kind.kind)},
            {"dims", dims(kind.dims)},
            {"axis", axis(kind.axis)},
            {"by_library", kind.how.by_library},
            {"begun", kind.how.begun}};
  }
  Json operator()(const Await&) const { return Json::object(); }
  Json operator()(const AllGather& kind) const {
    return {{"dims", dims(kind.dims)}, {"axis", axis(kind.axis)}};
  }
  Json operator()(const AllToAll& kind) const {
    return {{"from", dim(kind.from)}, {"to", dim(kind.to)}, {"axis", axis(kind.axis)}};
  }
  Json operator()(const Permute& kind) const {
    Json changes = Json::array();
    for (const Permute::Change& change : kind.changes)
      changes.push_back({{"dim", dim(change.dim)},
                         {"from", axes_json(module, change.from)},
                         {"to", axes_json(module, change.to)}});
    return {{"changes", changes}};
  }
  Json operator()(const Read& kind) const { return {{"variable", kind.variable}}; }
  Json operator()(const Write& kind) const { return {{"variable", kind.variable}}; }
  Json operator()(const Feed& kind) const { return {{"name", kind.name}}; }
  Json operator()(const Fetch& kind) const {
    return {{"kind", name(kind.kind)}, {"name", kind.name}};
  }
};

}  // namespace

Json attributes_json(const Module& module, const InstructionKind& kind) {
  return std::visit(Attributes{module}, kind);
}

Json dims_json(const Module& module, const DimList& dims) {
  Json names = Json::array();
  for (DimId dim : dims) names.push_back(module.dims.name(dim));
  return names;
}

Json axes_json(const Module& module, const std::vector<AxisId>& axes) {
  Json names = Json::array();
  for (AxisId axis : axes) names.push_back(module.mesh.name(axis));
  return names;
}

}  // namespace mtfc::backends
