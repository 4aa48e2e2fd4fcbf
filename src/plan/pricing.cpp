#include "plan/pricing.h"

#include <algorithm>

#include "plan/examples.h"
#include "predict/timeline.h"

namespace mtfc::plan {
namespace {

using backends::Work;

/// Adds one program of the step.
void add(Price& price, const Program& program, const backends::ProgramWork& work,
         const std::vector<predict::Timed>& timed, const Examples& examples,
         const predict::Chip& chip) {
  const auto times = static_cast<double>(work.times);
  for (std::size_t i = 0; i < timed.size(); ++i) {
    const Work& one = work.instructions[i];
    if (timed[i].bound != predict::Timed::Bound::exposed)
      price.computing += timed[i].seconds() * times;
    price.floor += examples.seconds(program.instructions[i], one, timed[i], chip) * times;
  }
  if (!timed.empty()) price.step += timed.back().end * times;
}

}  // namespace

double Price::step_at(std::size_t level, double factor) const {
  const double first = seconds_of(outlines.front(), level, factor);
  if (outlines.size() == 1) return first;
  return first + further * (seconds_of(outlines.back(), level, factor) - first);
}

Pricer::Pricer(const Models& models, const SourceMap& sources, const predict::Machine& machine,
               Layout given)
    : models_(models),
      machine_(machine),
      compiler_(sources, std::move(given), machine.chip.detail()) {
  if (const Model* model = models.find(1)) examples_ = example_dims(*model);
}

std::optional<Price> Pricer::price(const Choice& choice, std::int64_t iterations) {
  const Model* model = models_.find(choice.microbatches, iterations);
  if (!model) return std::nullopt;
  const std::optional<predict::Mapping> mapping = predict::map_mesh(choice.mesh, machine_);
  if (!mapping) return std::nullopt;
  const std::optional<Compiled> made = compiler_.compile(choice, *model);
  if (!made) return std::nullopt;
  Price price;
  Outline outline;
  for (const backends::ProgramWork& work : made->work) {
    const Program& program = *made->module.find(work.program);
    const std::vector<predict::Timed> timed =
        predict::timeline(work.instructions, machine_, *mapping);
    add(price, program, work, timed, {made->module, program, examples_}, machine_.chip);
    outline.parts.push_back(outline_of(work, timed, machine_, *mapping));
  }
  price.outlines.push_back(std::move(outline));
  price.variables = static_cast<double>(made->variables);
  price.memory = static_cast<double>(made->memory);
  return price;
}

std::optional<Price> Pricer::whole(const Choice& choice) { return price(choice, 0); }

std::optional<Price> Pricer::predicted(const Choice& choice) {
  if (models_.iterations() < many) return whole(choice);
  std::optional<Price> less = price(choice, few), more = price(choice, few + 1);
  if (!less || !more) return std::nullopt;
  const auto further = static_cast<double>(models_.iterations() - few);
  for (double Price::*figure :
       {&Price::step, &Price::computing, &Price::floor, &Price::variables, &Price::memory})
    *less.*figure += further * (*more.*figure - *less.*figure);
  // The arena is not quite a sum over iterations; more of them never hold less.
  less->memory = std::max({less->memory, more->memory, less->variables});
  less->is_whole = false;
  less->further = further;
  less->outlines.push_back(std::move(more->outlines.front()));
  return less;
}

}  // namespace mtfc::plan
