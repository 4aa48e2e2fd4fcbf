#include "lowering/state_interface.h"

#include <algorithm>
#include <iterator>

#include "ir/text.h"
#include "ir/text_words.h"
#include "ops/inputs.h"
#include "ops/op.h"
#include "support/program_names.h"

namespace mtfc::lowering {
namespace {

using Lines = std::vector<std::string>;

/// With sizes; and what is stored of it, where that is less.
std::string type_text(const DimTable& dims, const TensorType& type) {
  const DimList stored = stored_dims(dims, type.dims);
  return to_string(dims, type) +
         (stored == type.dims ? "" : ", stored as " + to_string(dims, stored));
}

void add_steps(Lines& lines, const std::vector<StepProgram>& steps) {
  std::string line = "step";
  for (const StepProgram& step : steps)
    line += " " + step.program + "=" + std::to_string(step.microbatches);
  lines.push_back(std::move(line));
}

/// What is said twice says nothing more.
void add_once(Lines& lines, Lines more) {
  std::sort(more.begin(), more.end());
  more.erase(std::unique(more.begin(), more.end()), more.end());
  lines.insert(lines.end(), more.begin(), more.end());
}

/// Programs of a step are always fed with the number of steps, and may take it or not: with
/// `epochs` it is known to some commands only.
bool may_be_absent(std::string_view program, std::string_view line) {
  constexpr std::string_view of_step[] = {program_names::train, program_names::measure,
                                          program_names::accumulate, program_names::apply,
                                          "microbatch"};
  return std::find(std::begin(of_step), std::end(of_step), program) != std::end(of_step) &&
         line == "feed `" + std::string(feed_names::steps) + "`: int[]";
}

// ---------------------------------------------------------------- graphs
/// Dimensions of the model are referred to by their numbers, from outside of the text too.
void add_dims(Lines& lines, const DimTable& dims, std::size_t count) {
  for (std::size_t i = 0; i < std::min(count, dims.size()); ++i) {
    const Dim& dim = dims[DimId{static_cast<std::int32_t>(i)}];
    lines.push_back("dim " + dim.unique_name + " = " + std::to_string(dim.size) + " as number " +
                    std::to_string(i));
  }
}

void add_graph(Lines& lines, const Graph& graph, const DimTable& dims) {
  const std::string begin = "graph " + graph.name;
  lines.push_back(begin);
  Lines taken;
  for (const Operation& op : graph.ops) {
    const std::string* input = ops::input_name(op);
    if (input == nullptr && ops::op_of(op).kind != ops::Kind::counter) continue;
    const std::string line =
        "feed `" + (input ? *input : op.op) + "`: " + type_text(dims, graph.at(op.results[0]).type);
    if (!may_be_absent(graph.name, line)) taken.push_back(begin + ": " + line);
  }
  add_once(lines, std::move(taken));
  for (const Output& output : graph.outputs)
    lines.push_back(begin + ": " + std::string(name(output.kind)) + " `" + output.name +
                    "`: " + type_text(dims, graph.at(output.value).type));
  for (const ParameterUpdate& update : graph.updates) {
    std::string line = begin + ": update of `" + update.parameter + "`";
    if (update.gradient.valid()) line += " from " + type_text(dims, graph.at(update.gradient).type);
    for (const std::string& state : update.states) line += ", state `" + state + "`";
    lines.push_back(std::move(line));
  }
}

/// Values that the command or the model asks for by name or number.
void add_wanted_values(Lines& lines, const State& s) {
  const DimTable& dims = s.model.dims;
  const Graph& graph = s.request.training_mode ? s.model.train : s.model.eval;
  for (const std::string& wanted : s.request.tensors)
    for (const Value& value : graph.values)
      if (value.name == wanted)
        lines.push_back("graph " + graph.name + ": value `" + wanted +
                        "`: " + type_text(dims, value.type));
  if (!s.model.generation) return;
  for (const ValueId id : {s.model.generation->logits, s.model.generation->tokens})
    if (id.at() < s.model.eval.values.size()) {
      const Value& value = s.model.eval.at(id);
      lines.push_back("graph " + s.model.eval.name + ": %" + std::to_string(id.index) + " `" +
                      value.name.str() + "`: " + type_text(dims, value.type));
    }
}

Lines lines_of_graphs(const State& s, std::size_t model_dims) {
  const DimTable& dims = s.model.dims;
  Lines lines = {mesh_line(s.assignment.mesh)};
  add_dims(lines, dims, model_dims);
  for (const Variable& v : s.model.variables)
    lines.push_back("variable `" + v.path + "`: " + type_text(dims, v.type) + " " +
                    std::string(name(v.kind)) + (v.trainable ? "" : " frozen"));
  for (const Graph* graph :
       {&s.model.init, &s.model.train, &s.model.eval, &s.model.microbatch.graph})
    if (!graph->ops.empty()) add_graph(lines, *graph, dims);
  for (const Graph& graph : s.made.graphs) add_graph(lines, graph, dims);
  add_wanted_values(lines, s);
  add_steps(lines, s.step);
  return lines;
}

// ---------------------------------------------------------------- programs
/// The name and the fields of what is fed, fetched and written; "" of the rest.
struct EdgeText {
  template <class Kind>
  std::string operator()(const Kind& kind) const {
    if constexpr (!IsEdge<Kind>) {
      return "";
    } else {
      std::string text(Kind::kName);
      Kind::fields(kind, [&](std::string_view, const auto& field) {
        if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string>)
          text += " `" + field + "`";
        else
          text += " " + std::string(name(field));
      });
      return text;
    }
  }
};

void add_program(Lines& lines, const Program& program, const DimTable& dims) {
  const std::string begin = "program " + program.name;
  lines.push_back(begin);
  Lines taken;
  for (const Instruction& instruction : program.instructions) {
    std::string line = std::visit(EdgeText(), instruction.kind);
    if (line.empty()) continue;
    const bool takes = instruction.operands.empty();
    for (const ValueId id : takes ? instruction.results : instruction.operands)
      line += ": " + type_text(dims, program.at(id).type.tensor);
    if (!may_be_absent(program.name, line)) (takes ? taken : lines).push_back(begin + ": " + line);
  }
  add_once(lines, std::move(taken));
}

Lines lines_of_programs(const Module& m) {
  Lines lines = {mesh_line(m.mesh)};
  for (const ModuleVariable& v : m.variables)
    lines.push_back("variable `" + v.path + "`: " + type_text(m.dims, v.type.tensor) + " " +
                    std::string(name(v.kind)));
  for (const ModuleInput& input : m.inputs)
    lines.push_back("input `" + input.name + "`: " + type_text(m.dims, input.type.tensor) +
                    " from " + quoted(input.source) + " " + quoted(input.field));
  add_steps(lines, m.step);
  for (const Program& program : m.programs) add_program(lines, program, m.dims);
  return lines;
}

/// The first of the sorted lines that `other` has not, or has less often; "" if there is none.
std::string first_beyond(const Lines& lines, const Lines& other) {
  Lines beyond;
  std::set_difference(lines.begin(), lines.end(), other.begin(), other.end(),
                      std::back_inserter(beyond));
  return beyond.empty() ? "" : beyond.front();
}

}  // namespace

std::string difference(const State& made, const State& read, PassStage stage,
                       std::size_t model_dims) {
  const auto lines = [&](const State& s) {
    Lines all = stage == PassStage::programs ? lines_of_programs(s.made.module)
                                             : lines_of_graphs(s, model_dims);
    std::sort(all.begin(), all.end());
    return all;
  };
  const Lines wanted = lines(made), present = lines(read);
  if (const std::string line = first_beyond(wanted, present); !line.empty())
    return "it lacks " + line;
  if (const std::string line = first_beyond(present, wanted); !line.empty())
    return "it has " + line + ", which is not the model's";
  return "";
}

void take_cut(State& read, State made, PassStage stage) {
  read.cut = std::move(made.cut);
  if (stage != PassStage::programs) return;
  read.made.graphs = std::move(made.made.graphs);
  read.model.variables = std::move(made.model.variables);
  read.step = std::move(made.step);
}

}  // namespace mtfc::lowering
