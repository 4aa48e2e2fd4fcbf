#include "lab.h"

namespace mtfc::test {

TwoLayer::TwoLayer()
    : Lab("dim batch = 64, io = 784, hidden = 512\n"
          "input x[batch, io] from gaussian(seed=7)\n"
          "input y[batch, io] from gaussian(seed=8)\n"
          "param w[io, hidden] ~ normal(0.02)\n"
          "param b[hidden] = 0\n"
          "param v[hidden, io] ~ normal(0.02)\n"
          "h = relu(einsum(x, w over io) + b)\n"
          "z = einsum(h, v over hidden)\n"
          "loss mean((z - y)^2)\n") {
  batch = dim("batch", 64);
  io = dim("io", 784);
  hidden = dim("hidden", 512);
  const ValueId x = input("x", {batch, io}), y = input("y", {batch, io});
  const ValueId w = param("w", {io, hidden}, "[io, hidden]");
  const ValueId b = param("b", {hidden}, "[hidden]");
  const ValueId v = param("v", {hidden, io}, "[hidden, io]");
  const ValueId product = build("einsum(x, w over io)").einsum({x, w}, {io});
  const ValueId sum = build("einsum(x, w over io) + b").binary("add", product, b);
  const ValueId h = named(build("relu(einsum(x, w over io) + b)").unary("relu", sum), "h");
  const ValueId z = named(build("einsum(h, v over hidden)").einsum({h, v}, {hidden}), "z");
  const ValueId miss = build("z - y").binary("sub", z, y);
  const ValueId square = build("(z - y)^2").binary("mul", miss, miss);
  const ValueId loss = build("mean((z - y)^2)").mean(square, {batch, io}, std::nullopt);
  model.train.outputs.push_back({Output::Kind::loss, "loss", loss});
}

namespace {
constexpr const char* transformer_text =
    "dim batch = 8, length = 64, vocab = 65\n"
    "dim d_model = 128, heads = 4, d_head = 32, d_ff = 512\n"
    "dim memory = length\n"
    "input tok[batch, length]: int from text.window\n"
    "input nxt[batch, length]: int from text.window_next\n"
    "block attention(x[..., length, d_model]) {\n"
    "  param wq, wk, wv [d_model, heads, d_head] ~ normal(0.02)\n"
    "  param wo[heads, d_head, d_model] ~ normal(0.02)\n"
    "  m = x[length -> memory]\n"
    "  q = einsum(x, wq over d_model)\n"
    "  k = einsum(m, wk over d_model)\n"
    "  v = einsum(m, wv over d_model)\n"
    "  s = einsum(q, k over d_head)\n"
    "  a = softmax(s over memory)\n"
    "  return einsum(einsum(a, v over memory), wo over heads, d_head)\n"
    "}\n"
    "block mlp(x) {\n"
    "  param up[d_model, d_ff] ~ normal(0.02)\n"
    "  param down[d_ff, d_model] ~ normal(0.02)\n"
    "  return einsum(gelu(einsum(x, up over d_model)), down over d_ff)\n"
    "}\n"
    "param wte[vocab, d_model] ~ normal(0.02)\n"
    "x = wte[vocab = tok]\n"
    "logits = einsum(x, wte over d_model)\n"
    "loss mean(cross_entropy(logits, nxt over vocab))\n";
}  // namespace

Transformer::Transformer(std::int64_t vocab_size, int layers) : Lab(transformer_text) {
  batch = dim("batch", 8);
  length = dim("length", 64);
  memory = dim("memory", 64);
  vocab = dim("vocab", vocab_size);
  d_model = dim("d_model", 128);
  heads = dim("heads", 4);
  d_head = dim("d_head", 32);
  d_ff = dim("d_ff", 512);
  const ValueId tok = input("tok", {batch, length}, DType::i32);
  const ValueId nxt = input("nxt", {batch, length}, DType::i32);
  const ValueId wte = param("wte", {vocab, d_model}, "[vocab, d_model]");
  ValueId x = named(build("wte[vocab = tok]").gather(wte, {vocab}, {tok}, 0), "x");
  for (int i = 0; i < layers; ++i) {
    const std::string path = "layers." + std::to_string(i) + ".";
    x = build("x + attention").binary("add", x, attention(x, path + "attn."));
    x = build("x + mlp").binary("add", x, mlp(x, path + "mlp."));
  }
  const ValueId logits =
      named(build("einsum(x, wte over d_model)").einsum({x, wte}, {d_model}), "logits");
  const ValueId each =
      build("cross_entropy(logits, nxt over vocab)").cross_entropy(logits, nxt, vocab, 0, 0);
  const ValueId loss = build("mean(cross_entropy").mean(each, {batch, length}, std::nullopt);
  model.train.outputs.push_back({Output::Kind::loss, "loss", loss});
}

ValueId Transformer::attention(ValueId x, const std::string& path) {
  const DimList in{d_model, heads, d_head};
  const std::string shape = "[d_model, heads, d_head]";
  const ValueId wq = param(path + "wq", in, shape), wk = param(path + "wk", in, shape),
                wv = param(path + "wv", in, shape);
  const ValueId wo = param(path + "wo", {heads, d_head, d_model}, "[heads, d_head, d_model]");
  const ValueId m = build("x[length -> memory]").view(x, {{{length}, {memory}}});
  const ValueId q =
      named(build("einsum(x, wq over d_model)").einsum({x, wq}, {d_model}), path + "q");
  const ValueId k =
      named(build("einsum(m, wk over d_model)").einsum({m, wk}, {d_model}), path + "k");
  const ValueId v =
      named(build("einsum(m, wv over d_model)").einsum({m, wv}, {d_model}), path + "v");
  const ValueId s = named(build("einsum(q, k over d_head)").einsum({q, k}, {d_head}), path + "s");
  const ValueId a = named(build("softmax(s over memory)").softmax(s, {memory}), path + "a");
  const ValueId o = build("einsum(a, v over memory)").einsum({a, v}, {memory});
  return build("einsum(einsum(a, v over memory), wo over heads, d_head)")
      .einsum({o, wo}, {heads, d_head});
}

ValueId Transformer::mlp(ValueId x, const std::string& path) {
  const ValueId up = param(path + "up", {d_model, d_ff}, "[d_model, d_ff]");
  const ValueId down = param(path + "down", {d_ff, d_model}, "[d_ff, d_model]");
  const ValueId h = build("einsum(x, up over d_model)").einsum({x, up}, {d_model});
  const ValueId g = build("gelu(einsum(x, up over d_model))").unary("gelu", h);
  return build("einsum(gelu(einsum(x, up over d_model)), down over d_ff)")
      .einsum({g, down}, {d_ff});
}

}  // namespace mtfc::test
