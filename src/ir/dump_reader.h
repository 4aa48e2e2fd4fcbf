// What dumps of graphs and of modules have in common: lines, values, origins.
#pragma once
#include <map>
#include <optional>
#include <utility>

#include "ir/field_reader.h"
#include "ir/origin.h"
#include "ir/step_role.h"

namespace mtfc {

class DumpReader : protected FieldReader {
 protected:
  /// `sources`: what origins point into; null if it is not known.
  DumpReader(const DimTable& dims, const Mesh& mesh, const SourceMap* sources)
      : FieldReader(dims, mesh), sources_(sources) {}

  /// `%12.hint`; the hint is what follows the first dot.
  std::pair<std::int64_t, std::string> value_name(DumpLine& line) const;
  void define(DumpLine& line, std::int64_t number, ValueId id);
  ValueId value(DumpLine& line) const;  // one that is defined
  std::vector<ValueId> operands(DumpLine& line) const;
  StepRole role(DumpLine& line) const;
  Span span(DumpLine& line) const;
  Origin origin(DumpLine& line) const;

  std::map<std::int64_t, ValueId> values_;  // by their numbers in the dump

 private:
  const SourceMap* sources_;
};

/// read(line) for every line of `text` until one fails; then false, and `error` is "line 12: ...".
template <class F>
bool each_line(std::string_view text, std::string& error, F&& read) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    DumpLine line(text.substr(0, end));
    if (!text.starts_with('#')) read(line);
    if (!line.ok()) {
      error = "line " + std::to_string(number) + ": " + line.error();
      return false;
    }
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return true;
}

}  // namespace mtfc
