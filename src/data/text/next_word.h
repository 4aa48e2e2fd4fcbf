// Words of a text: what lies between blanks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

namespace mtfc::runtime {

/// The first word from byte `at` on, which is then where it ends; empty: there is none.
inline std::string_view next_word(std::string_view text, std::size_t& at) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  const std::size_t begin = std::min(text.find_first_not_of(blanks, at), text.size());
  at = std::min(text.find_first_of(blanks, begin), text.size());
  return text.substr(begin, at - begin);
}

}  // namespace mtfc::runtime
