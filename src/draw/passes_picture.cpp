#include "draw/passes_picture.h"

#include <algorithm>

#include "support/figures.h"

namespace mtfc::draw {
namespace {

using pipeline::Shape;
using pipeline::Task;
using pipeline::TimedTask;

constexpr double label_width = 9, row_height = 3;

int colour_of(const Task& task) { return 2 * task.chunk + (task.backward ? 1 : 0); }

std::string pass_name(const Task& task, const Shape& shape) {
  return std::string(task.backward ? "backward" : "forward") +
         (shape.chunks > 1 ? " of chunk " + std::to_string(task.chunk) : "");
}

class Passes {
 public:
  Passes(const Shape& shape, const PassesScale& scale, double columns)
      : shape_(shape), scale_(scale), width_(columns - label_width - 2) {}

  Picture make(const std::vector<TimedTask>& passes) {
    for (int stage = 0; stage < shape_.stages; ++stage)
      all_.add(Text{0, top(stage) + 1, "stage " + std::to_string(stage)});
    for (const TimedTask& pass : passes) add(pass);
    add_axis(pipeline::span(passes));
    all_.width = label_width + width_ + 2;
    return std::move(all_);
  }

 private:
  static double top(int stage) { return row_height * stage; }
  double x(double time) const {
    return label_width + (scale_.span > 0 ? width_ * time / scale_.span : 0);
  }

  void add(const TimedTask& pass) {
    if (pass.end <= pass.begin) return;
    const Task& task = pass.what.task;
    const double begin = x(pass.begin), end = x(pass.end), y = top(pass.what.stage);
    const std::string number = std::to_string(task.microbatch);
    std::string tip = pass_name(task, shape_) + ", micro-batch " + number;
    if (scale_.seconds) tip += ", " + duration(pass.end - pass.begin);
    all_.add(Box{begin, y, end - begin, row_height - 1, colour_of(task), true, false, tip, true});
    if (end - begin >= static_cast<double>(number.size()) + 1)
      all_.add(Text{(begin + end) / 2, y + 1, number, Text::Style::plain, Text::Anchor::middle});
  }

  void add_axis(double span) {
    const double y = top(shape_.stages);
    all_.add(Line{label_width, y, label_width + width_, y});
    if (scale_.seconds) {
      all_.add(Text{label_width, y + 1, "0", Text::Style::faint});
      all_.add(Text{x(span), y + 1, duration(span), Text::Style::faint, Text::Anchor::end});
    }
    all_.height = y + (scale_.seconds ? 2 : 1);
  }

  const Shape& shape_;
  const PassesScale scale_;
  const double width_;
  Picture all_;
};

Picture legend(const Shape& shape, double columns) {
  Picture all;
  double at = 0;
  for (int chunk = 0; chunk < shape.chunks; ++chunk)
    for (const bool backward : {false, true}) {
      const Task task{backward, 0, chunk};
      const std::string text = pass_name(task, shape);
      const double width = static_cast<double>(text.size()) + 6;
      if (at > 0 && at + width > columns) {
        at = 0;
        ++all.height;
      }
      all.add(Box{at, all.height + 0.2, 2, 0.6, colour_of(task), false});
      all.add(Text{at + 3, all.height, text});
      at += width;
    }
  ++all.height;
  return all;
}

void add_line(Picture& all, const std::string& text, Text::Style style = Text::Style::plain) {
  all.add(Text{0, all.height++, text, style});
}

std::string in_bytes(std::int64_t bytes) { return scaled(static_cast<double>(bytes), "B"); }

/// What is in flight, and what that takes.
Picture holdings(const cost::PipelineCost& cost) {
  Picture all;
  for (std::size_t i = 0; i < cost.stages.size(); ++i) {
    const cost::StageCost& stage = cost.stages[i];
    add_line(all, "stage " + std::to_string(i) + ": " + std::to_string(stage.in_flight) +
                      " in flight at most, " + in_bytes(stage.most_held_bytes) +
                      " held for them; memory " + in_bytes(stage.memory()));
  }
  return all;
}

}  // namespace

Picture passes_picture(const Shape& shape, const std::vector<TimedTask>& passes,
                       const cost::PipelineCost& cost, const PassesScale& scale, double columns) {
  Picture all;
  all.title = "micro-batches of a pipeline over time";
  add_line(all,
           std::string("Passes of micro-batches over time, ") +
               (scale.seconds ? "as predicted" : "by work alone"),
           Text::Style::title);
  all.add(legend(shape, columns), 0, all.height);
  all.add(Passes(shape, scale, columns).make(passes), 0, all.height + 1);
  add_line(all, "waiting " + scaled(100 * pipeline::idle_share(passes, shape.stages), "%") +
                    " of the passes' time; with equal stages: " +
                    scaled(100 * pipeline::least_idle(shape), "%"));
  all.add(holdings(cost), 0, all.height);
  all.width = std::max(all.width, columns);
  return all;
}

}  // namespace mtfc::draw
