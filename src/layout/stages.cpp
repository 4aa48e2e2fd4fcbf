#include "layout/stages.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include "layout/scopes.h"
#include "ops/inputs.h"
#include "support/glob.h"
#include "support/render.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

using Field = LayoutPipeline::Field;

Diagnostic wrong(std::string message, Span span, std::string help = "") {
  Diagnostic d = diag(DiagKind::wrong_pipeline, std::move(message)).at(span);
  if (!help.empty()) d.helps.push_back(std::move(help));
  return d;
}

/// The graph that stages are cut out of: of one micro-batch where there are some.
const Graph& cut_graph(const Model& model) {
  if (model.microbatch.count > 1) return model.microbatch.graph;
  return model.train.ops.empty() ? model.eval : model.train;
}

/// Every block instance and those around it, in the order in which the graph comes to them.
std::vector<std::string> block_instances(const Graph& graph) {
  std::vector<std::string> found;
  std::set<std::string, std::less<>> seen;
  for (const Operation& op : graph.ops) {
    std::vector<std::string> fresh;
    for (std::string_view block = op.role.block; !block.empty(); block = block_of(block))
      if (seen.emplace(block).second) fresh.emplace_back(block);
    found.insert(found.end(), fresh.rbegin(), fresh.rend());
  }
  return found;
}

bool matches_any(const std::vector<std::string>& globs, std::string_view block) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return glob_matches(glob, block); });
}

/// Those that match, without what is nested in one that does.
std::vector<std::string> matching(const std::vector<std::string>& globs, const Graph& graph) {
  std::vector<std::string> found;
  for (const std::string& block : block_instances(graph)) {
    bool nested = false;
    for (std::string_view around = block_of(block); !around.empty(); around = block_of(around))
      nested = nested || matches_any(globs, around);
    if (!nested && matches_any(globs, block)) found.push_back(block);
  }
  return found;
}

class PipelineResolver {
 public:
  PipelineResolver(const LayoutPipeline& text, const Model& model, Diagnostics& diagnostics)
      : text_(text), model_(model), diagnostics_(diagnostics) {}

  std::optional<Stages> run() {
    const Graph& graph = cut_graph(model_);
    const std::vector<std::string> blocks = matching(text_.globs, graph);
    if (blocks.empty()) return no_block(graph);
    Stages stages;
    std::vector<std::int64_t> sizes;
    for (const Field& field : text_.fields)
      if (!read(field, stages, sizes, blocks.size())) return std::nullopt;
    if (sizes.empty()) {
      diagnostics_.report(wrong("the pipeline does not say how many stages it has", text_.span,
                                "write `stages = 2` between its braces"));
      return std::nullopt;
    }
    stages.count = static_cast<int>(sizes.size());
    std::size_t next = 0;
    for (std::size_t stage = 0; stage < sizes.size(); ++stage)
      for (std::int64_t i = 0; i < sizes[stage]; ++i)
        stages.blocks[blocks[next++]] = static_cast<int>(stage);
    return in_order(graph, stages) ? std::optional(stages) : std::nullopt;
  }

 private:
  std::optional<Stages> no_block(const Graph& graph) {
    // The longest path: `layers` is there too, around its iterations.
    std::vector<std::string> all = block_instances(graph);
    std::stable_sort(all.begin(), all.end(), [](const std::string& a, const std::string& b) {
      return std::count(a.begin(), a.end(), '.') > std::count(b.begin(), b.end(), '.');
    });
    report(wrong("`pipeline` matches no block instance of this model", text_.globs_span,
                 all.empty() ? "the model has no block instances that could be cut apart"
                             : "a block is `" + all.front() +
                                   "`; `*` matches within a segment of a path, `**` across"));
    return std::nullopt;
  }

  bool read(const Field& field, Stages& stages, std::vector<std::int64_t>& sizes,
            std::size_t blocks) {
    if (!seen_.insert(field.name).second)
      return report(wrong("`" + field.name + "` is given twice", field.span));
    if (field.name == "stages") return read_stages(field, sizes, blocks);
    if (field.name == "schedule") return read_schedule(field, stages);
    const std::vector<std::string> near = did_you_mean(field.name, {"stages", "schedule"});
    return report(wrong(
        "a pipeline has no `" + field.name + "`", field.span,
        near.empty() ? "it has `stages` and `schedule`" : "did you mean `" + near.front() + "`?"));
  }

  bool report(Diagnostic d) {
    diagnostics_.report(std::move(d));
    return false;
  }

  bool read_schedule(const Field& field, Stages& stages) {
    for (const Schedule schedule : {Schedule::gpipe, Schedule::one_f_one_b}) {
      if (field.words.size() != 1 || field.words.front() != name(schedule)) continue;
      stages.schedule = schedule;
      return true;
    }
    return report(wrong("no schedule is called `" + mtfc::joined(field.words, "+") + "`",
                        field.span, "there are `gpipe` and `1f1b`"));
  }

  /// `4`: stages of about equal numbers of blocks; `3+4+5`: the numbers.
  bool read_stages(const Field& field, std::vector<std::int64_t>& sizes, std::size_t blocks) {
    const auto there = static_cast<std::int64_t>(blocks);
    std::int64_t sum = 0;
    for (const std::string& word : field.words) {
      std::int64_t number = 0;
      const char* end = word.data() + word.size();
      const auto [stop, failure] = std::from_chars(word.data(), end, number);
      if (failure != std::errc() || stop != end || number < 1 || number > there)
        return report(wrong("`" + word + "` is not a number from 1 to " + std::to_string(there),
                            field.span,
                            "each stage has one of the " + counted(there, "block") +
                                " at least that the pipeline names"));
      sizes.push_back(number);
      sum += number;
    }
    if (sizes.size() == 1) {
      const std::int64_t count = sizes.front();
      sizes.assign(static_cast<std::size_t>(count), there / count);
      for (std::int64_t i = 0; i < there % count; ++i) ++sizes[static_cast<std::size_t>(i)];
      return true;
    }
    if (sum == there) return true;
    return report(wrong("the stages have " + counted(sum, "block") + ", the model has " +
                            std::to_string(there) + " of these",
                        field.span, "`stages = 2` shares them out evenly"));
  }

  /// What a stage computes needs nothing of a later one.
  bool in_order(const Graph& graph, const Stages& stages) {
    const std::vector<int> of = stages_of(graph, stages);
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
      const Operation& op = graph.ops[i];
      for (ValueId operand : op.operands) {
        const std::size_t from = graph.at(operand).producer.at();
        if (of[i] < 0 || of[from] <= of[i]) continue;  // -1: nothing uses it
        return report(wrong(
            "the stages are not in the order in which the model computes: `" + op.role.block.str() +
                "` in stage " + std::to_string(of[i]) + " needs what stage " +
                std::to_string(of[from]) + " computes",
            text_.span, "name the blocks of one chain, such as the iterations of one `repeat`"));
      }
    }
    return true;
  }

  const LayoutPipeline& text_;
  const Model& model_;
  Diagnostics& diagnostics_;
  std::set<std::string> seen_;
};

/// What the rest of the layout and of the model does not allow.
bool allowed(const LayoutPipeline& text, const Model& model, const Assignment& assignment,
             Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  if (model.settings.microbatches < 2)
    diagnostics.report(wrong("a pipeline needs micro-batches", text.span,
                             "write `microbatches = 4` in `train { }`, or give "
                             "`--set train.microbatches=4`"));
  if (assignment.options.gather_step)
    diagnostics.report(wrong("`set gather=step` does not go with a pipeline yet", text.span,
                             "`set gather=once` gathers once for each micro-batch"));
  return diagnostics.errors() == before;
}

}  // namespace

void resolve_pipeline(const Layout& layout, const Model& model, Assignment& assignment,
                      Diagnostics& diagnostics) {
  if (!layout.pipeline || !allowed(*layout.pipeline, model, assignment, diagnostics)) return;
  assignment.stages = PipelineResolver(*layout.pipeline, model, diagnostics).run();
}

std::vector<int> stages_of(const Graph& graph, const GivenStage& given) {
  std::vector<int> stage(graph.ops.size(), -1);
  for (std::size_t i = 0; i < graph.ops.size(); ++i) {
    std::vector<int> operands;
    for (ValueId operand : graph.ops[i].operands)
      operands.push_back(stage[graph.at(operand).producer.at()]);
    if (const std::optional<int> known = given(graph.ops[i], operands))
      stage[i] = *known;
    else if (!operands.empty())
      stage[i] = *std::max_element(operands.begin(), operands.end());
  }
  // What is computed from nothing of a stage is computed where it is first used.
  constexpr int never = std::numeric_limits<int>::max();
  std::vector<int> first(graph.ops.size(), never);
  for (std::size_t i = graph.ops.size(); i-- > 0;) {
    if (stage[i] < 0 && first[i] < never) stage[i] = first[i];
    if (stage[i] < 0) continue;
    for (ValueId operand : graph.ops[i].operands) {
      int& earliest = first[graph.at(operand).producer.at()];
      earliest = std::min(earliest, stage[i]);
    }
  }
  return stage;
}

std::vector<int> stages_of(const Graph& graph, const Stages& stages) {
  return stages_of(graph, [&](const Operation& op, const std::vector<int>&) {
    return stages.of_block(op.role.block);
  });
}

std::map<std::string, int> homes_of(const Model& model, const Stages& stages) {
  const Graph& graph = cut_graph(model);
  const std::vector<int> stage = stages_of(graph, stages);
  std::map<std::string, int> homes;
  for (std::size_t i = 0; i < graph.ops.size(); ++i)
    if (const std::string* read = ops::variable_read(graph.ops[i])) {
      const auto first = homes.emplace(*read, stage[i]).first;
      first->second = std::max(std::min(first->second, stage[i]), 0);
    }
  return homes;
}

}  // namespace mtfc::lowering
