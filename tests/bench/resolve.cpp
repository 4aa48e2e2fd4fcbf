// How many questions per second `resolve` answers for a model under a layout: as the layout asks
// them, and with results wanted otherwise, so that data moves. Not a test: run it by hand.
//   mtfc_bench_resolve MODEL.mtf RULES.layout [QUESTIONS]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "frontend/elaborate/elaborate.h"
#include "frontend/layout/parse_layout.h"
#include "layout/assignment.h"
#include "layout/resolve.h"
#include "lowering/pipeline.h"
#include "ops/op.h"

using namespace mtfc;

namespace {

FileId add(SourceMap& sources, const char* path) {
  std::ifstream file(path, std::ios::binary);
  return sources.add(path,
                     {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

struct Question {
  lowering::OpForm form;
  std::vector<const Sharding*> operands;
  lowering::Wanted as_assigned, otherwise;
};

std::vector<Question> questions_of(const Graph& graph, const std::vector<Sharding>& shardings) {
  std::vector<Question> list;
  for (const Operation& op : graph.ops) {
    Question q{lowering::form_of(op, graph, ops::local_instruction(op, graph)), {}, {}, {}};
    for (ValueId id : op.operands) q.operands.push_back(&shardings[id.at()]);
    q.as_assigned.sharding = q.otherwise.sharding = shardings[op.results[0].at()];
    for (auto& axes : q.otherwise.sharding.split) axes.clear();
    list.push_back(std::move(q));
  }
  return list;
}

/// Seconds for so many questions, round the operations.
double ask(lowering::MoveTable& table, const std::vector<Question>& all, long count,
           bool assigned) {
  const auto start = std::chrono::steady_clock::now();
  double bytes = 0;
  for (long i = 0; i < count; ++i) {
    const Question& q = all[static_cast<std::size_t>(i) % all.size()];
    const lowering::Wanted& wanted = assigned ? q.as_assigned : q.otherwise;
    bytes += lowering::resolve(table, q.form, q.operands, wanted).sent_bytes;
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%s: %ld questions about %zu operations in %.2f s, %.2f us each (%.3g bytes)\n",
              assigned ? "as assigned" : "replicated results", count, all.size(), seconds,
              1e6 * seconds / static_cast<double>(count), bytes);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const long count = argc > 3 ? std::atol(argv[3]) : 1'000'000;
  SourceMap sources;
  Diagnostics diagnostics;
  const auto model = elaborate(sources, add(sources, argv[1]), {}, diagnostics);
  if (!model) return 1;
  const auto layout = parse_layout(sources, add(sources, argv[2]), diagnostics);
  if (!layout) return 1;
  const auto assignment = lowering::resolve(*layout, std::nullopt, *model, diagnostics);
  if (!assignment) return 1;
  const Compilation made = lowering::compile(*model, *assignment, {});
  for (std::size_t i = 0; i < made.graphs.size(); ++i) {
    if (made.graphs[i].name != "train") continue;
    const auto all = questions_of(made.graphs[i], made.shardings[i]);
    lowering::MoveTable table(made.module.dims, made.module.mesh);
    ask(table, all, count, true);
    ask(table, all, count, false);
  }
}
