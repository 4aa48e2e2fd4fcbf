#include "frontend/syntax/byte_stream.h"

namespace mtfc::syntax {

size_t ByteStream::LA(ssize_t offset) {
  if (offset == 0) return 0;
  // LA(1) is the next character, LA(-1) the one before.
  const ssize_t at = static_cast<ssize_t>(at_) + (offset > 0 ? offset - 1 : offset);
  if (at < 0 || at >= static_cast<ssize_t>(text_.size())) return antlr4::IntStream::EOF;
  return static_cast<unsigned char>(text_[static_cast<size_t>(at)]);
}

std::string ByteStream::getText(const antlr4::misc::Interval& interval) {
  const auto first = static_cast<size_t>(interval.a);
  if (interval.a < 0 || interval.b < interval.a || first >= text_.size()) return "";
  return std::string(text_.substr(first, static_cast<size_t>(interval.b) + 1 - first));
}

}  // namespace mtfc::syntax
