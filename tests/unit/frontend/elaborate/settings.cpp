// -D, --set, the train block and globs.
#include <catch2/catch.hpp>

#include "ir/glob.h"
#include "lab.h"

namespace frontend_elaborate_settings_test {

using namespace mtfc;
using namespace mtfc::test;

namespace {

const std::string model =
    "dim batch = 4, d = 8, half = d / 2\nconst rate = 0.1\n"
    "data text = chars(\"a.txt\", holdout=0.2)\n"
    "input tok[batch, half]: int from text.window\n"
    "param w[d, half] ~ normal(rate)\n"
    "loss mean(f32(tok)) + mean(w)\n"
    "train { optimizer = adamw(lr=cosine(peak=1e-3, warmup=10), beta2=0.99)  epochs = 2  seed = 7 "
    "}\n";

ElaborateOptions define(const std::string& name, const std::string& value) {
  ElaborateOptions options;
  options.defines = {{name, value}};
  return options;
}
ElaborateOptions set(std::vector<std::pair<std::string, std::string>> settings) {
  ElaborateOptions options;
  options.settings = std::move(settings);
  return options;
}
double number(const SettingCall& call, const std::string& name) {
  for (const auto& [key, value] : call.args)
    if (key == name) {
      if (const auto* d = std::get_if<double>(&value)) return *d;
      if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
    }
  return -1;
}
const SettingCall& schedule(const Model& m) {
  return std::get<std::vector<SettingCall>>(m.settings.optimizer.args.at(0).second).at(0);
}

}  // namespace

TEST_CASE("an optimizer has all its arguments, defaults included") {
  Elaborated e(model);
  INFO(e.said());
  REQUIRE(e.model);
  const SettingCall& o = e.model->settings.optimizer;
  CHECK(o.function == "adamw");
  CHECK(number(o, "beta1") == 0.9);
  CHECK(number(o, "beta2") == 0.99);
  CHECK(number(o, "decay") == 0.01);
  CHECK(schedule(*e.model).function == "cosine");
  CHECK(number(schedule(*e.model), "floor") == 0);
  CHECK(e.model->settings.epochs == 2);
  CHECK(e.model->settings.steps == 0);
  CHECK(e.model->settings.seed == 7);
}

TEST_CASE("the option -D changes sizes and what follows from them, and says so") {
  Elaborated e(model, define("d", "6 * 2"));
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(to_string(e.model->dims, e.variable("w")->type) == "f32[d=12, half=6]");
  CHECK(e.model->dims[*e.model->dims.find_unique("d")].origin == "-D d=6 * 2");
  Elaborated derived(model, define("half", "3"));
  REQUIRE(derived.model);
  CHECK(to_string(derived.model->dims, derived.variable("w")->type) == "f32[d=8, half=3]");
  CHECK(Elaborated(model, define("dd", "3")).codes() == "E301");
  CHECK(Elaborated(model, define("d", "7")).codes() == "E205");
  CHECK(!Elaborated(model, define("d", "7 +")).model);
}

TEST_CASE("the option --set reaches keys through named arguments") {
  Elaborated e(model, set({{"train.optimizer.lr.peak", "3e-4"},
                           {"train.steps", "5"},
                           {"train.optimizer.eps", "1e-6"},
                           {"train.precision", "f64"}}));
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(number(schedule(*e.model), "peak") == 3e-4);
  CHECK(number(e.model->settings.optimizer, "eps") == 1e-6);
  CHECK(e.model->settings.steps == 5);
  CHECK(e.model->settings.epochs == 0);
  CHECK(e.model->settings.precision == "f64");
  CHECK(Elaborated(model, set({{"train.stps", "5"}})).codes() == "E312");
  CHECK(Elaborated(model, set({{"train.steps", "five +"}})).codes() == "E100");
}

TEST_CASE("what is wrong inside the value of an option is said there") {
  const auto said = [](const std::string& key, const std::string& value) {
    return Elaborated(model, set({{key, value}})).said();
  };
  auto has = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != text.npos);
  };
  has(said("train.optimizer", "sgd(lr=0.1"), "call to `sgd` is never closed");
  has(said("train.optimizer", "sgd(lr=0.1"), "--set train.optimizer:1:4");
  has(said("train.optimizer.lr", "cosine(peak=1"), "call to `cosine` is never closed");
  has(said("data.text", "tokens(\"t.bin\""), "call to `tokens` is never closed");
  CHECK(Elaborated(model, set({{"train.optimizer", "sgd(lr=0.1"}})).codes() == "E101");
  CHECK(Elaborated(model, set({{"data.text", "tokens(\"t.bin\""}})).codes() == "E101");
  CHECK(Elaborated(model, set({{"data.text", "my (old) dir/b.txt"}})).model);
}

TEST_CASE("a key that is not there is compared with the arguments that are") {
  const auto said = [](const std::string& key) {
    return Elaborated(model, set({{key, "0.1"}})).said();
  };
  auto has = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != text.npos);
  };
  has(said("train.optimizer.beta3"), "`train.optimizer.beta2`");
  has(said("train.optimizer.lr.peek"), "did you mean `train.optimizer.lr.peak`?");
  has(said("data.other"), "there is `data.text`");
  has(said("train.colour"), "there are `train.optimizer`, `train.steps`, ");
  has(said("colour"), "there are `train.optimizer`, `train.steps`, ");
  const std::string plain =
      "dim b = 2\ninput x[b] from gaussian(seed=1)\nparam w[] = 1\nloss mean(x * w)\n"
      "train { optimizer = sgd(lr=0.1)  steps = 1 }";
  Elaborated e(plain, set({{"train.optimizer.lr.peak", "0.1"}}));
  CHECK(e.codes() == "E312");
  has(e.said(), "`lr` is a number in this model, not a schedule");
}

TEST_CASE("a default schedule has its arguments too") {
  const std::string adafactor =
      "dim b = 2\ninput x[b] from gaussian(seed=1)\nparam w[] = 1\nloss mean(x * w)\n"
      "train { optimizer = adafactor()  steps = 1 }";
  Elaborated e(adafactor);
  REQUIRE(e.model);
  CHECK(schedule(*e.model).function == "rsqrt");
  CHECK(number(schedule(*e.model), "warmup") == 10000);
  CHECK(number(schedule(*e.model), "multiplier") == 1);
  Elaborated other(adafactor, set({{"train.optimizer.parameter_scale", "false"},
                                   {"train.optimizer.lr.warmup", "8"}}));
  INFO(other.said());
  REQUIRE(other.model);
  CHECK(number(schedule(*other.model), "warmup") == 8);
  CHECK(number(schedule(*other.model), "multiplier") == 0.05);
  CHECK(Elaborated(adafactor, set({{"train.optimizer.lr.warmap", "8"}})).codes() == "E312");
}

TEST_CASE("what does not fit together in an optimizer or schedule is said") {
  const auto said = [](const std::string& value) {
    return Elaborated(model, set({{"train.optimizer", value}})).said();
  };
  auto has = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != text.npos);
  };
  has(said("adamm(1)"), "did you mean `adam`?");
  has(said("cosine(1)"), "`cosine` is a schedule");
  has(said("sgd(1, nesterov=true)"), "`nesterov` needs a momentum");
  has(said("momentum(1, 0, true)"), "`nesterov` needs a momentum");
  has(said("adam(piecewise(1, 5, 3, 4, 2))"), "`at2` of `piecewise` must be above `at`");
  has(said("adam(piecewise(1, 5, 3, 6))"), "`piecewise` needs `value3`");
  has(said("adam(slanted_triangular(1, cut=1))"), "above 0 and below 1");
  has(said("adam(linear(1, decay=0))"), "above 0, up to 1");
  has(said("adam(exponential(1, 0))"), "above 0");
  has(said("adam(rsqrt(decay=1.5))"), "from 0 to 1");
  has(said("adafactor(min_size=1.5)"), "`min_size` must be a whole number");
  const std::string pieces = [] {
    std::string text = "adam(piecewise(1";
    for (int i = 1; i < 600; ++i) text += ", " + std::to_string(i) + ", 1";
    return text + "))";
  }();
  has(said(pieces), "more than 1000 arguments");
  const std::string extra = said("lamb(1, 0.9, 0.99, 1, 1, true, 3)");
  has(extra, "no such argument");
  CHECK(extra.find("needs") == extra.npos);
}

TEST_CASE("numbers of settings are what they say, or an error") {
  const auto codes = [](const std::string& key, const std::string& value,
                        const std::string& precision = "f32") {
    Elaborated e(model, set({{"train." + key, value}, {"train.precision", precision}}));
    INFO(key << " = " << value << "\n" << e.said());
    CHECK(e.said().find("179769") == std::string::npos);
    return e.codes();
  };
  for (const char* key : {"steps", "eval_every", "checkpoint_every", "keep"}) {
    CHECK(codes(key, "2147483647") == "");
    for (const char* bad : {"2147483648", "-1", "0.5", "9223372036854775807", "1e18", "1e300"})
      CHECK(codes(key, bad) == "E312");
  }
  CHECK(codes("steps", "0") == "E312");
  CHECK(codes("keep", "0") == "E312");
  CHECK(codes("seed", "9223372036854775807") == "");
  CHECK(codes("seed", "-9223372036854775808") == "");
  for (const char* bad : {"9223372036854775808", "0.5", "1e19"})
    CHECK(codes("seed", bad) == "E312");
  for (const char* key : {"clip", "epochs", "optimizer.eps", "optimizer.decay"}) {
    CHECK(codes(key, "3e38") == "");
    for (const char* bad : {"1e39", "1e-46", "-1", "-1e-300"}) CHECK(codes(key, bad) == "E312");
  }
  CHECK(codes("clip", "1e39", "f64") == "");
  CHECK(codes("optimizer.beta2", "0.99999999999") == "E312");  // 1 in f32
  CHECK(codes("optimizer.beta2", "0.99999999999", "f64") == "");
  CHECK(codes("optimizer.lr.warmup", "2147483648") == "E312");
  CHECK(codes("loss_scale", "1e40") == "E312");
}

TEST_CASE("trust is of optimizers that have a ratio of norms") {
  const auto codes = [](const std::string& optimizer, const std::string& trust) {
    return Elaborated(
               "dim b = 2\ninput x[b] from gaussian(seed=1)\nparam w[] = 1\n"
               "loss mean(x * w)\ntrain { optimizer = " +
               optimizer + "  steps = 1  params \"w\" { trust = " + trust + " } }")
        .codes();
  };
  CHECK(codes("lamb(1)", "true") == "");
  CHECK(codes("lars(1)", "false") == "");
  CHECK(codes("adam(1)", "false") == "");
  CHECK(codes("adam(1)", "true") == "E312");
}

TEST_CASE("settings without effect are accepted where they ask for nothing") {
  Elaborated e(
      "dim b = 2\ninput x[b] from gaussian(seed=1)\nparam w[] = 1\nloss mean(x * w)\n"
      "train { optimizer = sgd(lr=0.1)  steps = 1  loss_scale = 1  keep = 3  microbatches = 1\n"
      "  params \"w\" { trust = false } }");
  INFO(e.said());
  CHECK(e.model);
}

TEST_CASE("the option --set replaces a source or its first argument") {
  Elaborated e(model, set({{"data.text", "other dir/b.txt"}}));
  INFO(e.said());
  REQUIRE(e.model);
  REQUIRE(e.model->sources.size() == 1);
  CHECK(std::get<std::string>(e.model->sources[0].args[0].second) == "other dir/b.txt");
  CHECK(e.model->sources[0].args.size() == 2);
  Elaborated other(model, set({{"data.text", "tokens(\"t.bin\")"}}));
  REQUIRE(other.model);
  CHECK(other.model->sources[0].function == "tokens");
}

TEST_CASE("the option --set can stand in for a missing train block") {
  const std::string bare =
      "dim b = 2\ninput x[b] from gaussian(seed=1)\nparam w[] = 1\nloss mean(x * w)";
  Elaborated e(bare, set({{"train.optimizer", "sgd(lr=0.1)"}, {"train.steps", "3"}}));
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(e.model->settings.present);
  Elaborated seed(bare, set({{"train.seed", "3"}}));
  REQUIRE(seed.model);
  CHECK(!seed.model->settings.present);
  CHECK(seed.model->settings.seed == 3);
}

TEST_CASE("frozen parameters are not trainable, later globs win") {
  Elaborated e(
      "dim b = 2\ninput x[b] from gaussian(seed=1)\nparam w, v [b] = 1\nloss mean(x * w * v)\n"
      "train { optimizer = sgd(lr=1)  steps = 1  params \"*\" { frozen = true }\n"
      "  params \"v\" { frozen = false  lr_scale = 0.5 } }");
  INFO(e.said());
  REQUIRE(e.model);
  CHECK(!e.variable("w")->trainable);
  CHECK(e.variable("v")->trainable);
}

TEST_CASE("globs match within and across segments") {
  CHECK(glob_matches("layers.*.attn.wq", "layers.3.attn.wq"));
  CHECK(!glob_matches("layers.*.wq", "layers.3.attn.wq"));
  CHECK(glob_matches("**.wq", "layers.3.attn.wq"));
  CHECK(glob_matches("**.b", "b"));
  CHECK(!glob_matches("**.b", "ab"));
  CHECK(glob_matches("**", "a.b.c"));
  CHECK(glob_matches("a.**.c", "a.c"));
  CHECK(glob_matches("w*", "wq"));
  CHECK(!glob_matches("w*", "w.q"));
  CHECK(glob_matches("*", ""));
  CHECK(!glob_matches("", "a"));
}

}  // namespace frontend_elaborate_settings_test
