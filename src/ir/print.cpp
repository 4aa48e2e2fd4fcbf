#include <algorithm>

#include "ir/field_text.h"
#include "ir/text.h"

namespace mtfc {

namespace {

std::string span_text(const Span& span) {
  return std::to_string(span.file.index) + ":" + std::to_string(span.begin) + "-" +
         std::to_string(span.end);
}

std::string origin_text(const Origin& o) {
  std::string text = "  @ ";
  if (o.span.valid()) text += span_text(o.span) + " ";
  if (o.call.valid()) text += "called " + span_text(o.call) + " ";
  text += name(o.phase);
  if (!o.cause.empty()) text += " because " + quoted(o.cause);
  return text;
}

std::string role_text(const StepRole& role) {
  std::string text;
  if (role.kind != StepRole::Kind::model) text += " !" + std::string(name(role.kind));
  if (!role.parameter.empty()) text += " " + quoted(role.parameter);
  if (role.recompute != 0)
    text += (role.again ? " !again " : " !recompute ") + std::to_string(role.recompute);
  if (!role.block.empty()) text += " !in " + quoted(role.block);
  for (std::size_t i = 0; i < role.scopes.size(); ++i)
    text += (i == 0 ? " !scopes " : "+") + std::to_string(role.scopes[i]);
  return text;
}

/// "%12.layers.0.w"; a hint that is more than words and dots stands in quotes.
std::string value_text(int index, const std::string& hint) {
  const std::string text = "%" + std::to_string(index);
  if (hint.empty()) return text;
  const auto fits = [](char c) { return is_word_letter(c) || c == '.'; };
  const bool words = std::all_of(hint.begin(), hint.end(), fits) && hint.front() != '.' &&
                     hint.back() != '.' && hint.find("..") == hint.npos;
  return text + "." + (words ? hint : quoted(hint));
}

/// An empty list that is not of dimensions says so: the others have a look of their own.
struct AttrText : FieldText {
  using FieldText::operator();
  std::string operator()(const std::vector<DimGroup>& list) const { return named("views", list); }
  std::string operator()(const std::vector<WindowItem>& list) const {
    return named("windows", list);
  }
  std::string operator()(const std::vector<std::int64_t>& list) const {
    return named("numbers", list);
  }
  template <class T>
  std::string named(const char* what, const std::vector<T>& list) const {
    return (list.empty() ? what : "") + FieldText::operator()(list);
  }
};

}  // namespace

std::string print(const Graph& graph, const DimTable& dims) {
  const Mesh none;
  const AttrText text_of{{dims, none}};
  std::string text = "graph " + graph.name + " {\n";
  auto value = [&](ValueId id) { return value_text(id.index, graph.at(id).name); };
  for (const Operation& op : graph.ops) {
    text += "  ";
    for (std::size_t i = 0; i < op.results.size(); ++i) {
      text += (i ? ", " : "") + value(op.results[i]) + ": " +
              to_string(dims, graph.at(op.results[i]).type);
    }
    text += " = " + op.op;
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      text += (i ? ", " : " ") + value(op.operands[i]);
    }
    for (const auto& [key, attr] : op.attrs.all()) {
      text += " " + key + "=" + std::visit(text_of, attr);
    }
    text += role_text(op.role) + origin_text(op.origin) + "\n";
  }
  for (const Output& output : graph.outputs) {
    text += "  " + std::string(name(output.kind)) + " " + quoted(output.name) + " = " +
            value(output.value) + "\n";
  }
  for (const ParameterUpdate& update : graph.updates) {
    text += "  update " + quoted(update.parameter);
    if (update.gradient.valid()) text += " from " + value(update.gradient);
    for (const std::string& state : update.states) text += " state " + quoted(state);
    text += "\n";
  }
  return text + "}\n";
}

std::string print(const Program& program, const Instruction& instruction, const Module& module) {
  std::string text;
  auto value = [&](ValueId id) { return value_text(id.index, program.at(id).name); };
  for (std::size_t i = 0; i < instruction.results.size(); ++i) {
    const ValueId id = instruction.results[i];
    text += (i ? ", " : "") + value(id) + ": " +
            to_string(module.dims, module.mesh, program.at(id).type);
  }
  if (!instruction.results.empty()) text += " = ";
  text += name(instruction.kind);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    text += (i ? ", " : " ") + value(instruction.operands[i]);
  }
  const FieldText fields(module.dims, module.mesh);
  return text + std::visit([&](const auto& kind) { return fields.fields(kind); }, instruction.kind);
}

std::string mesh_line(const Mesh& mesh) {
  std::string text = "mesh";
  for (const MeshAxis& axis : mesh.axes) text += " " + axis.name + "=" + std::to_string(axis.size);
  return text;
}

std::string dim_text(const DimTable& dims, const Dim& dim) {
  return "dim " + dim.unique_name + " = " + std::to_string(dim.size) + " " + quoted(dim.name) +
         (dim.pads.valid() ? " pads " + dims.name(dim.pads) : "");
}

std::string step_line(const StepProgram& step) {
  return "step " + step.program + " = " + std::to_string(step.microbatches);
}

std::string print(const Module& module) {
  std::string text = "module " + quoted(module.model_path) + "\n" + mesh_line(module.mesh) + "\n";
  for (const Dim& dim : module.dims.all()) {
    text += dim_text(module.dims, dim) + "\n";
  }
  for (const ModuleVariable& v : module.variables) {
    text += "variable " + quoted(v.path) + ": " + to_string(module.dims, module.mesh, v.type) +
            " " + std::string(name(v.kind)) + "\n";
  }
  for (const ModuleInput& i : module.inputs) {
    text += "input " + quoted(i.name) + ": " + to_string(module.dims, module.mesh, i.type) +
            " from " + quoted(i.source) + " " + quoted(i.field) + "\n";
  }
  for (const StepProgram& s : module.step) {
    text += step_line(s) + "\n";
  }
  for (const Program& program : module.programs) {
    text += "program " + program.name + " {\n";
    for (const Instruction& instruction : program.instructions) {
      text += "  " + print(program, instruction, module) + role_text(instruction.role) +
              origin_text(instruction.origin) + "\n";
    }
    text += "}\n";
  }
  return text;
}

}  // namespace mtfc
