#include "backends/execute/sums_of_products.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "support/strides.h"

namespace mtfc::backends {
namespace {

using runtime::ContractSpec;
using runtime::ExchangeSpec;

constexpr std::size_t most_products = 4;

/// One kernel computes both, whatever else is in their operands.
bool alike(const ContractSpec& x, const ContractSpec& y) {
  return x.a == y.a && x.b == y.b && x.c == y.c && x.batch == y.batch && x.m == y.m && x.n == y.n &&
         x.k == y.k;
}

/// x + y, element by element.
bool is_addition(const runtime::MapSpec& spec) {
  const auto& code = spec.body.code;
  const auto strides = dense_strides(spec.extents);
  return spec.operands.size() == 2 && code.size() == 3 && spec.body.results.size() == 1 &&
         spec.body.results[0] == 2 && code[0].kind == LeafKind::operand &&
         code[1].kind == LeafKind::operand && code[0].leaf != code[1].leaf &&
         code[2].kind == LeafKind::none && code[2].op == ScalarOp::add &&
         code[2].dtype == DType::f32 && code[2].args[0] != code[2].args[1] &&
         std::all_of(spec.operands.begin(), spec.operands.end(), [&](const auto& operand) {
           return operand.dtype == DType::f32 && operand.strides == strides;
         });
}

bool overlap(const Buffer& a, const Buffer& b) {
  return a.base < b.base + b.bytes() && b.base < a.base + a.bytes();
}

class Finder {
 public:
  Finder(const bind::Context& context, const Program& program,
         const std::vector<bind::Bound>& bound, const std::vector<Buffer>& buffers,
         std::int64_t least)
      : context_(context),
        program_(program),
        bound_(bound),
        buffers_(buffers),
        least_(least),
        made_(program.values.size(), 0),
        uses_(program.values.size(), 0) {
    for (std::size_t i = 0; i < bound.size(); ++i) {
      for (ValueId result : at(i).results) made_[result.at()] = i;
      for (ValueId operand : at(i).operands) ++uses_[operand.at()];
    }
  }

  std::vector<SumOfProducts> run() {
    std::vector<SumOfProducts> found;
    for (std::size_t i = 0; i < bound_.size(); ++i) {
      products_.clear();
      others_.clear();
      if (is_sum(i) && collect(at(i).operands[0]) && fits()) found.push_back(made_of(i));
    }
    return found;
  }

 private:
  const Instruction& at(std::size_t i) const { return program_.instructions[i]; }
  const Buffer& buffer(ValueId value) const { return buffers_[value.at()]; }
  const ContractSpec& product(std::size_t i) const { return std::get<ContractSpec>(bound_[i]); }

  bool is_sum(std::size_t i) const {
    const auto* bucket = std::get_if<bind::Exchanges>(&bound_[i]);
    if (!bucket || bucket->size() != 1) return false;
    const ExchangeSpec& exchange = (*bucket)[0];
    if (exchange.kind != ExchangeSpec::Kind::all_reduce || exchange.combine != Combine::sum ||
        exchange.dtype != DType::f32 || exchange.async)
      return false;
    const Buffer &x = buffer(at(i).operands[0]), &y = buffer(at(i).results[0]);
    return x.shards->count() == y.shards->count() * exchange.group_size && x.stride == y.stride &&
           x.bytes() >= least_;
  }

  /// Products in the order in which they are added. A sum and a sum are not taken: they are no row
  /// of additions.
  bool collect(ValueId value) {
    std::size_t i = made_[value.at()];
    while (uses_[value.at()] == 1 && std::holds_alternative<bind::Alias>(bound_[i])) {
      value = at(i).operands[0];
      i = made_[value.at()];
    }
    if (uses_[value.at()] != 1) return false;
    if (std::holds_alternative<ContractSpec>(bound_[i])) {
      products_.push_back(i);
      return true;
    }
    const auto* map = std::get_if<runtime::MapSpec>(&bound_[i]);
    if (!map || !is_addition(*map)) return false;
    others_.push_back(i);
    for (const std::size_t first : {0, 1}) {
      const std::vector<std::size_t> products = products_, others = others_;
      const std::size_t before = products_.size();
      if (collect(at(i).operands[first])) {
        const std::size_t between = products_.size();
        if (collect(at(i).operands[1 - first]) && products_.size() == between + 1 && before == 0)
          return true;
      }
      products_ = products;
      others_ = others;
    }
    return false;
  }

  bool fits() const {
    if (products_.size() < 2 || products_.size() > most_products) return false;
    const ContractSpec& first = product(products_[0]);
    return first.c == DType::f32 && adds_products(*runtime::prepare_contract(first)) &&
           std::all_of(products_.begin(), products_.end(), [&](std::size_t i) {
             return alike(product(i), first) &&
                    buffer(at(i).results[0]).shards->axes() ==
                        buffer(at(products_[0]).results[0]).shards->axes();
           });
  }

  /// Whether nothing after instruction `begin` and before `end` writes there: results, or what a
  /// collective or a write has beside them.
  bool stays(const Buffer& operand, std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin + 1; i < end; ++i) {
      if (std::holds_alternative<bind::Exchanges>(bound_[i]) || at(i).results.empty()) return false;
      for (ValueId result : at(i).results)
        if (!std::holds_alternative<bind::Alias>(bound_[i]) && overlap(buffer(result), operand))
          return false;
    }
    return true;
  }

  SumOfProducts made_of(std::size_t i) const {
    const auto& bucket = std::get<bind::Exchanges>(bound_[i]);
    SumOfProducts made;
    made.instructions = products_;
    made.instructions.insert(made.instructions.end(), others_.begin(), others_.end());
    made.instructions.push_back(i);
    std::sort(made.instructions.begin(), made.instructions.end());
    made.last_product = *std::max_element(products_.begin(), products_.end());
    made.prepared = runtime::prepare_contract(product(products_[0]));
    made.sent = runtime::sent_bytes(bucket);
    made.calls_of_part = static_cast<std::int64_t>(products_.size());
    made.calls_of_sum = made.calls_of_part * bucket[0].group_size;
    std::vector<Buffer> operands;
    for (const std::size_t p : products_)
      for (ValueId operand : at(p).operands) operands.push_back(read_later(made, p, operand));
    set_calls(made, i, bucket[0], operands);
    return made;
  }

  Buffer read_later(SumOfProducts& made, std::size_t product, ValueId operand) const {
    Buffer there = buffer(operand);
    if (stays(there, product, made.last_product)) return there;
    made.aside.push_back({product, there.base, AlignedBytes(there.bytes())});
    there.base = made.aside.back().copy.data();
    return there;
  }

  void set_calls(SumOfProducts& made, std::size_t i, const ExchangeSpec& exchange,
                 const std::vector<Buffer>& operands) const {
    const Buffer &x = buffer(at(products_[0]).results[0]), &y = buffer(at(i).results[0]);
    made.belong = y.base;
    made.sums = AlignedBytes(y.bytes());
    const std::vector<std::int64_t> sizes = context_.mesh.sizes();
    const RowMajor group(sizes, exchange.axes);
    for (std::int64_t s = 0; s < y.shards->count(); ++s) {
      made.outputs.push_back(made.sums.data() + s * y.stride);
      std::vector<std::int64_t> member(y.shards->coordinates(s),
                                       y.shards->coordinates(s) + sizes.size());
      for (std::int64_t r = 0; r < exchange.group_size; ++r) {
        group.locate(r, member.data());
        const std::int64_t* coordinates = x.shards->coordinates(x.shards->number(member.data()));
        for (const Buffer& operand : operands) made.inputs.push_back(operand.at(coordinates));
      }
    }
    for (std::size_t c = 0; 2 * c < made.inputs.size(); ++c)
      made.calls.push_back({&made.inputs[2 * c],
                            &made.outputs[c / static_cast<std::size_t>(made.calls_of_sum)],
                            nullptr});
  }

  const bind::Context& context_;
  const Program& program_;
  const std::vector<bind::Bound>& bound_;
  const std::vector<Buffer>& buffers_;
  const std::int64_t least_;
  std::vector<std::size_t> made_;  // by value: the instruction
  std::vector<int> uses_;          // by value
  std::vector<std::size_t> products_, others_;
};

}  // namespace

bool SumOfProducts::run(runtime::Pool& pool, std::size_t at) {
  for (Aside& operand : aside)
    if (operand.product == at)
      std::memcpy(operand.copy.data(), operand.from, static_cast<std::size_t>(operand.copy.size()));
  if (at == last_product)
    contract_sums(pool, *prepared, calls.data(), static_cast<int>(outputs.size()),
                  static_cast<int>(calls_of_sum), static_cast<int>(calls_of_part));
  if (at != instructions.back()) return false;
  std::memcpy(belong, sums.data(), static_cast<std::size_t>(sums.size()));
  return true;
}

std::vector<SumOfProducts> find_sums_of_products(const bind::Context& context,
                                                 const Program& program,
                                                 const std::vector<bind::Bound>& bound,
                                                 const std::vector<Buffer>& buffers,
                                                 std::int64_t least) {
  return Finder(context, program, bound, buffers, least).run();
}

}  // namespace mtfc::backends
