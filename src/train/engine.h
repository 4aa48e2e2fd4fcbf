// What the training loop needs of whoever runs the programs: the simulated mesh, one MPI rank, or
// an emitted program. Tensors cross this border in global form, or as the block of one that the
// processors of this process hold.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "comm/sharded.h"
#include "comm/work_counters.h"
#include "support/host_tensor.h"
#include "support/not_finite.h"
#include "support/spread.h"

namespace mtfc::runtime {

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
  /// What programs compute with is given back: all memory but that of the variables. The next
  /// program takes what it needs.
  virtual void give_back_memory() {}

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
  /// The worst of these values, looked at where they are. Every rank calls it, as `part`.
  virtual NotFinite worst_of(std::string_view path) { return mtfc::worst_of(part(path)); }
  virtual void set_part(std::string_view path, const HostTensor& value) {
    set_variable(path, value);
  }

  /// Calls task(i) for every i in [0, count), on the threads that programs run on; not while one
  /// runs.
  virtual void spread(std::int64_t count, const std::function<void(std::int64_t)>& task) {
    on_this_thread(count, task);
  }

  /// The processes that run the programs together.
  virtual net::Network& network() const { return net::alone(); }
  /// True where lines are printed and files written.
  bool is_root() const { return network().rank() == 0; }
  /// Everybody agrees on whether anybody says so (Ctrl-C, errors).
  bool any(bool mine) const { return network().highest(mine ? 1 : 0) != 0; }
};

}  // namespace mtfc::runtime
