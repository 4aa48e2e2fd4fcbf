// Every tests/ops/*.mtf: a program and the values that it must give, as comments `# name = v v ...`
// (`# grad.name` for the gradient of the loss). Checked on one processor and with every single
// dimension, and every two of them that may be, split over two and three: most sizes are padded.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "backends/execute/simulator.h"
#include "frontend/elaborate/elaborate.h"
#include "ir/verify.h"
#include "layout/axis_conflicts.h"
#include "layout/named_tensors.h"
#include "lowering/pipeline.h"
#include "messages/render.h"
#include "support/host_tensor.h"
#include "support/program_names.h"

namespace ops_run_examples_test {

using namespace mtfc;

namespace {

using Expected = std::map<std::string, std::vector<double>>;

Expected read_expected(const std::string& text) {
  Expected expected;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, name, equals;
    if (!(words >> hash >> name >> equals) || hash != "#" || equals != "=") continue;
    std::vector<double> values;
    bool are_numbers = true;
    for (std::string word; words >> word;) {
      char* end = nullptr;
      values.push_back(std::strtod(word.c_str(), &end));  // `nan` as well
      are_numbers = are_numbers && *end == '\0';
    }
    if (are_numbers) expected[name] = values;
  }
  return expected;
}

lowering::Request request_for(const Expected& expected) {
  lowering::Request request;
  for (const auto& [name, values] : expected) {
    const bool gradient = name.rfind("grad.", 0) == 0;
    if (gradient) request.gradients = true;
    const std::string tensor = gradient ? name.substr(5) : name;
    if (!gradient || !expected.count(tensor)) request.tensors.push_back(tensor);
  }
  return request;
}

void check(const Model& model, const Assignment& assignment, const Expected& expected) {
  Module module = lowering::lower(model, assignment, request_for(expected));
  REQUIRE(verify(module) == "");
  backends::Simulator simulator(std::move(module), {1, false});
  std::vector<runtime::Fetched> fetched;
  runtime::Feeds feeds;
  feeds.emplace(feed_names::step, runtime::HostTensor::zeros(DType::i32, {}));
  simulator.run("init", {}, fetched);
  simulator.run("run", feeds, fetched);
  std::map<std::string, const runtime::HostTensor*> got;
  for (const runtime::Fetched& f : fetched) got[f.name] = &f.value;
  for (const auto& [name, values] : expected) {
    INFO("tensor " << name);
    REQUIRE(got.count(name) == 1);
    REQUIRE(got[name]->elements() == static_cast<std::int64_t>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      INFO("element " << i);
      const double value = runtime::element(*got[name], static_cast<std::int64_t>(i));
      if (std::isnan(values[i]))
        CHECK(std::isnan(value));
      else
        CHECK(value == Approx(values[i]).epsilon(2e-6).margin(2e-7));
    }
  }
}

Assignment none_split(const Model& model, std::int64_t processors = 1) {
  Assignment assignment;
  assignment.mesh.axes = {{"rows", processors}};
  assignment.dims.resize(model.dims.size());
  return assignment;
}

void check_split(const Model& model, std::int64_t processors, std::vector<std::size_t> split,
                 const Expected& expected) {
  Assignment assignment = none_split(model, processors);
  for (const std::size_t d : split)
    assignment.dims[d] = {{AxisId{0}}, 0, model.dims.all()[d].name + ":rows"};
  if (!lowering::is_legal(model, assignment)) return;
  INFO("split " << assignment.dims[split[0]].cause.str() << "; "
                << assignment.dims[split[1]].cause.str() << " on " << processors);
  check(model, assignment, expected);
}

void check_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  SourceMap sources;
  Diagnostics diagnostics;
  const FileId file = sources.add(path.filename().string(), text.str());
  const auto model = elaborate(sources, file, {}, diagnostics);
  std::string told;
  for (const Diagnostic& d : diagnostics.all()) told += render_text(d, sources, {});
  INFO(told);
  REQUIRE(model);
  const Expected expected = read_expected(text.str());
  REQUIRE_FALSE(expected.empty());
  check(*model, none_split(*model), expected);
  const std::vector<bool> used = lowering::used_dims(*model);
  for (const std::int64_t processors : {2, 3})
    for (std::size_t d = 0; d < model->dims.size(); ++d)
      for (std::size_t e = 0; e <= d; ++e)
        if (used[d] && used[e]) check_split(*model, processors, {d, e}, expected);
}

}  // namespace

TEST_CASE("operations give the values of their examples, whole and split") {
  for (const auto& entry : std::filesystem::directory_iterator(MTFC_SOURCE_DIR "/tests/ops")) {
    if (entry.path().extension() != ".mtf") continue;
    DYNAMIC_SECTION(entry.path().stem().string()) { check_file(entry.path()); }
  }
}

}  // namespace ops_run_examples_test
