// What the training loop needs of whoever runs the programs: the simulated mesh, one MPI rank, or
// an emitted program. Tensors cross this border in global form.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/dtype.h"

namespace mtfc::runtime {

/// A whole tensor in host memory, dense, row-major.
struct HostTensor {
  DType dtype = DType::f32;
  std::vector<std::int64_t> extents;
  std::vector<std::byte> data;

  static HostTensor zeros(DType dtype, std::vector<std::int64_t> extents);
  std::int64_t elements() const;
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data.data());
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data.data());
  }
  /// A scalar's value, whatever its type.
  double scalar() const;
};

/// By input name, and "step", "examples" (i32 scalars) where a program feeds on them.
using Feeds = std::map<std::string, HostTensor, std::less<>>;

struct Fetched {
  std::string kind;  // "loss", "metric", "report", "tensor"
  std::string name;
  HostTensor value;
};

/// A variable of the engine, whole.
struct VariableInfo {
  std::string path;  // "layers.3.attn.wq"
  std::string kind;  // "parameter", "state", "optimizer"; never saved: "accumulator", "cache"
  DType dtype = DType::f32;
  std::vector<std::int64_t> extents;
  std::vector<std::string> dims;  // the names of the same dimensions
};

/// Counted while the programs run, per processor (the largest shard).
struct Counters {
  struct Collective {
    std::string kind;  // "all_reduce", ...
    std::string axes;  // "rows" or "rows+cols"
    std::int64_t calls = 0;
    std::int64_t elements = 0;  // operand's shard; all_gather: the result's
    std::int64_t bytes = 0;
    std::int64_t sent = 0;  // bytes to other processors; on the network as they went there
  };
  double flops = 0;                     // multiply-add 2, each scalar operation of a map 1
  std::vector<Collective> collectives;  // one entry an instruction, in program order
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual bool has_program(std::string_view program) const = 0;
  /// Runs one program to its end; what it fetched, in program order, goes to `fetched`.
  virtual void run(std::string_view program, const Feeds& feeds, std::vector<Fetched>& fetched) = 0;
  virtual std::vector<VariableInfo> variables() const = 0;
  virtual HostTensor variable(std::string_view path) = 0;
  virtual void set_variable(std::string_view path, const HostTensor& value) = 0;
  /// True where lines are printed and files written.
  virtual bool is_root() const { return true; }
  /// Everybody agrees on whether anybody says so (Ctrl-C, errors).
  virtual bool any(bool mine) { return mine; }
  virtual Counters counters(std::string_view program) const = 0;
};

}  // namespace mtfc::runtime
