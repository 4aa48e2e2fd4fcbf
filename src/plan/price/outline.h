// A step as its network sees it: how long it computes between messages, and what these take on each
// level. From it the step follows for other links, without compiling anything.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "predict/timeline.h"

namespace mtfc::plan {

/// Levels of a machine that can be told apart; the presets have two or three.
inline constexpr std::size_t most_levels = 4;

struct Outline {
  struct Event {
    enum class Kind : std::uint8_t { send, start, wait };
    Kind kind = Kind::send;
    std::uint32_t started = 0;                  // a wait: the number of the event that it completes
    double computing = 0;                       // seconds, from the event before to this one
    double latency = 0;                         // seconds of a message that no link shortens
    std::array<double, most_levels> carried{};  // seconds that its bytes take on each level
  };
  struct Part {
    double times = 1;  // in a step
    std::vector<Event> events;
    double computing = 0;  // after the last event
  };
  std::vector<Part> parts;  // the programs of the step
};

/// Of one program that runs so many times a step.
Outline::Part outline_of(const cost::ProgramWork& program, const std::vector<predict::Timed>& timed,
                         const predict::Machine& machine, const predict::Mapping& mapping);

/// Seconds of the step if the links of one level carry `factor` times as many bytes a second.
double seconds_of(const Outline& outline, std::size_t level, double factor);

}  // namespace mtfc::plan
