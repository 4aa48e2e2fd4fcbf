#include "ir/field_text.h"

#include <charconv>

#include "support/text.h"

namespace mtfc {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      static const char* digits = "0123456789abcdef";
      out += std::string("\\x") + digits[byte >> 4] + digits[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string FieldText::operator()(double value) const {
  std::string text = shortest(value);
  const bool whole = text.find_first_not_of("-0123456789") == text.npos;
  return whole ? text + ".0" : text;
}

std::string FieldText::operator()(Bits<const std::int64_t> bits) const {
  char buffer[20];
  const auto value = static_cast<std::uint64_t>(bits.value);
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, 16).ptr;
  return "0x" + std::string(buffer, end);
}

std::string FieldText::operator()(const DimGroup& group) const {
  return side(group.from) + " -> " + side(group.to);
}

std::string FieldText::operator()(const WindowItem& item) const {
  std::string text = (*this)(item.dim) + " = " + std::to_string(item.at.begin);
  for (const Affine::Term& term : item.at.terms)
    text += " + " + std::to_string(term.scale) + " " + (*this)(term.dim);
  return text;
}

std::string FieldText::operator()(const ScalarInstruction& step) const {
  std::string text;
  switch (step.kind) {
    case LeafKind::operand:
      text = "operand " + std::to_string(step.leaf);
      break;
    case LeafKind::constant:
      text = "constant " + shortest(step.value);
      break;
    case LeafKind::index:
      text = "index " + std::to_string(step.leaf);
      break;
    case LeafKind::random:
      text = "random " + std::to_string(step.leaf);
      break;
    case LeafKind::none:
      text = name(step.op);
      for (int i = 0; i < arity(step.op); ++i) text += " " + std::to_string(step.args[i]);
      break;
  }
  return text + " " + std::string(name(step.dtype));
}

}  // namespace mtfc
