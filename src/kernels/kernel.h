// What the kernels of kernels.def share. A spec says what one local instruction does to the shards
// of one processor, as plain numbers: no names, no types of the compiler. The same values drive the
// simulated mesh and emitted programs.
//
// Shards are dense, row-major. All strides count elements. `Offset` is how a processor's
// coordinates enter: the specs themselves are the same on every processor.
//
// Every spec, and every struct in one, lists its `fields` (support/fields.h) for what writes specs
// out. Beside it are its kernel and `flops`: floating-point operations of one call. A multiply-add
// is 2, each scalar operation of a map 1, each element that a reduction, a running sum or the
// adjoint of a window reads 1; moving data is no arithmetic.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/pool.h"
#include "support/dtype.h"

namespace mtfc::runtime {

/// base + sum of coordinate[axis] * step: where a shard begins in the global tensor.
struct Offset {
  struct Term {
    int axis = 0;  // mesh axis number
    std::int64_t step = 0;
    friend bool operator==(const Term&, const Term&) = default;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("axis", self.axis);
      f("step", self.step);
    }
  };
  std::int64_t base = 0;
  std::vector<Term> terms;

  std::int64_t at(const std::int64_t* coordinates) const {
    std::int64_t value = base;
    for (const Term& term : terms) value += coordinates[term.axis] * term.step;
    return value;
  }
  friend bool operator==(const Offset&, const Offset&) = default;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("base", self.base);
    f("terms", self.terms);
  }
};

/// One call on one copy: pointers to shards and the processor's coordinates, one for each mesh
/// axis. Kernels take many calls at once, so that a simulated mesh keeps all threads busy with
/// small shards.
struct Call {
  const void* const* inputs = nullptr;
  void* const* outputs = nullptr;
  const std::int64_t* coordinates = nullptr;
};

/// How a kernel goes about one call: the tasks that threads share, about equal ones; how often it
/// seeks a row, one by one (in each tensor, and once for each index); elements that it copies or
/// folds. `pieces` of a spec stands beside its kernel; of a map and of a
/// contraction their plans say it.
struct Pieces {
  std::int64_t tasks = 1, seeks = 0, elements = 0;
};

/// What it takes to seek a row once, as elements that are copied meanwhile: tasks count it,
/// so that threads share short rows too.
constexpr std::int64_t kSeekElements = 8;

}  // namespace mtfc::runtime
