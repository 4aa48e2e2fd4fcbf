#include "backends/emit/cpp/statement_text.h"

#include <algorithm>

#include "backends/emit/cpp/cpp_text.h"
#include "backends/emit/cpp/spec_text.h"
#include "backends/emit/cpp/tensor_text.h"
#include "ir/text.h"

namespace mtfc::backends {
namespace {

constexpr std::size_t kLongestComment = 600;  // a bucket may have a thousand operands

/// The call that an instruction becomes: one function for each thing that it may be bound to.
struct Caller {
  const BoundProgram& program;
  std::size_t i;
  const Names& names;

  const Instruction& at() const { return program.at(i); }
  std::string name_of_spec(std::size_t j = 0) const {
    return "spec" + std::to_string(i) + (j ? "part" + std::to_string(j) : "");
  }
  template <class Spec>
  std::string declare(const Spec& spec, std::size_t j = 0) const {
    return std::string("  static const ") + spec_name(spec) + " " + name_of_spec(j) +
           spec_text(spec) + ";\n";
  }
  std::string x(std::size_t j = 0) const { return names.value(j); }
  std::string y(std::size_t j = 0) const { return names.value(at().operands.size() + j); }
  std::string xs() const { return list(0, at().operands.size()); }
  std::string ys() const { return list(at().operands.size(), at().results.size()); }
  std::string list(std::size_t first, std::size_t count) const {
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < count; ++k) texts.push_back(names.value(first + k));
    return wrapped(texts, 6);
  }

  std::string operator()(const bind::Alias&) const { return "  // the same memory\n"; }
  std::string operator()(const bind::Completion&) const { return "  p.wait(" + x() + ");\n"; }
  std::string operator()(const bind::Edge&) const { return edge(); }
  template <class Spec>
  std::string operator()(const Spec& spec) const {
    const std::string keys = keys_of(spec);
    return declare(spec) + "  p." + kernel_name(spec) + "(" + name_of_spec() + ", " + xs() + ", " +
           ys() + (keys.empty() ? "" : ", " + keys) + ");\n";
  }
  std::string keys_of(const runtime::MapSpec& spec) const {
    const std::size_t samples = spec.random_leaves.size();
    return samples > 0 ? names.keys(samples) : "";
  }
  template <class Spec>
  std::string keys_of(const Spec&) const {
    return "";
  }
  std::string operator()(const bind::CopyList& copies) const {
    std::string text;
    for (std::size_t j = 0; j < copies.size(); ++j)
      text += declare(copies[j], j) + "  p.copy(" + name_of_spec(j) + ", {" + x(j) + "}, {" + y() +
              "});\n";
    return text;
  }
  std::string operator()(const bind::Exchanges& bucket) const {
    return "  static const std::vector<ExchangeSpec> " + name_of_spec() + bucket_text(bucket) +
           ";\n  p.exchange(" + string_literal(to_string(program.module.mesh, axes_of(at().kind))) +
           ", " + name_of_spec() + ", " + xs() + ", " + ys() + ", " + names.scratch() + ");\n";
  }
  /// A large bucket has few kinds of tensors: each is written once.
  static std::string bucket_text(const bind::Exchanges& bucket) {
    std::vector<std::string> kinds, which;
    for (const auto& spec : bucket) {
      const std::string text = spec_text(spec);
      const auto found = std::find(kinds.begin(), kinds.end(), text);
      which.push_back(std::to_string(found - kinds.begin()));
      if (found == kinds.end()) kinds.push_back(text);
    }
    if (kinds.size() == bucket.size()) return braces(kinds);
    return " = bucket_of(" + braces(kinds) + ",\n      " + wrapped(which, 6) + ")";
  }

  std::string edge() const {
    if (const auto* feed = std::get_if<Feed>(&at().kind))
      return "  p.feed(" + input_text(program.inputs, {feed->name, program.type(at().results[0])}) +
             ", " + y() + ");\n";
    if (const auto* fetch = std::get_if<Fetch>(&at().kind))
      return "  static const net::ShardedTensor " + name_of_spec() +
             tensor_text(program.context, program.type(at().operands[0]), 2) + ";\n  p.fetch(" +
             string_literal(name(fetch->kind)) + ", " + string_literal(fetch->name) + ", " +
             name_of_spec() + ", " + x() + ");\n";
    for (const bind::WritePlan& write : program.plan.writes)
      if (write.instruction == i && write.staging.kind == bind::BufferLocation::Kind::arena)
        return "  p.move(" + number(program.bytes(write.value)) + ", " + x() + ", " +
               slot_text(write.staging) + ");\n";
    return "";  // read and write: the memory is the variable's
  }
};

std::string shortened(std::string text) {
  if (text.size() > kLongestComment) text.replace(kLongestComment, text.npos, " ...");
  return text;
}

}  // namespace

std::string slot_text(const bind::BufferLocation& location) {
  return location.kind == bind::BufferLocation::Kind::variable
             ? "variable(" + std::to_string(location.variable) + ")"
             : "arena(" + number(location.offset) + ")";
}

std::string statement_text(const BoundProgram& program, std::size_t i, const Names& names) {
  const Origin& origin = program.at(i).origin;
  std::string location = source_text(program.sources, origin.span);
  if (!location.empty()) location += ", ";
  location += std::string(name(origin.phase));
  if (!origin.cause.empty()) location += ", because of " + origin.cause.str();
  const std::string what = print(program.program, program.at(i), program.module);
  return "\n  // " + comment(location) + "\n  // " + comment(shortened(what)) + "\n" +
         std::visit(Caller{program, i, names}, program.bound[i]);
}

}  // namespace mtfc::backends
