#include "ir/dump_reader.h"

#include <limits>

namespace mtfc {

std::pair<std::int64_t, std::string> DumpReader::value_name(DumpLine& line) const {
  line.need("%");
  const std::int64_t number = line.integer();
  std::string hint;
  while (line.take(".")) {
    if (line.next_is("\"")) return {number, line.string()};
    hint += (hint.empty() ? "" : ".") + line.word();
  }
  return {number, hint};
}

void DumpReader::define(DumpLine& line, std::int64_t number, ValueId id) {
  if (!values_.emplace(number, id).second) line.fail("a value is made twice");
}

ValueId DumpReader::value(DumpLine& line) const {
  const auto it = values_.find(value_name(line).first);
  if (it != values_.end()) return it->second;
  line.fail("a value is used before it is made");
  return {};
}

std::vector<ValueId> DumpReader::operands(DumpLine& line) const {
  std::vector<ValueId> list;
  while (line.next_is("%")) {
    list.push_back(value(line));
    if (!line.take(",")) break;
  }
  return list;
}

StepRole DumpReader::role(DumpLine& line) const {
  StepRole role;
  if (line.take("!gradient")) {
    role.kind = StepRole::Kind::gradient;
  } else if (line.take("!update")) {
    role.kind = StepRole::Kind::update;
    if (line.next_is("\"")) role.parameter = line.string();
  }
  if (line.take("!again")) role.again = true;
  if (role.again || line.take("!recompute")) read(line, role.recompute);
  if (line.take("!in")) role.block = line.string();
  if (line.take("!scopes")) do {
      role.scopes.push_back(static_cast<int>(line.integer(0, std::numeric_limits<int>::max())));
    } while (line.take("+"));
  return role;
}

Span DumpReader::span(DumpLine& line) const {
  Span span;
  const std::int64_t files = sources_ ? static_cast<std::int64_t>(sources_->size())
                                      : std::numeric_limits<std::int32_t>::max();
  const std::int64_t file = line.integer();
  if (file < 0 || file >= files)
    line.fail("file " + std::to_string(file) + " is not one of those that were read");
  span.file = FileId{static_cast<std::int32_t>(file)};
  line.need(":");
  constexpr std::int64_t largest = std::numeric_limits<std::uint32_t>::max();
  const std::int64_t most =
      sources_ && line.ok() ? static_cast<std::int64_t>(sources_->text(span.file).size()) : largest;
  const std::int64_t begin = line.integer();
  if (line.ok() && (begin < 0 || begin > most))
    line.fail("position " + std::to_string(begin) + " is beyond the end of file " +
              std::to_string(file) +
              ": the dump is of other texts, those of `-D` and `--set` included");
  line.need("-");
  span.begin = static_cast<std::uint32_t>(begin);
  span.end = static_cast<std::uint32_t>(line.integer(begin, most));
  return span;
}

Origin DumpReader::origin(DumpLine& line) const {
  Origin o;
  line.need("@");
  if (line.next_is_integer()) o.span = span(line);
  if (line.take("called")) o.call = span(line);
  o.phase = one_of<Phase>(line);
  if (line.take("because ")) o.cause = line.string();
  if (!line.done()) line.fail("something follows the origin");
  return o;
}

}  // namespace mtfc
