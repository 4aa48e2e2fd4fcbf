#include "trace/chrome_trace.h"

#include <cmath>

namespace mtfc::trace {
namespace {

/// In microseconds, the unit of the format.
std::string microseconds(Nanoseconds time) {
  std::string digits = std::to_string(time % 1000);
  return std::to_string(time / 1000) + "." + std::string(3 - digits.size(), '0') + digits;
}

std::string where(int process, int track) {
  return ",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(track);
}

}  // namespace

Nanoseconds nanoseconds(double seconds) {
  constexpr double most = 9e18;  // what is longer than centuries is not drawn to scale
  return static_cast<Nanoseconds>(std::llround(std::fmin(seconds * 1e9, most)));
}

void ChromeTrace::add(std::string_view event) {
  if (!events_.empty()) events_ += ",\n";
  events_ += event;
}

void ChromeTrace::name_event(std::string_view what, int process, int track, std::string_view name) {
  const std::string which = std::string(what);
  add("{\"ph\":\"M\",\"name\":\"" + which + "_name\"" + where(process, track) +
      ",\"args\":{\"name\":" + json(name) + "}}");
  add("{\"ph\":\"M\",\"name\":\"" + which + "_sort_index\"" + where(process, track) +
      ",\"args\":{\"sort_index\":" + std::to_string(which == "process" ? process : track) + "}}");
}

void ChromeTrace::process(int number, std::string_view name) {
  name_event("process", number, 0, name);
}

void ChromeTrace::track(int process, int number, std::string_view name) {
  name_event("thread", process, number, name);
}

void ChromeTrace::slice(int process, int track, std::string_view name, std::string_view category,
                        Nanoseconds begin, Nanoseconds end, std::string_view arguments) {
  if (end <= begin) return;
  add("{\"ph\":\"X\",\"name\":" + json(name) + ",\"cat\":" + json(category) +
      ",\"ts\":" + microseconds(begin) + ",\"dur\":" + microseconds(end - begin) +
      where(process, track) + ",\"args\":" + std::string(arguments) + "}");
}

void ChromeTrace::flight(int process, std::string_view name, std::string_view category,
                         Nanoseconds begin, Nanoseconds end, std::string_view arguments) {
  const std::string who = "\"name\":" + json(name) + ",\"cat\":" + json(category) +
                          ",\"id2\":{\"local\":\"" + std::to_string(++flights_) + "\"}" +
                          where(process, 0);
  add("{\"ph\":\"b\"," + who + ",\"ts\":" + microseconds(begin) +
      ",\"args\":" + std::string(arguments) + "}");
  add("{\"ph\":\"e\"," + who + ",\"ts\":" + microseconds(end) + "}");
}

void ChromeTrace::counter(int process, std::string_view name, Nanoseconds at,
                          const JsonFields& values) {
  add("{\"ph\":\"C\",\"name\":" + json(name) + ",\"ts\":" + microseconds(at) + where(process, 0) +
      ",\"args\":" + json_object(values) + "}");
}

std::string ChromeTrace::text(const JsonFields& about) const {
  return "{\"displayTimeUnit\":\"ms\",\"otherData\":" + json_object(about) +
         ",\"traceEvents\":[\n" + events_ + "\n]}\n";
}

}  // namespace mtfc::trace
