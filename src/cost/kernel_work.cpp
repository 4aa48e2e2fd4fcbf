#include "cost/kernel_work.h"

#include "kernels/contract_plan.h"
#include "kernels/map_plan.h"

namespace mtfc::cost {
namespace {

using runtime::ContractPlan;
using runtime::MapPlan;
using runtime::MapStep;
using runtime::Rate;

/// Adds up the steps of a map. What it does once per row or once counts as often.
class MapWork {
 public:
  MapWork(const runtime::MapSpec& spec, const MapPlan& plan) : spec_(spec), plan_(plan) {}

  KernelWork run() {
    work_.tasks = plan_.tasks();
    const auto tasks = static_cast<double>(plan_.tasks());
    const auto block = static_cast<double>(plan_.block_rows * plan_.block_columns);
    for (const MapStep& step : plan_.once) add(step, tasks, tasks);
    for (const MapStep& step : plan_.per_task) add(step, tasks, tasks * block);
    const auto rows = static_cast<double>(plan_.rows);
    const auto elements = rows * static_cast<double>(plan_.columns);
    for (const MapStep& step : plan_.per_block)
      add(step, static_cast<double>(plan_.blocks), step.rate == Rate::element ? elements : rows);
    return work_;
  }

 private:
  /// `times`: how often the step is taken, over so many numbers in all.
  void add(const MapStep& step, double times, double numbers) {
    const bool each_row = step.rate == Rate::element && plan_.block_rows > 1;
    switch (step.kind) {
      case MapStep::Kind::point:
        return;
      case MapStep::Kind::op:
        operation(step, numbers);
        break;
      case MapStep::Kind::random:
        work_.samples += numbers;
        break;
      case MapStep::Kind::load:
      case MapStep::Kind::iota:
      case MapStep::Kind::expand:
        if (each_row) work_.runs += numbers / static_cast<double>(plan_.block_columns);
        work_.moved += numbers;
        break;
      case MapStep::Kind::constant:
      case MapStep::Kind::convert:
      case MapStep::Kind::store:
        work_.moved += numbers;
        break;
    }
    work_.steps += times;
  }

  /// The value of a step that operates has the number of its instruction. Two operations in one
  /// step (kernels/map_pairs.h) take as long as the second alone.
  void operation(const MapStep& step, double numbers) {
    const ScalarOp op = spec_.body.code.at(static_cast<std::size_t>(step.value)).op;
    work_.operations[static_cast<std::size_t>(op)] += numbers;
  }

  const runtime::MapSpec& spec_;
  const MapPlan& plan_;
  KernelWork work_;
};

KernelWork work_of(const runtime::MapSpec& spec) {
  const MapPlan plan = plan_map(spec);
  return MapWork(spec, plan).run();
}

/// A call turns a right operand that is transposed; each slab of rows does it anew.
void add_calls(KernelWork& work, const ContractPlan& plan) {
  work.calls = static_cast<double>(plan.items) * static_cast<double>(product(plan.inner));
  for (int tensor = 0; tensor < 3; ++tensor)
    if (plan.packed[tensor]) work.turned += static_cast<double>(product(plan.pack[tensor]));
  if (!plan.call.b_transposed) return;
  const auto columns = static_cast<double>(plan.call.n);
  const auto slabs = static_cast<double>(plan.cut_columns ? plan.slabs : 1);
  work.turned += work.calls * static_cast<double>(plan.call.k) * columns / slabs;
}

KernelWork work_of(const runtime::ContractSpec& spec) {
  const ContractPlan plan = plan_contract(spec);
  KernelWork work;
  work.tasks = plan.tasks();
  switch (plan.form) {
    case ContractPlan::Form::empty:
      break;
    case ContractPlan::Form::multiply:
      work.moved = flops(spec) / 2;
      break;
    case ContractPlan::Form::dots:
      work.moved = flops(spec) / 2;
      work.seeks = 2 * static_cast<double>(plan.items);
      break;
    case ContractPlan::Form::small:
      work.calls = static_cast<double>(plan.small.items());
      work.turned = work.calls * static_cast<double>(plan.small.turned());
      break;
    case ContractPlan::Form::few_rows:
      work.calls = 1;
      break;
    case ContractPlan::Form::products:
      add_calls(work, plan);
      break;
  }
  return work;
}

KernelWork work_of(const runtime::AddProductSpec& spec) { return work_of(spec.product); }

/// Of any other kernel.
template <class Spec>
KernelWork work_of(const Spec& spec) {
  const runtime::Pieces all = pieces(spec);
  KernelWork work;
  work.tasks = all.tasks;
  work.seeks = static_cast<double>(all.seeks);
  work.moved = static_cast<double>(all.elements);
  return work;
}

/// Tiles are tasks, whose kernels have one thread.
KernelWork work_of(const runtime::TiledSpec& spec) {
  KernelWork work;
  work.tasks = product(spec.extents);
  const auto times = static_cast<double>(work.tasks);
  for (const runtime::TiledSpec::Step& step : spec.steps) {
    const KernelWork one =
        std::visit([](const auto& kernel) { return work_of(kernel); }, step.kernel);
    work.seeks += one.seeks * times;
    work.moved += one.moved * times;
    work.calls += one.calls * times;
    work.turned += one.turned * times;
    work.steps += one.steps * times;
    work.runs += one.runs * times;
    work.samples += one.samples * times;
    for (std::size_t op = 0; op < work.operations.size(); ++op)
      work.operations[op] += one.operations[op] * times;
  }
  return work;
}

/// A bucket is copied into one message and out of it.
KernelWork work_of(const bind::Exchanges& bucket) {
  KernelWork work;
  const auto tensors = static_cast<double>(bucket.size());
  for (const runtime::ExchangeSpec& one : bucket) {
    if (!runtime::sends_in_place(bucket)) work.packed += static_cast<double>(one.source_elements);
    if (!runtime::receives_in_place(bucket))
      work.packed += static_cast<double>(one.result_elements);
  }
  work.copies = (runtime::sends_in_place(bucket) ? 0 : tensors) +
                (runtime::receives_in_place(bucket) ? 0 : tensors);
  return work;
}

// What is no kernel: other names of memory, borders of programs.
KernelWork work_of(const bind::Alias&) { return {}; }
KernelWork work_of(const bind::Edge&) { return {}; }
KernelWork work_of(const bind::Completion&) { return {}; }

/// One copy after the other.
KernelWork work_of(const bind::CopyList& copies) {
  KernelWork all;
  all.tasks = 0;
  for (const runtime::CopySpec& copy : copies) {
    const KernelWork one = work_of(copy);
    all.tasks += one.tasks;
    all.seeks += one.seeks;
    all.moved += one.moved;
  }
  return all;
}

}  // namespace

KernelWork kernel_work_of(const bind::Bound& bound) {
  return std::visit([](const auto& one) { return work_of(one); }, bound);
}

}  // namespace mtfc::cost
