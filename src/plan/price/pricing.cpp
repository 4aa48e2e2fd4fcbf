#include "plan/price/pricing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "layout/stages.h"
#include "plan/price/cut.h"
#include "plan/price/few_iterations.h"
#include "plan/price/unlike_costs.h"
#include "plan/space/examples.h"
#include "predict/predict_pipeline.h"
#include "predict/timeline.h"
#include "support/at_once.h"

namespace mtfc::plan {
namespace {

using cost::Work;

// By what share a step that is added up from few iterations was off at most (docs/plan.md).
constexpr double slack_of_steps = 0.01, slack_of_stages = 0.02, slack_of_unlike_stages = 0.06;

/// Adds one program of the step.
void add(Price& price, const Program& program, const cost::ProgramWork& work,
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

/// Of a model with `further` iterations more than `less`; `more` has one of them. What is in use at
/// one time is taken for a sum over iterations, by phase: what is the most with few may be in
/// another phase than with many. The holes between buffers are not: there are about as many.
Price of_many(Price less, Price more, double further) {
  const auto all = [&](double a, double b) { return a + further * (b - a); };
  const double hole = std::max(less.holes(), more.holes());
  const double before = std::max(less.memory, more.memory);
  for (std::size_t i = 0; i < less.in_use.size(); ++i)
    less.in_use[i] = all(less.in_use[i], more.in_use[i]);
  for (double Price::*figure :
       {&Price::step, &Price::computing, &Price::floor, &Price::variables, &Price::evaluation})
    less.*figure = all(less.*figure, more.*figure);
  // More iterations never hold less.
  less.memory = std::max(less.variables + less.most_in_use() + hole, before);
  less.is_whole = false;
  less.shares.front().weight -= further;
  less.shares.push_back({further, std::move(more.shares.front().outline)});
  return less;
}

/// All cuts, where they are no more than what block by block is compiled.
std::optional<std::vector<std::vector<std::int64_t>>> few_cuts(const Pipeline& pipeline) {
  return all_cuts(pipeline.chain.blocks, pipeline.stages, UnlikeCosts::compiled);
}

Choice as_cut(const Choice& choice, std::vector<std::int64_t> blocks, Schedule schedule,
              int chunks) {
  Choice cut = choice;
  cut.pipeline->blocks = std::move(blocks);
  cut.pipeline->schedule = schedule;
  cut.pipeline->chunks = chunks;
  return cut;
}

/// Each stage in several chunks, all alike.
std::vector<Choice> interleaved(const Choice& choice) {
  const Pipeline& pipeline = *choice.pipeline;
  std::vector<Choice> cuts;
  if (lowering::can_interleave(pipeline.stages, choice.microbatches))
    for (const int chunks : chunk_numbers(pipeline))
      cuts.push_back(as_cut(choice, lowering::even_blocks(pipeline.chain.blocks, pipeline.stages),
                            Schedule::interleaved, chunks));
  return cuts;
}

}  // namespace

std::optional<predict::MappedStages> mapped_stages(const Choice& choice,
                                                   const predict::Machine& machine) {
  return predict::map_stages(meshes_of(choice), machine);
}

std::vector<predict::Mapping> mappings_of(const Choice& choice, const predict::Machine& machine) {
  std::vector<predict::Mapping> mappings;
  if (!choice.pipeline) {
    if (auto mapping = predict::map_mesh(choice.mesh, machine))
      mappings.push_back(std::move(*mapping));
  } else if (const auto mapped = mapped_stages(choice, machine)) {
    for (const predict::MappedStage& stage : mapped->stages) mappings.push_back(stage.mapping);
  }
  return mappings;
}

void Price::count_outside(double bytes, const std::string& at) {
  if (bytes <= memory) return;
  in_steps = memory;
  memory = bytes;
  when = at;
}

double Price::most_in_use() const { return *std::max_element(in_use.begin(), in_use.end()); }

double Price::holes() const { return memory - variables - most_in_use(); }

double Price::step_at(std::size_t level, double factor) const {
  double sum = 0;
  if (shares.empty()) {
    // Between two factors the step is about linear in the seconds that a byte takes.
    const std::vector<double>& steps = slower[level];
    if (steps.empty() || factor >= 1) return step;
    const double at = std::min(-std::log2(factor) * SlowerLinks::per_octave,
                               static_cast<double>(SlowerLinks::steps));
    const int before = std::min(static_cast<int>(at), SlowerLinks::steps - 1);
    const auto slowness = [](int i) {
      return std::exp2(static_cast<double>(i) / SlowerLinks::per_octave);
    };
    const auto step_of = [&](int i) {
      return i == 0 ? step : steps[static_cast<std::size_t>(i - 1)];
    };
    const double share =
        (1 / factor - slowness(before)) / (slowness(before + 1) - slowness(before));
    return step_of(before) + share * (step_of(before + 1) - step_of(before));
  }
  for (const Share& share : shares) sum += share.weight * seconds_of(share.outline, level, factor);
  return sum;
}

void Price::keep_slower() {
  if (shares.empty()) return;
  const auto carries = [&](std::size_t level) {
    return std::any_of(shares.begin(), shares.end(), [&](const Share& share) {
      const auto& parts = share.outline.parts;
      return std::any_of(parts.begin(), parts.end(), [&](const Outline::Part& part) {
        return std::any_of(part.events.begin(), part.events.end(),
                           [&](const Outline::Event& event) { return event.carried[level] > 0; });
      });
    });
  };
  for (std::size_t level = 0; level < most_levels; ++level)
    if (carries(level))
      for (int i = 1; i <= SlowerLinks::steps; ++i)
        slower[level].push_back(
            step_at(level, std::exp2(-static_cast<double>(i) / SlowerLinks::per_octave)));
  has_slower = true;
  shares.clear();
}

Pricer::Pricer(const Models& models, const SourceMap& sources, const predict::Machine& machine,
               Layout given, Submeshes submeshes)
    : models_(models),
      machine_(machine),
      given_(std::move(given)),
      submeshes_(std::move(submeshes)),
      compiler_(sources, given_, machine.chip.detail()),
      one_more_(sources, given_, machine.chip.detail()) {
  if (const Model* model = models.find(1)) examples_ = example_names(*model);
}

std::optional<Price> Pricer::price(Compiler& compiler, const Choice& choice,
                                   const Model* model) const {
  if (!model) return std::nullopt;
  const std::optional<predict::Mapping> mapping = predict::map_mesh(choice.mesh, machine_);
  if (!mapping) return std::nullopt;
  const std::optional<Compiled> made = compiler.compile(choice, *model);
  if (!made) return std::nullopt;
  Price price;
  Outline outline;
  const ExampleNames examples = examples_.of(choice);
  for (const cost::ProgramWork& work : made->work) {
    const Program& program = *made->module.find(work.program);
    const std::vector<predict::Timed> timed =
        predict::timeline(work.instructions, machine_, *mapping);
    add(price, program, work, timed, {made->module, program, examples}, machine_.chip);
    outline.parts.push_back(outline_of(work, timed, machine_, *mapping));
  }
  price.shares.push_back({1, std::move(outline)});
  price.variables = static_cast<double>(made->variables);
  price.memory = static_cast<double>(made->memory);
  price.evaluation = static_cast<double>(made->evaluation);
  for (std::size_t i = 0; i < made->in_use.size(); ++i)
    price.in_use.at(i) = static_cast<double>(made->in_use.at(i));
  return price;
}

std::optional<Price> Pricer::whole(const Choice& choice) {
  if (choice.pipeline) return whole_pipeline(choice);
  ++whole_ones_;
  std::optional<Price> found = price(compiler_, choice, models_.find(choice.microbatches));
  if (found) found->count_outside(found->evaluation, cost::in_an_evaluation);
  return found;
}

void Pricer::count_beside_step(const Choice& choice, Price& price) {
  const Model* model = models_.find(choice.microbatches);
  if (!model || std::exchange(price.counts_outside, true)) return;
  if (const auto most = compiler_.most_memory(choice, *model); most && !most->when.empty())
    price.count_outside(static_cast<double>(most->bytes), most->when);
}

std::optional<Price> Pricer::predicted(const Choice& choice, double memory) {
  std::optional<Price> price = looked_at(choice, memory);
  if (!price || price->is_whole) return price;
  price->count_outside(price->evaluation, cost::in_an_evaluation);
  if (!choice.pipeline) price->slack = slack_of_steps;
  return price;
}

Margin Pricer::margin_of(const Choice& choice, bool reaches_over) {
  const Share mostly = choice.pipeline->chain.is_priced_by_iterations()
                           ? Share{slack_of_stages, memory_slack}
                           : Share{slack_of_unlike_stages, memory_slack_unlike};
  return {mostly, reaches_over ? Share{slack_of_reaching, slack_of_reaching} : mostly};
}

std::optional<Price> Pricer::looked_at(const Choice& choice, double memory) {
  if (choice.pipeline && choice.pipeline->given) return whole(choice);
  if (choice.pipeline && choice.pipeline->submeshes) return cut_into_submeshes(choice, memory);
  if (choice.pipeline)
    return choice.pipeline->chain.is_priced_by_iterations() ? cut_by_few(choice, memory)
           : few_cuts(*choice.pipeline)                     ? cut_in_all_ways(choice, memory)
                                                            : cut_block_by_block(choice, memory);
  return choice.recompute == Recompute::none ? of_iterations(choice) : recomputed(choice, memory);
}

std::optional<Price> Pricer::of_iterations(const Choice& choice) {
  const std::int64_t few = few_iterations(models_, choice, given_);
  if (models_.iterations() < std::max(many_iterations, few + 2)) return whole(choice);
  const Model* small = models_.find(choice.microbatches, few);
  const Model* larger = models_.find(choice.microbatches, few + 1);
  auto [less, more] = at_once([&] { return price(compiler_, choice, small); },
                              [&] { return price(one_more_, choice, larger); });
  if (!less || !more) return std::nullopt;
  const auto further = static_cast<double>(models_.iterations() - few);
  return of_many(std::move(*less), std::move(*more), further);
}

std::optional<Price> Pricer::whole_pipeline(const Choice& choice) {
  const Model* model = models_.find(choice.microbatches);
  const std::optional<predict::MappedStages> mapped = mapped_stages(choice, machine_);
  if (!model || !mapped) return std::nullopt;
  const std::optional<CompiledPipeline> made = compiler_.compile_pipeline(choice, *model, true);
  if (!made) return std::nullopt;
  const std::vector<StageFigures> stages =
      figures_of(*made, examples_.of(choice), machine_, *mapped);
  const int chunks = choice.pipeline->chunks;
  Price price;
  price.step = predict::predict(made->module, made->cost, machine_, *mapped).step;
  price.memory = static_cast<double>(made->cost.most_memory());
  price.computing = least_step(stages, chunks, choice.microbatches, Seconds::computing);
  price.floor = least_step(stages, chunks, choice.microbatches, Seconds::floor);
  price.least = price.step;
  for (const StageFigures& one : stages)
    price.variables = std::max(price.variables, one.variables + one.crossing);
  return price;
}

/// Where there are few: each is compiled.
std::optional<Price> Pricer::cut_in_all_ways(const Choice& choice, double memory) {
  std::optional<Price> best, fastest;
  double floor = 0;
  const auto look_at = [&](const Choice& cut) {
    std::optional<Price> price = whole_pipeline(cut);
    if (!price) return;
    floor = best ? std::min(floor, price->floor) : price->floor;
    if (!fastest || is_preferred(*price, *fastest, std::numeric_limits<double>::infinity()))
      fastest = price;
    if (best && !is_preferred(*price, *best, memory)) return;
    if (price->memory <= memory) count_beside_step(cut, *price);
    if (best && !is_preferred(*price, *best, memory)) return;
    best = std::move(price);
    best->pipeline = cut.pipeline;
  };
  const auto all = few_cuts(*choice.pipeline);
  for (const std::vector<std::int64_t>& blocks : *all)
    for (const Schedule schedule : {Schedule::one_f_one_b, Schedule::gpipe})
      look_at(as_cut(choice, blocks, schedule, 1));
  for (const Choice& cut : interleaved(choice)) look_at(cut);
  if (!best) return best;
  best->floor = floor;
  best->short_of_memory = fastest->memory > memory;
  return best;
}

void Pricer::add_interleaved(const Choice& choice, double memory, Price& best) {
  OtherCuts others = *best.others;
  const bool all = best.least >= best.step;
  for (const Choice& cut : interleaved(choice)) {
    std::optional<Price> price = whole_pipeline(cut);
    if (!price) continue;
    price->is_whole = false;  // it stands beside what is not
    price->pipeline = cut.pipeline;
    price->floor = best.floor = std::min(best.floor, price->floor);
    price->computing = best.computing = std::min(best.computing, price->computing);
    // Of what was not priced, if there is such.
    price->least = all ? price->step : std::min(best.least, price->step);
    price->short_of_memory = best.short_of_memory;
    others.near.push_back(*price);
    if (is_preferred(*price, best, memory)) best = std::move(*price);
  }
  std::stable_sort(others.near.begin(), others.near.end(),
                   [](const Price& a, const Price& b) { return a.step < b.step; });
  best.others = std::make_shared<const OtherCuts>(std::move(others));
}

double Pricer::few_share(const Choice& choice) const {
  const auto all = static_cast<double>(models_.iterations());
  const std::int64_t few = few_iterations(models_, choice, given_);
  const std::int64_t compiled = choice.pipeline ? 4 * few + 1 : 2 * few + 1;
  if (choice.pipeline && !choice.pipeline->chain.is_priced_by_iterations())
    return static_cast<double>(UnlikeCosts::compiled);
  return models_.iterations() < many_iterations
             ? 1
             : std::min(1.0, static_cast<double>(compiled) / all);
}

Price price_of(const Cut& cut) {
  Price price;
  price.step = cut.step;
  price.memory = cut.memory;
  price.variables = cut.variables;
  price.is_whole = false;
  price.short_of_memory = cut.short_of_memory;
  return price;
}

std::optional<Price> Pricer::estimated(const Choice& choice) {
  if (!choice.pipeline) return predicted(choice, 0);
  if (models_.iterations() == 0 || choice.pipeline->given) return whole(choice);
  if (choice.pipeline->submeshes) return estimated_on_submeshes(choice);
  const auto mapped = mapped_stages(choice, machine_);
  const auto costs = mapped ? stage_costs(choice, *mapped) : std::nullopt;
  if (!costs) return std::nullopt;
  const Pipeline& pipeline = *choice.pipeline;
  const CutProblem problem{*costs, pipeline.stages, pipeline.chain.blocks, choice.microbatches,
                           std::numeric_limits<double>::infinity()};
  return price_of(priced(problem, pipeline.blocks, pipeline.schedule, pipeline.chunks));
}

std::optional<CompiledPipeline> Pricer::cut_as(Compiler& compiler, const Choice& choice,
                                               const std::vector<std::int64_t>& blocks) const {
  const auto iterations = std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0});
  const Model* model = models_.find(choice.microbatches, iterations);
  if (!model) return std::nullopt;
  Choice small = choice;
  small.pipeline->blocks = blocks;
  small.pipeline->stages = static_cast<int>(blocks.size());
  small.pipeline->schedule = Schedule::one_f_one_b;
  small.pipeline->chunks = 1;
  return compiler.compile_pipeline(small, *model, false);
}

std::optional<StageCosts> Pricer::stage_costs(const Choice& choice,
                                              const predict::MappedStages& mapped) {
  const std::int64_t few = few_iterations(models_, choice, given_);
  const std::int64_t all = models_.iterations(), stages = choice.pipeline->stages;
  // Stages shorter than that are common where there are few iterations or many stages.
  const bool has_shorter = all <= 4 * few + 1 || all < few * stages;
  const std::optional<CompiledPipeline> made =
      cut_as(compiler_, choice, StageCosts::small_cut(few));
  if (!made) return std::nullopt;
  std::vector<CompiledPipeline> shorter;
  for (std::int64_t iterations = 1; has_shorter && iterations < few; ++iterations) {
    std::optional<CompiledPipeline> one =
        cut_as(compiler_, choice, StageCosts::even_cut(iterations));
    if (!one) break;
    shorter.push_back(std::move(*one));
  }
  return StageCosts(few, *made, shorter, examples_.of(choice), machine_, mapped);
}

std::optional<Price> Pricer::cut_by_few(const Choice& choice, double memory) {
  const auto mapped = mapped_stages(choice, machine_);
  const auto costs = mapped ? stage_costs(choice, *mapped) : std::nullopt;
  if (!costs) return std::nullopt;
  const CutProblem problem{*costs,
                           choice.pipeline->stages,
                           choice.pipeline->chain.blocks,
                           choice.microbatches,
                           memory,
                           margin_of(choice, costs->reaches_over())};
  return with_near(problem, best_cuts(problem), *choice.pipeline,
                   [](Pipeline& pipeline, const Cut& cut) { pipeline.chunks = cut.chunks; });
}

}  // namespace mtfc::plan
