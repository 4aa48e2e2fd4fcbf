#include "generation_lab.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <sstream>

#include "backends/execute/simulator.h"
#include "frontend/elaborate/elaborate.h"
#include "ir/verify.h"
#include "kernels/random.h"
#include "lowering/pipeline.h"
#include "messages/render.h"
#include "support/host_tensor.h"
#include "support/program_names.h"

namespace mtfc::test {

Model generation_model(const std::string& text,
                       const std::vector<std::pair<std::string, std::string>>& defines) {
  SourceMap sources;
  Diagnostics diagnostics;
  ElaborateOptions options;
  options.defines = defines;
  const auto model = elaborate(sources, sources.add("test.mtf", text), options, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) UNSCOPED_INFO(render_text(d, sources, {}));
  REQUIRE(model);
  REQUIRE(model->generation);
  return *model;
}

std::string shipped_model(const std::string& name) {
  std::ifstream in(MTFC_SOURCE_DIR "/models/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Assignment place(const Model& model, Mesh mesh, const std::map<std::string, std::string>& rules) {
  Assignment assignment;
  assignment.mesh = std::move(mesh);
  assignment.dims.resize(model.dims.size());
  for (std::size_t d = 0; d < model.dims.size(); ++d) {
    const auto it = rules.find(model.dims.all()[d].name);
    if (it == rules.end()) continue;
    assignment.dims[d] = {{*assignment.mesh.find(it->second)}, 0, it->first + ":" + it->second};
  }
  return assignment;
}

Module generation_module(const Model& model, const Assignment& assignment,
                         const lowering::GenerationRequest& request) {
  lowering::Request wanted;
  wanted.generation = request;
  Module module = lowering::lower(model, assignment, wanted);
  REQUIRE(verify(module) == "");
  return module;
}

runtime::GenerationPlan plan_of(const Model& model, const Module& module,
                                const lowering::GenerationRequest& request) {
  runtime::GenerationPlan plan;
  plan.incremental = request.incremental;
  plan.fixed = module.find("generate_fixed");
  plan.windows = request.windows;
  const Generation& g = *model.generation;
  plan.rows = g.rows.valid() ? model.dims.size(g.rows) : 1;
  plan.vocab = model.dims.size(g.vocab);
  return plan;
}

namespace {

/// Ints below 8 for every int input; the same for the same seed.
runtime::Feeds drawn_inputs(const Model& model) {
  runtime::Feeds feeds;
  for (const Input& input : model.inputs) {
    std::vector<std::int64_t> extents;
    for (DimId dim : input.type.dims) extents.push_back(model.dims.size(dim));
    auto tensor = runtime::HostTensor::zeros(input.type.dtype, extents);
    const std::uint64_t key = random_key(1, input.name);
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
      runtime::set_element(tensor, i, std::floor(8 * runtime::uniform(key, 0, i)));
    feeds[input.name] = std::move(tensor);
  }
  for (const char* scalar : {feed_names::step, feed_names::examples})
    feeds[scalar] = runtime::HostTensor::zeros(DType::i32, {});
  return feeds;
}

/// The values of the model's evaluation by name, and the ids that the logits are made from.
struct Whole {
  runtime::HostTensor logits, tokens;
};
Whole evaluate(const Model& model, const runtime::Feeds& feeds) {
  lowering::Request request;
  const Generation& g = *model.generation;
  const std::string logits = model.eval.at(g.logits).name, tokens = model.eval.at(g.tokens).name;
  request.tensors = {logits, tokens};
  backends::Simulator whole(lowering::lower(model, {}, request), {1, false});
  std::vector<runtime::Fetched> fetched;
  whole.run("init", {}, fetched);
  whole.run("run", feeds, fetched);
  Whole result;
  for (const runtime::Fetched& item : fetched)
    (item.name == logits ? result.logits : result.tokens) = item.value;
  return result;
}

}  // namespace

double difference(const Model& model, const Assignment& assignment,
                  const std::vector<std::int64_t>& windows) {
  const runtime::Feeds feeds = drawn_inputs(model);
  const Whole whole = evaluate(model, feeds);
  const lowering::GenerationRequest request{true, false, windows};
  const Module module = generation_module(model, assignment, request);
  backends::Simulator engine(module, {1, true});  // all replicas compute, and agree
  std::vector<runtime::Fetched> fetched;
  engine.run("init", {}, fetched);
  const runtime::GenerationPlan plan = plan_of(model, module, request);
  runtime::Decoder decoder(engine, plan);
  decoder.prepare(feeds);

  const std::int64_t length = windows.back();
  const auto id = [&](std::int64_t row, std::int64_t i) {
    return static_cast<std::int32_t>(runtime::element(whole.tokens, row * length + i));
  };
  double largest = 0, size = 0;
  const auto compare = [&](std::int64_t position) {
    for (std::int64_t row = 0; row < plan.rows; ++row)
      for (std::int64_t v = 0; v < plan.vocab; ++v) {
        const double expected =
            runtime::element(whole.logits, (row * length + position) * plan.vocab + v);
        const double got =
            decoder.logits(static_cast<std::size_t>(row))[static_cast<std::size_t>(v)];
        largest = std::max(largest, std::fabs(expected - got));
        size = std::max(size, std::fabs(expected));
        if (std::isnan(got)) largest = INFINITY;
      }
  };
  const std::int64_t prompt = 2;
  std::vector<runtime::Ids> texts(static_cast<std::size_t>(plan.rows));
  for (std::int64_t row = 0; row < plan.rows; ++row)
    for (std::int64_t i = 0; i < prompt; ++i)
      texts[static_cast<std::size_t>(row)].push_back(id(row, i));
  decoder.read(texts);
  compare(prompt - 1);
  for (std::int64_t i = prompt; i < length; ++i) {
    runtime::Ids ids;
    for (std::int64_t row = 0; row < plan.rows; ++row) ids.push_back(id(row, i));
    decoder.append(ids);
    compare(i);
  }
  INFO(engine.replica_error());
  REQUIRE(engine.replica_error() == "");
  return largest / size;
}

std::string encoder_decoder() {
  return R"(
use "nn.mtf"
dim batch = 4, src = 6, tgt = 8, vocab = 11, d = 8, heads = 2, d_head = 4
dim src_mem = src, tgt_mem = tgt
data pairs = npy("none.npy", source="none.npy", target="none.npy")
input s[batch, src]: int from pairs.source
input t[batch, tgt]: int from pairs.target
t_in[batch, tgt] = t
param embed[vocab, d] ~ normal(1)
param pos[tgt, d] ~ normal(1)
see_src = s[src -> src_mem] != 0
see_tgt[tgt, tgt_mem] = index(tgt) >= index(tgt_mem)
x = embed[vocab = s]
x = x + attention@enc(x, x[src -> src_mem], see_src, kv=src_mem, heads=heads, d_head=d_head over d)
enc = rms_norm@norm(x over d)[src -> src_mem]
y = embed[vocab = t_in] + pos
y = y + attention@self(y, y[tgt -> tgt_mem], see_tgt, kv=tgt_mem, heads=heads, d_head=d_head over d)
y = y + attention@cross(y, enc, see_src, kv=src_mem, heads=heads, d_head=d_head over d)
logits[batch, tgt, vocab] = einsum(tanh(y), embed over d)
generate logits from t_in over tgt { prompt = s  stop = 1 }
)";
}

}  // namespace mtfc::test
