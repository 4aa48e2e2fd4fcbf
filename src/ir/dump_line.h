// One line of a dump, read word by word.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ir/text_words.h"

namespace mtfc {

/// A cursor that skips blanks after every word. The first thing that is not as expected is the
/// line's error; from then on nothing more is found, and words and numbers read are empty and 0. So
/// readers ask ok() where they would use what was read, and in loops.
class DumpLine {
 public:
  explicit DumpLine(std::string_view text) : text_(text) { skip(); }

  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }
  void fail(std::string why);

  bool done() const { return at_ >= text_.size(); }
  bool next_is(std::string_view word) const {
    return ok() && text_.substr(at_, word.size()) == word;
  }
  bool next_is_word() const { return !done() && is_word_letter(text_[at_]); }
  /// The character after the next word and blanks; 0 at the line's end.
  char after_word() const;
  bool take(std::string_view word);
  void need(std::string_view word);
  std::string word();
  /// Words with dots between them: "apply.1.2".
  std::string dotted_words();
  std::int64_t integer();
  /// Fails if it is not in lowest .. highest.
  std::int64_t integer(std::int64_t lowest, std::int64_t highest);
  std::uint64_t bits();  // "0x12ef"
  double number();
  bool next_is_integer() const;  // begins like a number
  bool next_is_decimal() const;  // a number with a point or an exponent, or "inf", "nan"
  std::string string();
  /// item() until `close`, with commas between.
  template <class F>
  void list(std::string_view open, std::string_view close, F&& item) {
    need(open);
    while (ok() && !take(close)) {
      item();
      if (!take(",") && !next_is(close)) fail("`" + std::string(close) + "` is missing");
    }
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  template <class Number, class... Base>
  Number parsed(const char* what, Base... base);

  std::string_view text_;
  std::size_t at_ = 0;
  std::string error_;
};

}  // namespace mtfc
