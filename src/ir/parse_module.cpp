// Reads dumps of modules. Every look-up and number is checked: a dump may have been edited.
#include <map>

#include "ir/dump_names.h"
#include "ir/text.h"
#include "ir/text_words.h"

namespace mtfc {

namespace {

class Reader : private DumpNames {
 public:
  Reader() : DumpNames(module_) {}

  Module run(const std::string& text, int& line_number) {
    std::size_t begin = 0;
    for (line_number = 1; begin < text.size(); ++line_number) {
      std::size_t end = text.find('\n', begin);
      if (end == std::string::npos) end = text.size();
      read(DumpLine(std::string_view(text).substr(begin, end - begin)));
      begin = end + 1;
    }
    if (program_) throw DumpFailure{"a program is never closed"};
    for (const StepProgram& step : module_.step) {
      if (!module_.find(step.program))
        throw DumpFailure{"the step runs a program that is not there"};
    }
    return std::move(module_);
  }

 private:
  void read(DumpLine line) {
    if (line.done()) return;
    if (program_) {
      if (line.take("}"))
        program_ = nullptr;
      else
        instruction(line);
    } else if (line.take("module ")) {
      module_.model_path = line.string();
    } else if (line.take("mesh")) {
      while (!line.done()) {
        MeshAxis axis{line.word(), 1};
        line.need("=");
        axis.size = line.integer();
        if (axis.size < 1) throw DumpFailure{"an axis has no processors"};
        module_.mesh.axes.push_back(axis);
      }
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
      StepProgram step{line.word(), 1};
      line.need("=");
      step.parts = line.integer();
      if (step.parts < 1) throw DumpFailure{"a program of the step runs less than once"};
      module_.step.push_back(std::move(step));
    } else if (line.take("program ")) {
      module_.programs.push_back({line.word(), {}, {}});
      program_ = &module_.programs.back();
      values_.clear();
      line.need("{");
    } else {
      throw DumpFailure{"expected `dim`, `variable`, `input`, `step` or `program`"};
    }
  }

  void read_dim(DumpLine& line) {
    Dim dim;
    dim.unique_name = line.word();
    line.need("=");
    dim.size = line.integer();
    if (dim.size < 1 || dim.size > 2147483647) throw DumpFailure{"the size is out of range"};
    dim.name = line.string();
    if (module_.dims.find_unique(dim.unique_name))
      throw DumpFailure{"the dimension is declared twice"};
    if (line.take("pads")) {
      dim.pads = this->dim(line);
      if (module_.dims.size(dim.pads) > dim.size) throw DumpFailure{"the padding is negative"};
    }
    module_.dims.add(std::move(dim));
  }

  void read_variable(DumpLine& line) {
    ModuleVariable v;
    v.path = line.string();
    line.need(":");
    v.type = shard_type(line);
    v.kind = variable_kind(line);
    module_.variables.push_back(std::move(v));
  }

  Variable::Kind variable_kind(DumpLine& line) {
    using Kind = Variable::Kind;
    const std::string word = line.word();
    for (Kind kind :
         {Kind::parameter, Kind::state, Kind::optimizer, Kind::accumulator, Kind::cache}) {
      if (name(kind) == word) return kind;
    }
    throw DumpFailure{"unknown kind of variable"};
  }

  ShardType shard_type(DumpLine& line) {
    ShardType type;
    type.tensor.dtype = dtype(line);
    line.need("[");
    while (!line.take("]")) {
      type.tensor.dims.push_back(dim(line));
      type.sharding.split.emplace_back();
      if (line.take("/")) type.sharding.split.back() = axes(line);
      line.take(",");
    }
    if (line.take("partial")) {
      if (!line.next_is("(")) type.sharding.combine = combine(line);
      line.need("(");
      type.sharding.partial = axes(line);
      line.need(")");
    }
    return type;
  }

  /// `%12.hint`; the hint is what follows the first dot.
  std::pair<std::int64_t, std::string> value_name(DumpLine& line) {
    line.need("%");
    const std::int64_t number = line.integer();
    std::string hint;
    while (line.take(".")) hint += (hint.empty() ? "" : ".") + line.word();
    return {number, hint};
  }

  void instruction(DumpLine& line) {
    Instruction result;
    while (line.next_is("%")) {
      const auto [number, hint] = value_name(line);
      line.need(":");
      const ValueId id = next_id<ValueId>(program_->values);
      program_->values.push_back({shard_type(line), hint});
      fresh_.emplace_back(number, id);
      result.results.push_back(id);
      if (!line.take(",")) break;
    }
    if (!result.results.empty()) line.need("=");
    const std::string kind = line.word();
    while (line.next_is("%")) {
      const auto it = values_.find(value_name(line).first);
      if (it == values_.end()) throw DumpFailure{"a value is used before it is made"};
      result.operands.push_back(it->second);
      line.take(",");
    }
    result.kind = read_instruction(*this, kind, line);
    for (const auto& [number, id] : fresh_) {
      if (!values_.emplace(number, id).second) throw DumpFailure{"a value is made twice"};
    }
    fresh_.clear();
    result.origin = origin(line);
    program_->instructions.push_back(std::move(result));
  }

  Origin origin(DumpLine& line) {
    Origin o;
    line.need("@");
    if (!line.next_is("forward") && !line.next_is("backward") && !line.next_is("update")) {
      o.span.file = FileId{static_cast<std::int32_t>(line.integer())};
      line.need(":");
      o.span.begin = static_cast<std::uint32_t>(line.integer());
      line.need("-");
      o.span.end = static_cast<std::uint32_t>(line.integer());
    }
    const std::string phase = line.word();
    o.phase = phase == "backward" ? Phase::backward
              : phase == "update" ? Phase::update
                                  : Phase::forward;
    if (line.take("in ")) o.scope = line.string();
    if (line.take("recompute ")) o.recompute = static_cast<int>(line.integer());
    if (line.take("because ")) o.cause = line.string();
    return o;
  }

  Module module_;
  Program* program_ = nullptr;
  std::map<std::int64_t, ValueId> values_;
  std::vector<std::pair<std::int64_t, ValueId>> fresh_;
};

}  // namespace

std::optional<Module> parse_module(const std::string& text, std::string& error) {
  int line = 0;
  try {
    return Reader().run(text, line);
  } catch (const DumpFailure& failure) {
    error = "line " + std::to_string(line) + ": " + failure.why;
    return std::nullopt;
  }
}

}  // namespace mtfc
