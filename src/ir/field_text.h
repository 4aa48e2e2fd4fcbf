// Values as dumps write them: attributes of graph operations and fields of instructions alike.
// field_reader.h reads the same forms.
#pragma once
#include <string>
#include <type_traits>
#include <vector>

#include "ir/instr/all.h"
#include "ir/text_words.h"
#include "support/fields.h"

namespace mtfc {

/// Fields of these types are left out while they are false or empty.
template <class T>
inline constexpr bool may_be_absent = std::is_same_v<T, bool>;
template <class T>
inline constexpr bool may_be_absent<std::vector<T>> = true;

class FieldText {
 public:
  FieldText(const DimTable& dims, const Mesh& mesh) : dims_(dims), mesh_(mesh) {}

  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int value) const { return std::to_string(value); }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  /// Never like a whole number: "1.0".
  std::string operator()(double value) const;
  std::string operator()(const std::string& value) const { return quoted(value); }
  std::string operator()(Bits<const std::int64_t> bits) const;
  template <class E>
  requires std::is_enum_v<E> std::string operator()(E value) const {
    return std::string(name(value));
  }
  /// "-" for none.
  std::string operator()(DimId dim) const { return dim.valid() ? dims_.name(dim) : "-"; }
  std::string operator()(AxisId axis) const { return mesh_.name(axis); }
  /// "a -> (b, c)"
  std::string operator()(const DimGroup& group) const;
  /// "d = 1 + 2 e + 1 k"
  std::string operator()(const WindowItem& item) const;
  /// "add 0 1 f32"
  std::string operator()(const ScalarInstruction& step) const;
  std::string operator()(const ShardType& type) const { return to_string(dims_, mesh_, type); }
  /// An instruction as a field: "contract{reduced=[d]}"
  template <class... Kinds>
  std::string operator()(const std::variant<Kinds...>& kind) const {
    return std::visit(
        [this]<class Kind>(const Kind& of) { return std::string(Kind::kName) + (*this)(of); },
        kind);
  }
  template <class T>
  std::string operator()(const std::vector<T>& list) const {
    return "[" + joined(list) + "]";
  }
  /// "{dim=d from=[rows]}"
  template <HasFields T>
  std::string operator()(const T& value) const {
    const std::string text = fields(value);
    return "{" + (text.empty() ? "" : text.substr(1)) + "}";
  }

  /// " dim=d first=3", each field with a blank before it.
  template <HasFields T>
  std::string fields(const T& value) const {
    std::string text;
    T::fields(value, [&](std::string_view key, const auto& field) {
      if (!absent(field)) text += " " + std::string(key) + "=" + (*this)(field);
    });
    return text;
  }

 private:
  template <class T>
  std::string joined(const std::vector<T>& list) const {
    std::string text;
    for (const T& item : list) text += (text.empty() ? "" : ", ") + (*this)(item);
    return text;
  }
  std::string side(const DimList& dims) const {
    return dims.size() == 1 ? (*this)(dims[0]) : "(" + joined(dims) + ")";
  }
  template <class T>
  static bool absent(const T& value) {
    if constexpr (std::is_same_v<T, bool>)
      return !value;
    else if constexpr (may_be_absent<T>)
      return value.empty();
    else
      return false;
  }

  const DimTable& dims_;
  const Mesh& mesh_;
};

}  // namespace mtfc
