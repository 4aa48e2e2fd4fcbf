// Where values that are not finite begin: programs instruction by instruction, with every result
// looked at. Slow; for finding the operation at fault.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/execute/executable.h"
#include "support/not_finite.h"

namespace mtfc::backends {

/// The instruction in which something that went bad was not finite first.
struct NotFiniteBegin {
  Origin origin;
  StepRole role;
  NotFinite kind = NotFinite::none;   // its result's
  bool from_finite = true;            // all that it is computed from is finite
  std::optional<ScalarOp> operation;  // if it is one scalar operation
  /// Of a result that is not a number: where what it is computed from began to be infinite.
  std::optional<Origin> infinite_since;
  std::optional<ScalarOp> operation_since;  // there
  /// A collective, whose operand on this process is good: it may have begun on another one.
  bool received = false;
  std::int64_t order = 0;  // instructions that were run before it
  /// What it was seen in: a loss; a variable; or one that is only passed on, as an accumulator or
  /// what another stage takes, and infinite, which may be meant, as of a mask.
  enum class Seen : std::uint8_t { loss, variable, maybe_meant };
  Seen seen = Seen::maybe_meant;
};

class NotFiniteWatch {
 public:
  /// As Executable::run, of a program of the module.
  void run(const Module& module, Executable& executable, runtime::Pool& pool,
           const runtime::Feeds& feeds, std::vector<runtime::Fetched>& fetched);
  /// Of the loss fetched, or else the variable written, that is not finite because of an
  /// instruction of the runs, the first that began. Absent: there is none; then what is not finite
  /// came from variables or inputs.
  const std::optional<NotFiniteBegin>& begin() const { return begin_; }

 private:
  struct Value {
    NotFinite kind = NotFinite::none;
    std::shared_ptr<const NotFiniteBegin> begin;  // null: it was so before, or is fed
    bool travels = false;  // it is the result of a collective that is only started
  };
  /// Once it has run.
  void look(const Module& module, const Executable& executable, const Instruction& at);
  void write(const Module& module, const std::string& path, const Value& value);
  Value result_of(const Module& module, const Instruction& at, NotFinite kind) const;
  std::shared_ptr<const NotFiniteBegin> begin_of(const Module& module,
                                                 const std::string& variable) const;
  void note(const Value& value, NotFiniteBegin::Seen seen);
  bool completes_collective(const Instruction& at) const;
  const Value& worst_operand(const Instruction& at) const;

  std::vector<Value> values_;  // of the program that runs, by ValueId
  // That were written, by module and path; of what stages take from each other by path alone.
  std::map<std::pair<const Module*, std::string>, Value> variables_;
  std::int64_t done_ = 0;  // instructions
  std::optional<NotFiniteBegin> begin_;
};

}  // namespace mtfc::backends
