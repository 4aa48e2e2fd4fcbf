#include "draw/operation_picture.h"

#include <algorithm>
#include <map>

#include "draw/tensor_block.h"
#include "ir/glob.h"

namespace mtfc::draw {
namespace {

/// "->" with words above and below it, as high as the blocks beside it.
Picture arrow(const std::string& above, const std::string& below) {
  Picture one;
  one.width = static_cast<double>(std::max({above.size(), below.size(), std::size_t{6}}));
  one.height = 6;
  one.add(Text{one.width / 2 - 0.5, 3, above, Text::Style::plain, Text::Anchor::middle});
  one.add(Line{0, 4, one.width - 1, 4, no_fill, true});
  one.add(Text{one.width / 2 - 0.5, 5, below, Text::Style::faint, Text::Anchor::middle});
  return one;
}

/// Between operands.
Picture sign(const std::string& text) {
  Picture one;
  one.width = static_cast<double>(text.size());
  one.height = 6;
  one.add(Text{0, 5, text, Text::Style::title});
  return one;
}

/// One picture of both, so that no line ends between them.
Picture after(const Picture& before, const Picture& block) {
  return in_rows({before, block}, before.width + block.width + 8);
}

Picture arrow_of(const Module& module, const Instruction& at) {
  return arrow(std::string(name(at.kind)) + " over " + to_string(module.mesh, axes_of(at.kind)),
               at.origin.cause);
}

/// Where value number `operand` of a collective goes.
ValueId moved(const Instruction& at, ValueId operand) {
  for (std::size_t i = 0; i < at.operands.size(); ++i)
    if (at.operands[i] == operand) return at.results[i];
  return {};
}

// ---------------------------------------------------------------- one operation
class Operation {
 public:
  Operation(const Module& module, const Program& program, double columns)
      : module_(module), program_(program), columns_(columns) {}

  Picture picture_at(std::size_t number) {
    const Instruction& at = program_.instructions[number];
    std::vector<Picture> parts;
    for (std::size_t i = 0; i < at.operands.size(); ++i) {
      if (i > 0) parts.push_back(sign(std::holds_alternative<Contract>(at.kind) ? "x" : ","));
      parts.push_back(block(at.operands[i], name_of(at.operands[i], number)));
    }
    const std::string& known = program_.at(at.results[0]).name;
    const std::string result = known.empty() ? "result" : general_path(known);
    parts.push_back(after(arrow(std::string(name(at.kind)), ""), block(at.results[0], result)));
    add_collectives(parts, number, result);
    return in_rows(parts, columns_);
  }

 private:
  Picture block(ValueId value, const std::string& called) const {
    return tensor_block(module_.dims, module_.mesh, called, program_.at(value).type, {4, true});
  }

  /// Of a value without a name what made it.
  std::string name_of(ValueId value, std::size_t before) const {
    if (const std::string& known = program_.at(value).name; !known.empty())
      return general_path(known);
    for (std::size_t i = before; i-- > 0;) {
      const Instruction& at = program_.instructions[i];
      const auto found = std::find(at.results.begin(), at.results.end(), value);
      if (found == at.results.end()) continue;
      if (is_collective(at.kind) || std::holds_alternative<Wait>(at.kind))
        return name_of(at.operands[static_cast<std::size_t>(found - at.results.begin())], i);
      return "(" + std::string(name(at.kind)) + ")";
    }
    return "value";
  }

  /// What completes the result, one after the other.
  void add_collectives(std::vector<Picture>& parts, std::size_t number,
                       const std::string& called) const {
    ValueId value = program_.instructions[number].results[0];
    const Instruction* started = nullptr;
    for (std::size_t i = number + 1; i < program_.instructions.size(); ++i) {
      const Instruction& at = program_.instructions[i];
      if (std::find(at.operands.begin(), at.operands.end(), value) == at.operands.end()) continue;
      const bool waits = std::holds_alternative<Wait>(at.kind);
      if (!waits && !is_collective(at.kind)) return;
      if (!waits) started = &at;
      value = moved(at, value);
      if (!waits && is_async(at.kind)) continue;
      parts.push_back(after(arrow_of(module_, *started), block(value, called)));
    }
  }

  const Module& module_;
  const Program& program_;
  const double columns_;
};

/// The instructions of a line that show best what it computes: products; if there is none, the last
/// one.
std::vector<std::size_t> main_instructions(const Program& program, const SourceMap& sources,
                                           const std::string& source) {
  std::vector<std::size_t> all, products;
  // Of several instances of a block the first; a line may call several blocks of the library.
  std::map<std::string, std::string> first;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& at = program.instructions[i];
    if (at.origin.phase != Phase::forward || at.operands.empty() || at.results.empty() ||
        is_collective(at.kind) || std::holds_alternative<Wait>(at.kind))
      continue;
    const bool called = at.origin.call.valid() && source_text(sources, at.origin.call) == source;
    if (!called && source_text(sources, at.origin.span) != source) continue;
    const std::string& block = at.role.block.str();
    if (first.try_emplace(called ? general_path(block) : "", block).first->second != block)
      continue;
    all.push_back(i);
    if (std::holds_alternative<Contract>(at.kind)) products.push_back(i);
  }
  if (!products.empty() || all.empty()) return products;
  return {all.back()};
}

}  // namespace

std::string source_line(const SourceMap& sources, const std::string& source) {
  const std::size_t colon = source.rfind(':');
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const FileId file{static_cast<std::int32_t>(i)};
    if (colon == source.npos || sources.path(file) != source.substr(0, colon)) continue;
    const int line = std::atoi(source.c_str() + colon + 1);
    if (line < 1 || line > sources.line_count(file)) return "";
    const std::string text(sources.line(file, line));
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == text.npos ? "" : text.substr(begin);
  }
  return "";
}

Picture operation_picture(const Module& module, const SourceMap& sources, const std::string& source,
                          double columns) {
  for (const auto& [program, times] : counted_programs(module)) {
    const std::vector<std::size_t> numbers = main_instructions(*program, sources, source);
    if (numbers.empty()) continue;
    Picture all;
    all.title = source + "  " + source_line(sources, source);
    all.add(Text{0, 0, source, Text::Style::faint});
    all.add(Text{static_cast<double>(source.size()) + 2, 0, source_line(sources, source),
                 Text::Style::code});
    all.width = static_cast<double>(all.title.size());
    std::vector<Picture> operations;
    for (const std::size_t number : numbers)
      operations.push_back(Operation(module, *program, columns).picture_at(number));
    all.add(stacked(operations), 0, 2);
    return all;
  }
  return {};
}

Picture tensor_picture(const Module& module, const std::string& wanted,
                       const std::vector<std::string>& instances, double columns) {
  std::vector<ShardType> seen;
  std::vector<Picture> parts;
  for (const auto& [program, times] : counted_programs(module)) {
    const Instruction* started = nullptr;
    for (const Instruction& at : program->instructions)
      for (ValueId result : at.results) {
        const ProgramValue& value = program->at(result);
        if (std::find(instances.begin(), instances.end(), value.name.str()) == instances.end())
          continue;
        if (is_collective(at.kind)) started = &at;
        if (is_async(at.kind) || std::find(seen.begin(), seen.end(), value.type) != seen.end())
          continue;
        const bool arrives = is_collective(at.kind) || std::holds_alternative<Wait>(at.kind);
        const Picture block = tensor_block(module.dims, module.mesh, wanted, value.type, {});
        if (seen.empty())
          parts.push_back(block);
        else
          parts.push_back(
              after(arrives && started ? arrow_of(module, *started) : sign(","), block));
        seen.push_back(value.type);
      }
  }
  if (parts.empty()) return {};
  Picture all = in_rows(parts, columns);
  all.title = wanted;
  return all;
}

}  // namespace mtfc::draw
