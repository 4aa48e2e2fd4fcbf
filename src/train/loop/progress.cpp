#include "train/loop/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "support/figures.h"
#include "support/seconds_since.h"
#include "support/text.h"

namespace mtfc::runtime {

Progress::Progress(bool enabled, std::int64_t done, std::int64_t steps)
    : enabled_(enabled),
      terminal_(::isatty(STDERR_FILENO) != 0),
      first_(done),
      steps_(steps),
      started_(Clock::now()),
      last_shown_(started_) {}

Progress::~Progress() { erase(); }

void Progress::erase() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

std::string Progress::status(std::int64_t done, double loss) const {
  const auto count = static_cast<double>(done - first_);
  const double each = seconds_since(started_) / count;
  std::string line = "step " + std::to_string(done) + "/" + std::to_string(steps_) + "  loss " +
                     rounded(loss, 4) + "  " + duration(in_steps_ / count) + " per step";
  if (done < steps_) line += "  " + duration(each * static_cast<double>(steps_ - done)) + " left";
  return line;
}

void Progress::step(std::int64_t done, double loss, double seconds) {
  in_steps_ += seconds;
  if (!enabled_) return;
  if (!terminal_) {
    const std::int64_t every = std::max<std::int64_t>(1, steps_ / 10);
    if (done == first_ + 1 || done == steps_ || done % every == 0)
      std::fprintf(stderr, "%s\n", status(done, loss).c_str());
    return;
  }
  if (seconds_since(started_) < 1 || seconds_since(last_shown_) < 0.1) return;
  last_shown_ = Clock::now();
  shown_ = true;
  std::fprintf(stderr, "\r\x1b[K%.79s", status(done, loss).c_str());
  std::fflush(stderr);
}

void Progress::line(const std::string& text) {
  erase();
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace mtfc::runtime
