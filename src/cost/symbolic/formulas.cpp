#include "cost/symbolic/formulas.h"

#include <algorithm>
#include <optional>

#include "cost/collective_groups.h"

namespace mtfc::cost {
namespace {

class FormulaMaker {
 public:
  FormulaMaker(const Module& module, const Cost& cost)
      : module_(module), cost_(cost), made_{Symbols(module), {}, {}, {}, {}, {}, {}, {}, {}} {}

  Formulas run() {
    // Collectives stand in program order, those of a program as often as it runs.
    std::size_t collective = 0;
    for (const ProgramWork& work : cost_.work) {
      const Program& program = *module_.find(work.program);
      const Polynomial times = work.times > 1 ? made_.symbols.microbatches() : 1;
      const std::size_t first = collective;
      for (std::size_t i = 0; i < work.instructions.size(); ++i) {
        const Instruction& at = program.instructions[i];
        count(program, at, times);
        if (work.instructions[i].kind == Work::Kind::collective)
          count_collective(program, at, work.instructions[i], times,
                           cost_.collectives[collective++]);
      }
      collective = first + (collective - first) * static_cast<std::size_t>(work.times);
    }
    made_.flops = flops_.take();
    made_.elements = elements_.take();
    made_.bytes = bytes_.take();
    made_.sent_elements = sent_elements_.take();
    made_.sent = sent_.take();
    made_.memory = kept_of(module_, cost_, made_.symbols);
    return std::move(made_);
  }

 private:
  void count(const Program& program, const Instruction& at, const Polynomial& times) {
    const ShardTypes in = types_of(program, at.operands), out = types_of(program, at.results);
    for (const Flops& count : flops(at.kind, {module_.dims, module_.mesh, in, out}))
      flops_.add(at.role.block, made_.symbols.elements(count.shard) * count.per_element * times);
  }

  void count_collective(const Program& program, const Instruction& at, const Work& work,
                        const Polynomial& times, const CollectiveCost& cost) {
    const ShardTypes in = types_of(program, at.operands), out = types_of(program, at.results);
    const InstrContext context{module_.dims, module_.mesh, in, out};
    Polynomial moved;
    for (const ShardType& type : moved_types(at.kind, context))
      moved += made_.symbols.elements(type);
    const Polynomial sent =
        runtime::sent_elements(work.exchange, moved, made_.symbols.of(work.axes),
                               traffic_of(at.kind, context).elements < kGatherAllElements);
    const auto size = static_cast<double>(size_of(in[0].tensor.dtype));
    elements_.add(at.role.block, moved * times);
    bytes_.add(at.role.block, moved * size * times);
    sent_elements_.add(at.role.block, sent * times);
    sent_.add(at.role.block, sent * size * times);
    made_.calls += times;
    CollectiveFormula& group = group_of(cost);
    group.calls += times;
    group.elements += moved * times;
  }

  CollectiveFormula& group_of(const CollectiveCost& cost) {
    std::vector<CollectiveFormula>& all = made_.collectives;
    const auto at = std::find_if(all.begin(), all.end(), [&](const CollectiveFormula& one) {
      return is_like(one.first, cost);
    });
    return at == all.end() ? all.emplace_back(CollectiveFormula{cost, {}, {}}) : *at;
  }

  const Module& module_;
  const Cost& cost_;
  Formulas made_;
  InstanceSums flops_, elements_, bytes_, sent_elements_, sent_;
};

}  // namespace

Polynomial Formulas::memory_elements() const {
  Polynomial sum;
  for (const Kept& kept : memory) sum += kept.elements.total();
  return sum;
}

Formulas formulas_of(const Module& module, const Cost& cost) {
  return FormulaMaker(module, cost).run();
}

LeadingFormulas leading_of(const Formulas& formulas) {
  const std::vector<double> sizes = formulas.symbols.sizes();
  const std::vector<bool> dims = formulas.symbols.are_dims();
  LeadingFormulas made{leading(formulas.flops.total(), dims, sizes),
                       leading(formulas.elements.total(), dims, sizes),
                       leading(formulas.memory_elements(), dims, sizes),
                       {}};
  if (made.flops.is_product() && !made.flops.is_zero()) made.ratio = made.elements / made.flops;
  return made;
}

}  // namespace mtfc::cost
