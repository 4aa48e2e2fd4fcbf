// A regular expression over Unicode text (PCRE2).
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace mtfc::runtime {

class Pattern {
 public:
  /// Perl's syntax; classes like \p{L} are Unicode's. Patterns are ours: a wrong one is a bug.
  explicit Pattern(std::string_view expression);
  Pattern(Pattern&&) noexcept;
  ~Pattern();

  /// The first match at or behind byte `from`, a view of `text`; empty if there is none. `text`
  /// must be UTF-8.
  std::string_view find(std::string_view text, std::size_t from);

 private:
  struct Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace mtfc::runtime
