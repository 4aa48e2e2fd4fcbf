// Scopes of blocks that a plan finds, against those that people wrote.
#include "plan/space/sequence.h"

#include <catch2/catch.hpp>

#include "unit/plan/lab.h"

namespace plan_sequence_test {

using namespace plan_lab;
using plan::Choice;

namespace {

const Mesh kMesh{{{"data", 2}, {"model", 2}}};

std::string found(const std::string& model, const std::vector<plan::Split>& rules,
                  const std::string& dim, const std::string& axis,
                  const std::vector<plan::Split>& given = {}) {
  SourceMap sources;
  const auto read = model_of(sources, text_of("models/" + model + ".mtf"));
  REQUIRE(read);
  const auto choice =
      plan::split_where_free({kMesh, rules}, dim, axis, plan::named_blocks(*read, {dim}), given);
  return choice ? plan::rules_text(*choice) : "none";
}

}  // namespace

TEST_CASE("sequence parallelism is positions split where tensor parallelism leaves them free") {
  // models/layouts/gpt/tp_seq.layout
  CHECK(found("gpt", {{"batch", {"data"}}, {"heads", {"model"}}, {"d_ff", {"model"}}}, "length",
              "model") ==
        "batch:data; heads:model; d_ff:model; length:model; in \"layers.*.attn\" { length:[] }; "
        "in \"layers.*.mlp\" { length:[] }; in \"layers.*.mlp.down\" { length:model }");
}

TEST_CASE("where the logits need the axis, blocks have scopes and the rest has none") {
  const std::string text = found(
      "gpt", {{"heads", {"model"}}, {"d_ff", {"model"}}, {"vocab", {"model"}}}, "length", "model");
  CHECK(text.find("length:model;") == text.npos);
  CHECK(text.find("in \"layers.*\" { length:model }") != text.npos);
  CHECK(text.find("in \"layers.*.attn\" { length:[] }") != text.npos);
}

TEST_CASE("rules that are kept have their axes, too") {
  const std::vector<plan::Split> given = {{"heads", {"model"}}, {"d_ff", {"model"}}};
  CHECK(found("gpt", {{"batch", {"data"}}}, "length", "model", given) ==
        "batch:data; length:model; in \"layers.*.attn\" { length:[] }; "
        "in \"layers.*.mlp\" { length:[] }; in \"layers.*.mlp.down\" { length:model }");
}

TEST_CASE("nothing is made where the axis is free, or is the dimension's own") {
  CHECK(found("gpt", {{"batch", {"data"}}}, "length", "model") == "none");
  CHECK(found("gpt", {{"length", {"model"}}}, "length", "model") == "none");
}

}  // namespace plan_sequence_test
