// The text of layouts and meshes.
#include <catch2/catch.hpp>

#include "frontend/layout/parse_layout.h"
#include "messages/render.h"

namespace frontend_layout_parse_test {

using namespace mtfc;

namespace {

struct Parsed {
  std::optional<Layout> layout;
  std::string messages;
};

Parsed parse(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  Parsed parsed{parse_layout(sources, sources.add("l.layout", text), diagnostics), ""};
  for (const Diagnostic& d : diagnostics.all()) parsed.messages += render_text(d, sources, {});
  return parsed;
}

std::string mesh(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  const auto parsed = parse_mesh(sources, sources.add("--mesh", text), diagnostics);
  if (!parsed) return "error " + std::string(info(diagnostics.all().front().kind).code);
  std::string shown;
  for (const MeshAxis& axis : parsed->axes) shown += axis.name + std::to_string(axis.size) + " ";
  return shown;
}

std::string rules(const std::string& text) {
  const Parsed parsed = parse(text);
  if (!parsed.layout) return parsed.messages;
  std::string shown;
  for (const LayoutRule& rule : parsed.layout->rules)
    shown += rule.pattern + (rule.optional ? "?" : "") + ">" + rule.axes.front() + " ";
  return shown;
}

bool mentions(const std::string& text, const std::string& words) {
  return text.find(words) != text.npos;
}

}  // namespace

TEST_CASE("rules are separated by semicolons, commas, newlines or nothing") {
  for (const char* text :
       {"batch:rows;hidden:cols", "batch:rows,hidden:cols", "batch:rows\nhidden:cols\n",
        "batch:rows hidden:cols", ";;batch : rows ;\r\n , hidden:cols;;",
        "\xEF\xBB\xBF"
        "batch:rows\r\nhidden:cols # end"})
    CHECK(rules(text) == "batch>rows hidden>cols ");
}

TEST_CASE("the empty layout") {
  for (const char* text : {"", "[]", " [ ] \n", "# nothing\n[];"}) CHECK(rules(text).empty());
  CHECK(parse("[]\nmesh rows=2").layout->mesh->processors() == 2);
  CHECK(mentions(rules("[]\nbatch:rows"), "E100"));
}

TEST_CASE("left sides: patterns, aliases, optional rules") {
  CHECK(rules("row*:rows; *:cols; length':rows; len*':cols; experts?:rows") ==
        "row*>rows *>cols length'>rows len*'>cols experts?>rows ");
}

TEST_CASE("words of the format are names where a rule or an axis stands") {
  CHECK(rules("mesh:rows mesh?:a link:rows set:cols hardware:x chip?:y param:z") ==
        "mesh>rows mesh?>a link>rows set>cols hardware>x chip?>y param>z ");
  CHECK(parse("mesh mesh=2, set=3").layout->mesh->processors() == 6);
}

TEST_CASE("meshes in files") {
  for (const char* text : {"mesh rows=2, cols=4", "mesh rows:2;cols:4", "mesh rows=2 cols=4",
                           "mesh rows=2,\n cols:4 ; batch:rows"}) {
    const Parsed parsed = parse(text);
    REQUIRE(parsed.layout);
    CHECK(parsed.layout->mesh == Mesh{{{"rows", 2}, {"cols", 4}}});
    CHECK(parsed.layout->mesh_axis_spans.size() == 2);
  }
  CHECK_FALSE(parse("batch:rows").layout->mesh);
}

TEST_CASE("meshes on the command line") {
  for (const char* text : {"a:2;b:4", "a:2,b:4", "a=2 b=4", "mesh a=2, b=4", "a=2\nb=4;"})
    CHECK(mesh(text) == "a2 b4 ");
  CHECK(mesh("").empty());
  CHECK(mesh("all=1") == "all1 ");
  CHECK(mesh("a=2147483647") == "a2147483647 ");
}

TEST_CASE("meshes that cannot be") {
  for (const char* text : {"a=0", "a=2147483648", "a=99999999999999999999", "a=2.5", "a=2x",
                           "a=2,a=2", "a=65536,b=32768"})
    CHECK(mesh(text) == "error E406");
  for (const char* text : {"a", "a=", "=2", "a=b", "a=-2", "a=2:3", "2", "[]", "a=2.b=2"})
    CHECK(mesh(text) == "error E100");
  CHECK(mentions(parse("mesh a=2\nmesh b=2").messages, "E406"));
  std::string many;
  for (int i = 0; i < 65; ++i) many += "a" + std::to_string(i) + "=1 ";
  CHECK(mesh(many) == "error E406");
}

TEST_CASE("hardware is read with its units") {
  const Parsed parsed = parse(
      "hardware pod {\n  chip flops=312TF mem=80GB hbm=2.0TB/s eff=60%\n"
      "  link rows switch bw=25GB/s lat=5us\n  link cols bw=1e3GB/s\n}\nhardware tpu_v2\n");
  INFO(parsed.messages);
  REQUIRE(parsed.layout);
  REQUIRE(parsed.layout->hardware.size() == 2);
  const Hardware& pod = parsed.layout->hardware[0];
  CHECK(pod.name == "pod");
  REQUIRE(pod.lines.size() == 3);
  const HardwareField& hbm = pod.lines[0].fields[2];
  CHECK(hbm.name == "hbm");
  CHECK(hbm.text == "2.0TB/s");
  REQUIRE(hbm.quantity);
  CHECK(hbm.quantity->kind == Quantity::Kind::bandwidth);
  CHECK(hbm.quantity->value == Approx(2e12));
  CHECK(pod.lines[1].words == std::vector<std::string>{"rows", "switch"});
  CHECK(pod.lines[2].words == std::vector<std::string>{"cols"});
  CHECK(parsed.layout->hardware[1].lines.empty());
  CHECK(mentions(parse("hardware p { chip flops=3XX }").messages, "E407"));
  CHECK(mentions(parse("hardware p { chip flops=312 TF }").messages, "without a space"));
  CHECK(mentions(parse("hardware p { chip a=1 } hardware p").messages, "two machines are called"));
  CHECK(mentions(parse("hardware p { chip flops=1e999TF }").messages, "E421"));
}

TEST_CASE("settings are kept") {
  const Parsed parsed = parse("set update=sharded, set wire=bf16");
  REQUIRE(parsed.layout);
  CHECK(parsed.layout->settings[1] == std::pair<std::string, std::string>("wire", "bf16"));
  CHECK(mentions(parse("set a=b; set a=c").messages, "E100"));
  CHECK(mentions(parse("set a=b; set a=b").messages, "W411"));
}

TEST_CASE("several axes of one dimension, major to minor") {
  const Parsed parsed = parse("batch:rows+cols; length?: cols + planes");
  REQUIRE(parsed.layout);
  CHECK(parsed.layout->rules[0].axes == std::vector<std::string>{"rows", "cols"});
  CHECK(parsed.layout->rules[1].axes == std::vector<std::string>{"cols", "planes"});
  CHECK(mentions(parse("batch:rows+cols+rows").messages, "names mesh axis `rows` twice"));
}

TEST_CASE("scopes of blocks and values") {
  const Parsed parsed =
      parse("in \"layers.*\" { length:rows; d?:[] } value \"**.k\" { memory:a+b }");
  REQUIRE(parsed.layout);
  REQUIRE(parsed.layout->scopes.size() == 2);
  CHECK(parsed.layout->scopes[0].kind == LayoutScope::Kind::block);
  CHECK(parsed.layout->scopes[0].rules[1].axes.empty());
  CHECK(parsed.layout->scopes[1].kind == LayoutScope::Kind::value);
  CHECK(parsed.layout->scopes[1].glob == "**.k");
  CHECK(rules("in:rows value?:cols") == "in>rows value?>cols ");
  const Parsed several = parse("in \"a\", \"b.*\"? { length:[] }; batch:rows");
  REQUIRE(several.layout);
  REQUIRE(several.layout->scopes.size() == 2);
  CHECK(several.layout->scopes[1].glob == "b.*");
  CHECK(several.layout->scopes[1].optional);
  CHECK_FALSE(several.layout->scopes[0].optional);
  CHECK(several.layout->scopes[1].rules.size() == 1);
  CHECK(several.layout->rules.size() == 1);
  CHECK(mentions(parse("length:[]").messages, "`length:[]` outside of a scope"));
  CHECK(mentions(parse("in layers.* { a:b }").messages, "`in \"layers.*\" { ... }`"));
  CHECK(mentions(parse("value \"x\" { a:b").messages, "`{` is never closed"));
  CHECK(mentions(parse("in \"a\"? b:c").messages, "expected `{` and rules after \"a\""));
}

TEST_CASE("pipelines") {
  const Parsed parsed = parse("pipeline \"enc.*\", \"dec.*\" { stages = 3+4; schedule = 1f1b }");
  REQUIRE(parsed.layout);
  REQUIRE(parsed.layout->pipeline);
  const LayoutPipeline& pipeline = *parsed.layout->pipeline;
  CHECK(pipeline.globs == std::vector<std::string>{"enc.*", "dec.*"});
  REQUIRE(pipeline.fields.size() == 2);
  CHECK(pipeline.fields[0].words == std::vector<std::string>{"3", "4"});
  CHECK(pipeline.fields[1].name == "schedule");
  CHECK(pipeline.fields[1].words == std::vector<std::string>{"1f1b"});
  CHECK(mentions(parse("pipeline \"a.*\" { stages = 2 } pipeline \"b.*\" { stages = 2 }").messages,
                 "E408"));
  CHECK(mentions(parse("pipeline layers.* { stages = 2 }").messages, "written in double quotes"));
  CHECK(mentions(parse("pipeline \"a.*\" { stages: 2 }").messages, "expected `stages = 2`"));
  CHECK(mentions(parse("pipeline \"a.*\" { stages = 2").messages, "`{` is never closed"));
  CHECK(rules("pipeline:rows") == "pipeline>rows ");
}

TEST_CASE("scopes of parameters") {
  const Parsed parsed = parse("mesh rows=2\nparam \"layers.*\" { d_model:rows; d_ff?:rows+cols }");
  REQUIRE(parsed.layout);
  REQUIRE(parsed.layout->scopes.size() == 1);
  const LayoutScope& scope = parsed.layout->scopes[0];
  CHECK(scope.glob == "layers.*");
  REQUIRE(scope.rules.size() == 2);
  CHECK(scope.rules[1].optional);
  CHECK(scope.rules[1].axes == std::vector<std::string>{"rows", "cols"});
  CHECK(parsed.layout->rules.empty());
}

TEST_CASE("Mesh-TensorFlow's dot is answered with a semicolon") {
  const std::string text = parse("batch:rows.hidden:cols").messages;
  CHECK(text ==
        "error[E100]: `.` does not separate rules\n"
        " --> l.layout:1:11\n"
        "1 | batch:rows.hidden:cols\n"
        "  |           ^\n"
        "  = help: write `;`\n");
}

TEST_CASE("layouts in the form of another language") {
  const auto helps = [](const std::string& text, const std::string& help) {
    const std::string messages = parse(text).messages;
    INFO(messages);
    CHECK(messages.find("= help: " + help) != std::string::npos);
  };
  helps("mesh rows=2\nbatch=rows", "a rule is written `batch:rows`");
  helps("mesh rows=2\nbatch -> rows", "a rule is written `batch:axis`");
  helps("mesh rows=2\nbatch rows", "a rule is written `batch:rows`");
  helps("mesh rows=2\nsplit batch over rows", "a rule is written `batch:axis`");
  helps("mesh a=2, b=2\nbatch:a,b", "a dimension is split over two axes by `batch:a+b`");
  helps("mesh a=2, b=2\nbatch:(a, b)", "a dimension is split over two axes by `batch:a+b`");
  helps("mesh a=2, b=2\nbatch:a*b", "a dimension is split over two axes by `batch:a+b`");
  helps("mesh a=2\nparam w { io:a }", "paths are written in double quotes: `param \"w\" { ... }`");
  helps("mesh a=2\nparam w over a", "paths are written in double quotes: `param \"w\" { ... }`");
  helps("mesh a=2\nparam w.* {", "paths are written in double quotes: `param \"w.*\" { ... }`");
  helps("// two by two\nmesh a=2", "a comment begins with `#`");
  helps("{\"mesh\": {\"rows\": 2}}", "a layout is neither JSON nor YAML");
  helps("mesh:\n  rows: 2\nrules:\n  - batch: rows\n", "a layout is neither JSON nor YAML");
}

TEST_CASE("each mistake costs one entry and is told in plain words") {
  const std::string text = parse("batch=rows; d_ff:cols\n foo bar\n-3\nx:2\nlast").messages;
  CHECK(text ==
        "error[E100]: expected `:` and a mesh axis after `batch`, found `=`\n"
        " --> l.layout:1:6\n"
        "1 | batch=rows; d_ff:cols\n"
        "  |      ^\n"
        "  = help: write a rule as `batch:axis`; sizes of mesh axes are given in\n"
        "          `mesh batch=2`\n"
        "error[E100]: expected `:` and a mesh axis after `foo`, found `bar`\n"
        " --> l.layout:2:6\n"
        "2 |  foo bar\n"
        "  |      ^^^\n"
        "  = help: a rule is written `foo:bar`\n"
        "error[E100]: expected a rule such as `batch:rows`, found `-`\n"
        " --> l.layout:3:1\n"
        "3 | -3\n"
        "  | ^\n"
        "error[E100]: a rule names a mesh axis, not a number: found `2`\n"
        " --> l.layout:4:3\n"
        "4 | x:2\n"
        "  |   ^\n"
        "  = help: a mesh is declared by `mesh x=2`\n"
        "error[E100]: expected `:` and a mesh axis after `last`\n"
        " --> l.layout:5:1\n"
        "5 | last\n"
        "  | ^^^^ this rule names no mesh axis\n");
}

TEST_CASE("a list of axes in brackets is one mistake") {
  for (const char* text : {"mesh r=2, q=2\nbatch:[r, q]", "mesh r=2, q=2\nbatch:[r, q]\nhidden:r",
                           "mesh r=2, q=2\nbatch:[r q]; hidden:r"}) {
    const std::string messages = parse(text).messages;
    CHECK(mentions(messages, "expected `]` after `[`, found `r`"));
    CHECK(mentions(messages, "a dimension is split over two axes by `batch:a+b`"));
    CHECK(messages.find("error[") == messages.rfind("error["));
  }
}

TEST_CASE("misspelled keywords, and words of other languages") {
  const auto help = [](const std::string& text) {
    const std::string all = parse(text).messages;
    const std::size_t at = all.find("= help: ");
    return at == all.npos ? "" : all.substr(at + 8, all.find('\n', at) - at - 8);
  };
  CHECK(help("pipline \"layers.*\" { stages = 2 }") == "did you mean `pipeline`?");
  CHECK(help("parm \"**\" { d:rows }") == "did you mean `param`?");
  CHECK(help("mash rows=2") == "did you mean `mesh`?");
  CHECK(help("sett update=sharded") == "did you mean `set`?");
  CHECK(help("hardwear p { chip a=1 }") == "did you mean `hardware`?");
  CHECK(help("scope \"layers.*\" { batch:[] }").starts_with("rules for some blocks are written"));
  CHECK(help("seq cols") == "a rule is written `seq:cols`");  // no keyword
}

TEST_CASE("a brace that is never closed") {
  CHECK(mentions(parse("hardware p { chip a=1").messages, "E101"));
}

}  // namespace frontend_layout_parse_test
