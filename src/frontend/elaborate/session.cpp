#include "frontend/elaborate/session.h"

#include <algorithm>

namespace mtfc::elab {

bool is_repetition(const SharedUses& uses) {
  return std::any_of(uses.begin(), uses.end(), [](const auto& use) { return use.second > 0; });
}

std::string joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

DimId Session::dim(const std::string& path, const std::string& name, std::int64_t size, Dim full) {
  const auto [it, fresh] = dims.try_emplace({path, name, size});
  if (fresh) {
    full.name = name;
    full.size = size;
    full.scope = path;
    it->second = model.dims.add(std::move(full));
  }
  return it->second;
}

DimId Session::alias(DimId dim) {
  const auto [it, fresh] = aliases.try_emplace(dim);
  if (fresh) {
    Dim copy = model.dims[dim];
    copy.formula = copy.name;
    copy.name += "'";
    copy.unique_name.clear();
    it->second = model.dims.add(std::move(copy));
  }
  return it->second;
}

namespace {

Override* last_with(std::deque<Override>& list, const std::string& key) {
  for (auto it = list.rbegin(); it != list.rend(); ++it)
    if (it->key == key) return &*it;
  return nullptr;
}

}  // namespace

Override* Session::define(const std::string& name) { return last_with(defines, name); }
Override* Session::setting(const std::string& key) { return last_with(settings, key); }

std::string_view describe(Binding::Kind kind) {
  switch (kind) {
    case Binding::Kind::tensor:
      return "a tensor";
    case Binding::Kind::argument:
      return "an argument";
    case Binding::Kind::dim:
      return "a dimension";
    case Binding::Kind::constant:
      return "a constant";
    case Binding::Kind::input:
      return "an input";
    case Binding::Kind::parameter:
      return "a parameter";
    case Binding::Kind::state:
      return "a state";
    case Binding::Kind::data:
      return "a data source";
    case Binding::Kind::counter:
      return "a counter";
  }
  return "a name";
}

}  // namespace mtfc::elab
