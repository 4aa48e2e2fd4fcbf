// Dumps read back as what was printed, and a dump that was edited never does harm.
#include "ir/text.h"

#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "ir/verify.h"

namespace ir_text_test {

using namespace mtfc;

namespace {

DimTable some_dims() {
  DimTable dims;
  for (const auto& [name, size] : {std::pair{"a", 8}, {"b", 4}, {"c", 2}, {"e", 1}, {"b'", 4}}) {
    Dim dim;
    dim.name = name;
    dim.size = size;
    dims.add(dim);
  }
  return dims;
}
const DimId a{0}, b{1}, c{2}, e{3};
const AxisId rows{0}, cols{1};

/// Every type that an attribute has, and values that are easily mistaken for others.
Graph some_graph() {
  Graph graph;
  graph.name = "train";
  const auto add = [&](std::vector<ValueId> operands, Attrs attrs, Origin origin) {
    const auto value = next_id<ValueId>(graph.values);
    const auto op = next_id<OpId>(graph.ops);
    graph.values.push_back({{DType::f32, {a, b}}, "", op, 0});
    graph.ops.push_back({"some_op", std::move(operands), std::move(attrs), {value}, origin});
    return value;
  };
  const std::vector<AttrValue> values = {
      true,
      false,
      std::int64_t{0},
      std::int64_t{-7},
      0.0,
      -1.0,
      1e300,
      0.1,
      std::numeric_limits<double>::infinity(),
      -std::numeric_limits<double>::infinity(),
      std::string("a \"word\"\n"),
      std::string(),
      DType::bf16,
      DType::boolean,
      DimList{},
      DimList{a, c},
      std::vector<DimGroup>{},
      std::vector<DimGroup>{{{a}, {b, c}}, {{b, c}, {a}}, {{a}, {b}}, {{}, {e}}},
      std::vector<std::int64_t>{},
      std::vector<std::int64_t>{-1, 2},
      std::vector<WindowItem>{},
      std::vector<WindowItem>{{a, {-1, {{b, 2}, {c, -1}}}}, {b, {3, {}}}},
  };
  ValueId last = add({}, {}, {});
  for (const AttrValue& value : values) {
    Origin origin{{FileId{1}, 3, 9}, {FileId{0}, 5, 6}, Phase::backward, "batch:rows"};
    last = add({last, last}, {{"key", value}, {"another", std::int64_t{1}}}, origin);
  }
  graph.ops[1].role = {StepRole::Kind::gradient, "", 2, "layers.0.attn", {2, 0}};
  graph.ops[2].role.block = "a b";
  graph.values[1].name = "layers.0.attn.q";
  graph.values[2].name = "d loss / d w";
  graph.values[3].name = ".odd.";
  graph.values[4].type = {DType::i32, {}};
  graph.outputs = {{Output::Kind::loss, "loss", last}, {Output::Kind::variable, "a b", last}};
  return graph;
}

/// One instruction of each kind, fields set to what is not their default where that can be.
std::vector<InstructionKind> some_instructions() {
  Map map;
  map.body.code = {{LeafKind::operand, {}, DType::f32, {-1, -1, -1}, 0, 0},
                   {LeafKind::constant, {}, DType::f64, {-1, -1, -1}, -1, -0.25},
                   {LeafKind::index, {}, DType::i32, {-1, -1, -1}, 0, 0},
                   {LeafKind::random, {}, DType::f32, {-1, -1, -1}, 0, 0},
                   {LeafKind::none, ScalarOp::add, DType::f32, {0, 3, -1}, -1, 0},
                   {LeafKind::none, ScalarOp::select, DType::f32, {0, 3, 4}, -1, 0}};
  map.body.results = {5, 4};
  map.index_leaves = {b};
  map.random_leaves = {{Distribution::normal, 0.5, 1, -3, {a}, -1, 0, a, 4}, {}};
  return {map,
          Map{},
          Contract{{a, b}},
          Contract{},
          AddProduct{{a}},
          Reduce{Combine::max, {a}},
          Rearrange{{{{a}, {b, c}}}},
          Slice{a, b, 3},
          Pad{b, a, 2},
          Gather{{a}, -1.5},
          ScatterAdd{{a}, {b}},
          AddAt{a, {b}},
          Put{a, e},
          Window{{{a, {-1, {{b, 2}}}}}, std::numeric_limits<double>::infinity()},
          WindowAdd{{{a, {0, {{b, 1}, {c, 1}}}}}, {b}},
          PrefixSum{a, true, false},
          PrefixSum{a, false, true},
          TopK{a, b, 2},
          Concat{{b, c}, a},
          Concat{{}, a},
          Shard{a, cols},
          AllReduce{Combine::min, {rows, cols}, {true, false}},
          ReduceScatter{Combine::sum, {a, b}, rows, {false, true}},
          Wait{},
          AllGather{{a, b}, cols},
          AllToAll{a, b, rows},
          Permute{{{a, {rows}, {cols}}, {b, {cols}, {rows}}, {c, {}, {}}}},
          Read{"layers.0.w"},
          Write{"a \"b\""},
          Feed{"run.step"},
          Fetch{Output::Kind::report, "lr"}};
}

/// They need not be right to be printed.
Module some_module() {
  Module module;
  module.model_path = "m.mtf";
  module.mesh.axes = {{"rows", 2}, {"cols", 2}};
  module.dims = some_dims();
  const ShardType type{{DType::f32, {a, b}}, {{{rows}, {}}, {cols}, Combine::sum}};
  module.variables = {{"layers.0.w", type, Variable::Kind::optimizer}};
  module.inputs = {{"x", type, "data", "field"}};
  Program& program = module.programs.emplace_back();
  program.name = "train";
  for (const InstructionKind& kind : some_instructions()) {
    const auto id = next_id<ValueId>(program.values);
    program.values.push_back({type, "v" + std::to_string(id.index)});
    std::vector<ValueId> operands;
    if (id.index > 0) operands.push_back(ValueId{id.index - 1});
    program.instructions.push_back({kind, operands, {id}, {}});
  }
  module.step = {{"train", 2}};
  return module;
}

/// A few small changes of a text, as someone makes who does not know the form.
std::string edited(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n ? random() % n : 0; };
  static const std::string letters = "0123456789-.=[]{}(),:%@\"\\/ abx";
  static const char* words[] = {"", "-1", "99999999999999999999", "[", "]", "=", "nan", "{", "-"};
  for (std::size_t n = 1 + below(3); n > 0 && !text.empty(); --n) {
    const std::size_t at = below(text.size());
    const std::size_t end = std::min(text.find_first_of(" ,]\n", at), text.size());
    switch (below(5)) {
      case 0:
        text[at] = letters[below(letters.size())];
        break;
      case 1:
        text.erase(at, end - at);
        break;
      case 2:
        text.replace(at, end - at, words[below(std::size(words))]);
        break;
      case 3:
        text.erase(at, 1 + below(40));
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(40)));
    }
  }
  return text;
}

/// Asks every rule of every instruction, whatever the types around it are.
void judge(const Module& module) {
  print(module);
  verify(module);
  for (const Program& program : module.programs)
    for (const Instruction& at : program.instructions) {
      ShardTypes in, out;
      for (ValueId id : at.operands) in.push_back(program.at(id).type);
      for (ValueId id : at.results) out.push_back(program.at(id).type);
      check(at.kind, {module.dims, module.mesh, in, out});
    }
}

}  // namespace

TEST_CASE("a graph is read back as it was printed") {
  const DimTable dims = some_dims();
  const Graph graph = some_graph();
  std::string error;
  const auto again = parse_graph(print(graph, dims), dims, error);
  INFO(print(graph, dims) << error);
  REQUIRE(again);
  CHECK(*again == graph);
  CHECK(print(*again, dims) == print(graph, dims));
  const auto two = parse_graphs(print(graph, dims) + "\n" + print(graph, dims), dims, error);
  REQUIRE(two);
  CHECK(*two == std::vector{graph, graph});
}

TEST_CASE("values of a graph keep their numbers, whatever order they are made in") {
  const DimTable dims = some_dims();
  const std::string text =
      "graph g {\n"
      "  %2.x: f32[a=8] = one  @ forward\n"
      "  %0: f32[], %1: int[b'=4] = two %2.x k=3  @ 0:1-2 update\n"
      "  metric \"m\" = %1\n"
      "}\n";
  std::string error;
  const auto graph = parse_graph(text, dims, error);
  INFO(error);
  REQUIRE(graph);
  CHECK(print(*graph, dims) == text);
  CHECK(graph->at(ValueId{1}).producer == OpId{1});
  CHECK(graph->at(ValueId{1}).result == 1);
  CHECK(parse_graph(print(Graph{}, dims), dims, error) == Graph{});
}

TEST_CASE("every instruction is read back as it was printed") {
  const Module module = some_module();
  std::string error;
  const auto again = parse_module(print(module), error);
  INFO(print(module) << error);
  REQUIRE(again);
  CHECK(print(*again) == print(module));
  const auto kinds = some_instructions();
  REQUIRE(again->programs[0].instructions.size() == kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    INFO(i);
    CHECK(again->programs[0].instructions[i].kind == kinds[i]);
  }
}

TEST_CASE("what is wrong with a line of a dump is said") {
  const auto why = [](const std::string& line) {
    const std::string text =
        "mesh rows=2\ndim a = 8 \"a\"\nprogram p {\n  %0: f32[a] = feed name=\"x\"  @ forward\n  " +
        line + "  @ forward\n}\n";
    std::string error;
    return parse_module(text, error) ? "" : error;
  };
  CHECK(why("%1: f32[a] = prefix_sum %0 dim=a reverse=true") == "");
  CHECK(why("%1: f32[a] = prefix_sum %0") == "line 5: `dim=` is missing");
  CHECK(why("%1: f32[a] = prefix_sum %0 dim=a dim=a") == "line 5: `dim` is given twice");
  CHECK(why("%1: f32[a] = prefix_sum %0 dim=a along=a") == "line 5: there is no `along` here");
  CHECK(why("%1: f32[a] = prefix_sum %0 dim=b") == "line 5: no dimension `b`");
  CHECK(why("%1: f32[a] = prefix_sums %0 dim=a") == "line 5: unknown instruction `prefix_sums`");
  CHECK(why("%1: f32[a] = prefix_sum %2 dim=a") == "line 5: a value is used before it is made");
  CHECK(why("%0: f32[a] = prefix_sum %0 dim=a") == "line 5: a value is made twice");
  CHECK(why("%1: = prefix_sum %0 dim=a") == "line 5: a word is missing");
  CHECK(why("%1: f32[a = prefix_sum %0 dim=a") == "line 5: `]` is missing");
  CHECK(why("fetch %0 kind=thing name=\"x\"") == "line 5: `thing` is not known here");
}

TEST_CASE("a dump that points into files that are not there is refused") {
  SourceMap sources;
  sources.add("m.mtf", "dim a = 8\n");
  const auto fits = [&](const std::string& origin) {
    std::string error;
    const std::string text =
        "dim a = 8 \"a\"\nprogram p {\n  %0: f32[a] = feed name=\"x\"  @ " + origin + "\n}\n";
    return parse_module(text, error, &sources).has_value();
  };
  CHECK(fits("0:4-5 forward"));
  CHECK_FALSE(fits("1:4-5 forward"));
  CHECK_FALSE(fits("-1:4-5 forward"));
  CHECK_FALSE(fits("4294967296:4-5 forward"));
  CHECK_FALSE(fits("0:5-4 forward"));
  CHECK_FALSE(fits("0:4-4294967296 forward"));
  CHECK_FALSE(fits("0:4-11 forward"));  // the file has ten bytes
  CHECK_FALSE(fits("sideways"));
}

TEST_CASE("edited dumps are read or refused") {
  const DimTable dims = some_dims();
  const std::string graph = print(some_graph(), dims), module = print(some_module());
  std::mt19937 random(1);
  int read = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string error;
    const auto some = parse_graph(edited(graph, random), dims, error);
    CHECK((some.has_value() || !error.empty()));
    if (some) print(*some, dims);
    const auto other = parse_module(edited(module, random), error);
    CHECK((other.has_value() || !error.empty()));
    if (other) judge(*other);
    read += some.has_value() + other.has_value();
  }
  CHECK(read > 100);
}

}  // namespace ir_text_test
