#include "ir/attrs.h"

#include "support/check.h"

namespace mtfc {

bool is_indexed(const std::vector<WindowItem>& items, DimId dim) {
  for (const WindowItem& item : items)
    if (item.dim == dim) return true;
  return false;
}

const Attrs::List& Attrs::all() const {
  static const List none;
  return list_ ? *list_ : none;
}

const AttrValue* Attrs::find(std::string_view name) const {
  for (const auto& [key, value] : all()) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Attrs::set(std::string name, AttrValue value) {
  if (!list_ || list_.use_count() > 1) list_ = std::make_shared<List>(all());
  for (auto& [key, old] : *list_) {
    if (key == name) {
      old = std::move(value);
      return;
    }
  }
  list_->emplace_back(std::move(name), std::move(value));
}

namespace {
template <class T>
const T* typed(const Attrs& attrs, std::string_view name) {
  const AttrValue* value = attrs.find(name);
  return value ? std::get_if<T>(value) : nullptr;
}
template <class T>
const T& required(const Attrs& attrs, std::string_view name) {
  const T* value = typed<T>(attrs, name);
  MTFC_CHECK(value, "attribute `" + std::string(name) + "` is missing");
  return *value;
}
}  // namespace

const DimList& Attrs::dims(std::string_view name) const { return required<DimList>(*this, name); }
std::int64_t Attrs::integer(std::string_view name) const {
  return required<std::int64_t>(*this, name);
}
std::int64_t Attrs::integer(std::string_view name, std::int64_t otherwise) const {
  const auto* value = typed<std::int64_t>(*this, name);
  return value ? *value : otherwise;
}
double Attrs::number(std::string_view name) const { return required<double>(*this, name); }
double Attrs::number(std::string_view name, double otherwise) const {
  const auto* value = typed<double>(*this, name);
  return value ? *value : otherwise;
}
bool Attrs::flag(std::string_view name) const {
  const auto* value = typed<bool>(*this, name);
  return value && *value;
}
const std::string& Attrs::text(std::string_view name) const {
  return required<std::string>(*this, name);
}
DType Attrs::dtype(std::string_view name) const { return required<DType>(*this, name); }
const std::vector<DimGroup>& Attrs::groups(std::string_view name) const {
  return required<std::vector<DimGroup>>(*this, name);
}
const std::vector<std::int64_t>& Attrs::integers(std::string_view name) const {
  return required<std::vector<std::int64_t>>(*this, name);
}
const std::vector<WindowItem>& Attrs::windows(std::string_view name) const {
  return required<std::vector<WindowItem>>(*this, name);
}

}  // namespace mtfc
