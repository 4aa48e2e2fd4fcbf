#include "backends/execute/summed_parts.h"

#include <algorithm>
#include <cstring>

#include "kernels/element_loops.h"
#include "kernels/one_thread.h"
#include "kernels/scratch.h"

namespace mtfc::backends {
namespace {

using runtime::ContractSpec;
using runtime::ExchangeSpec;

constexpr std::int64_t most_part_bytes = 512 << 10;  // of a part: half of a usual second cache
constexpr std::int64_t sums_of_thread = 4;           // so that threads end together

class SumFinder {
 public:
  SumFinder(const Mesh& mesh, const Program& program, const std::vector<bind::Bound>& bound,
            const std::vector<Buffer>& buffers, std::int64_t least)
      : mesh_(mesh), program_(program), bound_(bound), buffers_(buffers), least_(least) {}

  std::map<std::size_t, SummedParts> run() const {
    std::map<std::size_t, SummedParts> found;
    for (std::size_t i = 0; i + 1 < bound_.size(); ++i)
      if (fits(i)) found.emplace(i, sums(i));
    return found;
  }

 private:
  const Instruction& at(std::size_t i) const { return program_.instructions[i]; }
  const Buffer& buffer(ValueId value) const { return buffers_[value.at()]; }
  const ContractSpec* product(std::size_t i) const { return std::get_if<ContractSpec>(&bound_[i]); }
  const bind::Exchanges* sum(std::size_t i) const {
    return std::get_if<bind::Exchanges>(&bound_[i]);
  }

  bool fits(std::size_t i) const {
    if (!product(i) || !sum(i + 1) || sum(i + 1)->size() != 1) return false;
    const ContractSpec& spec = *product(i);
    const ExchangeSpec& exchange = (*sum(i + 1))[0];
    const ValueId part = at(i).results[0];
    if (exchange.kind != ExchangeSpec::Kind::all_reduce || exchange.combine != Combine::sum ||
        at(i + 1).operands[0] != part || !is_summed_only(part, i + 1))
      return false;
    if (spec.c != exchange.dtype || (spec.c != DType::f32 && spec.c != DType::f64)) return false;
    const Buffer &x = buffer(part), &y = buffer(at(i + 1).results[0]);
    // Not of a real rank, which has its own part only.
    if (x.shards->count() != y.shards->count() * exchange.group_size) return false;
    return x.bytes() >= least_ && x.stride == y.stride &&
           (x.stride <= most_part_bytes || adds_slabs(*runtime::prepare_contract(spec)));
  }

  /// Results are written while other parts still read the operands.
  bool is_apart_from_operands(std::size_t i) const {
    const Buffer& y = buffer(at(i + 1).results[0]);
    const auto apart = [&y](const Buffer& other) {
      return y.base + y.bytes() <= other.base || other.base + other.bytes() <= y.base;
    };
    return apart(buffer(at(i).operands[0])) && apart(buffer(at(i).operands[1]));
  }

  bool is_summed_only(ValueId part, std::size_t by) const {
    for (std::size_t i = 0; i < bound_.size(); ++i) {
      const auto& operands = at(i).operands;
      const bool reads = std::find(operands.begin(), operands.end(), part) != operands.end();
      // A completion names the operand, which has to stay where it is until then.
      if (reads && i != by && !std::holds_alternative<bind::Completion>(bound_[i])) return false;
    }
    return true;
  }

  SummedParts sums(std::size_t i) const {
    const ExchangeSpec& exchange = (*sum(i + 1))[0];
    const Buffer &a = buffer(at(i).operands[0]), &b = buffer(at(i).operands[1]);
    const Buffer &x = buffer(at(i).results[0]), &y = buffer(at(i + 1).results[0]);
    SummedParts made;
    made.spec = *product(i);
    made.prepared = runtime::prepare_contract(made.spec);
    made.parts_of_sum = exchange.group_size;
    made.sent = runtime::sent_bytes(*sum(i + 1));
    const std::vector<std::int64_t> sizes = mesh_.sizes();
    const RowMajor group(sizes, exchange.axes);
    const bool apart = is_apart_from_operands(i);
    if (!apart) made.belong = y.base;
    made.bytes = y.bytes();
    for (std::int64_t s = 0; s < y.shards->count(); ++s) {
      made.results.push_back(apart ? y.shard(s) : x.shard(s));
      std::vector<std::int64_t> member(y.shards->coordinates(s),
                                       y.shards->coordinates(s) + sizes.size());
      for (std::int64_t r = 0; r < exchange.group_size; ++r) {
        group.locate(r, member.data());
        const std::int64_t* coordinates = x.shards->coordinates(x.shards->number(member.data()));
        made.inputs.insert(made.inputs.end(), {a.at(coordinates), b.at(coordinates)});
        made.parts.push_back({nullptr, nullptr, coordinates});
      }
    }
    for (std::size_t i = 0; i < made.parts.size(); ++i) {
      made.parts[i].inputs = &made.inputs[2 * i];
      made.parts[i].outputs = &made.results[i / static_cast<std::size_t>(made.parts_of_sum)];
    }
    return made;
  }

  const Mesh& mesh_;
  const Program& program_;
  const std::vector<bind::Bound>& bound_;
  const std::vector<Buffer>& buffers_;
  const std::int64_t least_;
};

}  // namespace

bool SummedParts::keeps_busy(const runtime::Pool& pool) const {
  return pool.threads() == 1 || adds_slabs(*prepared) || adds_products(*prepared) ||
         static_cast<std::int64_t>(results.size()) >= sums_of_thread * pool.threads();
}

void SummedParts::run(runtime::Pool& pool) const {
  if (adds_slabs(*prepared) || adds_products(*prepared)) {
    contract_sums(pool, *prepared, parts.data(), static_cast<int>(results.size()),
                  static_cast<int>(parts_of_sum));
  } else {
    run_one_by_one(pool);
  }
  if (belong != nullptr) std::memmove(belong, results[0], static_cast<std::size_t>(bytes));
}

void SummedParts::run_one_by_one(runtime::Pool& pool) const {
  const runtime::Repr repr = runtime::repr_of(spec.c);
  const runtime::OpBlock add =
      runtime::blocks().ops[static_cast<int>(ScalarOp::add)][static_cast<int>(repr)][0];
  pool.run(static_cast<std::int64_t>(results.size()), [this, repr, add](std::int64_t i) {
    thread_local runtime::Scratch memory;
    void* const result = results[static_cast<std::size_t>(i)];
    void* const next = memory.take(static_cast<std::size_t>(spec.c_size * bytes_of(repr)));
    for (std::int64_t r = 0; r < parts_of_sum; ++r) {
      void* const outputs[] = {r == 0 ? result : next};
      runtime::Call call = parts[static_cast<std::size_t>(i * parts_of_sum + r)];
      call.outputs = outputs;
      contract(runtime::one_thread(), *prepared, spec, &call, 1);
      const void* const terms[] = {result, next};
      if (r > 0) add(result, terms, spec.c_size);
    }
  });
}

std::map<std::size_t, SummedParts> find_summed_parts(const Mesh& mesh, const Program& program,
                                                     const std::vector<bind::Bound>& bound,
                                                     const std::vector<Buffer>& buffers,
                                                     std::int64_t least) {
  return SumFinder(mesh, program, bound, buffers, least).run();
}

}  // namespace mtfc::backends
