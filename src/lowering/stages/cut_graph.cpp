#include "lowering/stages/cut_graph.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "ops/builder.h"
#include "ops/op.h"
#include "ops/view.h"
#include "support/check.h"

namespace mtfc::lowering {
namespace {

using Form = SlotPlan::Form;

class Cutter {
 public:
  Cutter(const Graph& graph, const SlotPlan& plan, const DimTable& dims, Homes& homes)
      : graph_(graph), plan_(plan), homes_(homes) {
    for (std::size_t i = 0; i < plan.slots.size(); ++i)
      slots_.push_back(std::make_unique<Making>(dims));
  }

  CutGraph run() {
    find_homes_of_outputs();
    for (std::size_t i = 0; i < graph_.ops.size(); ++i)
      if (plan_.form[i] == Form::once) make(graph_.ops[i], slot_of(graph_.ops[i]));
    for (const Output& output : graph_.outputs)
      if (!is_written(output)) leave(output, slot_of(producer(output.value)));
    find_writing_slots();
    for (const Output& output : graph_.outputs)
      if (is_written(output)) leave(output, writing_.at(home(output)));
    send();
    updates();
    return finish();
  }

 private:
  /// The part of one slot while it is made.
  struct Making {
    Graph graph;
    ops::Builder build;
    std::map<ValueId, ValueId> made;  // by value of the whole graph

    explicit Making(const DimTable& dims) : build(graph, dims) {}
  };
  struct Sent {
    std::string variable;
    int from = 0;
    std::set<int> to;
  };

  const Operation& producer(ValueId id) const { return graph_.producer(id); }
  std::size_t number(const Operation& op) const {
    return static_cast<std::size_t>(&op - graph_.ops.data());
  }
  int slot_of(const Operation& op) const { return plan_.slot[number(op)]; }
  int stage_of(int slot) const { return plan_.slots[static_cast<std::size_t>(slot)].stage; }
  int virtual_stage_of(int slot) const {
    const Slot& what = plan_.slots[static_cast<std::size_t>(slot)];
    return what.chunk * plan_.stages + what.stage;
  }
  /// The stage that a variable lives in.
  int home(const Output& output) const { return plan_.stage_of(homes_.at(output.name)); }
  Making& at(int slot) { return *slots_[static_cast<std::size_t>(slot)]; }

  static bool is_written(const Output& output) { return output.kind == Output::Kind::variable; }

  void find_homes_of_outputs() {
    for (const Output& output : graph_.outputs)
      if (is_written(output) || output.kind == Output::Kind::accumulate)
        homes_.emplace(output.name, virtual_stage_of(slot_of(producer(output.value))));
  }

  void make(const Operation& op, int slot) {
    std::vector<ValueId> operands;
    for (ValueId operand : op.operands) operands.push_back(get(operand, slot));
    const std::vector<ValueId> results = at(slot).build.copy(graph_, op, std::move(operands));
    for (std::size_t i = 0; i < results.size(); ++i) at(slot).made[op.results[i]] = results[i];
  }

  /// The value in a slot: made there, made again, or what crosses to it.
  ValueId get(ValueId id, int slot) {
    ValueId& there = at(slot).made[id];
    if (there.valid()) return there;
    const Operation& op = producer(id);
    const Form form = plan_.form[number(op)];
    // A view is what it is a view of, which crosses once then, split as that is.
    if (form == Form::anywhere || ops::view_groups(op) != nullptr ||
        (form == Form::at_stage && stage_of(slot_of(op)) == stage_of(slot))) {
      make(op, slot);
      return there;
    }
    Sent& sent = crossing(id, slot_of(op));
    sent.to.insert(slot);
    ops::Builder& build = at(slot).build;
    build.follow(op);
    there = build.read(sent.variable, graph_.at(id).type);
    build.set_name(there, graph_.at(id).name);
    return there;
  }

  Sent& crossing(ValueId id, int from) {
    const auto [sent, fresh] = sent_.try_emplace(id);
    if (fresh)
      sent->second = {"cross." + graph_.name + "." + std::to_string(sent_.size() - 1), from, {}};
    return sent->second;
  }

  /// By stage: the slot in which its variables are written, all in one, so that none is read after
  /// it: the last that computes something, or a later one that what is written has come to.
  void find_writing_slots() {
    const int count = static_cast<int>(slots_.size());
    for (int slot = 0; slot < count; ++slot) {
      int& last = writing_.emplace(stage_of(slot), slot).first->second;
      if (!at(slot).graph.ops.empty()) last = slot;
    }
    for (const Output& output : graph_.outputs) {
      const Operation& made = producer(output.value);
      if (!is_written(output) || plan_.form[number(made)] == Form::anywhere) continue;
      int& last = writing_.at(home(output));
      int slot = std::max(last, slot_of(made));
      while (slot < count && stage_of(slot) != home(output)) ++slot;
      MTFC_CHECK(slot < count, output.name + " is made after its stage has ended");
      last = slot;
    }
  }

  void leave(const Output& output, int slot) {
    if (output.kind == Output::Kind::accumulate)
      MTFC_CHECK(home(output) == stage_of(slot), output.name + " is added to elsewhere");
    at(slot).graph.outputs.push_back({output.kind, output.name, get(output.value, slot)});
  }

  /// Everything that crosses is written by the part that makes it. What that needs may cross, too.
  void send() {
    std::set<ValueId> done;
    for (bool any = true; any;) {
      any = false;
      for (const auto& [id, sent] : std::map<ValueId, Sent>(sent_)) {
        if (!done.insert(id).second) continue;
        any = true;
        const ValueId value = get(id, sent.from);
        at(sent.from).graph.outputs.push_back({Output::Kind::variable, sent.variable, value});
      }
    }
  }

  /// Of a parameter: where it is written.
  void updates() {
    for (const ParameterUpdate& update : graph_.updates)
      for (std::unique_ptr<Making>& slot : slots_) {
        const auto writes = [&](const Output& output) {
          return is_written(output) && output.name == update.parameter;
        };
        const std::vector<Output>& outputs = slot->graph.outputs;
        if (std::none_of(outputs.begin(), outputs.end(), writes)) continue;
        ParameterUpdate& here = slot->graph.updates.emplace_back(update);
        if (update.gradient.valid()) here.gradient = slot->made[update.gradient];
      }
  }

  /// Whether the value is of variables alone. They are those of the step before, since what a
  /// micro-batch adds to is read by nobody that runs on micro-batches.
  bool is_steady(ValueId id) const {
    const Operation& op = producer(id);
    if (plan_.form[number(op)] != Form::at_stage) return ops::op_of(op).kind == ops::Kind::literal;
    return std::all_of(op.operands.begin(), op.operands.end(),
                       [&](ValueId operand) { return is_steady(operand); });
  }

  std::string name(const Slot& slot) const {
    const char* pass = slot.pass == StagePart::Pass::forward    ? "f"
                       : slot.pass == StagePart::Pass::backward ? "b"
                                                                : "";
    const int further = slot.pass == StagePart::Pass::other ? slot.level : slot.chunk;
    return graph_.name + "." + pass + std::to_string(slot.stage) +
           (further > 0 ? "." + std::to_string(further) : "");
  }

  CutGraph finish() {
    CutGraph cut;
    std::vector<int> part(slots_.size(), -1);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      Graph& graph = slots_[i]->graph;
      if (graph.outputs.empty()) continue;
      const Slot& slot = plan_.slots[i];
      graph.name = name(slot);
      part[i] = static_cast<int>(cut.parts.size());
      cut.parts.push_back(
          {{graph.name, graph_.name, slot.stage, slot.pass, slot.chunk}, std::move(graph)});
    }
    for (const auto& [id, sent] : sent_) {
      Crossing crossing{
          sent.variable, part[static_cast<std::size_t>(sent.from)], {}, is_steady(id)};
      for (const int slot : sent.to) crossing.to.push_back(part[static_cast<std::size_t>(slot)]);
      cut.crossings.push_back(std::move(crossing));
      cut.variables.push_back(crossing_variable(sent.variable, graph_.at(id).type));
    }
    return cut;
  }

  const Graph& graph_;
  const SlotPlan& plan_;
  Homes& homes_;
  std::vector<std::unique_ptr<Making>> slots_;
  std::map<ValueId, Sent> sent_;
  std::map<int, int> writing_;
};

}  // namespace

Variable crossing_variable(std::string path, TensorType type) {
  Variable variable;
  variable.path = std::move(path);
  variable.type = std::move(type);
  variable.kind = Variable::Kind::accumulator;
  variable.trainable = false;
  return variable;
}

CutGraph cut_graph(const Graph& graph, const SlotPlan& plan, const DimTable& dims, Homes& homes) {
  return Cutter(graph, plan, dims, homes).run();
}

}  // namespace mtfc::lowering
