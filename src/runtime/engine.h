// What the training loop needs of whoever runs the programs: the simulated mesh, one MPI rank, or
// an emitted program. Tensors cross this border in global form, or as the block of one that the
// processors of this process hold.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/block.h"
#include "runtime/net/network.h"
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

/// What both have: the same tensor if the extents are equal; less of it, or with zeros at the end
/// of dimensions. As many dimensions.
HostTensor fitted(HostTensor tensor, const std::vector<std::int64_t>& extents);

/// The same, of a tensor that outlives it: no copy where nothing changes.
class PaddedTo {
 public:
  PaddedTo(const HostTensor& tensor, const std::vector<std::int64_t>& extents) : tensor_(&tensor) {
    if (tensor.extents == extents) return;
    changed_ = fitted(tensor, extents);
    tensor_ = &changed_;
  }
  PaddedTo(const PaddedTo&) = delete;
  PaddedTo& operator=(const PaddedTo&) = delete;
  const HostTensor* operator->() const { return tensor_; }

 private:
  const HostTensor* tensor_;
  HostTensor changed_;
};

/// By input name, and "step", "examples" (i32 scalars) where a program feeds on them. An input's
/// tensor is whole, or the part of it that Engine::input_part names.
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

/// What this process has of a variable.
struct Share {
  Block block;         // of the whole tensor
  bool writes = true;  // of all processes that have this block, one writes it to checkpoints
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
  virtual Counters counters(std::string_view program) const = 0;

  /// The part of an input of these extents that this process must be fed with. Engines take the
  /// whole tensor, too.
  virtual Block input_part(std::string_view, const std::vector<std::int64_t>& extents) const {
    return Block::whole(extents);
  }
  /// What this process has of each of variables(). Together the blocks that are written cover every
  /// variable once.
  virtual std::vector<Share> shares() const;
  /// The values of the share's block. Every rank calls it, for all variables in one order.
  virtual HostTensor part(std::string_view path) { return variable(path); }
  virtual void set_part(std::string_view path, const HostTensor& value) {
    set_variable(path, value);
  }

  /// The processes that run the programs together.
  virtual net::Network& network() const { return net::alone(); }
  /// True where lines are printed and files written.
  bool is_root() const { return network().rank() == 0; }
  /// Everybody agrees on whether anybody says so (Ctrl-C, errors).
  bool any(bool mine) const { return network().highest(mine ? 1 : 0) != 0; }
};

}  // namespace mtfc::runtime
