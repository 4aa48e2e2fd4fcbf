#include "plan/price/once.h"

#include <algorithm>

namespace mtfc::plan {

std::vector<int> once_parts(const CompiledPipeline& made) {
  const std::vector<StagePart>& parts = made.module.cut.parts;
  std::vector<int> numbers(parts.size(), -1);
  int program = 0;
  for (const StepProgram& step : made.module.step) {
    std::vector<int> next(made.module.stages.size());  // by stage
    bool any = false;
    for (const int number : made.module.parts_of(step.program)) {
      const StagePart& part = parts[static_cast<std::size_t>(number)];
      if (part.pass != StagePart::Pass::other) continue;
      any = true;
      const int ordinal = next[static_cast<std::size_t>(part.stage)]++;
      numbers[static_cast<std::size_t>(number)] =
          std::min(program, most_once_programs - 1) * most_once_parts +
          std::min(ordinal, most_once_parts - 1);
    }
    program += any;
  }
  return numbers;
}

double once_span(const std::vector<OnceSeconds>& stages, const std::vector<OnceSend>& sends) {
  double sum = 0;
  for (int first = 0; first < static_cast<int>(OnceSeconds{}.size()); first += most_once_parts) {
    const auto is_here = [&](int part) { return part >= first && part < first + most_once_parts; };
    std::vector<OnceSeconds> ends(stages.size(), OnceSeconds{});
    const auto at = [](auto& all, int stage, int part) -> double& {
      return all[static_cast<std::size_t>(stage)][static_cast<std::size_t>(part)];
    };
    // Parts wait for no later ones: in as many rounds as there are parts all is settled.
    std::size_t rounds = stages.size() * most_once_parts;
    for (bool moved = true; moved && rounds-- > 0;) {
      moved = false;
      std::vector<OnceSeconds> begins(stages.size(), OnceSeconds{});
      for (const OnceSend& send : sends) {
        if (!is_here(send.to_part)) continue;
        double& begin = at(begins, send.to, send.to_part);
        begin = std::max(
            begin,
            send.time + (is_here(send.from_part) ? at(ends, send.from, send.from_part) : 0.0));
      }
      for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        double free = 0;
        for (int part = first; part < first + most_once_parts; ++part) {
          const auto p = static_cast<std::size_t>(part);
          free = std::max(free, begins[stage][p]) + std::max(stages[stage][p], 0.0);
          moved = moved || free > ends[stage][p] * (1 + 1e-12);
          ends[stage][p] = std::max(ends[stage][p], free);
        }
      }
    }
    double last = 0;
    for (const OnceSeconds& stage : ends)
      last = std::max(last, stage[static_cast<std::size_t>(first + most_once_parts - 1)]);
    sum += last;
  }
  return sum;
}

}  // namespace mtfc::plan
