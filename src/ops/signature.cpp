#include "ops/signature.h"

#include <algorithm>

namespace mtfc::ops {
namespace {

bool has_type(const AttrValue& value, Signature::Type type) {
  switch (type) {
    case Signature::Type::flag:
      return std::holds_alternative<bool>(value);
    case Signature::Type::integer:
      return std::holds_alternative<std::int64_t>(value);
    case Signature::Type::number:
      return std::holds_alternative<double>(value);
    case Signature::Type::text:
      return std::holds_alternative<std::string>(value);
    case Signature::Type::dtype:
      return std::holds_alternative<DType>(value);
    case Signature::Type::dims:
      return std::holds_alternative<DimList>(value);
    case Signature::Type::dim:
      return std::holds_alternative<DimList>(value) && std::get<DimList>(value).size() == 1;
    case Signature::Type::groups:
      return std::holds_alternative<std::vector<DimGroup>>(value);
    case Signature::Type::windows:
      return std::holds_alternative<std::vector<WindowItem>>(value);
  }
  return false;
}

}  // namespace

std::string check_signature(const Signature& signature, const Operation& op) {
  const auto count = static_cast<int>(op.operands.size());
  if (count < signature.least || (signature.most >= 0 && count > signature.most))
    return "wrong number of operands";
  for (const Signature::Attribute& attribute : signature.attributes) {
    const AttrValue* value = op.attrs.find(attribute.name);
    if (value == nullptr && attribute.optional) continue;
    if (value == nullptr) return "`" + std::string(attribute.name) + "=` is missing";
    if (!has_type(*value, attribute.type))
      return "`" + std::string(attribute.name) + "=` has a value of another type";
  }
  for (const auto& attr : op.attrs.all())
    if (std::none_of(signature.attributes.begin(), signature.attributes.end(),
                     [&](const auto& known) { return known.name == attr.first; }))
      return "there is no `" + attr.first + "=` here";
  return "";
}

}  // namespace mtfc::ops
