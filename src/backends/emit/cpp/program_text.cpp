#include "backends/emit/cpp/program_text.h"

#include <algorithm>
#include <map>

#include "backends/emit/cpp/block_text.h"
#include "backends/emit/cpp/cpp_text.h"
#include "backends/emit/cpp/statement_text.h"

namespace mtfc::backends {
namespace {

// A function ends after so many instructions, or earlier where another block of the model begins.
constexpr std::size_t kMostInstructions = 100, kEnoughInstructions = 50;
constexpr std::size_t kBytesPerFile = 400'000;
// So many values are not read one by one: they go without names.
constexpr std::size_t kMostNames = 32;

/// Iterations of one repeat that follow each other, or what lies between repeats (frame -1).
struct Piece {
  int frame = -1;
  std::size_t begin = 0, end = 0;  // instructions
  std::size_t first_iteration = 0, iterations = 0;
};

std::vector<Piece> pieces_of(const BoundProgram& program) {
  struct Begin {
    int frame;
    std::size_t iteration;
  };
  std::map<std::size_t, Begin> begins;
  for (std::size_t f = 0; f < program.plan.frames.size(); ++f) {
    const bind::Repeat& repeat = program.plan.frames[f].repeat;
    for (std::size_t iteration = 0; iteration < repeat.begins.size(); ++iteration)
      begins[repeat.begins[iteration]] = {static_cast<int>(f), iteration};
  }
  std::vector<Piece> pieces;
  std::size_t at = 0;
  for (const auto& [begin, iteration] : begins) {
    if (begin > at) pieces.push_back({-1, at, begin, 0, 0});
    const bind::Repeat& repeat =
        program.plan.frames[static_cast<std::size_t>(iteration.frame)].repeat;
    const bool goes_on = !pieces.empty() && pieces.back().frame == iteration.frame;
    if (!goes_on) pieces.push_back({iteration.frame, begin, begin, iteration.iteration, 0});
    pieces.back().end = at = begin + repeat.length;
    ++pieces.back().iterations;
  }
  if (at < program.bound.size()) pieces.push_back({-1, at, program.bound.size(), 0, 0});
  return pieces;
}

class Writer {
 public:
  Writer(const BoundProgram& program, std::string base, std::string outer)
      : program_(program),
        base_(std::move(base)),
        outer_(std::move(outer)),
        named_(program.program.values.size(), false) {}

  void run() {
    std::vector<BlockText> blocks;
    for (std::size_t f = 0; f < program_.plan.frames.size(); ++f) {
      blocks.push_back(block_text(program_, program_.plan.frames[f]));
      if (!blocks.back().definition.empty())
        define(blocks.back().function, "const Iteration&", blocks.back().definition);
    }
    for (const Piece& piece : pieces_of(program_))
      if (piece.frame < 0)
        straight(piece.begin, piece.end);
      else
        called_ += iterations_text(program_, blocks[static_cast<std::size_t>(piece.frame)],
                                   piece.first_iteration, piece.iterations);
    called_ += late_writes();
  }

  std::vector<EmittedFile> files() const {
    const std::string title = "// Program " + comment(program_.program.name) +
                              ": where the values of one processor stand, and the functions in "
                              "order.\n";
    const std::string space = outer_ + "::" + base_;
    const std::string opening = "\nnamespace " + space + " {\n\n";
    const std::string closing = "\n}  // namespace " + space + "\n";
    const std::string whole = std::string("\nvoid run(Processor&") +
                              (uses_processor() ? " p" : "") + ") {\n" + called_ + "}\n";
    const std::string emitted = "#include \"emitted.h\"\n";
    if (parts_.size() <= 1)
      return {{base_ + ".cpp", title + emitted + opening + slots() +
                                   (parts_.empty() ? "" : parts_[0]) + whole + closing}};
    const std::string include = "#include \"" + base_ + ".h\"\n";
    std::vector<EmittedFile> files = {{base_ + ".h", title + "#pragma once\n" + emitted + opening +
                                                         slots() + "\n" + declared_ + closing},
                                      {base_ + ".cpp", include + opening + whole + closing}};
    for (std::size_t f = 0; f < parts_.size(); ++f)
      files.push_back(
          {base_ + "_" + std::to_string(f + 1) + ".cpp", include + opening + parts_[f] + closing});
    return files;
  }

 private:
  /// Else nothing but comments is called.
  bool uses_processor() const {
    return called_.find("(p") != called_.npos || called_.find(" p.") != called_.npos;
  }

  /// A function that stands in a file; `more`: the type of a second parameter.
  void define(const std::string& function, const std::string& more, const std::string& definition) {
    declared_ += "void " + function + "(Processor& p" + (more.empty() ? "" : ", " + more) + ");\n";
    if (parts_.empty() || parts_.back().size() + definition.size() > kBytesPerFile)
      parts_.emplace_back();
    parts_.back() += definition;
  }

  void straight(std::size_t begin, std::size_t end) {
    while (begin < end) {
      const std::size_t cut = function_end(begin, end);
      const std::string& scope = program_.at(begin).role.block;
      const std::string function =
          identifier(scope.empty() ? "model" : scope, ++functions_) + "_part";
      std::string body;
      for (std::size_t i = begin; i < cut; ++i) body += statement(i);
      const bool calls = body.find("\n  p.") != body.npos;  // else only other names for values
      define(function, "",
             "\nvoid " + function + "(Processor&" + (calls ? " p" : "") + ") {" + body + "}\n");
      called_ += "  " + function + "(p);\n";
      begin = cut;
    }
  }
  std::size_t function_end(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin + 1; i < end; ++i) {
      const std::size_t length = i - begin;
      if (length >= kMostInstructions ||
          (program_.block_begins(i) > 0 && length >= kEnoughInstructions))
        return i;
    }
    return end;
  }

  std::string statement(std::size_t i) {
    const Instruction& at = program_.at(i);
    const bool many = at.operands.size() + at.results.size() > kMostNames;
    const auto value = [&](std::size_t k) {
      const ValueId id = program_.value(i, k);
      if (many) return slot_text(program_.plan.values[id.at()]);
      named_[id.at()] = true;
      return name(id);
    };
    const auto scratch = [&] {
      return "arena(" + number(std::max<std::int64_t>(program_.plan.scratch[i], 0)) + ")";
    };
    return statement_text(program_, i, {value, scratch, [](std::size_t) { return ""; }});
  }

  std::string name(ValueId id) const { return identifier(program_.program.at(id).name, id.index); }
  /// One constant for each value that has a name.
  std::string slots() const {
    std::string text;
    for (std::size_t i = 0; i < named_.size(); ++i) {
      if (!named_[i]) continue;
      const ValueId id{static_cast<std::int32_t>(i)};
      text += "constexpr Slot " + name(id) + " = " + slot_text(program_.plan.values[i]) + ";  // " +
              comment(program_.shard_text(id)) + "\n";
    }
    return text;
  }

  /// What is still to be copied to variables when all is done, a line for each source.
  std::string late_writes() const {
    std::vector<std::string> order;
    std::map<std::string, std::vector<std::string>> targets;
    for (const bind::WritePlan& write : program_.plan.writes) {
      if (write.direct) continue;
      const bind::BufferLocation& from = write.staging.kind == bind::BufferLocation::Kind::arena
                                             ? write.staging
                                             : program_.plan.values[write.value.at()];
      const std::string move =
          "p.move(" + number(program_.bytes(write.value)) + ", " + slot_text(from) + ", ";
      if (targets[move].empty()) order.push_back(move);
      targets[move].push_back(std::to_string(write.variable));
    }
    std::string text;
    for (const std::string& move : order)
      text +=
          "  for (const int to : " + wrapped(targets[move], 6) + ") " + move + "variable(to));\n";
    return text;
  }

  const BoundProgram& program_;
  const std::string base_, outer_;
  std::vector<bool> named_;  // by value: straight code uses its name
  int functions_ = 0;
  std::string declared_, called_;
  std::vector<std::string> parts_;  // texts of files
};

}  // namespace

ProgramText program_text(const Module& module, const Program& program, int number,
                         const std::string& outer, const SourceMap& sources) {
  const BoundProgram bound(module, program, sources);
  const std::string base = identifier(program.name, number);
  Writer writer(bound, base, outer);
  writer.run();
  return {base, bound.plan.arena_bytes, writer.files()};
}

}  // namespace mtfc::backends
