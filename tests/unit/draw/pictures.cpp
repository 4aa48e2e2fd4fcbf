// Blocks, lanes and the two forms in which pictures are written.
#include <catch2/catch.hpp>

#include "draw/line_graph.h"
#include "draw/passes_picture.h"
#include "draw/tensor_block.h"
#include "unit/draw/lab.h"

namespace draw_pictures_test {

using namespace draw_lab;
using namespace mtfc::draw;

namespace {

std::string block_text(const Mesh& mesh, const Sharded& tensor) {
  return to_text(tensor_block(tensor.dims, mesh, "w", tensor.type, {}));
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a tensor is cut as its sharding says") {
  CHECK(block_text(mesh_of({2, 2}), sharded({{8, {0}}, {6, {1}}})) ==
        "w  f32[a=8, b=6]\n"
        "a over p down, b over q across\n"
        "       0-2    3-5\n"
        "    ┌──────┬──────┐\n"
        "0-3 │   0  │   1  │\n"
        "    ├──────┼──────┤\n"
        "4-7 │   2  │   3  │\n"
        "    └──────┴──────┘\n");
}

TEST_CASE("numbers, vectors, further dimensions, padding") {
  CHECK(has(block_text(mesh_of({2}), sharded({})), "one number"));
  CHECK(has(block_text(mesh_of({2}), sharded({{8, {0}}})), "│   0  │   1  │"));
  const std::string four = block_text(mesh_of({2}), sharded({{3}, {8, {0}}, {9}, {2}}));
  CHECK(has(four, "b over p down, c across"));
  CHECK(has(four, "each with all of a=3, d=2"));
  const std::string three = block_text(mesh_of({2, 2, 3}), sharded({{4, {0}}, {4, {1}}, {6, {2}}}));
  CHECK(has(three, "c over r 4-5"));
  CHECK(has(three, "11"));
  // 5 in blocks of 2: the last one is shorter; 5 over 4: 2, 2, 1, nothing.
  CHECK(has(block_text(mesh_of({3}), sharded({{5, {0}}})), " 4\n"));
  CHECK(has(block_text(mesh_of({4}), sharded({{5, {0}}})), "padding"));
}

TEST_CASE("of many parts the first and the last are shown") {
  const std::string text = block_text(mesh_of({512}), sharded({{1024, {0}}}));
  CHECK(has(text, "..."));
  CHECK(has(text, "511"));
  CHECK_FALSE(has(text, "│  100  │"));
}

TEST_CASE("in the terminal borders join, and texts stand before lines") {
  Picture picture;
  picture.add(Box{0, 0, 4, 2});
  picture.add(Box{4, 0, 4, 2});
  picture.add(Line{2, 4, 6, 4, no_fill, true});
  picture.add(Text{4, 1, "x", Text::Style::plain, Text::Anchor::middle});
  picture.add(Box{0, 5, 3, 1, 1, false});
  picture.width = 9;
  picture.height = 6;
  CHECK(to_text(picture) == "┌───┬───┐\n│   x   │\n└───┴───┘\n\n  ────>\n▓▓▓\n");
}

TEST_CASE("nothing outside of a picture is written, and names are no markup") {
  Picture picture;
  picture.width = 4;
  picture.height = 1;
  picture.add(Text{-2, 0, "abcdefghij"});
  picture.add(Box{-5, -5, 100, 100});
  picture.add(Text{0, 7, "below"});
  CHECK(to_text(picture) == "cdefg\n");
  picture.add(Text{0, 0, "<script>&\""});
  const std::string svg = to_svg(picture);
  CHECK(has(svg, "&lt;script&gt;&amp;"));
  CHECK_FALSE(has(svg, "<script>"));
  CHECK(has(svg, "prefers-color-scheme: dark"));
}

TEST_CASE("pictures stand side by side as far as there is room") {
  Picture one;
  one.width = 10;
  one.height = 2;
  CHECK(in_rows({one, one}, 30).width == 24);
  CHECK(in_rows({one, one}, 30).height == 2);
  CHECK(in_rows({one, one}, 20).width == 10);
  CHECK(stacked({one, one}).height == 5);
}

TEST_CASE("connections that overlap have lanes of their own") {
  // 0 -> 3, 1 -> 2, 2 -> 3, and a last line that nobody needs.
  const std::vector<GraphLine> lines = {
      {"0", {3}, {}, 1}, {"1", {2}, {}, 1}, {"2", {3}, {}, 1}, {"3", {}, {}, 1}};
  const std::vector<int> lanes = lanes_of(lines);
  CHECK(lanes[3] == -1);
  CHECK(lanes[1] == lanes[2]);
  CHECK(lanes[0] != lanes[1]);
}

TEST_CASE("passes of a pipeline lie where their time is") {
  const pipeline::Shape shape{Schedule::one_f_one_b, 2, 1, 2};
  const auto passes = pipeline::timeline(shape, {{1, 2}, {1, 2}}, {});
  cost::PipelineCost cost;
  cost.stages.resize(2);
  const double span = pipeline::span(passes);
  const Picture picture = passes_picture(shape, passes, cost, {2 * span, true}, 100);
  double last = 0;
  int forward = 0, backward = 0;
  for (const Box& box : picture.boxes) {
    if (!box.border) continue;  // the legend
    (box.fill == 0 ? forward : backward) += 1;
    CHECK(box.width == Approx((box.fill == 0 ? 1 : 2) * 89 / (2 * span)));
    last = std::max(last, box.x + box.width);
  }
  CHECK(forward == 4);
  CHECK(backward == 4);
  CHECK(last == Approx(9 + 89.0 / 2));
  CHECK(has(to_svg(picture), "forward, micro-batch 1, 1 s"));
}

}  // namespace draw_pictures_test
