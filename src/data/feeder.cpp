#include "data/feeder.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "data/check_input.h"
#include "data/source_facts.h"
#include "support/program_names.h"
#include "support/text.h"

namespace mtfc::runtime {
namespace {

constexpr double most_steps = 2147483647;  // programs count them in 32 bits

/// As the model names it; empty: examples of the training file are held out.
std::string evaluation_file(const SourceSpec& spec) {
  for (const auto& [name, value] : spec.args)
    if (const auto* path = std::get_if<std::string>(&value); path && name == "eval") return *path;
  return {};
}

}  // namespace

Result<Feeder> Feeder::open(const DataPlan& plan, Split split) {
  Feeder feeder;
  feeder.evaluation_parts_ = plan.evaluation_microbatches;
  std::map<std::string, Source*> opened;
  for (const InputSpec& input : plan.inputs) {
    Source*& source = opened[input.source];
    if (source == nullptr) {
      const auto spec = std::find_if(plan.sources.begin(), plan.sources.end(),
                                     [&](const SourceSpec& s) { return s.name == input.source; });
      if (spec == plan.sources.end())
        return Error{"input `" + input.name + "` has no data source", {}, input.name};
      Result<std::unique_ptr<Source>> fresh = open_source(*spec, plan.seed);
      if (!fresh) return fresh.error();
      source = fresh->get();
      feeder.sources_.push_back(std::move(*fresh));
      feeder.specs_.push_back(*spec);
    }
    if (Status added = feeder.add(input, source); !added) return added.error();
  }
  for (const Feed& feed : feeder.feeds_)
    if (Status ready = feed.source->ready(feed.trained.input, split); !ready) return ready.error();
  feeder.steps_ = plan.steps;
  if (plan.steps <= 0 && plan.epochs > 0) {
    // Data without an end has no epochs: said where the number of steps is asked for.
    const Result<std::int64_t> steps = feeder.steps_of(plan.epochs);
    if (steps) feeder.steps_ = *steps;
  }
  return feeder;
}

Status Feeder::add(const InputSpec& input, Source* source) {
  if (Status accepted = source->accept(input); !accepted) return accepted;
  const bool counted = source->examples(Split::train) != Source::endless;
  for (const Feed& other : feeds_)
    if (other.source == source && counted && other.trained.size() != input.extents[0])
      return Error{"`" + other.trained.input.name + "` and `" + input.name +
                       "` take the same examples of `" + input.source + "`, but " +
                       shape_text(other.trained.input) + " and " + shape_text(input) +
                       " differ in their number",
                   {},
                   input.name};
  InputSpec part = input;
  if (evaluation_parts_ > 1) part.extents[0] /= evaluation_parts_;
  feeds_.push_back(
      {source, {input, Block::whole(input.extents)}, {part, Block::whole(part.extents)}});
  return {};
}

void Feeder::read_parts(const PartOf& part_of) {
  for (Feed& feed : feeds_)
    for (Batch* batch : {&feed.trained, &feed.evaluated})
      batch->part = part_of(batch->input.name, batch->input.extents);
}

void Feeder::spread_by(const Spread& spread) {
  for (const std::unique_ptr<Source>& source : sources_) source->spread_by(spread);
}

Tokenizer* Feeder::tokenizer(const std::string& source) const {
  for (const Feed& feed : feeds_)
    if (feed.trained.input.source == source) return feed.source->tokenizer();
  return nullptr;
}

std::map<std::string, std::string> Feeder::token_tables() const {
  std::map<std::string, std::string> tables;
  for (const Feed& feed : feeds_)
    if (Tokenizer* tokenizer = feed.source->tokenizer();
        tokenizer && !tables.contains(feed.trained.input.source))
      tables[feed.trained.input.source] = token_table_text(tokenizer->table());
  return tables;
}

Facts Feeder::facts(FileNames names) const {
  Facts facts;
  for (const SourceSpec& spec : specs_)
    for (Fact& fact : facts_of(spec, names)) facts.push_back(std::move(fact));
  const auto count = [](std::int64_t examples) {
    return examples == Source::endless ? "without end" : std::to_string(examples);
  };
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const std::string about = " of data source `" + specs_[i].name + "`";
    facts.push_back(
        {"the number of training examples" + about, count(sources_[i]->examples(Split::train))});
    facts.push_back(
        {"the number of evaluation examples" + about, count(sources_[i]->examples(Split::eval))});
  }
  for (const auto& [name, table] : token_tables())
    facts.push_back({"the vocabulary of data source `" + name + "`", digest_of(table)});
  return facts;
}

const Feeder::Feed* Feeder::limiting(Split split) const {
  const Feed* fewest = nullptr;
  const auto batches = [&](const Feed& feed) {
    return feed.source->examples(split) / feed.of(split).size();
  };
  for (const Feed& feed : feeds_) {
    if (feed.source->examples(split) == Source::endless) continue;
    if (fewest == nullptr || batches(feed) < batches(*fewest)) fewest = &feed;
  }
  return fewest;
}

Result<std::int64_t> Feeder::steps_of(double epochs) const {
  const Feed* feed = limiting(Split::train);
  if (feed == nullptr)
    return Error{
        "`epochs` needs finite data; these sources are random", {"say `steps` instead"}, {}};
  const std::int64_t batches = feed->source->examples(Split::train) / feed->trained.size();
  const double steps = epochs * static_cast<double>(batches);
  if (!(steps < most_steps + 0.5))
    return Error{"`epochs` makes " + whole_text(steps) + " steps of " + std::to_string(batches) +
                     " batches; at most 2147483647 can be counted",
                 {"set fewer epochs"},
                 {}};
  return std::max<std::int64_t>(1, std::llround(steps));
}

std::int64_t Feeder::eval_batches() const {
  const Feed* feed = limiting(Split::eval);
  if (feed == nullptr) return evaluation_parts_;
  // One number says which examples of a last part are real: of one batch dimension.
  const std::int64_t size = feed->evaluated.size(), padded = one_batch_dimension() ? size - 1 : 0;
  return (feed->source->examples(Split::eval) + padded) / size;
}

std::string Feeder::too_little_to_evaluate() const {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (std::string why = sources_[i]->too_little_to_evaluate(); !why.empty()) return why;
    const std::string file = evaluation_file(specs_[i]);
    if (!file.empty() && sources_[i]->examples(Split::eval) == 0)
      return "`" + file + "` has no examples";
  }
  const Feed* feed = limiting(Split::eval);
  if (feed == nullptr || feed->source->examples(Split::eval) == 0 || eval_batches() > 0) return {};
  return "`" + feed->evaluated.input.source + "` has " +
         counted(feed->source->examples(Split::eval), "example") +
         " to evaluate, and a batch of `" + feed->evaluated.input.name + "` is " +
         std::to_string(feed->evaluated.size()) +
         ": of several batch dimensions whole batches are taken";
}

std::vector<std::string> Feeder::left_out_of_evaluation() const {
  std::vector<std::string> all;
  const Feed* fewest = limiting(Split::eval);
  const std::int64_t batches = eval_batches();
  for (const Feed& feed : feeds_) {
    const std::int64_t examples = feed.source->examples(Split::eval);
    const std::int64_t taken = one_batch_dimension() && fewest != nullptr
                                   ? fewest->source->examples(Split::eval)
                                   : batches * feed.evaluated.size();
    if (examples == Source::endless || batches == 0 || taken >= examples) continue;
    std::string sentence = "`" + feed.evaluated.input.source + "`: " + std::to_string(taken) +
                           " of " + counted(examples, "example") + " are evaluated, in " +
                           (batches == 1 ? "1 batch" : std::to_string(batches) + " batches") +
                           ": all inputs have as many" +
                           (one_batch_dimension() ? "" : ", and whole ones");
    if (std::find(all.begin(), all.end(), sentence) == all.end())
      all.push_back(std::move(sentence));
  }
  return all;
}

bool Feeder::one_batch_dimension() const {
  const auto dimension = [](const Feed& feed) {
    const std::vector<std::string>& dims = feed.evaluated.input.dims;
    return dims.empty() ? std::string() : dims[0];
  };
  return std::all_of(feeds_.begin(), feeds_.end(), [&](const Feed& feed) {
    return feed.source->examples(Split::eval) == Source::endless ||
           (feed.evaluated.size() == feeds_[0].evaluated.size() &&
            dimension(feed) == dimension(feeds_[0]));
  });
}

Status Feeder::fill(Split split, std::int64_t number, Feeds& feeds) {
  std::int64_t examples = 0;
  for (const Feed& feed : feeds_) {
    const auto& [input, part] = feed.of(split);
    HostTensor& tensor = feeds[input.name];
    if (tensor.extents != part.extents || tensor.data.empty())
      tensor = HostTensor::zeros(input.dtype, part.extents);
    const BatchIndex index{split, number, feed.of(split).size()};
    if (Status filled = feed.source->fill(input, index, part, tensor); !filled) return filled;
    amount_.bytes += static_cast<std::int64_t>(tensor.data.size());
    // Of the first input that this process reads anything of.
    if (examples == 0 && !part.extents.empty()) examples = part.extents[0];
  }
  amount_.examples += examples;
  return {};
}

Status Feeder::train(std::int64_t step, Feeds& feeds) {
  set_scalar(feeds, feed_names::step, step);
  set_scalar(feeds, feed_names::steps, steps_);
  return fill(Split::train, step, feeds);
}

Status Feeder::eval(std::int64_t batch, Feeds& feeds) {
  const Feed* feed = limiting(Split::eval);
  const std::int64_t size = feeds_.empty() ? 1 : feeds_[0].evaluated.size();
  std::int64_t examples = size;
  if (feed != nullptr && one_batch_dimension())
    examples = std::min(size, feed->source->examples(Split::eval) - batch * size);
  set_scalar(feeds, feed_names::examples, examples);
  set_scalar(feeds, feed_names::first_example, batch * size);
  set_scalar(feeds, feed_names::step, 0);
  return fill(Split::eval, batch, feeds);
}

}  // namespace mtfc::runtime
