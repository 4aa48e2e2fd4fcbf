#include "backends/emit/cpp/spec_text.h"

#include <cstdio>

#include "backends/emit/cpp/cpp_text.h"

namespace mtfc::backends {
namespace {

// The specs that are written out, without their namespace.
using namespace runtime;

constexpr int kIndent = 2;

std::string offset_text(const Offset& offset) {
  std::vector<std::string> terms;
  for (const Offset::Term& term : offset.terms)
    terms.push_back(braces({number(std::int64_t{term.axis}), number(term.step)}));
  return braces({number(offset.base), braces(terms)});
}

template <class Item, class Text>
std::string list(const std::vector<Item>& items, Text text) {
  std::vector<std::string> texts;
  for (const Item& item : items) texts.push_back(text(item));
  return braces(texts);
}

std::string scalar_text(const ScalarInstruction& step) {
  const std::string dtype = dtype_text(step.dtype);
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

std::string body_text(const ScalarProgram& body) {
  std::vector<std::string> code;
  for (const ScalarInstruction& step : body.code) code.push_back(scalar_text(step));
  return "{.code = " + block("", code, kIndent + 4) +
         ",\n              .results = " + numbers(body.results) + "}";
}

std::string draw_text(Draw draw) { return "Draw::" + std::string(name(draw)); }

std::string random_text(const MapSpec::RandomLeaf& leaf) {
  char key[24];
  std::snprintf(key, sizeof key, "0x%016llxu", static_cast<unsigned long long>(leaf.key));
  return braces(
      {".draw = " + draw_text(leaf.draw), ".a = " + number(leaf.a), ".b = " + number(leaf.b),
       ".key = " + std::string(key), ".step_operand = " + std::to_string(leaf.step_operand),
       ".strides = " + numbers(leaf.strides), ".offsets = " + list(leaf.offsets, offset_text),
       ".first_operand = " + std::to_string(leaf.first_operand),
       ".first_stride = " + std::to_string(leaf.first_stride)});
}

std::string factors_text(const std::vector<ContractSpec::Factor>& factors) {
  return list(factors, [](const ContractSpec::Factor& factor) {
    return numbers(std::vector{factor.extent, factor.a, factor.b, factor.c});
  });
}

std::vector<std::string> gather_fields(const GatherSpec& spec) {
  const std::string indices = list(spec.indices, [](const GatherSpec::Index& index) {
    return braces({".strides = " + numbers(index.strides), ".x_stride = " + number(index.x_stride),
                   ".extent = " + number(index.extent),
                   ".global_extent = " + number(index.global_extent),
                   ".begin = " + offset_text(index.begin)});
  });
  return {".dtype = " + dtype_text(spec.dtype), ".extents = " + numbers(spec.extents),
          ".x_strides = " + numbers(spec.x_strides), ".indices = " + indices,
          ".fill = " + number(spec.fill)};
}

std::vector<std::string> window_fields(const WindowSpec& spec) {
  const std::string items = list(spec.items, [](const WindowSpec::Item& item) {
    return braces({".scales = " + numbers(item.scales), ".begin = " + offset_text(item.begin),
                   ".x_stride = " + number(item.x_stride), ".extent = " + number(item.extent)});
  });
  return {".dtype = " + dtype_text(spec.dtype), ".extents = " + numbers(spec.extents),
          ".x_strides = " + numbers(spec.x_strides), ".items = " + items,
          ".fill = " + number(spec.fill)};
}

std::vector<std::string> copy_fields(const CopySpec& spec) {
  return {".element_size = " + std::to_string(spec.element_size),
          ".extents = " + numbers(spec.extents),
          ".x_strides = " + numbers(spec.x_strides),
          ".y_strides = " + numbers(spec.y_strides),
          ".x_base = " + offset_text(spec.x_base),
          ".y_base = " + offset_text(spec.y_base),
          ".zero_y_first = " + boolean(spec.zero_y_first),
          ".y_size = " + number(spec.y_size)};
}

}  // namespace

std::string spec_text(const MapSpec& spec) {
  const std::string operands = list(spec.operands, [](const MapSpec::Operand& operand) {
    return braces({dtype_text(operand.dtype), numbers(operand.strides)});
  });
  const std::string indices = list(spec.index_leaves, [](const MapSpec::IndexLeaf& leaf) {
    return braces({std::to_string(leaf.dim), offset_text(leaf.offset)});
  });
  return block(
      "",
      {".extents = " + numbers(spec.extents), ".operands = " + operands,
       ".index_leaves = " + indices, ".random_leaves = " + list(spec.random_leaves, random_text),
       ".body = " + body_text(spec.body)},
      kIndent);
}

std::string spec_text(const ContractSpec& spec) {
  // A factor is {extent, stride in a, in b, in c}.
  return block("",
               {".a = " + dtype_text(spec.a), ".b = " + dtype_text(spec.b),
                ".c = " + dtype_text(spec.c), ".batch = " + factors_text(spec.batch),
                ".m = " + factors_text(spec.m), ".n = " + factors_text(spec.n),
                ".k = " + factors_text(spec.k), ".a_size = " + number(spec.a_size),
                ".b_size = " + number(spec.b_size), ".c_size = " + number(spec.c_size)},
               kIndent);
}

std::string spec_text(const ReduceSpec& spec) {
  return block(
      "",
      {".x = " + dtype_text(spec.x), ".y = " + dtype_text(spec.y),
       ".kind = " + reduce_kind_text(spec.kind), ".kept_extents = " + numbers(spec.kept_extents),
       ".kept_strides = " + numbers(spec.kept_strides),
       ".reduced_extents = " + numbers(spec.reduced_extents),
       ".reduced_strides = " + numbers(spec.reduced_strides)},
      kIndent);
}

std::string spec_text(const CopySpec& spec) { return block("", copy_fields(spec), kIndent); }
std::string spec_text(const GatherSpec& spec) { return block("", gather_fields(spec), kIndent); }

std::string spec_text(const PutSpec& spec) {
  return block("",
               {".element_size = " + std::to_string(spec.element_size),
                ".extents = " + numbers(spec.extents), ".x_strides = " + numbers(spec.x_strides),
                ".y_strides = " + numbers(spec.y_strides), ".y_stride = " + number(spec.y_stride),
                ".extent = " + number(spec.extent), ".begin = " + offset_text(spec.begin),
                ".y_size = " + number(spec.y_size)},
               kIndent);
}

std::string spec_text(const ScatterAddSpec& spec) {
  return block(
      "", {".gather = " + braces(gather_fields(spec.gather)), ".y_size = " + number(spec.y_size)},
      kIndent);
}

std::string spec_text(const WindowSpec& spec) { return block("", window_fields(spec), kIndent); }

std::string spec_text(const WindowAddSpec& spec) {
  return block(
      "", {".window = " + braces(window_fields(spec.window)), ".x_size = " + number(spec.x_size)},
      kIndent);
}

std::string spec_text(const PrefixSpec& spec) {
  return block("",
               {".dtype = " + dtype_text(spec.dtype), ".outer = " + number(spec.outer),
                ".length = " + number(spec.length), ".inner = " + number(spec.inner),
                ".exclusive = " + boolean(spec.exclusive), ".reverse = " + boolean(spec.reverse)},
               kIndent);
}

std::string spec_text(const TopSpec& spec) {
  return block("",
               {".dtype = " + dtype_text(spec.dtype), ".outer = " + number(spec.outer),
                ".length = " + number(spec.length), ".first = " + number(spec.first),
                ".ranks = " + number(spec.ranks), ".inner = " + number(spec.inner)},
               kIndent);
}

std::string spec_text(const ExchangeSpec& spec) {
  std::vector<std::string> fields = {".kind = ExchangeSpec::Kind::" + std::string(name(spec.kind)),
                                     ".dtype = " + dtype_text(spec.dtype),
                                     ".combine = " + reduce_kind_text(spec.combine),
                                     ".axes = " + numbers(spec.axes),
                                     ".group_size = " + number(spec.group_size),
                                     ".extents = " + numbers(spec.extents),
                                     ".source_strides = " + numbers(spec.source_strides),
                                     ".result_strides = " + numbers(spec.result_strides),
                                     ".source_step = " + number(spec.source_step),
                                     ".result_step = " + number(spec.result_step),
                                     ".source_elements = " + number(spec.source_elements),
                                     ".result_elements = " + number(spec.result_elements)};
  if (!spec.held.empty()) {
    fields.push_back(".held = " + numbers(spec.held));
    fields.push_back(".wanted = " + numbers(spec.wanted));
  }
  if (spec.by_library) fields.push_back(".by_library = true");
  if (spec.async) fields.push_back(".async = true");
  return block("", fields, kIndent);
}

const char* spec_type(const MapSpec&) { return "MapSpec"; }
const char* spec_type(const ContractSpec&) { return "ContractSpec"; }
const char* spec_type(const ReduceSpec&) { return "ReduceSpec"; }
const char* spec_type(const CopySpec&) { return "CopySpec"; }
const char* spec_type(const GatherSpec&) { return "GatherSpec"; }
const char* spec_type(const ScatterAddSpec&) { return "ScatterAddSpec"; }
const char* spec_type(const PutSpec&) { return "PutSpec"; }
const char* spec_type(const WindowSpec&) { return "WindowSpec"; }
const char* spec_type(const WindowAddSpec&) { return "WindowAddSpec"; }
const char* spec_type(const PrefixSpec&) { return "PrefixSpec"; }
const char* spec_type(const TopSpec&) { return "TopSpec"; }
const char* spec_type(const ExchangeSpec&) { return "ExchangeSpec"; }

std::string dtype_text(DType dtype) {
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

std::string reduce_kind_text(Combine kind) {
  switch (kind) {
    case Combine::sum:
      return "Combine::sum";
    case Combine::max:
      return "Combine::max";
    case Combine::min:
      return "Combine::min";
  }
  return "";
}

std::string copy_text(const CopySpec& spec) { return braces(copy_fields(spec)); }

}  // namespace mtfc::backends
