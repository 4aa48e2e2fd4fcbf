#include <charconv>

#include "ir/text.h"
#include "ir/text_words.h"

namespace mtfc {

std::string number_text(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      static const char* digits = "0123456789abcdef";
      out += std::string("\\x") + digits[byte >> 4] + digits[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

namespace {

std::string dim_names(const DimTable& dims, const DimList& list) {
  std::string text;
  for (DimId dim : list) text += (text.empty() ? "" : ", ") + dims.name(dim);
  return text;
}

std::string group_text(const DimTable& dims, const DimList& side) {
  return side.size() == 1 ? dims.name(side[0]) : "(" + dim_names(dims, side) + ")";
}

std::string groups_text(const DimTable& dims, const std::vector<DimGroup>& groups) {
  std::string text;
  for (const DimGroup& g : groups) {
    text += (text.empty() ? "" : ", ") + group_text(dims, g.from) + " -> " + group_text(dims, g.to);
  }
  return text;
}

std::string items_text(const DimTable& dims, const std::vector<WindowItem>& items) {
  std::string text;
  for (const WindowItem& item : items) {
    text +=
        (text.empty() ? "" : ", ") + dims.name(item.dim) + " = " + std::to_string(item.at.begin);
    for (const Affine::Term& term : item.at.terms)
      text += " + " + std::to_string(term.scale) + " " + dims.name(term.dim);
  }
  return "[" + text + "]";
}

std::string origin_text(const Origin& o) {
  std::string text = "  @ ";
  if (o.span.valid()) {
    text += std::to_string(o.span.file.index) + ":" + std::to_string(o.span.begin) + "-" +
            std::to_string(o.span.end) + " ";
  }
  text += name(o.phase);
  if (!o.scope.empty()) text += " in " + quoted(o.scope);
  if (o.recompute != 0) text += " recompute " + std::to_string(o.recompute);
  if (!o.cause.empty()) text += " because " + quoted(o.cause);
  return text;
}

std::string value_text(int index, const std::string& hint) {
  return "%" + std::to_string(index) + (hint.empty() ? "" : "." + hint);
}

// ---------------------------------------------------------------- graphs
struct AttrText {
  const DimTable& dims;
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(std::int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return number_text(v); }
  std::string operator()(const std::string& v) const { return quoted(v); }
  std::string operator()(DType v) const { return std::string(name(v)); }
  std::string operator()(const DimList& v) const { return "[" + dim_names(dims, v) + "]"; }
  std::string operator()(const std::vector<DimGroup>& v) const {
    return "[" + groups_text(dims, v) + "]";
  }
  std::string operator()(const std::vector<std::int64_t>& v) const {
    std::string text;
    for (std::int64_t x : v) text += (text.empty() ? "" : ", ") + std::to_string(x);
    return "[" + text + "]";
  }
  std::string operator()(const std::vector<WindowItem>& v) const { return items_text(dims, v); }
};

// ---------------------------------------------------------------- programs
struct InstructionText {
  const Module& m;

  std::string axis(AxisId a) const { return m.mesh.name(a); }
  std::string dim(DimId d) const { return m.dims.name(d); }
  std::string axes(const std::vector<AxisId>& list) const {
    std::string text;
    for (AxisId a : list) text += (text.empty() ? "" : "+") + axis(a);
    return text;
  }

  std::string operator()(const Map& map) const {
    std::string text = " {";
    for (std::size_t i = 0; i < map.body.code.size(); ++i) {
      text += (i ? "; " : " ") + scalar(map.body.code[i], map);
    }
    text += "; yield";
    for (int r : map.body.results) text += " " + std::to_string(r);
    return text + " }";
  }
  std::string scalar(const ScalarInstruction& s, const Map& map) const {
    const std::string type(name(s.dtype));
    switch (s.kind) {
      case LeafKind::operand:
        return "operand " + std::to_string(s.leaf) + " " + type;
      case LeafKind::constant:
        return "constant " + number_text(s.value) + " " + type;
      case LeafKind::index:
        return "index " + dim(map.index_leaves[static_cast<std::size_t>(s.leaf)]) + " " + type;
      case LeafKind::random: {
        const Map::Random& r = map.random_leaves[static_cast<std::size_t>(s.leaf)];
        return "random " + std::string(name(r.draw)) + " " + number_text(r.a) + " " +
               number_text(r.b) + " " + std::to_string(r.key) + " " +
               std::to_string(r.step_operand) + " " + std::to_string(r.first_operand) +
               (r.numbered.valid() ? " every " + std::to_string(r.every) + " " + dim(r.numbered)
                                   : "") +
               " [" + dim_names(m.dims, r.dims) + "] " + type;
      }
      case LeafKind::none:
        break;
    }
    std::string text(name(s.op));
    for (int i = 0; i < arity(s.op); ++i) text += " " + std::to_string(s.args[i]);
    return text + " " + type;
  }
  std::string operator()(const Contract& c) const {
    return " reduced(" + dim_names(m.dims, c.reduced) + ")";
  }
  std::string operator()(const Reduce& r) const {
    return " " + std::string(name(r.kind)) + " reduced(" + dim_names(m.dims, r.reduced) + ")";
  }
  std::string operator()(const Rearrange& r) const {
    return " [" + groups_text(m.dims, r.groups) + "]";
  }
  std::string operator()(const Slice& s) const {
    return " " + dim(s.dim) + " from " + std::to_string(s.begin) + " to " + dim(s.fresh);
  }
  std::string operator()(const Pad& p) const {
    return " " + dim(p.fresh) + " at " + std::to_string(p.begin) + " to " + dim(p.dim);
  }
  std::string operator()(const Gather& g) const {
    return " along(" + dim_names(m.dims, g.dims) + ") else " + number_text(g.fill);
  }
  std::string operator()(const Put& p) const { return " " + dim(p.entry) + " into " + dim(p.dim); }
  std::string operator()(const ScatterAdd& s) const {
    return " along(" + dim_names(m.dims, s.dims) + ") reduced(" + dim_names(m.dims, s.reduced) +
           ")";
  }
  std::string operator()(const Window& w) const {
    return " " + items_text(m.dims, w.items) + " else " + number_text(w.fill);
  }
  std::string operator()(const WindowAdd& w) const {
    return " " + items_text(m.dims, w.items) + " reduced(" + dim_names(m.dims, w.reduced) + ")";
  }
  std::string operator()(const PrefixSum& p) const {
    return " " + dim(p.dim) + (p.exclusive ? " exclusive" : "") + (p.reverse ? " reverse" : "");
  }
  std::string operator()(const TopPlaces& t) const {
    return " " + dim(t.dim) + (t.first > 0 ? " from " + std::to_string(t.first) : "") + " to " +
           dim(t.ranks);
  }
  std::string operator()(const Concat& c) const {
    return " along(" + dim_names(m.dims, c.parts) + ") to " + dim(c.dim);
  }
  std::string operator()(const Shard& s) const {
    return " " + dim(s.dim) + " over " + axis(s.axis);
  }
  std::string operator()(const AllReduce& a) const {
    return " " + std::string(name(a.kind)) + " along(" + axes(a.axes) + ")" + how(a.how);
  }
  std::string operator()(const ReduceScatter& r) const {
    return " " + std::string(name(r.kind)) + " " + dim_names(m.dims, r.dims) + " over " +
           axis(r.axis) + how(r.how);
  }
  static std::string how(const Summing& s) {
    return std::string(s.by_library ? " library" : "") + (s.begun ? " begun" : "");
  }
  std::string operator()(const Await&) const { return ""; }
  std::string operator()(const AllGather& a) const {
    return " " + dim_names(m.dims, a.dims) + " over " + axis(a.axis);
  }
  std::string operator()(const AllToAll& a) const {
    return " " + dim(a.from) + " to " + dim(a.to) + " over " + axis(a.axis);
  }
  std::string operator()(const Permute& p) const {
    std::string text;
    for (const Permute::Change& change : p.changes)
      text += (text.empty() ? " " : ", ") + dim(change.dim) + " over " + axes(change.from) +
              " to " + axes(change.to);
    return text;
  }
  std::string operator()(const Read& r) const { return " " + quoted(r.variable); }
  std::string operator()(const Write& w) const { return " " + quoted(w.variable); }
  std::string operator()(const Feed& f) const { return " " + quoted(f.name); }
  std::string operator()(const Fetch& f) const {
    return " " + std::string(name(f.kind)) + " " + quoted(f.name);
  }
};

}  // namespace

std::string print(const Graph& graph, const DimTable& dims) {
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
      text += " " + key + "=" + std::visit(AttrText{dims}, attr);
    }
    text += origin_text(op.origin) + "\n";
  }
  for (const Output& output : graph.outputs) {
    text += "  " + std::string(name(output.kind)) + " " + quoted(output.name) + " = " +
            value(output.value) + "\n";
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
  return text + std::visit(InstructionText{module}, instruction.kind);
}

std::string print(const Module& module) {
  std::string text = "module " + quoted(module.model_path) + "\nmesh";
  for (const MeshAxis& axis : module.mesh.axes) {
    text += " " + axis.name + "=" + std::to_string(axis.size);
  }
  text += "\n";
  for (const Dim& dim : module.dims.all()) {
    text += "dim " + dim.unique_name + " = " + std::to_string(dim.size) + " " + quoted(dim.name);
    if (dim.pads.valid()) text += " pads " + module.dims.name(dim.pads);
    text += "\n";
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
    text += "step " + s.program + " = " + std::to_string(s.parts) + "\n";
  }
  for (const Program& program : module.programs) {
    text += "program " + program.name + " {\n";
    for (const Instruction& instruction : program.instructions) {
      text += "  " + print(program, instruction, module) + origin_text(instruction.origin) + "\n";
    }
    text += "}\n";
  }
  return text;
}

}  // namespace mtfc
