// Reads dumps of modules. Every look-up and number is checked: a dump may have been edited.
#include <map>

#include "ir/dump_line.h"
#include "ir/text.h"
#include "ir/text_words.h"

namespace mtfc {

namespace {

class Reader {
 public:
  Module run(const std::string& text, int& line_number) {
    std::size_t begin = 0;
    for (line_number = 1; begin < text.size(); ++line_number) {
      std::size_t end = text.find('\n', begin);
      if (end == std::string::npos) end = text.size();
      read(DumpLine(std::string_view(text).substr(begin, end - begin)));
      begin = end + 1;
    }
    if (program_) throw DumpFailure{"a program is never closed"};
    for (const StepProgram& step : m_.step) {
      if (!m_.find(step.program)) throw DumpFailure{"the step runs a program that is not there"};
    }
    return std::move(m_);
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
      m_.model_path = line.string();
    } else if (line.take("mesh")) {
      while (!line.done()) {
        MeshAxis axis{line.word(), 1};
        line.need("=");
        axis.size = line.integer();
        if (axis.size < 1) throw DumpFailure{"an axis has no processors"};
        m_.mesh.axes.push_back(axis);
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
      m_.inputs.push_back(std::move(input));
    } else if (line.take("step ")) {
      StepProgram step{line.word(), 1};
      line.need("=");
      step.parts = line.integer();
      if (step.parts < 1) throw DumpFailure{"a program of the step runs less than once"};
      m_.step.push_back(std::move(step));
    } else if (line.take("program ")) {
      m_.programs.push_back({line.word(), {}, {}});
      program_ = &m_.programs.back();
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
    if (m_.dims.find_unique(dim.unique_name)) throw DumpFailure{"the dimension is declared twice"};
    m_.dims.add(std::move(dim));
  }

  void read_variable(DumpLine& line) {
    ModuleVariable v;
    v.path = line.string();
    line.need(":");
    v.type = shard_type(line);
    v.kind = variable_kind(line);
    m_.variables.push_back(std::move(v));
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

  DType dtype(DumpLine& line) {
    const auto type = dtype_named(line.word());
    if (!type) throw DumpFailure{"unknown element type"};
    return *type;
  }
  DimId dim(DumpLine& line) {
    const std::string name = line.word();
    const auto id = m_.dims.find_unique(name);
    if (!id) throw DumpFailure{"no dimension `" + name + "`"};
    return *id;
  }
  AxisId axis(DumpLine& line) {
    const std::string name = line.word();
    const auto id = m_.mesh.find(name);
    if (!id) throw DumpFailure{"no mesh axis `" + name + "`"};
    return *id;
  }
  std::vector<AxisId> axes(DumpLine& line) {
    std::vector<AxisId> list;
    do list.push_back(axis(line));
    while (line.take("+"));
    return list;
  }
  DimList dims(DumpLine& line, std::string_view close) {
    DimList list;
    while (!line.take(close)) {
      list.push_back(dim(line));
      line.take(",");
    }
    return list;
  }
  DimList named_dims(DumpLine& line, std::string_view name) {
    line.need(name);
    line.need("(");
    return dims(line, ")");
  }

  Combine combine(DumpLine& line) {
    const std::string kind = line.word();
    if (kind == "sum") return Combine::sum;
    if (kind == "max") return Combine::max;
    if (kind == "min") return Combine::min;
    throw DumpFailure{"unknown reduction"};
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
    result.kind = read_kind(kind, line);
    for (const auto& [number, id] : fresh_) {
      if (!values_.emplace(number, id).second) throw DumpFailure{"a value is made twice"};
    }
    fresh_.clear();
    result.origin = origin(line);
    program_->instructions.push_back(std::move(result));
  }

  InstructionKind read_kind(const std::string& kind, DumpLine& line) {
    if (kind == "map") return map(line);
    if (kind == "contract") return Contract{named_dims(line, "reduced")};
    if (kind == "reduce") {
      const Combine c = combine(line);
      return Reduce{c, named_dims(line, "reduced")};
    }
    if (kind == "rearrange") return rearrange(line);
    if (kind == "slice" || kind == "pad") return slice(kind == "slice", line);
    if (kind == "gather") {
      DimList list = named_dims(line, "along");
      line.need("else ");
      return Gather{std::move(list), line.number()};
    }
    if (kind == "scatter_add") {
      DimList list = named_dims(line, "along");
      return ScatterAdd{std::move(list), named_dims(line, "reduced")};
    }
    if (kind == "put") {
      const DimId entry = dim(line);
      line.need("into ");
      return Put{dim(line), entry};
    }
    if (kind == "read") return Read{line.string()};
    if (kind == "write") return Write{line.string()};
    if (kind == "feed") return Feed{line.string()};
    if (kind == "fetch") return fetch(line);
    return movement(kind, line);
  }

  InstructionKind movement(const std::string& kind, DumpLine& line) {
    if (kind == "all_reduce") {
      AllReduce a{combine(line), {}};
      line.need("along");
      line.need("(");
      a.axes = axes(line);
      line.need(")");
      return a;
    }
    const Combine c = kind == "reduce_scatter" ? combine(line) : Combine::sum;
    const DimId first = dim(line);
    DimId second;
    if (kind == "all_to_all") {
      line.need("to ");
      second = dim(line);
    }
    line.need("over ");
    const AxisId a = axis(line);
    if (kind == "shard") return Shard{first, a};
    if (kind == "reduce_scatter") return ReduceScatter{c, first, a};
    if (kind == "all_gather") return AllGather{first, a};
    if (kind == "all_to_all") return AllToAll{first, second, a};
    if (kind == "permute") {
      line.need("to ");
      return Permute{first, a, axis(line)};
    }
    throw DumpFailure{"unknown instruction `" + kind + "`"};
  }

  InstructionKind fetch(DumpLine& line) {
    const std::string kind = line.word();
    for (auto k :
         {Output::Kind::loss, Output::Kind::metric, Output::Kind::report, Output::Kind::tensor}) {
      if (name(k) == kind) return Fetch{k, line.string()};
    }
    throw DumpFailure{"unknown kind of output"};
  }

  DimList group(DumpLine& line) {
    if (!line.take("(")) return {dim(line)};
    return dims(line, ")");
  }
  Rearrange rearrange(DumpLine& line) {
    Rearrange r;
    line.need("[");
    while (!line.take("]")) {
      DimGroup g;
      g.from = group(line);
      line.need("->");
      g.to = group(line);
      r.groups.push_back(std::move(g));
      line.take(",");
    }
    return r;
  }
  InstructionKind slice(bool is_slice, DumpLine& line) {
    const DimId first = dim(line);
    line.need(is_slice ? "from " : "at ");
    const std::int64_t begin = line.integer();
    line.need("to ");
    const DimId second = dim(line);
    if (is_slice) return Slice{first, second, begin};
    return Pad{first, second, begin};
  }

  Map map(DumpLine& line) {
    Map m;
    line.need("{");
    while (!line.take("yield")) {
      m.body.code.push_back(scalar(line, m));
      line.need(";");
    }
    while (!line.take("}")) m.body.results.push_back(number_below(line, m.body.code.size()));
    return m;
  }
  static int number_below(DumpLine& line, std::size_t limit) {
    const std::int64_t n = line.integer();
    if (n < 0 || static_cast<std::size_t>(n) >= limit) throw DumpFailure{"no such scalar value"};
    return static_cast<int>(n);
  }
  ScalarInstruction scalar(DumpLine& line, Map& m) {
    ScalarInstruction s;
    const std::string word = line.word();
    if (word == "operand") {
      s.kind = LeafKind::operand;
      s.leaf = static_cast<int>(line.integer());
    } else if (word == "constant") {
      s.kind = LeafKind::constant;
      s.value = line.number();
    } else if (word == "index") {
      s.kind = LeafKind::index;
      s.leaf = static_cast<int>(m.index_leaves.size());
      m.index_leaves.push_back(dim(line));
    } else if (word == "random") {
      s.kind = LeafKind::random;
      s.leaf = static_cast<int>(m.random_leaves.size());
      m.random_leaves.push_back(random(line));
    } else {
      const auto op = scalar_op_named(word);
      if (!op) throw DumpFailure{"unknown scalar operation `" + word + "`"};
      s.op = *op;
      for (int i = 0; i < arity(*op); ++i) s.args[i] = number_below(line, m.body.code.size());
    }
    s.dtype = dtype(line);
    return s;
  }
  Map::Random random(DumpLine& line) {
    Map::Random r;
    const auto draw = draw_named(line.word());
    if (!draw) throw DumpFailure{"unknown distribution"};
    r.draw = *draw;
    r.a = line.number();
    r.b = line.number();
    r.key = line.integer();
    r.step_operand = static_cast<int>(line.integer());
    r.first_operand = static_cast<int>(line.integer());
    if (line.take("every ")) {
      r.every = line.integer();
      r.numbered = dim(line);
    }
    line.need("[");
    r.dims = dims(line, "]");
    if (r.every < 1 || (r.numbered.valid() && !contains(r.dims, r.numbered)))
      throw DumpFailure{"a draw is numbered along a dimension that it lacks"};
    return r;
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

  Module m_;
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
