// digits(seed=0, count=4000, eval_count=1000): drawn digits with the fields of idx, so that models
// of handwriting train and are tested without any file. Each digit is a few strokes, bent, turned,
// slanted and shifted by chance, drawn with a pen of some width, under some noise.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "data/args.h"
#include "data/table.h"
#include "kernels/random.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t side = 28, pixels = side * side;

struct Point {
  double x = 0, y = 0;
};
using Stroke = std::vector<Point>;  // a line through these points

/// A part of an ellipse, from one angle to another (degrees, clockwise from the right, y down).
Stroke arc(Point center, double rx, double ry, double from, double to) {
  constexpr int pieces = 12;
  Stroke stroke;
  for (int i = 0; i <= pieces; ++i) {
    const double angle = (from + (to - from) * i / pieces) * std::numbers::pi / 180;
    stroke.push_back({center.x + rx * std::cos(angle), center.y + ry * std::sin(angle)});
  }
  return stroke;
}

/// The strokes of a digit in a box from (-1, -1) to (1, 1).
std::vector<Stroke> strokes_of(int digit) {
  switch (digit) {
    case 0:
      return {arc({0, 0}, 0.55, 0.9, 0, 360)};
    case 1:
      return {{{-0.3, -0.55}, {0.05, -0.9}, {0.05, 0.9}}};
    case 2:
      return {arc({0, -0.42}, 0.5, 0.48, 180, 385), {{0.44, -0.2}, {-0.5, 0.88}, {0.55, 0.88}}};
    case 3:
      return {arc({-0.05, -0.45}, 0.48, 0.43, 200, 450), arc({-0.05, 0.44}, 0.55, 0.46, 270, 510)};
    case 4:
      return {{{0.1, -0.9}, {-0.6, 0.25}, {0.6, 0.25}}, {{0.28, -0.35}, {0.28, 0.9}}};
    case 5:
      return {{{0.5, -0.88}, {-0.4, -0.88}, {-0.45, -0.1}},
              arc({-0.05, 0.33}, 0.55, 0.55, 225, 500)};
    case 6:
      return {arc({0, 0.4}, 0.5, 0.48, 0, 360), arc({0.35, 0.35}, 0.85, 1.28, 180, 275)};
    case 7:
      return {{{-0.55, -0.85}, {0.55, -0.85}, {-0.15, 0.9}}};
    case 8:
      return {arc({0, -0.45}, 0.42, 0.43, 0, 360), arc({0, 0.45}, 0.52, 0.46, 0, 360)};
    default:
      return {arc({0, -0.4}, 0.48, 0.48, 0, 360), arc({-0.35, -0.35}, 0.83, 1.28, 0, 80)};
  }
}

/// One digit's chances, drawn one after the other.
class Chance {
 public:
  Chance(std::uint64_t key, std::int64_t example)
      : key_(key), example_(static_cast<std::uint32_t>(example)) {}
  double between(double low, double high) {
    return low + (high - low) * uniform(key_, example_, next_++);
  }
  void between(double low, double high, std::vector<double>& values) {
    const auto count = static_cast<std::int64_t>(values.size());
    sample({Distribution::uniform, low, high, key_, example_}, DType::f64, next_, count,
           values.data());
    next_ += count;
  }
  int below(int count) { return static_cast<int>(between(0, count)); }

 private:
  std::uint64_t key_;
  std::uint32_t example_;
  std::int64_t next_ = 0;
};

/// The box of strokes to pixels.
struct Affine {
  double xx = 1, xy = 0, yx = 0, yy = 1, x0 = 0, y0 = 0;
  Point operator()(Point p) const { return {xx * p.x + xy * p.y + x0, yx * p.x + yy * p.y + y0}; }
};

Affine random_position(Chance& chance) {
  const double turn = chance.between(-0.22, 0.22), slant = chance.between(-0.25, 0.25);
  const double width = chance.between(7.2, 10.2), height = chance.between(8.2, 10.4);
  const double middle = (side - 1) / 2.0;
  const double c = std::cos(turn), s = std::sin(turn);
  return {c * width,
          (c * slant - s) * height,
          s * width,
          (s * slant + c) * height,
          middle + chance.between(-2, 2),
          middle + chance.between(-2, 2)};
}

struct Segment {
  Point a, b;
};

std::vector<Segment> draw_strokes(int digit, Chance& chance) {
  const Affine position = random_position(chance);
  // One slow wave bends all strokes alike, so that they stay connected.
  const double bend = chance.between(-0.09, 0.09), phase = chance.between(0, 6.28);
  std::vector<Segment> segments;
  for (const Stroke& stroke : strokes_of(digit)) {
    Stroke placed;
    for (const Point p : stroke)
      placed.push_back(position(
          {p.x + bend * std::sin(2.5 * p.y + phase), p.y + bend * std::cos(2.5 * p.x + phase)}));
    for (std::size_t i = 1; i < placed.size(); ++i) segments.push_back({placed[i - 1], placed[i]});
  }
  return segments;
}

double distance(const Segment& segment, double x, double y) {
  const double dx = segment.b.x - segment.a.x, dy = segment.b.y - segment.a.y;
  const double along = (x - segment.a.x) * dx + (y - segment.a.y) * dy;
  const double t = std::clamp(along / std::max(dx * dx + dy * dy, 1e-9), 0.0, 1.0);
  return std::hypot(x - segment.a.x - t * dx, y - segment.a.y - t * dy);
}

/// Darkens the pixels near a segment; the pen's edge is one pixel soft.
void ink(const Segment& segment, double pen, std::vector<double>& image) {
  const double reach = pen + 1;
  const auto low = [&](double v) { return std::max<std::int64_t>(0, std::int64_t(v - reach)); };
  const auto high = [&](double v) { return std::min(side - 1, std::int64_t(v + reach) + 1); };
  const std::int64_t top = low(std::min(segment.a.y, segment.b.y));
  const std::int64_t bottom = high(std::max(segment.a.y, segment.b.y));
  const std::int64_t left = low(std::min(segment.a.x, segment.b.x));
  const std::int64_t right = high(std::max(segment.a.x, segment.b.x));
  for (std::int64_t y = top; y <= bottom; ++y)
    for (std::int64_t x = left; x <= right; ++x) {
      const double away = distance(segment, double(x), double(y));
      double& pixel = image[static_cast<std::size_t>(y * side + x)];
      pixel = std::max(pixel, std::clamp(pen + 0.5 - away, 0.0, 1.0));
    }
}

void draw_digit(int digit, Chance& chance, std::byte* to) {
  std::vector<double> image(pixels, 0.0);
  const double pen = chance.between(0.7, 1.5), dark = chance.between(0.75, 1);
  for (const Segment& segment : draw_strokes(digit, chance)) ink(segment, pen, image);
  std::vector<double> noise(pixels);
  chance.between(-0.12, 0.12, noise);
  for (std::size_t i = 0; i < image.size(); ++i)
    to[i] = static_cast<std::byte>(255 * std::clamp(dark * image[i] + noise[i], 0.0, 1.0) + 0.5);
}

}  // namespace

Result<Table> draw_digits(const SourceSpec& spec) {
  Args args(spec);
  const auto seed = static_cast<std::uint64_t>(args.integer("seed"));
  const std::int64_t count = args.integer("count");
  const std::int64_t eval_count = args.integer("eval_count");
  if (Status read = args.finish(); !read) return read.error();
  constexpr std::int64_t most = 1000000;
  if (count < 1 || eval_count < 0 || count > most || eval_count > most)
    return Error{"`digits` draws from 1 to 1000000 examples of each split", {}, spec.name};

  const std::int64_t rows = count + eval_count;
  NpyArray images{'u', 1, {rows, side, side}, Bytes(static_cast<std::size_t>(rows * pixels))};
  NpyArray labels{'u', 1, {rows}, Bytes(static_cast<std::size_t>(rows))};
  for (std::int64_t row = 0; row < rows; ++row) {
    // Evaluation examples stay the same however many there are for training.
    const std::int64_t example = row < count ? row : most + row - count;
    Chance chance(random_key(seed, "digits"), example);
    const int digit = chance.below(10);
    labels.data[static_cast<std::size_t>(row)] = static_cast<std::byte>(digit);
    draw_digit(digit, chance, images.data.data() + row * pixels);
  }
  Table table{spec.name, {}, rows, count};
  table.columns.push_back(make_column("image", std::move(images), 255));
  table.columns.push_back(make_column("label", std::move(labels)));
  return table;
}

}  // namespace mtfc::runtime
