// contract: the product of two tensors, summed over what they share and the result lacks.
#pragma once
#include <memory>

#include "kernels/kernel.h"

namespace mtfc::runtime {

/// c[batch.., m.., n..] = sum over k.. of a[batch.., m.., k..] * b[batch.., k.., n..], each factor
/// a set of dimensions with one stride per tensor. Floats; f16 and bf16 accumulate in f32.
/// Extents of 0 give zeros.
struct ContractSpec {
  struct Factor {
    std::int64_t extent = 1;
    std::int64_t a = 0, b = 0, c = 0;  // strides; 0 where the tensor lacks the dimension

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("extent", self.extent);
      f("a", self.a);
      f("b", self.b);
      f("c", self.c);
    }
    bool operator==(const Factor&) const = default;
  };
  DType a{}, b{}, c{};
  std::vector<Factor> batch;                        // in all three
  std::vector<Factor> m;                            // in a and c
  std::vector<Factor> n;                            // in b and c
  std::vector<Factor> k;                            // in a and b
  std::int64_t a_size = 0, b_size = 0, c_size = 0;  // elements

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("a", self.a);
    f("b", self.b);
    f("c", self.c);
    f("batch", self.batch);
    f("m", self.m);
    f("n", self.n);
    f("k", self.k);
    f("a_size", self.a_size);
    f("b_size", self.b_size);
    f("c_size", self.c_size);
  }
};

double flops(const ContractSpec& spec);
/// Inputs a, b; output c.
void contract(Pool& pool, const ContractSpec& spec, const Call* calls, int count);

/// Whether the products can be added to what the output holds: `contract_onto`, which is for such
/// specs alone.
bool can_add(const ContractSpec& spec);
void contract_onto(Pool& pool, const ContractSpec& spec, const Call* calls, int count);

/// How a contraction is computed, made once by who computes it often.
struct PreparedContract;
std::shared_ptr<const PreparedContract> prepare_contract(const ContractSpec& spec);
/// With copies of operands in other types or orders of `most_bytes` at a time, where that can be.
std::shared_ptr<const PreparedContract> prepare_contract(const ContractSpec& spec,
                                                         std::int64_t most_bytes);
void contract(Pool& pool, const PreparedContract& prepared, const ContractSpec& spec,
              const Call* calls, int count);
void contract_onto(Pool& pool, const PreparedContract& prepared, const Call* calls, int count);

/// Brings what a first product brings, in the thread that is to fail where memory ends: before
/// threads compute such contractions one by one.
void make_ready(const PreparedContract& prepared);

/// Whether `contract_sums` can be called, with any number of calls in a part; with one.
bool adds_products(const PreparedContract& prepared);
bool adds_slabs(const PreparedContract& prepared);
/// Many sums of contractions at once: the output of each sum, which its calls have in common, is
/// what `contract` makes of the first call plus what it makes of the next one, and so on. The same
/// bits. With more than one call in a part, parts are sums by themselves, which are then added.
void contract_sums(Pool& pool, const PreparedContract& prepared, const Call* calls, int sums,
                   int calls_of_sum, int calls_of_part = 1);

/// The product library: "onednn" or "eigen".
const char* product_library();

}  // namespace mtfc::runtime
