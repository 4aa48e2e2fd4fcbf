#include "ir/field_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace mtfc {

InstructionKind FieldReader::instruction(const std::string& kind, DumpLine& line) const {
  InstructionKind made;
  constexpr std::size_t kinds = std::variant_size_v<InstructionKind>;
  if (set_kind(made, kind, std::make_index_sequence<kinds>()))
    std::visit([&](auto& value) { fields(line, value); }, made);
  else
    line.fail("unknown instruction `" + kind + "`");
  return made;
}

AttrValue FieldReader::attribute(DumpLine& line) const {
  if (line.next_is("\"")) return line.string();
  if (line.take("[")) return list_attribute(line);
  if (line.next_is_decimal()) return line.number();
  if (line.next_is_integer()) return line.integer();
  // An empty list of what is not dimensions says what it is a list of.
  if (line.take("views[]")) return std::vector<DimGroup>{};
  if (line.take("numbers[]")) return std::vector<std::int64_t>{};
  if (line.take("windows[]")) return std::vector<WindowItem>{};
  const std::string word = line.word();
  if (word == "true" || word == "false") return word == "true";
  const auto dtype = dtype_named(word);
  if (!dtype) line.fail("`" + word + "` is not a value");
  return dtype.value_or(DType{});
}

AttrValue FieldReader::list_attribute(DumpLine& line) const {
  const auto list = [&]<class T>(std::vector<T> made) {
    rest_of_list(line, made);
    return AttrValue(std::move(made));
  };
  if (line.next_is_integer()) return list(std::vector<std::int64_t>{});
  if (line.next_is("(") || line.after_word() == '-') return list(std::vector<DimGroup>{});
  if (line.after_word() == '=') return list(std::vector<WindowItem>{});
  return list(DimList{});
}

DimId FieldReader::dim(DumpLine& line) const {
  const std::string name = line.word();
  const auto id = dims_.find_unique(name);
  if (!id) line.fail("no dimension `" + name + "`");
  return id.value_or(DimId{});
}

AxisId FieldReader::axis(DumpLine& line) const {
  const std::string name = line.word();
  const auto id = mesh_.find(name);
  if (!id) line.fail("no mesh axis `" + name + "`");
  return id.value_or(AxisId{});
}

void FieldReader::read_axes(DumpLine& line, Mesh& mesh) {
  while (!line.done()) {
    MeshAxis axis{line.word(), 1};
    line.need("=");
    axis.size = line.integer(1, largest_size);
    if (mesh.find(axis.name)) line.fail("the axis is declared twice");
    if (mesh.processors() > largest_size / axis.size) line.fail("too many processors");
    mesh.axes.push_back(axis);
  }
}

StepProgram FieldReader::step_program(DumpLine& line) {
  StepProgram step{line.dotted_words(), 1};
  line.need("=");
  step.microbatches = line.integer(1, largest_size);
  return step;
}

DType FieldReader::dtype(DumpLine& line) const {
  const auto type = dtype_named(line.word());
  if (!type) line.fail("unknown element type");
  return type.value_or(DType{});
}

std::vector<AxisId> FieldReader::axes(DumpLine& line) const {
  std::vector<AxisId> list;
  do {
    list.push_back(axis(line));
    if (std::count(list.begin(), list.end(), list.back()) > 1) line.fail("an axis is listed twice");
  } while (line.take("+"));
  return list;
}

void FieldReader::read(DumpLine& line, bool& value) const {
  value = line.take("true");
  if (!value) line.need("false");
}

void FieldReader::read(DumpLine& line, int& value) const {
  using Limits = std::numeric_limits<int>;
  value = static_cast<int>(line.integer(Limits::min(), Limits::max()));
}

void FieldReader::read(DumpLine& line, Bits<std::int64_t> bits) const {
  bits.value = static_cast<std::int64_t>(line.bits());
}

void FieldReader::read(DumpLine& line, Distribution& value) const {
  const auto distribution = distribution_named(line.word());
  if (!distribution) line.fail("unknown distribution");
  value = distribution.value_or(Distribution{});
}

void FieldReader::read(DumpLine& line, DimId& value) const {
  value = line.take("-") ? DimId{} : dim(line);
}

DimList FieldReader::side(DumpLine& line) const {
  if (!line.take("(")) return {dim(line)};
  DimList dims;
  line.list("", ")", [&] { dims.push_back(dim(line)); });
  return dims;
}

void FieldReader::read(DumpLine& line, DimGroup& group) const {
  group.from = side(line);
  line.need("->");
  group.to = side(line);
}

void FieldReader::read(DumpLine& line, WindowItem& item) const {
  item.dim = dim(line);
  line.need("=");
  item.at.begin = line.integer();
  while (line.take("+")) {
    const std::int64_t scale = line.integer();
    item.at.terms.push_back({dim(line), scale});
  }
}

void FieldReader::read(DumpLine& line, ScalarInstruction& step) const {
  const std::string word = line.word();
  const auto leaf = [&](LeafKind kind) {
    step.kind = kind;
    read(line, step.leaf);
  };
  if (word == "constant") {
    step.kind = LeafKind::constant;
    step.value = line.number();
  } else if (word == "operand") {
    leaf(LeafKind::operand);
  } else if (word == "index") {
    leaf(LeafKind::index);
  } else if (word == "random") {
    leaf(LeafKind::random);
  } else if (const auto op = scalar_op_named(word)) {
    step.op = *op;
    for (int i = 0; i < arity(*op); ++i) read(line, step.args[i]);
  } else {
    line.fail("unknown scalar operation `" + word + "`");
  }
  step.dtype = dtype(line);
}

ShardType FieldReader::shard_type(DumpLine& line) const {
  ShardType type;
  type.tensor.dtype = dtype(line);
  line.list("[", "]", [&] {
    type.tensor.dims.push_back(dim(line));
    type.sharding.split.emplace_back();
    if (line.take("/")) type.sharding.split.back() = axes(line);
  });
  if (line.take("partial")) {
    if (!line.next_is("(")) type.sharding.combine = one_of<Combine>(line);
    line.need("(");
    type.sharding.partial = axes(line);
    line.need(")");
  }
  return type;
}

}  // namespace mtfc
