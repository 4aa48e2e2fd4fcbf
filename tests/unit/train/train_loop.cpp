// The training loop, with an engine that only notes what it is asked.
#include <signal.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

#include "data/files/npz.h"
#include "support/program_names.h"
#include "train/loop/log_file.h"
#include "train/loop/train_loop.h"
#include "unit/support/scratch_folder.h"

namespace train_train_loop_test {

using namespace mtfc;
using namespace mtfc::runtime;

namespace {

HostTensor number(float value) {
  HostTensor tensor = HostTensor::zeros(DType::f32, {});
  *tensor.as<float>() = value;
  return tensor;
}

class Notebook : public Engine {
 public:
  std::vector<std::string> runs;
  std::vector<double> examples;
  int nan_at = -1, signal_at = -1, signal = SIGINT;
  int variable_at = -1;  // after this step the variable is `bad`, while the loss is finite
  float bad = NAN;

  bool has_program(std::string_view) const override { return true; }
  void run(std::string_view program, const Feeds& feeds, std::vector<Fetched>& fetched) override {
    runs.emplace_back(program);
    if (program == "train") {
      const int step = static_cast<int>(feeds.at(feed_names::step).scalar());
      if (step == signal_at) ::raise(signal);
      value = step == variable_at ? bad : value + 1;
      fetched.push_back({"loss", "loss", number(step == nan_at ? NAN : 1.0f / float(step + 1))});
      fetched.push_back({"report", "lr", number(0.1f)});
    }
    if (program == "eval") examples.push_back(feeds.at(feed_names::examples).scalar());
    if (program == "eval_finish") {
      fetched.push_back({"loss", "loss", number(0.5f)});
      fetched.push_back({"loss", "aux", number(0.25f)});
      fetched.push_back({"metric", "accuracy", number(0.75f)});
    }
  }
  std::vector<VariableInfo> variables() const override {
    return {{"a.w", "parameter", DType::f32, {}, {}}};
  }
  float value = 3;
  HostTensor variable(std::string_view) override { return number(value); }
  void set_variable(std::string_view, const HostTensor& to) override { value = *to.as<float>(); }
  Counters counters(std::string_view) const override { return {}; }
};

TrainPlan small_plan(std::int64_t steps) {
  TrainPlan plan;
  plan.sources = {{"x", "gaussian", {{"seed", std::int64_t{1}}}, ""}};
  plan.inputs = {{"x", DType::f32, {2, 3}, {"n", "d"}, "x", "", 0, ""}};
  plan.steps = steps;
  return plan;
}

std::string without_seconds(const std::string& line) {
  const std::size_t at = line.find(",\"seconds\"");
  return at == std::string::npos ? line : line.substr(0, at) + "}";
}

}  // namespace

TEST_CASE("steps and evaluations run in order and are logged", "[loop]") {
  Notebook engine;
  TrainPlan plan = small_plan(5);
  plan.eval_every = 2;
  plan.checkpoint_every = 3;
  std::vector<std::string> lines;
  std::vector<std::pair<std::int64_t, bool>> saves;  // steps, whether just evaluated
  TrainHooks hooks;
  hooks.log = [&](const std::string& line) {
    lines.push_back(without_seconds(line));
    return Status();
  };
  hooks.save = [&](const TrainState& state) {
    saves.emplace_back(state.steps, state.evaluated_now);
    return Status();
  };
  const TrainResult result = run_training(engine, plan, hooks);
  CHECK(result.status == 0);
  CHECK(result.steps == 5);
  CHECK(result.metrics == std::vector<std::pair<std::string, double>>{{"accuracy", 0.75}});
  CHECK(
      lines ==
      std::vector<std::string>{
          R"({"step":1,"loss":1,"lr":0.1})", R"({"step":2,"loss":0.5,"lr":0.1})",
          R"({"step":2,"eval_loss":0.5,"eval_losses":{"aux":0.25},"metrics":{"accuracy":0.75}})",
          R"({"step":3,"loss":0.33333334,"lr":0.1})", R"({"step":4,"loss":0.25,"lr":0.1})",
          R"({"step":4,"eval_loss":0.5,"eval_losses":{"aux":0.25},"metrics":{"accuracy":0.75}})",
          R"({"step":5,"loss":0.2,"lr":0.1})",
          R"({"step":5,"eval_loss":0.5,"eval_losses":{"aux":0.25},"metrics":{"accuracy":0.75}})"});
  CHECK(saves == std::vector<std::pair<std::int64_t, bool>>{{0, false}, {3, false}, {5, true}});
  CHECK(engine.runs.front() == "init");
  CHECK(engine.examples == std::vector<double>{2, 2, 2});
}

TEST_CASE("an evaluation that has just been made is not repeated at the end", "[loop]") {
  Notebook engine;
  TrainPlan plan = small_plan(4);
  plan.eval_every = 2;
  run_training(engine, plan, {});
  CHECK(std::count(engine.runs.begin(), engine.runs.end(), "eval_finish") == 2);
}

TEST_CASE("a loss that is not a number stops the run and names the step", "[loop]") {
  Notebook engine;
  engine.nan_at = 2;
  std::string last;
  TrainHooks hooks;
  hooks.log = [&](const std::string& line) {
    last = line;
    return Status();
  };
  const TrainResult result = run_training(engine, small_plan(10), hooks);
  CHECK(result.status == exit_not_finite);
  CHECK(result.error.message == "the loss is not a number at step 3");
  CHECK(last.starts_with(R"({"step":3,"loss":null,)"));
  CHECK(last.ends_with(R"("not_finite":true})"));
}

TEST_CASE("a variable that is not finite is kept apart, and where it began is found", "[loop]") {
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    Notebook engine;
    engine.variable_at = 2;
    engine.bad = bad;
    TrainPlan plan = small_plan(10);
    plan.checkpoint_every = 2;
    std::vector<std::int64_t> saved, apart;
    TrainHooks hooks;
    hooks.save = [&](const TrainState& state) {
      saved.push_back(state.steps);
      return Status();
    };
    hooks.save_apart = [&](const TrainState& state) -> Result<std::string> {
      apart.push_back(state.steps);
      return std::string("apart");
    };
    hooks.reload = [&]() -> Result<TrainState> {
      engine.value = 5;
      TrainState state;
      state.steps = 2;
      return state;
    };
    const TrainResult result = run_training(engine, plan, hooks);
    const std::string what =
        "parameter `a.w` is " + std::string(std::isnan(bad) ? "not a number" : "infinite");
    CHECK(result.status == exit_not_finite);
    CHECK(result.error.message == what + " after step 4; it began in step 3");
    CHECK(result.error.helps.at(0) == "the run as it is now is kept apart: apart");
    CHECK(saved == std::vector<std::int64_t>{0, 2});
    CHECK(apart == std::vector<std::int64_t>{4});
  }
}

TEST_CASE("steps that lead to what is not finite can be skipped", "[loop]") {
  TrainPlan plan = small_plan(6);
  plan.on_nan = OnNan::skip;
  Notebook engine;
  engine.variable_at = 2;
  engine.nan_at = 4;
  std::vector<std::string> lines;
  TrainHooks hooks;
  hooks.log = [&](const std::string& line) {
    lines.push_back(line);
    return Status();
  };
  CHECK(run_training(engine, plan, hooks).status == 0);
  CHECK(engine.value == 3 + 4);  // steps 3 and 5 changed nothing
  REQUIRE(lines.size() == 7);
  for (std::size_t i = 0; i < 6; ++i)
    CHECK((lines[i].find("\"skipped\":1") != std::string::npos) == (i == 2 || i == 4));

  class Diverged : public Notebook {
    void run(std::string_view program, const Feeds& feeds, std::vector<Fetched>& fetched) override {
      nan_at = program == "train" ? static_cast<int>(feeds.at(feed_names::step).scalar()) : -1;
      Notebook::run(program, feeds, fetched);
    }
  };
  Diverged diverged;
  CHECK(run_training(diverged, small_plan(1000), {}).steps == 1);
  TrainPlan skipping = small_plan(1000);
  skipping.on_nan = OnNan::skip;
  const TrainResult skipped = run_training(diverged, skipping, {});
  CHECK(skipped.status == exit_not_finite);
  CHECK(skipped.steps == 100);
}

TEST_CASE("a signal ends the run after its step, saved", "[loop]") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Notebook engine;
    engine.signal_at = 3;
    engine.signal = signal;
    std::int64_t saved = 0;
    TrainHooks hooks;
    hooks.save = [&](const TrainState& state) {
      saved = state.steps;
      return Status();
    };
    const TrainResult result = run_training(engine, small_plan(100), hooks);
    CHECK(result.status == 128 + signal);
    CHECK(interruption(result).ends_with(" after step 4"));
    CHECK(saved == 4);
  }
}

TEST_CASE("a run that says nothing of checkpoints saves by the clock", "[loop]") {
  const auto saves = [](std::int64_t every, double seconds) {
    Notebook engine;
    TrainPlan plan = small_plan(4);
    plan.checkpoint_every = every;
    plan.checkpoint_seconds = seconds;
    std::vector<std::int64_t> steps;
    TrainHooks hooks;
    hooks.save = [&](const TrainState& state) {
      steps.push_back(state.steps);
      return Status();
    };
    CHECK(run_training(engine, plan, hooks).status == 0);
    return steps;
  };
  CHECK(TrainPlan().checkpoint_seconds == 600);
  CHECK(saves(0, 600) == std::vector<std::int64_t>{0, 4});
  CHECK(saves(0, 0) == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  CHECK(saves(3, 0) == std::vector<std::int64_t>{0, 3, 4});
}

TEST_CASE("a resumed run does what the whole one would have done", "[loop]") {
  TrainPlan plan = small_plan(6);
  plan.eval_every = 2;
  const auto lines_from = [&](std::optional<TrainState> begin) {
    Notebook engine;
    std::vector<std::string> lines;
    TrainHooks hooks;
    hooks.log = [&](const std::string& line) {
      lines.push_back(without_seconds(line));
      return Status();
    };
    if (begin) hooks.resume = [&]() -> Result<TrainState> { return *begin; };
    CHECK(run_training(engine, plan, hooks).status == 0);
    // The checkpoint has what the first values would be replaced by.
    CHECK(std::count(engine.runs.begin(), engine.runs.end(), "init") == (begin ? 0 : 1));
    return lines;
  };
  const std::vector<std::string> whole = lines_from(std::nullopt);
  REQUIRE(whole.size() == 9);  // 1 2 e2 3 4 e4 5 6 e6
  TrainState state;
  state.steps = 4;
  // Interrupted between the step and its evaluation, and after it.
  CHECK(lines_from(state) == std::vector<std::string>(whole.begin() + 5, whole.end()));
  state.evaluated_now = true;
  CHECK(lines_from(state) == std::vector<std::string>(whole.begin() + 6, whole.end()));
  state.steps = 6;
  CHECK(lines_from(state).empty());
}

TEST_CASE("a log goes on where its run stood", "[loop]") {
  const ScratchFolder folder;
  const std::string path = folder / "log.jsonl";
  const auto text = [&] {
    const auto bytes = read_file(path);
    REQUIRE(bytes);
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  };
  const std::string before = "{\"step\":1,\"loss\":2}\n{\"step\":2,\"loss\":1}\n";
  const std::string evaluated = "{\"step\":2,\"eval_loss\":1,\"metrics\":{}}\n";
  const std::string later = "{\"step\":3,\"loss\":1}\nnot json\n{\"step\":4,\"lo";
  TrainState state;
  state.steps = 2;
  REQUIRE(write_text(path, before + evaluated + later));
  {
    auto log = LogFile::resume(path, state);
    REQUIRE(log);
    REQUIRE(log->write("{\"step\":3}"));
  }
  CHECK(text() == before + "{\"step\":3}\n");
  state.evaluated_now = true;
  REQUIRE(write_text(path, before + evaluated + later));
  REQUIRE(LogFile::resume(path, state));
  CHECK(text() == before + evaluated);
  REQUIRE(LogFile::resume(folder / "fresh.jsonl", state));
  CHECK_FALSE(LogFile::resume(folder / "no/log.jsonl", state));
}

TEST_CASE("what goes wrong with data or files is status 3", "[loop]") {
  Notebook engine;
  TrainPlan plan = small_plan(3);
  plan.sources[0] = {"x", "npy", {{"file", std::string("/no/such/file.npy")}}, ""};
  const TrainResult lost = run_training(engine, plan, {});
  CHECK(lost.status == 3);
  CHECK(lost.error.message == "cannot read `/no/such/file.npy`: no such file or directory");
  TrainHooks hooks;
  hooks.save = [](const TrainState&) { return Status(Error{"disk full", {}, {}}); };
  const TrainResult full = run_training(engine, small_plan(3), hooks);
  CHECK(full.status == 3);
  CHECK(full.error.message == "disk full");
}

TEST_CASE("variables are saved under their paths", "[loop]") {
  Notebook engine;
  const ScratchFolder folder;
  REQUIRE(save_variables(engine, folder / "w.npz"));
  const auto arrays = read_npz(folder / "w.npz");
  REQUIRE(arrays);
  CHECK(arrays->at("a.w").at(0) == 3);
  CHECK_FALSE(save_variables(engine, folder / "no/w.npz"));
}

}  // namespace train_train_loop_test
