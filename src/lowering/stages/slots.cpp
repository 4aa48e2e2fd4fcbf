#include "lowering/stages/slots.h"

#include <algorithm>
#include <limits>

#include "layout/stages.h"
#include "ops/inputs.h"
#include "ops/op.h"

namespace mtfc::lowering {
namespace {

using Form = SlotPlan::Form;

/// The stage of the largest operand: what a step does beside the model's own operations scales
/// and adds up large tensors by small ones.
std::optional<int> of_largest(const Graph& graph, const DimTable& dims, const Operation& op,
                              const std::vector<int>& operands) {
  std::optional<int> stage;
  std::int64_t most = -1;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const std::int64_t size = elements(dims, graph.at(op.operands[k]).type.dims);
    if (operands[k] < 0 || size < most || (size == most && operands[k] >= stage)) continue;
    most = size;
    stage = operands[k];
  }
  return stage;
}

/// By operation: whether it is made of nothing that a step changes or a file holds.
std::vector<bool> find_anywhere(const Graph& graph) {
  std::vector<bool> anywhere(graph.ops.size());
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    const Operation& op = graph.ops[i];
    const ops::Kind kind = ops::op_of(op).kind;
    if (op.operands.empty()) {
      anywhere[i] = kind == ops::Kind::literal || kind == ops::Kind::counter;
      continue;
    }
    anywhere[i] = std::all_of(op.operands.begin(), op.operands.end(), [&](ValueId operand) {
      return anywhere[graph.at(operand).producer.at()];
    });
  }
  return anywhere;
}

/// Virtual stages by blocks, by the parameter that an update is of, by where a variable lives.
std::vector<int> find_stages(const Graph& graph, const DimTable& dims, const Stages& stages,
                             const Homes& homes) {
  const std::vector<bool> anywhere = find_anywhere(graph);
  const auto home = [&](const std::string& path) -> std::optional<int> {
    const auto found = homes.find(path);
    return found == homes.end() ? std::nullopt : std::optional(found->second);
  };
  const auto given = [&](const Operation& op,
                         const std::vector<int>& operands) -> std::optional<int> {
    if (anywhere[static_cast<std::size_t>(&op - graph.ops.data())] || ops::input_name(op))
      return std::nullopt;
    if (const std::string* read = ops::variable_read(op))
      if (const auto known = home(*read)) return known;
    if (op.role.kind == StepRole::Kind::update && !op.role.parameter.empty())
      return home(op.role.parameter);
    if (const auto block = stages.of_block(op.role.block)) return block;
    return op.role.kind == StepRole::Kind::model ? std::nullopt
                                                 : of_largest(graph, dims, op, operands);
  };
  std::vector<int> found = stages_of(graph, given);
  for (int& stage : found) stage = std::max(stage, 0);
  return found;
}

bool is_cheap(const Operation& op) {
  const ops::Kind kind = ops::op_of(op).kind;
  return kind == ops::Kind::elementwise || kind == ops::Kind::copy;
}

/// `virtual_stage`: by operation.
std::vector<Form> find_forms(const Graph& graph, const Stages& stages,
                             const std::vector<int>& virtual_stage) {
  const std::vector<bool> anywhere = find_anywhere(graph);
  std::vector<Form> form(graph.ops.size(), Form::once);
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    const Operation& op = graph.ops[i];
    if (anywhere[i] || ops::input_name(op))
      form[i] = Form::anywhere;
    else if (ops::variable_read(op))
      form[i] = Form::at_stage;
    else if (is_cheap(op) && std::all_of(op.operands.begin(), op.operands.end(), [&](ValueId id) {
               const std::size_t from = graph.at(id).producer.at();
               return anywhere[from] ||
                      (form[from] == Form::at_stage &&
                       stages.stage_of(virtual_stage[from]) == stages.stage_of(virtual_stage[i]));
             }))
      form[i] = Form::at_stage;
  }
  return form;
}

/// By operation: whether it is cheap, and made of smaller values, of variables where they live, and
/// of what is. To make it later, nothing large needs to be held that would not be otherwise.
std::vector<bool> find_waiting(const Graph& graph, const DimTable& dims,
                               const std::vector<Form>& form) {
  std::vector<bool> waits(graph.ops.size());
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    const Operation& op = graph.ops[i];
    const auto elements_of = [&](ValueId id) { return elements(dims, graph.at(id).type.dims); };
    waits[i] = form[i] == Form::once && is_cheap(op) &&
               std::all_of(op.operands.begin(), op.operands.end(), [&](ValueId operand) {
                 const std::size_t from = graph.at(operand).producer.at();
                 return form[from] != Form::once || waits[from] ||
                        elements_of(operand) < elements_of(op.results[0]);
               });
  }
  return waits;
}

/// What can wait for who uses it does: what divides all gradients by a number, and an update of
/// which only whether it holds is not known yet. By operation; raises levels.
void wait_for_users(const Graph& graph, const DimTable& dims, const std::vector<Form>& form,
                    const std::vector<int>& stage, std::vector<int>& level) {
  constexpr int none = std::numeric_limits<int>::max();
  const std::vector<bool> waits = find_waiting(graph, dims, form);
  std::vector<int> first(graph.ops.size(), none);  // of those that use it
  std::map<int, int> last;  // by stage: variables are written together, at the end
  for (std::size_t i = 0; i < graph.ops.size(); ++i)
    if (form[i] == Form::once) last[stage[i]] = std::max(last[stage[i]], level[i]);
  for (const Output& output : graph.outputs) {
    const std::size_t made = graph.at(output.value).producer.at();
    first[made] = output.kind == Output::Kind::variable ? last[stage[made]] : 0;
  }
  for (std::size_t i = graph.ops.size(); i-- > 0;) {
    const Operation& op = graph.ops[i];
    if (waits[i] && first[i] != none) level[i] = std::max(level[i], first[i]);
    for (ValueId operand : op.operands) {
      const std::size_t from = graph.at(operand).producer.at();
      first[from] = std::min(first[from], stage[from] == stage[i] ? level[i] : 0);
    }
  }
}

}  // namespace

void find_homes(const Graph& graph, const DimTable& dims, const Stages& stages, Homes& homes) {
  homes.merge(first_readers(graph, find_stages(graph, dims, stages, homes)));
}

SlotPlan slots_of_passes(const Graph& graph, const DimTable& dims, const Stages& stages,
                         const Homes& homes) {
  const std::vector<int> stage = find_stages(graph, dims, stages, homes);
  SlotPlan found;
  found.stages = stages.count;
  const int last = 2 * stages.virtual_stages() - 1;
  for (int i = 0; i <= last; ++i) {
    const bool forward = i < stages.virtual_stages();
    const int at = forward ? i : last - i;
    found.slots.push_back({stages.stage_of(at),
                           forward ? StagePart::Pass::forward : StagePart::Pass::backward, 0,
                           at / stages.count});
  }
  found.form = find_forms(graph, stages, stage);
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    const Operation& op = graph.ops[i];
    int after = -1;  // the latest of what it needs
    for (ValueId operand : op.operands) {
      const std::size_t from = graph.at(operand).producer.at();
      if (found.form[from] != Form::anywhere) after = std::max(after, found.slot[from]);
    }
    int wanted = stage[i];
    if (op.role.kind == StepRole::Kind::gradient && found.form[i] == Form::once) {
      // Its block says where; of no block, it follows what it needs, and what it needs of forward
      // passes alone is needed where these ran.
      if (stages.of_block(op.role.block))
        wanted = last - stage[i];
      else if (after < stages.virtual_stages())
        wanted = last - std::max(after, stage[i]);
    }
    found.slot.push_back(std::max(wanted, after));
  }
  return found;
}

SlotPlan slots_by_level(const Graph& graph, const DimTable& dims, const Stages& stages,
                        const Homes& homes) {
  std::vector<int> stage = find_stages(graph, dims, stages, homes);
  SlotPlan found;
  found.stages = stages.count;
  found.form = find_forms(graph, stages, stage);
  for (int& at : stage) at = stages.stage_of(at);
  std::vector<int> level(graph.ops.size(), 0);
  for (std::size_t i = 0; i < graph.ops.size(); ++i)
    for (ValueId operand : graph.ops[i].operands) {
      const std::size_t from = graph.at(operand).producer.at();
      if (found.form[from] == Form::anywhere) continue;
      level[i] = std::max(level[i], level[from] + (stage[from] != stage[i] ? 1 : 0));
    }
  wait_for_users(graph, dims, found.form, stage, level);
  // One more, for what is written where it is not made.
  const int levels = level.empty() ? 1 : 2 + *std::max_element(level.begin(), level.end());
  for (int l = 0; l < levels; ++l)
    for (int s = 0; s < stages.count; ++s) found.slots.push_back({s, StagePart::Pass::other, l, 0});
  for (std::size_t i = 0; i < graph.ops.size(); ++i)
    found.slot.push_back(level[i] * stages.count + stage[i]);
  return found;
}

}  // namespace mtfc::lowering
