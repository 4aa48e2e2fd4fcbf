#include "predict/chip_fields.h"

namespace mtfc::predict {
namespace {

using Kind = Quantity::Kind;
using Line = ChipField::Line;

ChipField of_chip(std::string name, Kind kind, double Chip::*member, Line line) {
  return {std::move(name), kind, [member](Chip& chip) -> double& { return chip.*member; }, line};
}

ChipField required(ChipField field) {
  field.is_required = true;
  return field;
}

ChipField within(Limits limits, ChipField field) {
  field.limits = limits;
  return field;
}

ChipField of_kernels(std::string name, Kind kind, double KernelCosts::*member, Line line) {
  return {std::move(name), kind, [member](Chip& chip) -> double& { return chip.kernels.*member; },
          line, true};
}

ChipField peak(DType type) {
  const auto number = static_cast<std::size_t>(type);
  return {std::string(name(type)), Kind::flops,
          [number](Chip& chip) -> double& { return chip.peaks[number]; }, Line::chip};
}

ChipField rate(std::size_t operation) {
  return {std::string(scalar_op_rows[operation].name), Kind::flops,
          [operation](Chip& chip) -> double& { return chip.kernels.operations[operation]; },
          Line::operations, true};
}

std::vector<ChipField> all_fields() {
  std::vector<ChipField> all = {
      peak(DType::f64),
      peak(DType::f32),
      peak(DType::f16),
      peak(DType::bf16),
      of_chip("vector", Kind::flops, &Chip::vector_peak, Line::chip),
      required(of_chip("mem", Kind::bytes, &Chip::memory, Line::chip)),
      required(of_chip("hbm", Kind::bandwidth, &Chip::bandwidth, Line::chip)),
      of_chip("eff", Kind::share, &Chip::efficiency, Line::chip),
      of_chip("hbm_eff", Kind::share, &Chip::bandwidth_efficiency, Line::chip),
      of_chip("launch", Kind::seconds, &Chip::launch, Line::chip),
      within({0, 1}, of_chip("overlap", Kind::share, &Chip::overlap, Line::threads)),
      within({0, 1}, of_chip("comm_overlap", Kind::share, &Chip::comm_overlap, Line::threads)),
      of_kernels("call", Kind::seconds, &KernelCosts::call, Line::calls),
      of_kernels("turn", Kind::seconds, &KernelCosts::turn, Line::calls),
      of_kernels("step", Kind::seconds, &KernelCosts::step, Line::calls),
      of_kernels("run", Kind::seconds, &KernelCosts::run, Line::calls),
      of_kernels("seek", Kind::seconds, &KernelCosts::seek, Line::calls),
      of_kernels("cache", Kind::bytes, &KernelCosts::cache, Line::threads),
      of_kernels("cache_bw", Kind::bandwidth, &KernelCosts::cache_rate, Line::threads),
      of_kernels("random", Kind::flops, &KernelCosts::samples, Line::calls),
  };
  for (std::size_t op = 0; op < scalar_op_count; ++op) all.push_back(rate(op));
  return all;
}

}  // namespace

const std::vector<ChipField>& chip_fields() {
  static const std::vector<ChipField> fields = all_fields();
  return fields;
}

}  // namespace mtfc::predict
