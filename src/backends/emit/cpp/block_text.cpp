#include "backends/emit/cpp/block_text.h"

#include <algorithm>
#include <map>

#include "backends/emit/cpp/cpp_text.h"
#include "backends/emit/cpp/spec_text.h"
#include "backends/emit/cpp/statement_text.h"

namespace mtfc::backends {
namespace {

/// The part of a block's path that all instructions of an iteration share; it ends at a segment.
std::string common_scope(const BoundProgram& program, std::size_t begin, std::size_t length) {
  std::string common = program.at(begin).role.block;
  for (std::size_t i = begin; i < begin + length; ++i) {
    const std::string& scope = program.at(i).role.block;
    while (!common.empty() && scope != common && !scope.starts_with(common + ".")) {
      const std::size_t dot = common.rfind('.');
      common.erase(dot == common.npos ? 0 : dot);
    }
  }
  return common;
}

class Block {
 public:
  Block(const BoundProgram& program, const bind::Frame& frame) : program_(program), frame_(frame) {
    names_.resize(frame.offsets.size());
  }

  BlockText run() {
    std::string body;
    for (std::size_t j = 0; j < frame_.repeat.length; ++j) body += statement(j);
    const std::size_t first = frame_.repeat.begins[0], last = frame_.repeat.begins.back();
    const std::string scope = common_scope(program_, first, frame_.repeat.length);
    const std::string last_scope = common_scope(program_, last, frame_.repeat.length);
    text_.frame = &frame_;
    text_.function = identifier(scope.empty() ? "block" : scope, static_cast<int>(first)) + "_turn";
    const std::string title =
        "\n// " + std::to_string(frame_.repeat.begins.size()) + " iterations, " +
        comment(location(scope) + " to " + location(last_scope)) + "; comments are of the first.\n";
    if (body.find("\n  p.") == body.npos) return std::move(text_);  // only other names for values
    text_.definition = title + "void " + text_.function + "(Processor& p, const Iteration& t) {\n" +
                       declared_ + body + "}\n";
    return std::move(text_);
  }

 private:
  static std::string location(const std::string& scope) {
    return scope.empty() ? "the model" : scope;
  }

  std::string statement(std::size_t j) {
    const std::size_t i = frame_.repeat.begins[0] + j;
    const auto value = [&](std::size_t k) { return buffer(frame_.buffers[j][k], i, k); };
    const auto scratch = [&] {
      return "arena(t.frame + " + number(std::max<std::int64_t>(frame_.scratch[j], 0)) + ")";
    };
    const auto keys = [&](std::size_t samples) {
      const std::size_t first = text_.keys;
      text_.keys += samples;
      return "&t.keys[" + std::to_string(first) + "]";
    };
    return statement_text(program_, i, {value, scratch, keys});
  }

  /// The buffer's name; declares it at its first use.
  std::string buffer(int number, std::size_t i, std::size_t k) {
    std::string& name = names_[static_cast<std::size_t>(number)];
    if (!name.empty()) return name;
    const ValueId id = program_.value(i, k);
    name = identifier(program_.program.at(id).name, number);
    const std::int64_t offset = frame_.offsets[static_cast<std::size_t>(number)];
    declared_ += "  const Slot " + name + " = ";
    if (offset == bind::Frame::kParameter) {
      declared_ += "t.slots[" + std::to_string(text_.parameters.size()) + "]";
      text_.parameters.push_back(number);
    } else {
      declared_ += "arena(t.frame + " + backends::number(offset) + ")";
    }
    declared_ += ";  // " + comment(program_.shard_text(id)) + "\n";
    return name;
  }

  const BoundProgram& program_;
  const bind::Frame& frame_;
  BlockText text_;
  std::vector<std::string> names_;  // by buffer; empty: not used
  std::string declared_;
};

/// What an iteration gives for each parameter of its function.
std::vector<std::string> arguments(const BoundProgram& program, const BlockText& block,
                                   std::size_t begin) {
  std::map<int, ValueId> values;
  for (std::size_t j = 0; j < block.frame->repeat.length; ++j)
    for (std::size_t k = 0; k < block.frame->buffers[j].size(); ++k)
      values.emplace(block.frame->buffers[j][k], program.value(begin + j, k));
  std::vector<std::string> slots;
  for (const int buffer : block.parameters)
    slots.push_back(slot_text(program.plan.values[values.at(buffer).at()]));
  return slots;
}

std::vector<std::string> keys(const BoundProgram& program, const BlockText& block,
                              std::size_t begin) {
  std::vector<std::string> texts;
  for (std::size_t j = 0; j < block.frame->repeat.length; ++j)
    if (const auto* map = std::get_if<runtime::MapSpec>(&program.bound[begin + j]))
      for (const auto& leaf : map->random_leaves) texts.push_back(hash_text(leaf.key));
  return texts;
}

}  // namespace

BlockText block_text(const BoundProgram& program, const bind::Frame& frame) {
  return Block(program, frame).run();
}

std::string iterations_text(const BoundProgram& program, const BlockText& block, std::size_t first,
                            std::size_t count) {
  if (block.definition.empty())
    return "  // " + block.function + ", " + std::to_string(count) +
           " times: values get names, nothing is to be done\n";
  std::vector<std::string> iterations;
  for (std::size_t iteration = first; iteration < first + count; ++iteration) {
    const std::size_t begin = block.frame->repeat.begins[iteration];
    iterations.push_back("{" + number(block.frame->bases[iteration]) + ", " +
                         braces(arguments(program, block, begin)) + ", " +
                         braces(keys(program, block, begin)) + "}");
  }
  const std::string name = block.function + "s_" + std::to_string(first);
  std::string text = "  static constexpr IterationOf<" + std::to_string(block.parameters.size()) +
                     ", " + std::to_string(block.keys) + "> " + name + "[] = {\n";
  for (const std::string& iteration : iterations) text += "      " + iteration + ",\n";
  return text + "  };\n  for (const auto& t : " + name + ") " + block.function + "(p, t);\n";
}

}  // namespace mtfc::backends
