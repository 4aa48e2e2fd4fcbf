// Source texts and places in them.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "support/id.h"

namespace mtfc {

/// A half-open range of bytes [begin, end) in one source file. file.valid() is false for
/// "nowhere" (a value the compiler made up).
struct Span {
  FileId file;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool valid() const { return file.valid(); }
  friend bool operator==(const Span&, const Span&) = default;
};

/// From the beginning of `a` to the end of `b`; both in the same file.
Span join(Span a, Span b);

/// 1-based; the column counts Unicode code points.
struct Position {
  int line = 1;
  int column = 1;
  friend bool operator==(const Position&, const Position&) = default;
};

/// All texts of one compilation: models, libraries, layouts, command-line fragments.
class SourceMap {
 public:
  /// `path` is what is shown to the user; `text` is UTF-8 (a byte-order mark is removed).
  FileId add(std::string path, std::string text);

  std::size_t size() const { return files_.size(); }
  const std::string& path(FileId file) const;
  const std::string& text(FileId file) const;
  std::string_view text(Span span) const;
  Position position(FileId file, std::uint32_t offset) const;
  /// The 1-based line, without its line end.
  std::string_view line(FileId file, int line) const;
  int line_count(FileId file) const;

 private:
  struct File {
    std::string path;
    std::string text;
    std::vector<std::uint32_t> line_starts;
  };
  std::deque<File> files_;
};

/// "model.mtf:9"; empty for a span that the compiler made up.
std::string source_text(const SourceMap& sources, const Span& span);

}  // namespace mtfc
