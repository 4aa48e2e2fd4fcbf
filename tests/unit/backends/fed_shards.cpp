// What a processor is fed with: of a batch the part that its shards hold and nothing else, whether
// it is a rank of mtfc or one of an emitted program.
#include <catch2/catch.hpp>

#include "backends/execute/module_rank.h"
#include "bind/sharded_tensor.h"
#include "comm/threads.h"
#include "lab.h"
#include "train/emitted/emitted_engine.h"
#include "train/loop/step.h"
#include "train/train_plan.h"
#include "unit/data/lab.h"

namespace backends_fed_shards_test {

using namespace lab;
using namespace mtfc::runtime;
using mtfc::runtime::net::Network;

namespace {

/// Program "all" takes x[8, 6] and fetches it, "half" every second row of it. "y" is split in one
/// of them only.
Module fed_module() {
  Lab lab({{"rows", 2}, {"cols", 2}});
  const DimId b = lab.dim("b", 8), half = lab.dim("half", 4), k = lab.dim("k", 6);
  const AxisId a0 = axis(0), a1 = axis(1);
  lab.module.programs = {Program("all"), Program("half")};
  const auto feed = [&](std::size_t program, const std::string& name, const ShardType& type) {
    Program& to = lab.module.programs[program];
    const auto id = next_id<ValueId>(to.values);
    to.values.push_back({type, name});
    to.instructions.push_back({Feed{name}, {}, {id}, {}});
    if (name == "x") to.instructions.push_back({Fetch{Output::Kind::tensor, name}, {id}, {}, {}});
  };
  feed(0, "x", lab.type({b, k}, {{b, {a0}}, {k, {a1}}}));
  feed(0, "y", lab.type({b, k}, {{b, {a0}}}));
  feed(1, "x", lab.type({half, k}, {{half, {a0}}, {k, {a1}}}));
  feed(1, "y", lab.type({half, k}));
  return lab.module;
}

/// The same as an emitted program's tables and functions.
const std::vector<EmittedInput>& inputs() {
  static const std::vector<EmittedInput> made = [] {
    const Module module = fed_module();
    std::vector<EmittedInput> all;
    for (const Program& program : module.programs)
      for (const auto& [name, value] : {std::pair{"x", 0}, std::pair{"y", 1}})
        all.push_back({name, bind::sharded_tensor({module.dims, module.mesh},
                                                  program.at(ValueId{value}).type)});
    return all;
  }();
  return made;
}
void take(mtfc::runtime::Processor& p, std::size_t program) {
  const EmittedInput &x = inputs()[2 * program], &y = inputs()[2 * program + 1];
  p.feed(x, arena(0));
  p.fetch("tensor", "x", x.tensor, arena(0));
  p.feed(y, arena(1024));
}
const EmittedModule& emitted() {
  static const EmittedModule module{
      "m",
      {{{"rows", 2}, {"cols", 2}}},
      {},
      inputs(),
      {{"all", 2048, [](mtfc::runtime::Processor& p) { take(p, 0); }},
       {"half", 2048, [](mtfc::runtime::Processor& p) { take(p, 1); }}}};
  return module;
}

DataPlan drawn() {
  const InputSpec x{"x", DType::f32, {8, 6}, {"b", "k"}, "s", "", 0, ""};
  InputSpec y = x;
  y.name = "y";
  DataPlan plan = mtfc::test::plan_of(mtfc::test::source_of("gaussian", {}), {x, y});
  return plan;
}

/// Runs on several threads at once, so it counts its mistakes.
int mistakes(Engine& engine, int rank) {
  int wrong = 0;
  const std::int64_t row = rank / 2, col = rank % 2;
  wrong += engine.input_part("x", {8, 6}) != Block{{4 * row, 3 * col}, {4, 3}};
  wrong += engine.input_part("y", {8, 6}) != Block::whole({8, 6});  // the programs differ
  wrong += engine.input_part("z", {8, 6}) != Block::whole({8, 6});  // nobody takes it
  wrong += engine.input_part("x", {9, 6}) != Block::whole({9, 6});  // not n times its rows
  wrong += engine.input_part("x", {8, 12}) != Block::whole({8, 12});

  const DataPlan plan = drawn();
  auto all = Feeder::open(plan), mine = Feeder::open(plan);
  if (!all || !mine) return 100;
  read_for(*mine, engine);
  Feeds whole, part;
  if (!all->train(3, whole) || !mine->train(3, part)) return 101;
  wrong += mine->amount().examples != 4 || mine->amount().bytes != 4 * (4 * 3 + 8 * 6);
  wrong += all->amount().examples != 8 || all->amount().bytes != 4 * (8 * 6 + 8 * 6);
  // Whatever it is fed with, together the ranks hold the batch.
  for (const Feeds& feeds : {whole, part}) {
    std::vector<Fetched> fetched;
    engine.run("all", feeds, fetched);
    wrong += fetched.size() != 1 || fetched[0].value.data != whole.at("x").data;
    fetched.clear();
    StepRunner({{"half", 2}}).run(engine, feeds, fetched);
    if (fetched.size() != 2) return 102;
    for (std::int64_t i = 0; i < 8; ++i)
      for (std::int64_t j = 0; j < 6; ++j)
        wrong += fetched[static_cast<std::size_t>(i % 2)].value.as<float>()[i / 2 * 6 + j] !=
                 whole.at("x").as<float>()[i * 6 + j];
  }
  return wrong;
}

}  // namespace

TEST_CASE("a rank reads its part of a batch", "[parts]") {
  CHECK(net::run_on_threads(4, [](Network& network) {
          backends::ModuleRank rank(fed_module(), network, 1);
          return mistakes(rank, network.rank());
        }) == 0);
}

TEST_CASE("a processor of an emitted program reads its part of a batch", "[parts]") {
  CHECK(net::run_on_threads(4, [](Network& network) {
          EmittedEngine rank(emitted(), network, 1);
          return mistakes(rank, network.rank());
        }) == 0);
}

}  // namespace backends_fed_shards_test
