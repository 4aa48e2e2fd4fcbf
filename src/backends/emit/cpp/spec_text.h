// Specs as C++ initialisers: what the simulated mesh gets as values, emitted programs get as text.
// Any struct with `fields` (support/fields.h) can be written: how is said by its fields' types.
#pragma once
#include <concepts>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "backends/emit/cpp/cpp_text.h"
#include "comm/exchange_spec.h"
#include "kernels/kernels.h"
#include "support/combine.h"
#include "support/dtype.h"
#include "support/fields.h"
#include "support/scalar.h"

namespace mtfc::backends {

/// "DType::f32" and the like.
std::string value_text(DType dtype);
std::string value_text(Combine combine);
std::string value_text(Distribution distribution);
std::string value_text(runtime::ExchangeSpec::Kind kind);
/// In words of train/emitted/literals.h, one instruction a line.
std::string value_text(const ScalarProgram& program);

template <class T>
std::string value_text(const std::vector<T>& items);
template <HasFields Struct>
std::string value_text(const Struct& value);
template <class... Specs>
std::string value_text(const std::variant<Specs...>& spec);

/// A kernel in a spec: "MapSpec{...}"
template <class... Specs>
std::string value_text(const std::variant<Specs...>& spec) {
  return std::visit(
      [](const auto& one) { return std::string(runtime::spec_name(one)) + value_text(one); }, spec);
}

/// "0x0123456789abcdefu"
std::string hash_text(std::uint64_t value);
inline std::string value_text(Bits<const std::uint64_t> bits) { return hash_text(bits.value); }
inline std::string value_text(bool value) { return boolean(value); }
template <class Number>
requires(std::is_arithmetic_v<Number>) std::string value_text(Number value) {
  if constexpr (std::floating_point<Number>)
    return number(static_cast<double>(value));
  else
    return number(static_cast<std::int64_t>(value));
}

template <class T>
std::string value_text(const std::vector<T>& items) {
  std::vector<std::string> texts;
  for (const T& item : items) texts.push_back(value_text(item));
  return braces(texts);
}

/// ".name = value" for each field.
template <HasFields Struct>
std::vector<std::string> field_texts(const Struct& value) {
  std::vector<std::string> texts;
  Struct::fields(value, [&](std::string_view name, const auto& field) {
    texts.push_back("." + std::string(name) + " = " + value_text(field));
  });
  return texts;
}

/// On one line.
template <HasFields Struct>
std::string value_text(const Struct& value) {
  return braces(field_texts(value));
}

/// A field a line, for what stands in a function.
template <HasFields Spec>
std::string spec_text(const Spec& spec) {
  return block("", field_texts(spec), 2);
}

}  // namespace mtfc::backends
