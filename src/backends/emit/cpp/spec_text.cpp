#include "backends/emit/cpp/spec_text.h"

#include <cstdio>

namespace mtfc::backends {
namespace {

std::string scalar_text(const ScalarInstruction& step) {
  const std::string dtype = value_text(step.dtype);
  const std::string leaf = std::to_string(step.leaf);
  switch (step.kind) {
    case LeafKind::none:
      break;
    case LeafKind::operand:
      return "operand(" + leaf + ", " + dtype + ")";
    case LeafKind::constant:
      return "constant(" + number(step.value) + ", " + dtype + ")";
    case LeafKind::index:
      return "index(" + leaf + ", " + dtype + ")";
    case LeafKind::random:
      return "random(" + leaf + ", " + dtype + ")";
  }
  std::string text = "op(ScalarOp::" + std::string(name(step.op)) + ", " + dtype;
  for (int i = 0; i < arity(step.op); ++i) text += ", " + std::to_string(step.args[i]);
  return text + ")";
}

}  // namespace

std::string value_text(const ScalarProgram& program) {
  std::vector<std::string> code;
  for (const ScalarInstruction& step : program.code) code.push_back(scalar_text(step));
  return "{.code = " + block("", code, 6) +
         ",\n              .results = " + numbers(program.results) + "}";
}

std::string hash_text(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%016llxu", static_cast<unsigned long long>(value));
  return text;
}

std::string value_text(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "DType::f32";
    case DType::f64:
      return "DType::f64";
    case DType::f16:
      return "DType::f16";
    case DType::bf16:
      return "DType::bf16";
    case DType::i32:
      return "DType::i32";
    case DType::boolean:
      return "DType::boolean";
  }
  return "";
}

std::string value_text(Combine combine) { return "Combine::" + std::string(name(combine)); }
std::string value_text(Distribution distribution) {
  return "Distribution::" + std::string(name(distribution));
}
std::string value_text(runtime::ExchangeSpec::Kind kind) {
  return "ExchangeSpec::Kind::" + std::string(name(kind));
}

}  // namespace mtfc::backends
