// Text of which copies share the characters: paths and reasons, which every pass copies with the
// operations that carry them.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mtfc {

/// Reads as a std::string; it is assigned as a whole, never changed in place.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text)
      : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}

  const std::string& str() const {
    static const std::string none;
    return text_ ? *text_ : none;
  }
  operator const std::string&() const { return str(); }
  operator std::string_view() const { return str(); }
  bool empty() const { return !text_; }
  void clear() { text_.reset(); }

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.text_ == b.text_ || a.str() == b.str();
  }
  friend bool operator==(const SharedText& a, const std::string& b) { return a.str() == b; }
  friend bool operator==(const SharedText& a, const char* b) { return a.str() == b; }

 private:
  std::shared_ptr<const std::string> text_;  // null: empty
};

}  // namespace mtfc
