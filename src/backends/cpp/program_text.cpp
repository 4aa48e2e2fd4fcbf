#include "backends/cpp/program_text.h"

#include <algorithm>

#include "backends/bind/bind.h"
#include "backends/cost/cost.h"
#include "backends/cpp/cpp_text.h"
#include "backends/cpp/spec_text.h"
#include "backends/cpp/tensor_text.h"
#include "backends/plan/plan.h"
#include "ir/text.h"

namespace mtfc::backends {
namespace {

// A function ends after so many instructions, or earlier where another block of the model begins.
constexpr std::size_t kMostInstructions = 100, kEnoughInstructions = 50;
constexpr std::size_t kFunctionsPerFile = 10;

class Writer {
 public:
  Writer(const Module& module, const Program& program, const SourceMap& sources)
      : module_(module), program_(program), sources_(sources), context_{module.dims, module.mesh} {
    for (const Instruction& at : program.instructions)
      bound_.push_back(bind(context_, program, at));
    const auto value = [&](ValueId id) { return bytes(program.at(id).type); };
    const auto scratch = [&](std::size_t i) {
      const auto* bucket = std::get_if<Exchanges>(&bound_[i]);
      return bucket ? runtime::bucket_scratch(*bucket) : 0;
    };
    const auto alias = [&](std::size_t i) { return std::holds_alternative<Alias>(bound_[i]); };
    plan_ = make_plan(module, program, {value, scratch, alias, true});
  }

  const Plan& plan() const { return plan_; }
  const Bound& bound(std::size_t i) const { return bound_[i]; }
  const Context& context() const { return context_; }

  std::int64_t bytes(const ShardType& type) const {
    return shard_elements(module_.dims, module_.mesh, type) *
           static_cast<std::int64_t>(size_of(type.tensor.dtype));
  }
  std::string value(ValueId id) const { return identifier(program_.at(id).name, id.index); }
  std::string values(const std::vector<ValueId>& ids) const {
    std::vector<std::string> names;
    for (ValueId id : ids) names.push_back(value(id));
    return braces(names);
  }
  static std::string slot(const Place& place) {
    return place.kind == Place::Kind::variable ? "variable(" + std::to_string(place.variable) + ")"
                                               : "arena(" + number(place.offset) + ")";
  }

  /// One constant for each value that is stored.
  std::string slots() const {
    std::string text;
    for (std::size_t i = 0; i < program_.values.size(); ++i) {
      const ValueId id{static_cast<std::int32_t>(i)};
      if (plan_.values[i].kind == Place::Kind::none) continue;
      text += "constexpr Slot " + value(id) + " = " + slot(plan_.values[i]) + ";  // " +
              comment(shard_text(id)) + "\n";
    }
    return text;
  }

  /// The comment above an instruction and its call.
  std::string statement(std::size_t i);
  /// What is still to be copied to variables when all is done.
  std::string late_writes() const {
    std::string text;
    for (const WritePlan& write : plan_.writes) {
      if (write.direct) continue;
      const std::string from =
          write.staging.kind == Place::Kind::arena ? slot(write.staging) : value(write.value);
      text += move(write, from, "variable(" + std::to_string(write.variable) + ")");
    }
    return text;
  }
  std::string staged(std::size_t i) const {
    for (const WritePlan& write : plan_.writes)
      if (write.instruction == i && write.staging.kind == Place::Kind::arena)
        return move(write, value(write.value), slot(write.staging));
    return "";
  }

  const Instruction& at(std::size_t i) const { return program_.instructions[i]; }
  const ShardType& type(ValueId id) const { return program_.at(id).type; }
  const Module& module() const { return module_; }

 private:
  std::string shard_text(ValueId id) const {
    const ShardType& type = program_.at(id).type;
    std::string text = std::string(name(type.tensor.dtype)) + " ";
    return text + numbers(shard_extents(module_.dims, module_.mesh, type));
  }
  std::string move(const WritePlan& write, const std::string& from, const std::string& to) const {
    return "  p.move(" + number(bytes(type(write.value))) + ", " + from + ", " + to + ");\n";
  }

  const Module& module_;
  const Program& program_;
  const SourceMap& sources_;
  Context context_;
  std::vector<Bound> bound_;
  Plan plan_;
};

/// The call that an instruction becomes.
struct Caller {
  const Writer& w;
  std::size_t i;

  const Instruction& at() const { return w.at(i); }
  std::string spec_name(std::size_t j = 0) const {
    return "spec_" + std::to_string(i) + (j ? "_" + std::to_string(j) : "");
  }
  template <class Spec>
  std::string declare(const Spec& spec, std::size_t j = 0) const {
    return std::string("  static const ") + spec_type(spec) + " " + spec_name(j) + spec_text(spec) +
           ";\n";
  }
  std::string call(const char* function, const std::string& values) const {
    return std::string("  p.") + function + "(" + spec_name() + ", " + values + ");\n";
  }
  std::string x(std::size_t j = 0) const { return w.value(at().operands[j]); }
  std::string y(std::size_t j = 0) const { return w.value(at().results[j]); }

  std::string operator()(const Alias&) const { return "  // the same memory\n"; }
  std::string operator()(const Edge&) const { return edge(); }
  std::string operator()(const runtime::MapSpec& spec) const {
    return declare(spec) + call("map", w.values(at().operands) + ", " + w.values(at().results));
  }
  std::string operator()(const runtime::ContractSpec& spec) const {
    return declare(spec) + call("contract", x(0) + ", " + x(1) + ", " + y());
  }
  std::string operator()(const runtime::ReduceSpec& spec) const {
    return declare(spec) + call("reduce", x() + ", " + y());
  }
  std::string operator()(const runtime::CopySpec& spec) const {
    return declare(spec) + call("copy", x() + ", " + y());
  }
  std::string operator()(const runtime::GatherSpec& spec) const {
    return declare(spec) + call("gather", w.values(at().operands) + ", " + y());
  }
  std::string operator()(const runtime::ScatterAddSpec& spec) const {
    return declare(spec) + call("scatter_add", w.values(at().operands) + ", " + y());
  }
  std::string operator()(const runtime::PutSpec& spec) const {
    return declare(spec) + call("put", w.values(at().operands) + ", " + y());
  }
  std::string operator()(const runtime::WindowSpec& spec) const {
    return declare(spec) + call("window", x() + ", " + y());
  }
  std::string operator()(const runtime::WindowAddSpec& spec) const {
    return declare(spec) + call("window_add", x() + ", " + y());
  }
  std::string operator()(const runtime::PrefixSpec& spec) const {
    return declare(spec) + call("prefix_sum", x() + ", " + y());
  }
  std::string operator()(const runtime::TopSpec& spec) const {
    return declare(spec) + call("top_places", x() + ", " + y());
  }
  std::string operator()(const CopyList& copies) const {
    std::string text;
    for (std::size_t j = 0; j < copies.size(); ++j)
      text +=
          declare(copies[j], j) + "  p.copy(" + spec_name(j) + ", " + x(j) + ", " + y() + ");\n";
    return text;
  }
  std::string operator()(const Exchanges& bucket) const {
    std::vector<std::string> specs;
    std::string text;
    for (std::size_t j = 0; j < bucket.size(); ++j) specs.push_back(spec_text(bucket[j]));
    text += "  static const std::vector<ExchangeSpec> " + spec_name() + braces(specs) + ";\n";
    const std::int64_t scratch = std::max<std::int64_t>(w.plan().scratch[i], 0);
    text += "  p.exchange(" + string_literal(axes_text(w.module().mesh, axes_of(at().kind))) +
            ", " + spec_name() + ", " + w.values(at().operands) + ", " + w.values(at().results) +
            ", arena(" + number(scratch) + "));\n";
    return text;
  }

  std::string tensor(ValueId id) const {
    return "  static const net::ShardedTensor " + spec_name() +
           tensor_text(w.context(), w.type(id), 2) + ";\n";
  }
  std::string edge() const {
    if (const auto* feed = std::get_if<Feed>(&at().kind))
      return tensor(at().results[0]) + "  p.feed(" + string_literal(feed->name) + ", " +
             spec_name() + ", " + y() + ");\n";
    if (const auto* fetch = std::get_if<Fetch>(&at().kind))
      return tensor(at().operands[0]) + "  p.fetch(" + string_literal(name(fetch->kind)) + ", " +
             string_literal(fetch->name) + ", " + spec_name() + ", " + x() + ");\n";
    return w.staged(i);  // read and write: the memory is the variable's
  }
};

std::string Writer::statement(std::size_t i) {
  const Origin& origin = at(i).origin;
  std::string place = source_text(sources_, origin.span);
  if (!place.empty()) place += ", ";
  place += std::string(name(origin.phase));
  if (!origin.cause.empty()) place += ", because of " + origin.cause;
  return "\n  // " + comment(place) + "\n  // " + comment(print(program_, at(i), module_)) + "\n" +
         std::visit(Caller{*this, i}, bound_[i]);
}

/// First instructions of the functions, and the end.
std::vector<std::size_t> cuts(const Program& program) {
  std::vector<std::size_t> cuts = {0};
  for (std::size_t i = 1; i < program.instructions.size(); ++i) {
    const std::size_t length = i - cuts.back();
    const bool other_block =
        program.instructions[i].origin.scope != program.instructions[i - 1].origin.scope;
    if (length >= kMostInstructions || (other_block && length >= kEnoughInstructions))
      cuts.push_back(i);
  }
  cuts.push_back(program.instructions.size());
  return cuts;
}

}  // namespace

ProgramText program_text(const Module& module, const Program& program, int number,
                         const SourceMap& sources) {
  Writer writer(module, program, sources);
  const std::string base = identifier(program.name, number);
  const std::string opening = "#include \"" + base + ".h\"\n\nnamespace emitted {\n";
  ProgramText text{"run_" + base, writer.plan().arena_bytes, {}};
  std::string declared, called, body;
  std::vector<EmittedFile> parts;
  const std::vector<std::size_t> at = cuts(program);
  for (std::size_t f = 0; f + 1 < at.size(); ++f) {
    const std::string scope =
        at[f] < program.instructions.size() ? program.instructions[at[f]].origin.scope : "";
    const std::string function =
        base + "_" + identifier(scope.empty() ? "model" : scope, static_cast<int>(f) + 1);
    if (f % kFunctionsPerFile == 0)
      parts.push_back({base + "_" + std::to_string(parts.size() + 1) + ".cpp", opening});
    body.clear();
    for (std::size_t i = at[f]; i < at[f + 1]; ++i) body += writer.statement(i);
    const bool calls = body.find("\n  p.") != body.npos;  // else only other names for values
    parts.back().text +=
        "\nvoid " + function + "(Processor&" + (calls ? " p" : "") + ") {" + body + "}\n";
    declared += "void " + function + "(Processor& p);\n";
    called += "  " + function + "(p);\n";
  }
  for (EmittedFile& part : parts) part.text += "\n}  // namespace emitted\n";
  const std::string header =
      "// Program " + comment(program.name) +
      ": where every value of one processor stands, and the functions in order.\n"
      "#pragma once\n#include \"emitted.h\"\n\nnamespace emitted {\n\n" +
      writer.slots() + "\n" + declared + "\n}  // namespace emitted\n";
  const std::string whole = opening + "\nvoid " + text.function + "(Processor& p) {\n" + called +
                            writer.late_writes() + "}\n\n}  // namespace emitted\n";
  text.files = {{base + ".h", header}, {base + ".cpp", whole}};
  text.files.insert(text.files.end(), parts.begin(), parts.end());
  return text;
}

}  // namespace mtfc::backends
