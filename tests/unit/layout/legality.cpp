// Which layouts are legal: the worked examples of the Mesh-TensorFlow paper and README, and what
// users get to see where one is not.
#include <catch2/catch.hpp>

#include <chrono>

#include "ir/type.h"
#include "lab.h"
#include "layout/axis_conflicts.h"
#include "layout/check_summary.h"

namespace layout_legality_test {

using namespace mtfc;
using namespace mtfc::test;

namespace {

/// The README's image tensor.
struct Readme : Lab {
  Readme()
      : Lab("dim batch = 100, rows = 28, cols = 28, channels = 3\n"
            "input image[batch, rows, cols, channels]\n") {
    dims = {dim("batch", 100), dim("rows", 28), dim("cols", 28), dim("channels", 3)};
    input("image", dims);
  }
  /// The slice's sizes under a layout.
  std::vector<std::int64_t> slice(const std::string& layout) {
    INFO(check(layout, mesh));
    REQUIRE(legal);
    ShardType type{{DType::f32, dims}, {}};
    for (DimId d : dims) type.sharding.split.push_back(assignment->axes(d));
    return shard_extents(model.dims, assignment->mesh, type);
  }
  DimList dims;
  std::string mesh = "processor_rows:2;processor_cols:4";
};

std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text)
    if (!(c == ' ' || c == '\n') || line.empty() || line.back() != ' ') line += c == '\n' ? ' ' : c;
  return line;
}

/// Wrapped or not.
bool mentions(const std::string& text, const std::string& words) {
  return in_one_line(text).find(in_one_line(words)) != std::string::npos;
}

using Sizes = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("the README's image on its mesh of 2 x 4") {
  Readme m;
  CHECK(m.slice("[]") == Sizes{100, 28, 28, 3});
  CHECK(m.slice("batch:processor_cols") == Sizes{25, 28, 28, 3});
  CHECK(m.slice("rows:processor_rows;cols:processor_cols") == Sizes{100, 14, 7, 3});
  CHECK(m.slice("batch:processor_rows;rows:processor_cols") == Sizes{50, 7, 28, 3});
  CHECK(m.codes("batch:processor_rows;rows:processor_rows", m.mesh) == "E402");
  CHECK(m.codes("channels!:processor_rows", m.mesh) == "E401");
  CHECK(m.codes("channels:processor_rows", m.mesh) == "W422");
  CHECK(m.slice("channels:processor_rows") == Sizes{100, 28, 28, 2});
}

TEST_CASE("padding costs work where something is computed, not where parameters are read") {
  Lab m("dim i = 4, k = 1000, n = 1000\neinsum(x, w over k)\n");
  const DimId i = m.dim("i", 4), k = m.dim("k", 1000), n = m.dim("n", 1000);
  const ValueId x = m.input("x", {i, k}), w = m.param("w", {k, n});
  m.build("einsum(x, w over k)").einsum({x, w}, {k});
  CHECK(mentions(m.check("i:a", "a:3"), "50.0 % more work"));
}

TEST_CASE("the paper's two layers") {
  TwoLayer m;
  for (const char* layout : {"[]", "batch:all", "hidden:all", "io:all"})
    CHECK(m.codes(layout, "all:4") == "");
  CHECK(m.codes("batch:all;hidden:all", "all:4") == "E402");
  CHECK(m.codes("batch:rows;hidden:cols", "rows:2;cols:2") == "");
  CHECK(m.codes("batch:rows;hidden:cols;io:planes", "rows:2;cols:2;planes:2") == "");
  CHECK(m.codes("batch:rows;hidden:cols;io:cols", "rows:2;cols:2") == "E402");
  CHECK(m.codes("batch:rows;hidden:rows;io:rows", "rows:2;cols:2") == "E402 E402 E402");
}

TEST_CASE("the usual layouts of a transformer") {
  Transformer m;
  CHECK(m.codes("batch:rows;heads:cols;d_ff:cols", "rows:2;cols:2") == "");
  CHECK(m.codes("batch:rows;heads!:cols;d_ff!:cols;vocab:cols", "rows:2;cols:5") == "E401 E401");
  CHECK(m.codes("d_model:cols;batch:rows", "rows:2;cols:2") == "");
  CHECK(m.codes("length:cols;batch:rows", "rows:2;cols:2") == "");
  CHECK(m.codes("length:cols;memory:cols", "cols:2") == "E402");
  CHECK(m.codes("heads:cols;d_head:cols", "cols:2") == "E402");
}

TEST_CASE("an operation's index space counts where no tensor clashes") {
  // An embedding: the table has vocab, the ids have batch, and nothing has both.
  Lab m("dim vocab = 8, batch = 4, d = 2\nx = table[vocab = ids]\n");
  const DimId vocab = m.dim("vocab", 8), batch = m.dim("batch", 4), d = m.dim("d", 2);
  const ValueId table = m.param("table", {vocab, d});
  const ValueId ids = m.input("ids", {batch}, DType::i32);
  m.build("table[vocab = ids]").gather(table, {vocab}, {ids}, 0);
  CHECK(m.codes("vocab:a; batch:b", "a:2;b:2") == "");
  const std::string text = m.check("vocab:a; batch:a", "a:2");
  CHECK(mentions(text, "computing `table[vocab = ids]` uses mesh axis `a` for two dimensions"));
  CHECK(mentions(text, "legal with one change: write `vocab:a` as `param"));
}

TEST_CASE("a summed dimension is part of the index space") {
  // sum over k of x[i, k] * y[k]: the result has i alone.
  Lab m("dim i = 4, k = 4\neinsum(x, y over k)\n");
  const DimId i = m.dim("i", 4), k = m.dim("k", 4);
  const ValueId x = m.input("x", {i}), y = m.input("y", {k});
  m.build("einsum(x, y over k)").einsum({x, y}, {k});
  CHECK(m.codes("i:a; k:a", "a:2") == "E402");
  CHECK(m.codes("i:a; k:b", "a:2;b:2") == "");
}

TEST_CASE("views are exempt: they move data") {
  Lab m("dim a = 4, b = 4, c = 4\nx[a -> b]\n");
  const DimId a = m.dim("a", 4), b = m.dim("b", 4), c = m.dim("c", 4);
  const ValueId x = m.input("x", {a, c});
  m.build("x[a -> b]").view(x, {{{a}, {b}}});
  CHECK(m.codes("a:p; b:p", "p:2") == "");
  CHECK(m.codes("a:p; b:p; c:q", "p:2;q:2") == "");
  CHECK(m.codes("a:p; c:p", "p:2") == "E402");
  // x[a -> b, c -> a] with a and b split: one dimension gives the axis up, another takes it.
  m.build("x[a -> b]").view(x, {{{a}, {b}}, {{c}, {a}}});
  CHECK(m.codes("a:p", "p:2") == "");
}

TEST_CASE("slices need their dimension whole, which is no clash") {
  Lab m("dim a = 8, b = 4\nx[a = 0:4 -> b]\n");
  const DimId a = m.dim("a", 8), b = m.dim("b", 4);
  m.build("x[a = 0:4 -> b]").slice(m.input("x", {a}), a, 0, b);
  CHECK(m.codes("a:p; b:p", "p:2") == "");
}

TEST_CASE("one dimension for two indices of a gather") {
  // table[d = e] where e has d as well: the places looked up lie on other processors.
  Lab m("dim d = 4\ntable[d = e]\n");
  const DimId d = m.dim("d", 4);
  const ValueId table = m.param("table", {d});
  m.build("table[d = e]").gather(table, {d}, {m.input("e", {d}, DType::i32)}, 0);
  const std::string text = m.check("d:a", "a:2");
  CHECK(mentions(text, "E402"));
  CHECK(mentions(text, "two indices with dimension `d`"));
  CHECK(mentions(text, "remove `d:a`"));
}

TEST_CASE("one pattern for two dimensions of a tensor") {
  Readme m;
  const std::string text = m.check("*o*s:processor_rows; batch:processor_cols", m.mesh);
  CHECK(mentions(text, "both `rows` and `cols` of `image`"));
  CHECK(mentions(text, "legal with one change: remove `*o*s:processor_rows`"));
}

TEST_CASE("repairs were tried, so they hold") {
  Transformer m;
  const std::string text = m.check("heads:cols;d_model:cols;batch:rows;d_ff:cols", "rows:2;cols:2");
  // Both clashes go with d_model's rule alone; moving it to rows would meet batch.
  CHECK(mentions(text, "= help: legal with one change: remove `d_model:cols`\n"));
  CHECK_FALSE(mentions(text, "or remove"));
  CHECK(m.codes("heads:cols;batch:rows;d_ff:cols", "rows:2;cols:2") == "");
  // A free axis is proposed.
  CHECK(mentions(m.check("heads:cols;d_model:cols", "rows:2;cols:2"), "or write `d_model:rows`"));
  CHECK(m.codes("heads:cols;d_model:rows", "rows:2;cols:2") == "");
  // Beside a bad size, what ends the clashes.
  CHECK(mentions(m.check("heads:cols;d_model:cols;vocab!:rows", "rows:2;cols:2"),
                 "no clash is left with one change: remove `d_model:cols`, or remove"));
  // Where one is not enough, two: what keeps most of the rules first.
  const std::string three = m.check("batch:c;length:c;d_model:c", "c:2");
  CHECK(mentions(three, "that alone does not make the"));
  CHECK(mentions(three, "legal with two changes: write `d_model:c` as"));
  CHECK(m.codes("batch:c; param \"**\" { d_model:c }", "c:2") == "");
  // Not where one is.
  const std::string hub = m.check("d_model:c;heads:c;vocab:c", "c:2");
  CHECK(mentions(hub, "legal with one change: remove `d_model:c`"));
  CHECK_FALSE(mentions(hub, "two changes"));
}

TEST_CASE("golden: two dimensions of one tensor on one axis") {
  Transformer m;
  CHECK(m.check("mesh rows=2, cols=2\nheads:cols; d_model:cols\n") ==
        "error[E402]: `layers.0.attn.wq` uses mesh axis `cols` for two dimensions\n"
        " --> test.layout:2:1\n"
        "2 | heads:cols; d_model:cols\n"
        "  | ^^^^^^^^^^ one dimension of `layers.0.attn.wq`\n"
        "  |             ------------ another dimension of `layers.0.attn.wq`\n"
        " ::: model.mtf:7:20\n"
        "7 |   param wq, wk, wv [d_model, heads, d_head] ~ normal(0.02)\n"
        "  |                    ------------------------\n"
        "  |                    `heads` and `d_model` both occur here\n"
        "  = note: affects 4 tensors: `layers.0.attn.wq`, `layers.0.attn.wk`,\n"
        "          `layers.0.attn.wv` and `layers.0.attn.wo`\n"
        "  = help: legal with one change: remove `d_model:cols`, or remove `heads:cols`,\n"
        "          or write `d_model:rows`, or write `heads:rows`\n");
}

TEST_CASE("what is large and left whole is noted, the largest first") {
  Lab m("dim batch = 1024, a = 2048, b = 2048\nparam w[a, b]\neinsum(x, w over a)\n");
  const DimId batch = m.dim("batch", 1024), a = m.dim("a", 2048), b = m.dim("b", 2048);
  const ValueId x = m.input("x", {batch, a});
  const ValueId w = m.param("w", {a, b}, "[a, b]");
  m.build("einsum(x, w over a)").einsum({x, w}, {a});
  CHECK(m.check("mesh rows=4\n") ==
        "note[N420]: `w` is replicated on all 4 processors\n"
        " --> model.mtf:2:8\n"
        "2 | param w[a, b]\n"
        "  |        ^^^^^^ 4.19 M elements\n"
        "  = note: no rule splits any of [a=2048, b=2048]\n"
        "note[N420]: `x` is replicated on all 4 processors\n"
        "  = note: no rule splits any of [batch=1024, a=2048]\n"
        "note[N420]: each of the 4 processors computes all of `einsum(x, w over a)`\n"
        " --> model.mtf:3:1\n"
        "3 | einsum(x, w over a)\n"
        "  | ^^^^^^^^^^^^^^^^^^^ 4.29 G multiply-adds\n");
  CHECK(m.legal);
  CHECK(m.codes("mesh rows=4; batch:rows") == "N420");
  CHECK(m.codes("mesh rows=4; a:rows") == "");
  CHECK(m.codes("[]") == "");
  // Split over one axis of two, it is done twice still.
  CHECK(m.check("mesh rows=2, cols=2\na:rows") ==
        "note[N420]: the 2 processors along `cols` compute the same part of\n"
        "    `einsum(x, w over a)`\n"
        " --> model.mtf:3:1\n"
        "3 | einsum(x, w over a)\n"
        "  | ^^^^^^^^^^^^^^^^^^^ 2.15 G multiply-adds\n");
  CHECK(m.codes("mesh rows=2, cols=2; a:rows; b:cols") == "");
}

TEST_CASE("several layouts in one table") {
  TwoLayer m;
  std::vector<lowering::LayoutReport> reports;
  const auto add = [&](const std::string& file, const std::string& text) {
    Diagnostics diagnostics;
    const auto layout = parse_layout(m.sources, m.sources.add(file, text), diagnostics);
    reports.push_back(
        lowering::check_layout(file, layout, diagnostics, std::nullopt, m.model, m.sources));
  };
  add("replicated.layout", "[]");
  add("dp.layout", "mesh rows=4\nbatch:rows");
  add("mp.layout", "mesh rows=2, cols=2\nhidden:cols; hiden:rows");
  add("bad.layout", "mesh rows=3, cols=2\nbatch!:rows; io:cols; hidden:cols");
  add("models/of/a/very/long/path/that/does/not/fit/broken.layout", "mesh");
  // Clashes are found beside bad sizes.
  CHECK(reports[3].diagnostics.errors() == 2);
  CHECK(reports[2].parameters_per_processor == 784 * 256 * 2 + 256);
  CHECK(lowering::parameter_elements(m.model) == 784 * 512 * 2 + 512);
  CHECK(lowering::summary_table(reports) ==
        "layout                     mesh            processors  parameters  verdict\n"
        "replicated.layout          -                        1     803,328  ok\n"
        "dp.layout                  rows=4                   4     803,328  ok\n"
        "mp.layout                  rows=2, cols=2           4     401,664  ok, 1 warning\n"
        "bad.layout                 rows=3, cols=2           6           -  2 errors\n"
        "models/of/a/very/long/path/that/does/not/fit/broken.layout\n"
        "                           -                        -           -  1 error\n");
}

TEST_CASE("thousands of operations are judged in milliseconds") {
  Transformer m(65, 200);
  REQUIRE(m.model.train.ops.size() > 3000);
  m.check("batch:rows;heads:cols;d_ff:cols", "rows:2;cols:2");
  REQUIRE(m.assignment);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) CHECK(lowering::is_legal(m.model, *m.assignment));
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  CHECK(time.count() / 5 < 0.25);  // about 0.001 s; sanitizers and busy machines are slow
}

}  // namespace layout_legality_test
