#include "lowering/graph/generation/kv_cache.h"

namespace mtfc::lowering {

DimId renamed(const Renaming& renaming, DimId dim) {
  const auto it = renaming.find(dim);
  return it == renaming.end() ? dim : it->second;
}

DimList renamed(const Renaming& renaming, const DimList& dims) {
  DimList result;
  for (DimId dim : dims) result.push_back(renamed(renaming, dim));
  return result;
}

Attrs renamed(const Renaming& renaming, const Attrs& attrs) {
  Attrs result = attrs;
  for (const auto& [name, value] : attrs.all()) {
    if (const auto* dims = std::get_if<DimList>(&value)) result.set(name, renamed(renaming, *dims));
    if (const auto* groups = std::get_if<std::vector<DimGroup>>(&value)) {
      std::vector<DimGroup> mapped;
      for (const DimGroup& g : *groups)
        mapped.push_back({renamed(renaming, g.from), renamed(renaming, g.to)});
      result.set(name, std::move(mapped));
    }
  }
  return result;
}

Store::Store(Model& model, Assignment& assignment, const Cut& cut, const Positions& positions)
    : model_(model), assignment_(assignment), cut_(cut), positions_(positions) {
  entries_[cut.over] = add_dim(cut.over, 1, false);
  for (DimId copy : positions.copies) entries_[copy] = add_dim(copy, 1, false);
}

DimId Store::add_dim(DimId like, std::int64_t size, bool split) {
  Dim dim = model_.dims[like];
  dim.size = size;
  dim.formula = std::to_string(size);
  dim.unique_name.clear();
  return assignment_.add_dim(model_.dims, std::move(dim),
                             split ? assignment_.entry(like) : Assignment::Entry{});
}

GenerationWindow Store::window(std::int64_t size) {
  GenerationWindow window{size, {}};
  if (size == model_.dims.size(cut_.over)) return window;  // the dimensions themselves
  window.dims[cut_.over] = add_dim(cut_.over, size, true);
  for (DimId copy : positions_.copies) window.dims[copy] = add_dim(copy, size, true);
  return window;
}

DimId Store::unsplit(DimId like) { return add_dim(like, model_.dims.size(like), false); }

std::size_t Store::add_variable(ValueId value, const std::string& suffix, TensorType type) {
  const Value& what = cut_.graph.at(value);
  std::string path = (what.name.empty() ? "value" : what.name.str()) + suffix;
  if (const int before = names_[path]++; before > 0) path += "~" + std::to_string(before + 1);
  Variable variable;
  variable.path = std::move(path);
  variable.type = std::move(type);
  variable.kind = Variable::Kind::cache;
  variable.trainable = false;
  model_.variables.push_back(std::move(variable));
  return model_.variables.size() - 1;
}

const Variable& Store::fixed(ValueId value) {
  const auto [it, fresh] = fixed_.try_emplace(value, 0);
  if (fresh) it->second = add_variable(value, "@fixed", cut_.graph.at(value).type);
  return model_.variables[it->second];
}

const Variable& Store::cache(ValueId value, const GenerationWindow& window) {
  const auto [it, fresh] = caches_.try_emplace({value, window.size}, 0);
  const TensorType& type = cut_.graph.at(value).type;
  if (fresh)
    it->second = add_variable(value, "@" + std::to_string(window.size),
                              {type.dtype, renamed(window.dims, type.dims)});
  return model_.variables[it->second];
}

const Variable& Store::carry(ValueId value) {
  const auto [it, fresh] = carries_.try_emplace(value, 0);
  const TensorType& type = cut_.graph.at(value).type;
  if (fresh)
    it->second =
        add_variable(value, "@sum",
                     {is_half(type.dtype) ? DType::f32 : type.dtype, renamed(entries_, type.dims)});
  return model_.variables[it->second];
}

}  // namespace mtfc::lowering
