// What decides the numbers of a run, as texts: processes that compute together compare them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mtfc {

struct Fact {
  std::string name;   // "`train.steps`": what it is, for messages
  std::string value;  // equal if and only if the fact is; short, since it is printed
};
using Facts = std::vector<Fact>;

/// FNV-1a, of texts one after the other: enough to see that two differ.
class Digest {
 public:
  void add(std::string_view text) {
    for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  }
  std::uint64_t number() const { return hash_; }
  /// Sixteen hexadecimal digits.
  std::string text() const {
    std::string digits(16, '0');
    for (std::size_t i = 0; i < digits.size(); ++i)
      digits[i] = "0123456789abcdef"[hash_ >> (60 - 4 * i) & 15];
    return digits;
  }

 private:
  std::uint64_t hash_ = 14695981039346656037ull;
};

/// "1200 bytes, digest 00f1..."
inline std::string digest_of(std::string_view text) {
  Digest digest;
  digest.add(text);
  return std::to_string(text.size()) + " bytes, digest " + digest.text();
}

}  // namespace mtfc
