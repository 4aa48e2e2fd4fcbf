// The generation loop on an engine whose logits are a function of the text: samples, beam search
// and prompts of unequal length against brute force.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "kernels/random.h"
#include "support/program_names.h"
#include "train/generate/generate.h"

namespace train_generate_test {

using namespace mtfc;
using namespace mtfc::runtime;

namespace {

constexpr std::int64_t vocab = 4;

/// The logits after a text: any function of all its ids will do.
std::vector<double> logits_after(const Ids& text) {
  std::uint64_t key = 7;
  for (const std::int32_t id : text) key = key * 1000003 + static_cast<std::uint64_t>(id) + 1;
  std::vector<double> logits;
  for (std::int64_t v = 0; v < vocab; ++v) logits.push_back(4 * uniform(key, 0, v));
  return logits;
}

/// Keeps the texts that prefill and steps give it, as caches do.
class Speaker : public Engine {
 public:
  Speaker(std::int64_t rows, std::vector<std::int64_t> windows) {
    plan.rows = rows;
    plan.windows = std::move(windows);
    plan.vocab = vocab;
  }
  GenerationPlan plan;
  std::vector<std::string> runs;
  bool broken = false;

  bool has_program(std::string_view) const override { return true; }
  void run(std::string_view program, const Feeds& feeds, std::vector<Fetched>& fetched) override {
    runs.emplace_back(program);
    const std::string name(program);
    if (name.starts_with("grow")) return;
    if (name.starts_with("reorder")) return reorder(feeds.at(feed_names::order_of_rows));
    const HostTensor& ids = feeds.at(feed_names::generated_ids);
    const auto position = static_cast<std::int64_t>(feeds.at(feed_names::position).scalar());
    const std::int64_t columns = ids.extents[1];
    const bool all = name.starts_with("prefill");
    REQUIRE(columns == (all ? std::stoll(name.substr(8)) : 1));
    texts_.resize(static_cast<std::size_t>(plan.rows));
    HostTensor logits = HostTensor::zeros(DType::f32, {plan.rows, 1, vocab});
    for (std::int64_t row = 0; row < plan.rows; ++row) {
      Ids& text = texts_[static_cast<std::size_t>(row)];
      const auto* own = ids.as<std::int32_t>() + row * columns;
      if (all)
        text.assign(own, own + position + 1);
      else
        text.push_back(own[0]);
      REQUIRE(static_cast<std::int64_t>(text.size()) == position + 1);
      const std::vector<double> next = logits_after(text);
      for (std::int64_t v = 0; v < vocab; ++v)
        logits.as<float>()[row * vocab + v] =
            broken ? NAN : static_cast<float>(next[static_cast<std::size_t>(v)]);
    }
    fetched.push_back({"tensor", "logits", std::move(logits)});
  }
  std::vector<VariableInfo> variables() const override { return {}; }
  HostTensor variable(std::string_view) override { return {}; }
  void set_variable(std::string_view, const HostTensor&) override {}
  Counters counters(std::string_view) const override { return {}; }

 private:
  void reorder(const HostTensor& order) {
    std::vector<Ids> texts;
    for (std::int64_t row = 0; row < plan.rows; ++row)
      texts.push_back(texts_[static_cast<std::size_t>(order.as<std::int32_t>()[row])]);
    texts_ = texts;
  }
  std::vector<Ids> texts_;
};

GenerationResult go(Speaker& speaker, const GenerationTask& task) {
  Decoder decoder(speaker, speaker.plan);
  auto result = generate(decoder, speaker.plan, task);
  REQUIRE(result);
  return std::move(*result);
}

std::vector<double> log_softmax(const Ids& text) {
  std::vector<double> logits = logits_after(text);
  for (double& l : logits) l = static_cast<float>(l);
  double sum = 0;
  for (const double l : logits) sum += std::exp(l);
  for (double& l : logits) l -= std::log(sum);
  return logits;
}

/// All texts of at most `most` new ids, finished where the stop comes, with their scores.
void enumerate(const Ids& prompt, Ids text, double log_probability, std::int64_t most, double alpha,
               std::vector<NewText>& found) {
  Ids whole = prompt;
  whole.insert(whole.end(), text.begin(), text.end());
  const std::vector<double> next = log_softmax(whole);
  for (std::int32_t id = 0; id < vocab; ++id) {
    const double sum = log_probability + next[static_cast<std::size_t>(id)];
    Ids longer = text;
    longer.push_back(id);
    const auto length = static_cast<double>(longer.size());
    if (id == 0)
      found.push_back({text, true, sum, sum / std::pow((5 + length) / 6, alpha)});
    else if (static_cast<std::int64_t>(longer.size()) < most)
      enumerate(prompt, longer, sum, most, alpha, found);
  }
}

}  // namespace

TEST_CASE("without temperature the likeliest id follows", "[generate]") {
  Speaker speaker(1, {4, 8, 16});
  GenerationTask task;
  task.prompts = {{1, 2}};
  task.tokens = 9;
  const GenerationResult result = go(speaker, task);
  Ids text{1, 2};
  for (int i = 0; i < 9; ++i) {
    const std::vector<double> next = logits_after(text);
    text.push_back(
        static_cast<std::int32_t>(std::max_element(next.begin(), next.end()) - next.begin()));
  }
  CHECK(result.texts[0][0].ids == Ids(text.begin() + 2, text.end()));
  CHECK(speaker.runs == std::vector<std::string>{"prefill_4", "step_4", "step_4", "grow_8",
                                                 "step_8", "step_8", "step_8", "step_8", "grow_16",
                                                 "step_16", "step_16"});
}

TEST_CASE("prompts of unequal length give what each gives alone", "[generate]") {
  GenerationTask task;
  task.prompts = {{1}, {2, 3, 1, 1, 2, 3}, {3, 3, 1}};
  task.tokens = 5;
  Speaker speaker(4, {4, 16});  // one row more than there are prompts
  const GenerationResult together = go(speaker, task);
  for (std::size_t i = 0; i < task.prompts.size(); ++i) {
    GenerationTask one = task;
    one.prompts = {task.prompts[i]};
    Speaker alone(1, {4, 16});
    CHECK(go(alone, one).texts[0][0].ids == together.texts[i][0].ids);
  }
  task.beam.emplace();
  task.beam->beams = 2;
  Speaker searching(6, {4, 16});
  const GenerationResult searched = go(searching, task);
  for (std::size_t i = 0; i < task.prompts.size(); ++i) {
    GenerationTask one = task;
    one.prompts = {task.prompts[i]};
    Speaker alone(2, {16});
    CHECK(go(alone, one).texts[0][0].ids == searched.texts[i][0].ids);
  }
}

TEST_CASE("a wide beam finds the best of all texts", "[generate]") {
  for (const double alpha : {0.0, 0.6, 2.0}) {
    for (std::int32_t first = 0; first < vocab; ++first) {
      const Ids prompt{first, 1};
      std::vector<NewText> all;
      enumerate(prompt, {}, 0, 4, alpha, all);
      std::sort(all.begin(), all.end(),
                [](const NewText& a, const NewText& b) { return a.score > b.score; });
      GenerationTask task;
      task.prompts = {prompt};
      task.tokens = 4;
      task.stop = 0;
      task.beam.emplace();
      task.beam->beams = 64;  // as many as there are texts of three ids
      task.beam->length_penalty = alpha;
      Speaker speaker(64, {16});
      const auto found = go(speaker, task).texts[0];
      REQUIRE(!found.empty());
      for (std::size_t i = 0; i < 5; ++i) {
        INFO("alpha " << alpha << " first " << first << " place " << i);
        CHECK(found[i].ids == all[i].ids);
        CHECK(found[i].ended);
        CHECK(found[i].score == Approx(all[i].score));
        CHECK(found[i].log_probability == Approx(all[i].log_probability));
      }
    }
  }
}

TEST_CASE("a beam of one without a stop is greedy", "[generate]") {
  GenerationTask task;
  task.prompts = {{2}};
  task.tokens = 6;
  Speaker greedy(1, {16});
  const Ids expected = go(greedy, task).texts[0][0].ids;
  task.beam.emplace();
  task.beam->beams = 1;
  Speaker searching(1, {16});
  CHECK(go(searching, task).texts[0][0].ids == expected);
}

TEST_CASE("the length penalty has the values of Wu et al.", "[generate]") {
  CHECK(length_penalty(1, 0.6) == 1);
  CHECK(length_penalty(10, 0.6) == Approx(1.7328).epsilon(1e-4));
  CHECK(length_penalty(7, 0) == 1);
}

TEST_CASE("samples follow the distribution", "[generate]") {
  const std::vector<double> logits = {1, 3, -1, 2, 0};
  for (const double temperature : {0.5, 1.0, 3.0}) {
    for (const std::int64_t k : {0, 1, 2, 4, 9}) {
      Sampling sampling{temperature, k, random_key(3, "generate")};
      std::vector<double> weight(5);
      std::vector<std::pair<double, int>> order;
      for (int i = 0; i < 5; ++i) order.push_back({-logits[static_cast<std::size_t>(i)], i});
      std::sort(order.begin(), order.end());
      double sum = 0;
      for (std::size_t i = 0; i < 5; ++i) {
        if (k > 0 && i >= static_cast<std::size_t>(k)) break;
        const auto at = static_cast<std::size_t>(order[i].second);
        sum += weight[at] = std::exp(logits[at] / temperature);
      }
      constexpr int samples = 40000;
      std::vector<double> count(5);
      for (int i = 0; i < samples; ++i)
        ++count[static_cast<std::size_t>(*choose(logits, sampling, i % 200, i / 200))];
      for (std::size_t i = 0; i < 5; ++i) {
        const double p = weight[i] / sum;
        INFO("T " << temperature << " k " << k << " id " << i);
        CHECK(std::fabs(count[i] - samples * p) <= 5 * std::sqrt(samples * p * (1 - p)) + 1e-9);
      }
    }
  }
}

TEST_CASE("a random sample depends on seed, text and position alone", "[generate]") {
  const std::vector<double> logits(50, 0.0);
  const Sampling a{1, 0, random_key(1, "generate")}, b{1, 0, random_key(2, "generate")};
  CHECK(choose(logits, a, 3, 4) == choose(logits, a, 3, 4));
  int same = 0;
  for (int i = 0; i < 100; ++i) {
    same += choose(logits, a, 0, i) == choose(logits, b, 0, i);
    same += choose(logits, a, 0, i) == choose(logits, a, 1, i);
  }
  CHECK(same < 20);
}

TEST_CASE("logits that are no numbers end the run, infinite ones do not", "[generate]") {
  CHECK_FALSE(choose({1, NAN}, {}, 0, 0));
  CHECK_FALSE(choose({-INFINITY, -INFINITY}, {}, 0, 0));
  CHECK(choose({-INFINITY, 1}, {1, 0, 5}, 0, 0) == 1);
  Speaker speaker(1, {8});
  speaker.broken = true;
  GenerationTask task;
  task.prompts = {{1, 1}};
  task.tokens = 3;
  Decoder decoder(speaker, speaker.plan);
  const auto result = generate(decoder, speaker.plan, task);
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "the logits at position 1 are not numbers");
}

TEST_CASE("a text longer than the model goes on from its last half", "[generate]") {
  Speaker speaker(1, {8});
  GenerationTask task;
  task.prompts = {{1, 2, 3, 1, 2, 3}};
  task.tokens = 10;
  Decoder decoder(speaker, speaker.plan);
  const auto result = generate(decoder, speaker.plan, task);
  REQUIRE(result);
  CHECK(decoder.has_slid());
  CHECK(result->texts[0][0].ids.size() == 10);
  // Six ids, two steps to eight; then four are read, and so on.
  CHECK(std::count(speaker.runs.begin(), speaker.runs.end(), "prefill_8") == 3);
}

TEST_CASE("the stop ends a text and is not part of it", "[generate]") {
  GenerationTask task;
  task.prompts = {{1}, {2}, {3}, {1, 1}};
  task.tokens = 12;
  task.stop = 0;
  std::map<std::size_t, Ids> told;
  task.on_id = [&](std::size_t text, std::int32_t id) { told[text].push_back(id); };
  Speaker speaker(4, {32});
  const GenerationResult result = go(speaker, task);
  for (std::size_t i = 0; i < 4; ++i) {
    const NewText& text = result.texts[i][0];
    CHECK(std::count(text.ids.begin(), text.ids.end(), 0) == 0);
    CHECK((text.ended || text.ids.size() == 12));
    CHECK(told[i] == text.ids);
  }
}

}  // namespace train_generate_test
