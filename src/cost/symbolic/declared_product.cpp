#include "cost/symbolic/declared_product.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace mtfc::cost {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return c == '_' || c == '\'' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class ProductReader {
 public:
  ProductReader(std::string_view text, const NamedProducts& named) : text_(text), named_(named) {}

  std::optional<Polynomial> run() {
    std::optional<Polynomial> value = product(0);
    return value && at_ == text_.size() && has_name_ ? value : std::nullopt;
  }

 private:
  std::optional<Polynomial> product(int depth) {
    constexpr int deepest = 20;
    std::optional<Polynomial> value = depth < deepest ? factor(depth) : std::nullopt;
    while (value && (next('*') || next('/'))) {
      const bool divides = text_[at_] == '/';
      ++at_;
      const std::optional<Polynomial> more = factor(depth);
      if (!more || !more->is_product() || more->is_zero()) return std::nullopt;
      value = divides ? *value / *more : *value * *more;
    }
    return value;
  }

  std::optional<Polynomial> factor(int depth) {
    if (next('(')) {
      ++at_;
      std::optional<Polynomial> value = product(depth + 1);
      if (!next(')')) return std::nullopt;
      ++at_;
      skip();
      return value;
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_digit(text_[at_]) || is_letter(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    skip();
    if (is_whole_number(word)) return Polynomial(std::stod(std::string(word)));
    if (word.empty() || is_digit(word.front())) return std::nullopt;
    has_name_ = true;
    return named_(word);
  }

  bool next(char c) {
    skip();
    return at_ < text_.size() && text_[at_] == c;
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  const std::string_view text_;
  const NamedProducts& named_;
  std::size_t at_ = 0;
  bool has_name_ = false;
};

}  // namespace

std::optional<Polynomial> declared_product(std::string_view text, const NamedProducts& named) {
  const std::optional<Polynomial> product = ProductReader(text, named).run();
  if (!product || product->is_zero()) return std::nullopt;
  const double coefficient = product->terms().begin()->second;
  return coefficient == std::floor(coefficient) ? product : std::nullopt;
}

bool is_whole_number(std::string_view text) {
  return !text.empty() && text.size() <= 15 && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace mtfc::cost
