#include "ir/dump_line.h"

#include <charconv>

namespace mtfc {

void DumpLine::fail(std::string why) {
  if (ok()) error_ = std::move(why);
  at_ = text_.size();
}

char DumpLine::after_word() const {
  std::size_t i = at_;
  while (i < text_.size() && is_word_letter(text_[i])) ++i;
  while (i < text_.size() && text_[i] == ' ') ++i;
  return i < text_.size() ? text_[i] : '\0';
}

bool DumpLine::take(std::string_view word) {
  if (!next_is(word)) return false;
  at_ += word.size();
  skip();
  return true;
}

void DumpLine::need(std::string_view word) {
  if (!take(word)) fail("`" + std::string(word) + "` is missing");
}

std::string DumpLine::word() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_word_letter(text_[at_])) ++at_;
  if (begin == at_) {
    fail("a word is missing");
    return "";
  }
  std::string result(text_.substr(begin, at_ - begin));
  skip();
  return result;
}

std::string DumpLine::dotted_words() {
  std::string all = word();
  while (take(".")) all += "." + word();
  return all;
}

template <class Number, class... Base>
Number DumpLine::parsed(const char* what, Base... base) {
  Number value = 0;
  const auto [end, error] =
      std::from_chars(text_.data() + at_, text_.data() + text_.size(), value, base...);
  if (error != std::errc{}) {
    fail(std::string(what) + " is missing");
    return 0;
  }
  at_ = static_cast<std::size_t>(end - text_.data());
  skip();
  return value;
}

std::int64_t DumpLine::integer() { return parsed<std::int64_t>("a whole number"); }

std::int64_t DumpLine::integer(std::int64_t lowest, std::int64_t highest) {
  const std::int64_t value = integer();
  if (ok() && value >= lowest && value <= highest) return value;
  fail(std::to_string(value) + " is out of range");
  return lowest;
}

std::uint64_t DumpLine::bits() {
  need("0x");
  return parsed<std::uint64_t>("a number in base 16", 16);
}

double DumpLine::number() { return parsed<double>("a number"); }

namespace {
bool is_digit(char c) { return c >= '0' && c <= '9'; }
std::string_view unsigned_part(std::string_view text) {
  return text.starts_with('-') ? text.substr(1) : text;
}
}  // namespace

bool DumpLine::next_is_integer() const {
  const std::string_view rest = unsigned_part(text_.substr(at_));
  return !rest.empty() && is_digit(rest[0]);
}

bool DumpLine::next_is_decimal() const {
  const std::string_view rest = unsigned_part(text_.substr(at_));
  if (rest.starts_with("inf") || rest.starts_with("nan")) return true;
  const std::size_t end = rest.find_first_not_of("0123456789");
  return end != rest.npos && end > 0 && (rest[end] == '.' || rest[end] == 'e');
}

std::string DumpLine::string() {
  std::string value;
  if (!next_is("\"")) {
    fail("a string is missing");
    return value;
  }
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
  if (at_ >= text_.size()) {
    fail("a string does not end");
    return value;
  }
  ++at_;
  skip();
  return value;
}

}  // namespace mtfc
