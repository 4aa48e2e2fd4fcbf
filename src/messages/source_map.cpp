#include "messages/source_map.h"

#include <algorithm>

#include "support/check.h"
#include "support/utf8.h"

namespace mtfc {
namespace {

std::vector<std::uint32_t> find_line_starts(std::string_view text) {
  std::vector<std::uint32_t> starts{0};
  for (std::size_t i = text.find('\n'); i != std::string_view::npos; i = text.find('\n', i + 1))
    starts.push_back(static_cast<std::uint32_t>(i + 1));
  return starts;
}

}  // namespace

Span join(Span a, Span b) {
  if (!a.valid()) return b;
  if (!b.valid()) return a;
  MTFC_CHECK(a.file == b.file, "two places of different files cannot be joined");
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

FileId SourceMap::add(std::string path, std::string text) {
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  const FileId id = next_id<FileId>(files_);
  std::vector<std::uint32_t> starts = find_line_starts(text);
  files_.push_back({std::move(path), std::move(text), std::move(starts)});
  return id;
}

const std::string& SourceMap::path(FileId file) const { return files_[file.at()].path; }
const std::string& SourceMap::text(FileId file) const { return files_[file.at()].text; }

std::string_view SourceMap::text(Span span) const {
  const std::string_view all = text(span.file);
  const std::size_t begin = std::min<std::size_t>(span.begin, all.size());
  return all.substr(begin, span.end > begin ? span.end - begin : 0);
}

Position SourceMap::position(FileId file, std::uint32_t offset) const {
  const File& f = files_[file.at()];
  offset = std::min(offset, static_cast<std::uint32_t>(f.text.size()));
  const auto after = std::upper_bound(f.line_starts.begin(), f.line_starts.end(), offset);
  const std::uint32_t start = *(after - 1);
  const auto before = f.text.begin();
  const auto column = std::count_if(before + start, before + offset, begins_character);
  return {static_cast<int>(after - f.line_starts.begin()), static_cast<int>(column) + 1};
}

std::string_view SourceMap::line(FileId file, int line) const {
  const File& f = files_[file.at()];
  if (line < 1 || line > line_count(file)) return {};
  const auto at = static_cast<std::size_t>(line - 1);
  const std::uint32_t begin = f.line_starts[at];
  const std::size_t end = at + 1 < f.line_starts.size() ? f.line_starts[at + 1] : f.text.size();
  std::string_view found = std::string_view(f.text).substr(begin, end - begin);
  if (found.ends_with('\n')) found.remove_suffix(1);
  if (found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

int SourceMap::line_count(FileId file) const {
  return static_cast<int>(files_[file.at()].line_starts.size());
}

std::string source_text(const SourceMap& sources, const Span& span) {
  if (!span.valid()) return "";
  return sources.path(span.file) + ":" +
         std::to_string(sources.position(span.file, span.begin).line);
}

}  // namespace mtfc
