#include <algorithm>
#include <cmath>

#include "predict/chip_fields.h"
#include "predict/measure.h"
#include "support/figures.h"
#include "support/text.h"

namespace mtfc::predict {
namespace {

/// "123GF"
std::string figure(double value, const char* unit) {
  std::string text = scaled(value, unit);
  std::erase(text, ' ');
  return text;
}

/// "0.217us", and of what is shorter "21.7ns"
std::string time(double seconds) {
  if (seconds < 1e-7) return scaled(seconds * 1e9, "") + "ns";
  return scaled(std::min(seconds * 1e6, 999.0), "") + "us";
}

/// " NAME=VALUE"
std::string field(std::string_view name, const std::string& value) {
  return " " + std::string(name) + "=" + value;
}

std::string figure(double value, Quantity::Kind kind) {
  switch (kind) {
    case Quantity::Kind::flops:
      return figure(value, "F");
    case Quantity::Kind::bytes:
      return figure(value, "B");
    case Quantity::Kind::bandwidth:
      return figure(value, "B/s");
    case Quantity::Kind::share:
      return figure(value * 100, "%");
    case Quantity::Kind::seconds:
      return time(value);
    default:
      return shortest(value);
  }
}

/// What stands on one line, but for what a Chip has anyway. `flops` says all peaks.
std::string fields(Chip chip, ChipField::Line line) {
  Chip plain;
  plain.peaks.fill(chip.peak(DType::f32));
  std::string text;
  for (const ChipField& one : chip_fields())
    if (one.line == line && one.of(chip) != one.of(plain))
      text += field(one.name, figure(one.of(chip), one.kind));
  return text;
}

std::string kernels(const Chip& chip) {
  const std::string begin = "\n      ";
  return begin + field("threads", std::to_string(chip.kernels.threads)) +
         fields(chip, ChipField::Line::threads) + begin + fields(chip, ChipField::Line::calls) +
         begin + fields(chip, ChipField::Line::operations);
}

}  // namespace

std::string description(const Machine& machine) {
  const Chip& chip = machine.chip;
  std::string text = "hardware " + machine.name + " {\n  chip" +
                     field("flops", figure(chip.peak(DType::f32), "F")) +
                     fields(chip, ChipField::Line::chip);
  if (chip.kernels.known) text += kernels(chip);
  text += "\n";
  for (const Level& level : machine.levels)
    text += "  link " + level.name + " switch" + field("size", std::to_string(level.size)) +
            field("bw", figure(level.bandwidth, "B/s")) + field("lat", time(level.latency)) +
            (level.sum_rate > 0 ? field("sum", figure(level.sum_rate, "B/s")) : "") + "\n";
  return text + "}\n";
}

}  // namespace mtfc::predict
