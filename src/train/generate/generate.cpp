#include "train/generate/generate.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "support/seconds_since.h"

namespace mtfc::runtime {
namespace {

using Clock = std::chrono::steady_clock;

Error not_numbers(std::int64_t position) {
  return {"the logits at position " + std::to_string(position) + " are not numbers", {}, {}};
}

/// What is appended at one position.
struct Next {
  Ids ids;    // by row
  Ids order;  // by row: the row that it goes on from
};

/// How the texts of one prompt, in adjacent rows, go on. Inside the prompt its own ids are taken.
class Choice {
 public:
  virtual ~Choice() = default;
  /// The ids at place `length` of the rows from `first` on. False: the logits are not numbers.
  virtual bool choose(const Decoder& decoder, std::size_t first, Next& next) = 0;
  virtual bool done() const = 0;
  virtual std::vector<NewText> texts() const = 0;
};

class Sampled : public Choice {
 public:
  Sampled(const GenerationTask& task, std::size_t text) : task_(task), text_(text) {}

  bool choose(const Decoder& decoder, std::size_t first, Next& next) override {
    const auto id =
        runtime::choose(decoder.logits(first), task_.sampling,
                        task_.first + static_cast<std::int64_t>(text_), decoder.length());
    if (!id) return false;
    next.ids[first] = *id;
    new_.ended = task_.stop && *id == *task_.stop;
    if (new_.ended) return true;
    new_.ids.push_back(*id);
    if (task_.on_id) task_.on_id(text_, *id);
    return true;
  }
  bool done() const override {
    return new_.ended || static_cast<std::int64_t>(new_.ids.size()) >= task_.tokens;
  }
  std::vector<NewText> texts() const override { return {new_}; }

 private:
  const GenerationTask& task_;
  const std::size_t text_;
  NewText new_;
};

class Searched : public Choice {
 public:
  explicit Searched(const BeamOptions& options) : options_(options), beam_(options) {}

  bool choose(const Decoder& decoder, std::size_t first, Next& next) override {
    std::vector<std::vector<double>> all;
    for (std::size_t i = 0; i < beam_.alive().size(); ++i) {
      auto log_probabilities = runtime::log_probabilities(decoder.logits(first + i));
      if (!log_probabilities) return false;
      all.push_back(std::move(*log_probabilities));
    }
    beam_.step(all);
    for (std::size_t i = 0; i < beam_.alive().size(); ++i) {
      next.order[first + i] = static_cast<std::int32_t>(first + beam_.parents()[i]);
      next.ids[first + i] = beam_.alive()[i].ids.back();
    }
    return true;
  }
  bool done() const override { return beam_.done(); }
  std::vector<NewText> texts() const override {
    std::vector<NewText> texts;
    for (const Beam::Text& text : beam_.result()) {
      NewText result{text.ids, false, text.log_probability, text.score};
      result.ended = options_.stop && !text.ids.empty() && text.ids.back() == *options_.stop;
      if (result.ended) result.ids.pop_back();
      texts.push_back(std::move(result));
    }
    return texts;
  }

 private:
  const BeamOptions options_;
  Beam beam_;
};

std::int64_t rows_of(const GenerationTask& task) { return task.beam ? task.beam->beams : 1; }

class Loop {
 public:
  Loop(Decoder& decoder, const GenerationPlan& plan, const GenerationTask& task)
      : decoder_(decoder), plan_(plan), task_(task) {
    for (std::size_t text = 0; text < task.prompts.size(); ++text) {
      if (task.beam)
        choices_.push_back(std::make_unique<Searched>(beam_options()));
      else
        choices_.push_back(std::make_unique<Sampled>(task, text));
    }
  }

  Result<GenerationResult> run() {
    GenerationResult result;
    const Clock::time_point begin = Clock::now();
    read_prompts();
    result.prompt_seconds = seconds_since(begin);
    result.seconds.resize(static_cast<std::size_t>(decoder_.length()));
    Clock::time_point last = Clock::now();
    while (task_.tokens > 0) {
      Next next = stay();
      if (!choose(next)) return not_numbers(decoder_.length() - 1);
      if (all_done() || (task_.interrupted && task_.interrupted())) break;
      decoder_.reorder(next.order);
      decoder_.append(next.ids);
      result.seconds.push_back(seconds_since(last));
      last = Clock::now();
    }
    for (const auto& choice : choices_) result.texts.push_back(choice->texts());
    return result;
  }

 private:
  BeamOptions beam_options() const {
    BeamOptions options = *task_.beam;
    options.stop = task_.stop;
    options.most = task_.tokens;
    return options;
  }
  std::size_t width() const { return static_cast<std::size_t>(rows_of(task_)); }
  /// Surplus rows repeat the first prompt.
  const Ids& prompt(std::size_t row) const {
    return task_.prompts[row / width() < task_.prompts.size() ? row / width() : 0];
  }

  void read_prompts() {
    std::size_t shortest = task_.prompts[0].size();
    for (const Ids& prompt : task_.prompts) shortest = std::min(shortest, prompt.size());
    std::vector<Ids> texts;
    for (std::size_t row = 0; row < static_cast<std::size_t>(plan_.rows); ++row)
      texts.emplace_back(prompt(row).begin(),
                         prompt(row).begin() + static_cast<std::ptrdiff_t>(shortest));
    decoder_.read(std::move(texts));
  }

  /// Every row goes on from itself: within its prompt, or with an id that does not matter.
  Next stay() const {
    Next next;
    const auto at = static_cast<std::size_t>(decoder_.length());
    for (std::size_t row = 0; row < static_cast<std::size_t>(plan_.rows); ++row) {
      next.order.push_back(static_cast<std::int32_t>(row));
      next.ids.push_back(at < prompt(row).size() ? prompt(row)[at] : 0);
    }
    return next;
  }

  bool choose(Next& next) {
    for (std::size_t text = 0; text < choices_.size(); ++text) {
      const bool inside = static_cast<std::size_t>(decoder_.length()) < task_.prompts[text].size();
      if (inside || choices_[text]->done()) continue;
      if (!choices_[text]->choose(decoder_, text * width(), next)) return false;
    }
    return true;
  }
  bool all_done() const {
    return std::all_of(choices_.begin(), choices_.end(),
                       [](const auto& choice) { return choice->done(); });
  }

  Decoder& decoder_;
  const GenerationPlan& plan_;
  const GenerationTask& task_;
  std::vector<std::unique_ptr<Choice>> choices_;
};

}  // namespace

Result<GenerationResult> generate(Decoder& decoder, const GenerationPlan& plan,
                                  const GenerationTask& task) {
  return Loop(decoder, plan, task).run();
}

}  // namespace mtfc::runtime
