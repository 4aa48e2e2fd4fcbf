// One line of a dump, read word by word.
#pragma once
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace mtfc {

/// What is wrong with a line; thrown by DumpLine and caught by parse_module, never further.
struct DumpFailure {
  std::string why;
};

/// A cursor that skips blanks after every word. Throws DumpFailure.
class DumpLine {
 public:
  explicit DumpLine(std::string_view text) : text_(text) { skip(); }

  bool done() const { return at_ >= text_.size(); }
  bool next_is(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  bool take(std::string_view word) {
    if (!next_is(word)) return false;
    at_ += word.size();
    skip();
    return true;
  }
  void need(std::string_view word) {
    if (!take(word)) throw DumpFailure{"`" + std::string(word) + "` is missing"};
  }
  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (begin == at_) throw DumpFailure{"a word is missing"};
    std::string result(text_.substr(begin, at_ - begin));
    skip();
    return result;
  }
  std::int64_t integer() {
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) throw DumpFailure{"a whole number is missing"};
    at_ = static_cast<std::size_t>(end - text_.data());
    skip();
    return value;
  }
  double number() {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) throw DumpFailure{"a number is missing"};
    at_ = static_cast<std::size_t>(end - text_.data());
    skip();
    return value;
  }
  std::string string() {
    if (at_ >= text_.size() || text_[at_] != '"') throw DumpFailure{"a string is missing"};
    std::string value;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        value += text_[at_];
      } else if (++at_ < text_.size() && text_[at_] == 'x' && at_ + 2 < text_.size()) {
        int byte = 0;
        std::from_chars(text_.data() + at_ + 1, text_.data() + at_ + 3, byte, 16);
        value += static_cast<char>(byte);
        at_ += 2;
      } else if (at_ < text_.size()) {
        value += text_[at_];
      }
    }
    if (at_ >= text_.size()) throw DumpFailure{"a string does not end"};
    ++at_;
    skip();
    return value;
  }

 private:
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '\'' || c == '~' || c == '-';
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace mtfc
