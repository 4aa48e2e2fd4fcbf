// A timeline in the JSON form of Chrome's tracing, which Perfetto (ui.perfetto.dev) and
// chrome://tracing show: "Trace Event Format", Google, 2016.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "support/json.h"

namespace mtfc::trace {

/// Times are whole nanoseconds, so that what ends where the next begins does so in the file, too.
using Nanoseconds = std::int64_t;
Nanoseconds nanoseconds(double seconds);

/// Grows by events, in any order.
class ChromeTrace {
 public:
  /// A group of tracks; `number` orders them.
  void process(int number, std::string_view name);
  /// A row of slices in it.
  void track(int process, int number, std::string_view name);
  /// Slices of a track follow each other or lie within each other. One without a duration is left
  /// out. `arguments`: a JSON object.
  void slice(int process, int track, std::string_view name, std::string_view category,
             Nanoseconds begin, Nanoseconds end, std::string_view arguments);
  /// One that may overlap with others of its name.
  void flight(int process, std::string_view name, std::string_view category, Nanoseconds begin,
              Nanoseconds end, std::string_view arguments);
  /// Values of a counter from here on.
  void counter(int process, std::string_view name, Nanoseconds at, const JsonFields& values);

  /// The whole file. `about`: what it is of.
  std::string text(const JsonFields& about) const;

 private:
  void add(std::string_view event);
  void name_event(std::string_view what, int process, int track, std::string_view name);
  std::string events_;
  std::int64_t flights_ = 0;
};

}  // namespace mtfc::trace
