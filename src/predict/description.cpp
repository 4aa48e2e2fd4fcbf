#include <algorithm>
#include <cmath>

#include "predict/measure.h"
#include "support/figures.h"

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

std::string kernels(const Chip& chip) {
  const KernelCosts& costs = chip.kernels;
  std::string text = "\n      " + field("threads", std::to_string(costs.threads)) +
                     field("overlap", figure(chip.overlap * 100, "%")) +
                     field("comm_overlap", figure(chip.comm_overlap * 100, "%")) +
                     field("cache", figure(costs.cache, "B")) +
                     field("cache_bw", figure(costs.cache_rate, "B/s"));
  text += "\n      " + field("call", time(costs.call)) + field("turn", time(costs.turn)) +
          field("step", time(costs.step)) + field("run", time(costs.run)) +
          field("seek", time(costs.seek)) + field("random", figure(costs.samples, "F")) +
          "\n      ";
  for (int op = 0; op < scalar_op_count; ++op)
    if (const double rate = costs.operations[static_cast<std::size_t>(op)]; rate > 0)
      text += field(scalar_op_rows[op].name, figure(rate, "F"));
  return text;
}

}  // namespace

std::string description(const Machine& machine) {
  const Chip& chip = machine.chip;
  std::string text = "hardware " + machine.name + " {\n  chip" +
                     field("flops", figure(chip.peak(DType::f32), "F"));
  for (const DType type : {DType::f64, DType::f16, DType::bf16})
    text += field(name(type), figure(chip.peak(type), "F"));
  text += field("vector", figure(chip.vector_peak, "F")) + field("mem", figure(chip.memory, "B")) +
          field("hbm", figure(chip.bandwidth, "B/s")) + field("launch", time(chip.launch));
  if (chip.kernels.known) text += kernels(chip);
  text += "\n";
  for (const Level& level : machine.levels)
    text += "  link " + level.name + " switch" + field("size", std::to_string(level.size)) +
            field("bw", figure(level.bandwidth, "B/s")) + field("lat", time(level.latency)) +
            (level.sum_rate > 0 ? field("sum", figure(level.sum_rate, "B/s")) : "") + "\n";
  return text + "}\n";
}

}  // namespace mtfc::predict
