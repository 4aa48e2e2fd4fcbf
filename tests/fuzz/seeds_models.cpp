#include <filesystem>

#include "fuzz/case.h"
#include "fuzz/seeds.h"
#include "lowering/state_text.h"

namespace mtfc::fuzz {

namespace {

namespace fs = std::filesystem;

/// The lines after "# key" in a model's comments: tests/passes.
std::string directive(const std::string& text, const std::string& key) {
  const std::size_t at = text.find("# " + key + " ");
  if (at == text.npos) return "";
  const std::size_t begin = at + key.size() + 3;
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::string with_layout(const std::string& model, const std::string& layout) {
  return model + "%%layout\n" + layout;
}

/// The state after each pass, for a model that is as small as it may be.
void add_dumps(const std::string& name, const std::string& input, std::vector<Seed>& all) {
  const Case c = check(sections_of(input));
  if (!c.assignment) return;
  lowering::State state = lowering::start(*c.model, *c.assignment, {});
  for (const lowering::Pass& pass : lowering::passes()) {
    lowering::run(pass, state);
    all.push_back(
        {"dump", name + "-" + pass.name, input + "\n%%dump\n" + lowering::print(state, pass)});
  }
}

void add(const fs::path& path, const std::string& layout, std::vector<Seed>& all) {
  const std::string text = file_text(path),
                    name = path.parent_path().stem().string() + "-" + path.stem().string();
  const std::string input = layout.empty() ? text : with_layout(text, layout);
  all.push_back({"model", name, input});
  all.push_back({"run", name, input});
  if (!layout.empty()) add_dumps(name, input, all);
}

constexpr const char* with_options = R"(dim batch = 8, d = 4, h = 6, classes = 3
input x[batch, d] from gaussian(seed=1)
input y[batch]: int from gaussian_labels(seed=2, classes=3)
param w[d, h] ~ normal(0.1)
param v[h, classes] ~ normal(0.1)
z = einsum(relu(einsum(x, w over d)), v over h)
loss cross_entropy(z, y over classes)
train { optimizer = adam(lr=0.01)  steps = 2  microbatches = 2 }
%%layout
mesh rows=2, cols=2
batch:rows ; h:cols
param "**" { d:rows }
set update=sharded
hardware small { chip f32=1TFLOPS mem=16GB hbm=100GB/s  link net switch size=4 bw=10GB/s lat=1us }
%%mesh
rows=2, cols=2
%%define batch
16
%%set train.optimizer.lr
0.5
)";

/// Tied at both ends; the layout's last line is what differs.
constexpr const char* with_stages = R"(dim layers = 4, batch = 8, d = 4, e = 4, k = 2
input x[batch, d] from gaussian(seed=1)
input y[batch, k] from gaussian(seed=2)
param w[k, d] ~ normal(0.1)
h = x * sum(w over k)
repeat layers {
  param v[d, e] ~ normal(0.1)
  h = relu(einsum(h, v over d))[e -> d]
}
loss mean((einsum(h, w over d) - y)^2)
train { optimizer = lamb(lr=0.1)  steps = 2  microbatches = 4  clip = 1.0 }
%%layout
mesh a=2, b=1
batch:a ; d:b
set update=sharded
)";

constexpr std::pair<const char*, const char*> stages[] = {
    {"stages", "pipeline \"layers.*\" { stages = 2 }\n"},
    {"stages-uneven", "pipeline \"layers.*\" { stages = 3+1; schedule = gpipe }\n"},
    {"stages-chunks", "pipeline \"layers.*\" { stages = 2; chunks = 2 }\n"},
    {"stages-meshes", "pipeline \"layers.*\" { stages = 2; a = 2+1; b = 1+2 }\n"}};

}  // namespace

void add_model_seeds(std::vector<Seed>& all) {
  const fs::path tree = MTFC_SOURCE_DIR;
  for (const char* target : {"model", "run"}) all.push_back({target, "options", with_options});
  for (const auto& [name, rule] : stages)
    for (const char* target : {"model", "run"})
      all.push_back({target, name, std::string(with_stages) + rule});
  for (const auto& entry : fs::recursive_directory_iterator(tree / "tests" / "passes")) {
    if (entry.path().extension() != ".mtf") continue;
    const std::string text = file_text(entry.path()), mesh = directive(text, "mesh");
    add(entry.path(), (mesh.empty() ? "" : "mesh " + mesh + "\n") + directive(text, "rules"), all);
  }
  for (const char* folder : {"tests/errors", "tests/errors/passes", "tests/ops", "models"})
    for (const auto& entry : fs::directory_iterator(tree / folder)) {
      if (entry.path().extension() != ".mtf") continue;
      all.push_back({"format", entry.path().stem().string(), file_text(entry.path())});
      if (std::string(folder) != "models") add(entry.path(), "", all);
    }
  for (const char* model : {"two_layer", "mnist"})
    for (const auto& entry : fs::directory_iterator(tree / "models" / "layouts" / model))
      all.push_back({"model", model + ("-" + entry.path().stem().string()),
                     with_layout(file_text(tree / "models" / (std::string(model) + ".mtf")),
                                 file_text(entry.path()))});
}

}  // namespace mtfc::fuzz
