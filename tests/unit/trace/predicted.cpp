// The predicted timeline as JSON, of programs written by hand.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "predict/predict.h"
#include "trace/predicted.h"
#include "unit/predict/lab.h"

namespace trace_predicted_test {

using namespace mtfc;
using namespace predict_lab;
using cost::Work;
using nlohmann::json;
using trace::EventLabel;

namespace {

trace::ProgramTracks two_instructions_and_a_sum(std::int64_t times) {
  trace::ProgramTracks program{"train", times, {}, {}, {}};
  const auto add = [&](Work work, EventLabel label) {
    program.work.push_back(std::move(work));
    program.labels.push_back(std::move(label));
  };
  Work product, start, other, wait;
  product.kind = Work::Kind::product;
  product.flops = 500;  // 5 s
  start.kind = Work::Kind::collective;
  start.exchange = runtime::ExchangeSpec::Kind::permute;
  start.axes = {AxisId{0}};
  start.bytes = 40;  // 4 s
  start.async = true;
  other.kind = Work::Kind::other;
  other.flops = 10;  // 1 s
  wait.kind = Work::Kind::wait;
  wait.started = 1;
  add(product, {EventLabel::Kind::computation, "contract \"q\"", R"({"line":"m.mtf:3"})", "",
                Phase::forward, 0, false});
  add(start, {EventLabel::Kind::collective, "permute over a", "{}", "a", Phase::backward, 0, true});
  add(other, {EventLabel::Kind::computation, "map", "{}", "", Phase::backward, 0, false});
  add(wait, {EventLabel::Kind::wait, "permute over a", "{}", "a", Phase::backward, 1, false});
  std::vector<std::int64_t> bytes(std::size(cost::all_memory_roles), 0);
  bytes[0] = 100;
  program.memory.push_back({0, bytes});
  bytes[5] = 20;
  program.memory.push_back({2, bytes});
  return program;
}

struct Traced {
  double seconds = 0;
  json all;

  /// Slices of a category, or those of a track.
  std::vector<json> slices(const std::function<bool(const json&)>& wanted) const {
    std::vector<json> found;
    for (const json& event : all["traceEvents"])
      if (event["ph"] == "X" && wanted(event)) found.push_back(event);
    return found;
  }
  std::vector<json> on_track(int track) const {
    return slices([&](const json& event) { return event["tid"] == track; });
  }
};

Traced traced(std::int64_t times) {
  const Mesh mesh = mesh_of("a=2");
  const ReadMachine machine =
      read("chip flops=100F vector=10F mem=1000B hbm=20B/s\nlink a switch bw=10B/s", mesh);
  REQUIRE(machine.machine);
  const trace::ProgramTracks program = two_instructions_and_a_sum(times);
  const predict::Mapping mapping = map_mesh(mesh, *machine.machine).value();
  trace::ChromeTrace made;
  Traced result;
  result.seconds = trace::add_predicted(made, {program}, *machine.machine, mapping);
  result.all = json::parse(made.text({{"model", "\"m\""}}));
  cost::Cost cost;
  cost.work.push_back({"train", times, program.work});
  CHECK(result.seconds == Approx(predict::predict(cost, *machine.machine, mapping).step));
  return result;
}

}  // namespace

TEST_CASE("what a processor does follows without gaps and adds up to the step") {
  for (const std::int64_t times : {1, 3}) {
    const Traced made = traced(times);
    CHECK(made.seconds == Approx(9 * times));  // 5 computing, 1 beside the 4, 3 waited for
    double end = 0;
    for (const json& event : made.on_track(trace::TrackNumbers::processor)) {
      CHECK(event["ts"].get<double>() == Approx(end));
      end = event["ts"].get<double>() + event["dur"].get<double>();
    }
    CHECK(end == Approx(made.seconds * 1e6));
    CHECK(made.on_track(trace::TrackNumbers::programs).size() ==
          3 * static_cast<std::size_t>(times));
  }
}

TEST_CASE("each event says what it is") {
  const Traced made = traced(1);
  const std::vector<json> computed = made.on_track(trace::TrackNumbers::processor);
  REQUIRE(computed.size() == 3);
  CHECK(computed[0]["name"] == "contract \"q\"");
  CHECK(computed[0]["cat"] == "bound by products");
  CHECK(computed[0]["args"]["line"] == "m.mtf:3");
  CHECK(computed[2]["name"] == "wait for permute over a");
  CHECK(computed[2]["cat"] == "exposed communication");
  const std::vector<json> network = made.on_track(trace::TrackNumbers::collectives);
  REQUIRE(network.size() == 1);
  CHECK(network[0]["ts"] == 5e6);
  CHECK(network[0]["dur"] == 4e6);
}

TEST_CASE("memory counts from where it changes") {
  std::vector<json> counters;
  const Traced made = traced(1);
  for (const json& event : made.all["traceEvents"])
    if (event["ph"] == "C") counters.push_back(event);
  REQUIRE(counters.size() == 2);
  CHECK(counters[0]["args"]["all"] == 100);
  CHECK(counters[0]["args"]["parameters"] == 100);
  CHECK(counters[1]["ts"] == 5e6);
  CHECK(counters[1]["args"]["activations"] == 20);
}

TEST_CASE("times are whole nanoseconds, and what takes none is left out") {
  trace::ChromeTrace made;
  made.slice(0, 1, "a", "b", 1005, 2000, "{}");
  made.slice(0, 1, "nothing", "b", 7, 7, "{}");
  const json all = json::parse(made.text({}));
  REQUIRE(all["traceEvents"].size() == 1);
  CHECK(all["traceEvents"][0]["ts"] == Approx(1.005));
  CHECK(all["traceEvents"][0]["dur"] == Approx(0.995));
  CHECK(trace::nanoseconds(1e300) > 0);
}

}  // namespace trace_predicted_test
