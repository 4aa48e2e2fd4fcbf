// Reads dumps of modules. Every look-up and number is checked: a dump may have been edited.
#include "ir/dump_reader.h"
#include "ir/text.h"

namespace mtfc {

namespace {

class ModuleReader : private DumpReader {
 public:
  explicit ModuleReader(const SourceMap* sources)
      : DumpReader(module_.dims, module_.mesh, sources) {}

  std::optional<Module> run(const std::string& text, std::string& error) {
    if (!each_line(text, error, [&](DumpLine& line) { read(line); })) return std::nullopt;
    if (program_) error = "a program is never closed";
    for (const StepProgram& step : module_.step)
      if (!module_.find(step.program)) error = "the step runs a program that is not there";
    if (!error.empty()) return std::nullopt;
    return std::move(module_);
  }

 private:
  void read(DumpLine& line) {
    if (line.done()) return;
    if (program_) {
      if (line.take("}"))
        program_ = nullptr;
      else
        instruction(line);
    } else if (line.take("module ")) {
      module_.model_path = line.string();
    } else if (line.take("mesh")) {
      read_axes(line, module_.mesh);
    } else if (line.take("dim ")) {
      read_dim(line);
    } else if (line.take("variable ")) {
      read_variable(line);
    } else if (line.take("input ")) {
      ModuleInput input;
      input.name = line.string();
      line.need(":");
      input.type = shard_type(line);
      line.need("from ");
      input.source = line.string();
      input.field = line.string();
      module_.inputs.push_back(std::move(input));
    } else if (line.take("step ")) {
      module_.step.push_back(step_program(line));
    } else if (line.take("program ")) {
      module_.programs.emplace_back(line.dotted_words());
      program_ = &module_.programs.back();
      values_.clear();
      line.need("{");
    } else {
      line.fail("expected `dim`, `variable`, `input`, `step` or `program`");
    }
    if (!line.done()) line.fail("something follows what belongs here");
  }

  void read_dim(DumpLine& line) {
    Dim dim;
    dim.unique_name = line.word();
    line.need("=");
    dim.size = line.integer(1, largest_size);
    dim.name = line.string();
    if (module_.dims.find_unique(dim.unique_name)) line.fail("the dimension is declared twice");
    if (line.take("pads")) {
      dim.pads = this->dim(line);
      if (line.ok() && module_.dims.size(dim.pads) > dim.size) line.fail("the padding is negative");
    }
    module_.dims.add(std::move(dim));
  }

  void read_variable(DumpLine& line) {
    ModuleVariable v;
    v.path = line.string();
    line.need(":");
    v.type = shard_type(line);
    v.kind = one_of<Variable::Kind>(line);
    module_.variables.push_back(std::move(v));
  }

  void instruction(DumpLine& line) {
    Instruction result;
    std::vector<std::int64_t> numbers;
    while (line.next_is("%")) {
      const auto [number, hint] = value_name(line);
      line.need(":");
      const ValueId id = next_id<ValueId>(program_->values);
      program_->values.push_back({shard_type(line), hint});
      numbers.push_back(number);
      result.results.push_back(id);
      if (!line.take(",")) break;
    }
    if (!result.results.empty()) line.need("=");
    const std::string kind = line.word();
    result.operands = operands(line);
    result.kind = FieldReader::instruction(kind, line);
    for (std::size_t i = 0; i < numbers.size(); ++i) define(line, numbers[i], result.results[i]);
    result.role = role(line);
    result.origin = origin(line);
    program_->instructions.push_back(std::move(result));
  }

  Module module_;
  Program* program_ = nullptr;
};

}  // namespace

std::optional<Module> parse_module(const std::string& text, std::string& error,
                                   const SourceMap* sources) {
  error.clear();
  return ModuleReader(sources).run(text, error);
}

}  // namespace mtfc
