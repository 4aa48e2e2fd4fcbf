#include "layout/resolve_pipeline.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "ir/glob.h"
#include "layout/axis_sizes.h"
#include "layout/block_instances.h"
#include "layout/meant_path.h"
#include "layout/named_tensors.h"
#include "layout/stages.h"
#include "support/did_you_mean.h"
#include "support/text.h"

namespace mtfc::lowering {
namespace {

using Field = LayoutPipeline::Field;

Diagnostic wrong(std::string message, Span span, std::string help = "") {
  Diagnostic d = diag(DiagKind::wrong_pipeline, std::move(message)).at(span);
  if (!help.empty()) d.helps.push_back(std::move(help));
  return d;
}

class PipelineResolver {
 public:
  PipelineResolver(const LayoutPipeline& text, const Model& model, const Mesh& mesh,
                   Diagnostics& diagnostics)
      : text_(text), model_(model), mesh_(mesh), diagnostics_(diagnostics) {}

  std::optional<Stages> run() {
    const Graph& graph = cut_graph(model_);
    const std::vector<std::string> blocks = matching(text_.globs, graph);
    if (blocks.empty()) return no_block(graph);
    warn_of_idle_globs(graph, blocks);
    Stages stages;
    for (const Field& field : text_.fields)
      if (!read(field, stages)) return std::nullopt;
    if (stages_ == nullptr) {
      diagnostics_.report(wrong("the pipeline does not say how many stages it has", text_.span,
                                "write `stages = 2` between its braces"));
      return std::nullopt;
    }
    if (is_outer(blocks, graph)) return std::nullopt;
    if (!settle_chunks(stages) || !deal_out(stages, blocks) || !have_meshes(stages))
      return std::nullopt;
    if (stages.count == 1 && stages_->words.size() > 1)
      diagnostics_.report(diag(DiagKind::unused_rule, "these chunks are all of one stage")
                              .at(stages_->span)
                              .help("`stages` has a number for each chunk of each stage: for two "
                                    "stages of two chunks `stages = 1+1+1+1`"));
    return in_order(graph, stages) ? std::optional(stages) : std::nullopt;
  }

 private:
  /// `dealt_out`: the blocks that all globs match, outermost.
  void warn_of_idle_globs(const Graph& graph, const std::vector<std::string>& dealt_out) {
    for (const std::string& glob : text_.globs) {
      const std::vector<std::string> own = matching({glob}, graph);
      const auto is_dealt_out = [&](const std::string& block) {
        return std::find(dealt_out.begin(), dealt_out.end(), block) != dealt_out.end();
      };
      if (std::any_of(own.begin(), own.end(), is_dealt_out)) continue;
      if (!own.empty()) {
        warn_of_nested(glob, own);
        continue;
      }
      Diagnostic d = diag(DiagKind::unused_rule,
                          "`\"" + glob + "\"` of the pipeline matches no block instance")
                         .at(text_.globs_span);
      if (const auto path = meant_path(glob, block_paths(graph), Within::beginnings))
        d.helps.push_back(meant(path->globs));
      diagnostics_.report(std::move(d));
    }
  }

  void warn_of_nested(const std::string& glob, const std::vector<std::string>& blocks) {
    diagnostics_.report(diag(DiagKind::unused_rule,
                             "`\"" + glob + "\"` of the pipeline matches only what is in blocks " +
                                 "that its other paths match")
                            .at(text_.globs_span, list_names(blocks, 4))
                            .note("a block is dealt out to a stage with all that is in it")
                            .help("remove `\"" + glob + "\"`"));
  }

  std::optional<Stages> no_block(const Graph& graph) {
    const std::string example = repeated_block(graph);
    if (text_.globs.size() == 1)
      if (const auto path =
              meant_path(text_.globs.front(), block_paths(graph), Within::beginnings)) {
        Diagnostic d = wrong("`pipeline` matches no block instance of this model", text_.globs_span,
                             meant(path->globs));
        if (path->is_sure) d.fix(text_.globs_span, "\"" + path->globs.front() + "\"");
        report(std::move(d));
        return std::nullopt;
      }
    report(wrong("`pipeline` matches no block instance of this model", text_.globs_span,
                 example.empty() ? "the model has no block instances that could be cut apart"
                                 : "a path of blocks is `" + example +
                                       "`; `*` matches within a segment of a path, `**` across"));
    return std::nullopt;
  }

  bool read(const Field& field, Stages& stages) {
    if (!seen_.insert(field.name).second)
      return report(wrong("`" + field.name + "` is given twice", field.span));
    if (field.name == "stages") {
      stages_ = &field;
      return true;
    }
    if (field.name == "chunks") return read_chunks(field, stages);
    if (field.name == "schedule") return read_schedule(field, stages);
    if (is_axis(field, mesh_)) return true;
    std::vector<std::string> names = pipeline_words;
    for (const MeshAxis& axis : mesh_.axes) names.push_back(axis.name);
    const std::vector<std::string> near = did_you_mean(field.name, names);
    Diagnostic d = wrong("a pipeline has no `" + field.name + "`", field.span,
                         near.empty() ? "it has `stages`, `chunks`, `schedule`, and sizes of axes "
                                        "of the mesh"
                                      : meant(near));
    if (const std::string* one = sole(near))
      d.fix(field.span, *one + " = " + mtfc::joined(field.words, "+"));
    return report(std::move(d));
  }

  bool report(Diagnostic d) {
    diagnostics_.report(std::move(d));
    return false;
  }

  bool read_schedule(const Field& field, Stages& stages) {
    std::vector<std::string> names;
    for (const Schedule schedule :
         {Schedule::gpipe, Schedule::one_f_one_b, Schedule::interleaved}) {
      names.emplace_back(name(schedule));
      if (field.words.size() != 1 || field.words.front() != name(schedule)) continue;
      stages.schedule = schedule;
      return true;
    }
    const std::string wanted = mtfc::joined(field.words, "+");
    Diagnostic d = wrong("no schedule is called `" + wanted + "`", field.span,
                         "there are `gpipe`, `1f1b` and `interleaved`");
    const std::vector<std::string> near = did_you_mean(wanted, names);
    if (const std::string* one = sole(near)) d.fix(field.span, "schedule = " + *one);
    return report(std::move(d));
  }

  /// A number from `least` to `most`; reported if it is none.
  std::optional<std::int64_t> number(const Field& field, const std::string& word,
                                     std::int64_t least, std::int64_t most,
                                     const std::string& help) {
    if (const auto number = read_whole(word, least, most)) return number;
    report(wrong("`" + word + "` is not a number from " + std::to_string(least) + " to " +
                     std::to_string(most),
                 field.span, help));
    return std::nullopt;
  }

  bool read_chunks(const Field& field, Stages& stages) {
    constexpr std::int64_t most = 1024;
    const std::optional<std::int64_t> chunks =
        number(field, mtfc::joined(field.words, "+"), 1, most,
               "`chunks = 2` gives each stage two chunks of the model; without, it has one");
    if (!chunks) return false;
    stages.chunks = static_cast<int>(*chunks);
    return true;
  }

  bool settle_chunks(Stages& stages) {
    if (stages.chunks > 1 && !seen_.contains("schedule")) stages.schedule = Schedule::interleaved;
    const bool interleaved = stages.schedule == Schedule::interleaved;
    if (interleaved == (stages.chunks > 1)) return true;
    return report(interleaved ? wrong("`schedule = interleaved` needs chunks", text_.span,
                                      "`chunks = 2` gives each stage two chunks of the model")
                              : wrong("`chunks` goes with `schedule = interleaved` alone",
                                      text_.span, "write `schedule = interleaved` beside it"));
  }

  /// Several stages of one block that has others in it: reported, these are meant.
  bool is_outer(const std::vector<std::string>& blocks, const Graph& graph) {
    const bool one_stage = stages_->words.size() == 1 && stages_->words.front() == "1";
    if (blocks.size() > 1 || text_.globs.size() > 1 || one_stage) return false;
    std::string inner;
    for (const std::string& block : block_instances(graph))
      if (inner.empty() && block.starts_with(blocks.front() + ".") &&
          matching({general_path(block)}, graph).size() > 1)
        inner = general_path(block);
    if (inner.empty()) return false;
    diagnostics_.report(wrong("the pipeline names one block, which stages cannot share",
                              text_.globs_span,
                              "did you mean the blocks in it, `\"" + inner + "\"`?")
                            .fix(text_.globs_span, "\"" + inner + "\""));
    return true;
  }

  /// `4`: stages of about equal numbers of blocks; `3+4+5`: the numbers. Of chunks, in the order of
  /// the model, where stages have several.
  bool deal_out(Stages& stages, const std::vector<std::string>& blocks) {
    const auto there = static_cast<std::int64_t>(blocks.size());
    const bool chunks = stages.chunks > 1;
    if (stages.chunks > there)
      return report(wrong("a stage of " + std::to_string(stages.chunks) + " chunks needs as many " +
                              "blocks, the model has " + std::to_string(there) + " of these",
                          text_.span, "`chunks` says into how many parts a stage is cut"));
    const std::optional<std::int64_t> count =
        stages_->words.size() == 1 ? read_whole(stages_->words.front(), 1, there) : std::nullopt;
    if (chunks && count && *count * stages.chunks > there)
      return report(wrong(counted(*count, "stage") + " of " + std::to_string(stages.chunks) +
                              " chunks need " + counted(*count * stages.chunks, "block") +
                              ", the model has " + std::to_string(there) + " of these",
                          text_.span, "take fewer chunks, or fewer stages"));
    std::vector<std::int64_t> sizes;
    for (const std::string& word : stages_->words) {
      const bool counts = stages_->words.size() == 1;
      const std::optional<std::int64_t> size =
          number(*stages_, word, 1, counts ? there / stages.chunks : there,
                 std::string("each ") + (chunks ? "chunk" : "stage") + " has one of the " +
                     counted(there, "block") + " at least that the pipeline names");
      if (!size) return false;
      sizes.push_back(*size);
    }
    if (sizes.size() == 1) sizes = even_blocks(there, sizes.front() * stages.chunks);
    const std::int64_t sum = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    if (sum != there)
      return report(wrong("the stages have " + counted(sum, "block") + ", the model has " +
                              std::to_string(there) + " of these",
                          stages_->span, "`stages = 2` shares them out evenly"));
    if (sizes.size() % static_cast<std::size_t>(stages.chunks) != 0)
      return report(wrong("the numbers of blocks are those of " +
                              counted(static_cast<std::int64_t>(sizes.size()), "chunk") + ", and " +
                              std::to_string(stages.chunks) + " are to go to each stage",
                          stages_->span, "`stages = 2` shares the blocks out evenly"));
    stages.count = static_cast<int>(sizes.size()) / stages.chunks;
    std::size_t next = 0;
    for (std::size_t at = 0; at < sizes.size(); ++at)
      for (std::int64_t i = 0; i < sizes[at]; ++i)
        stages.blocks[blocks[next++]] = static_cast<int>(at);
    return model_.settings.microbatches < 2 || goes_with_microbatches(stages);
  }

  /// What gives sizes of an axis gives one for each stage.
  bool have_meshes(const Stages& stages) {
    for (const Field& field : text_.fields)
      if (is_axis(field, mesh_) && static_cast<int>(field.words.size()) != stages.count)
        return report(wrong("`" + field.name + "` has " +
                                counted(static_cast<std::int64_t>(field.words.size()), "size") +
                                ", the pipeline " + counted(stages.count, "stage"),
                            field.span,
                            "write one for each stage, in order: `" + field.name + " = 2+4`"));
    return true;
  }

  bool goes_with_microbatches(const Stages& stages) {
    const std::int64_t there = model_.settings.microbatches;
    if (stages.chunks == 1 || can_interleave(stages.count, there)) return true;
    const std::int64_t other = microbatches_for(stages.count, there);
    const std::string help =
        other > 0 ? "give `--set train.microbatches=" + std::to_string(other) + "`"
                  : "no such number divides the batch: take another batch, other stages, or no "
                    "chunks";
    return report(wrong("`schedule = interleaved` needs a multiple of " +
                            std::to_string(stages.count) + " micro-batches, one for each stage",
                        text_.span, "there are " + std::to_string(there) + ": " + help));
  }

  /// The next multiple of the stages, the one before failing that, which divides every batch; 0:
  /// none does.
  std::int64_t microbatches_for(std::int64_t stages, std::int64_t there) const {
    std::int64_t batch = 0;
    for (const Input& input : model_.inputs)
      if (!input.type.dims.empty()) batch = std::gcd(batch, model_.dims.size(input.type.dims[0]));
    std::int64_t below = 0;
    for (std::int64_t n = stages; n <= batch; n += stages) {
      if (batch % n != 0) continue;
      if (n > there) return n;
      below = n;
    }
    return below;
  }

  /// What a stage computes needs nothing of a later one.
  bool in_order(const Graph& graph, const Stages& stages) {
    const std::vector<int> of = stages_of(graph, stages);
    for (std::size_t i = 0; i < graph.ops.size(); ++i) {
      const Operation& op = graph.ops[i];
      for (ValueId operand : op.operands) {
        const std::size_t from = graph.at(operand).producer.at();
        if (of[i] < 0 || of[from] <= of[i]) continue;  // -1: nothing uses it
        const std::string what = stages.chunks > 1 ? "chunk " : "stage ";
        return report(wrong(
            "the stages are not in the order in which the model computes: `" + op.role.block.str() +
                "` in " + what + std::to_string(of[i]) + " needs what " + what +
                std::to_string(of[from]) + " computes",
            text_.span, "name the blocks of one chain, such as the iterations of one `repeat`"));
      }
    }
    return true;
  }

  const LayoutPipeline& text_;
  const Model& model_;
  const Mesh& mesh_;
  Diagnostics& diagnostics_;
  std::set<std::string> seen_;
  const Field* stages_ = nullptr;
};

/// What the rest of the model does not allow.
bool allowed(const LayoutPipeline& text, const Model& model, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  if (!has_loss(model.train))
    diagnostics.report(wrong("a pipeline is for training, and the model has no loss", text.span,
                             "add `loss E` and `train { }`, or take the pipeline out"));
  else if (model.settings.microbatches < 2)
    diagnostics.report(wrong("a pipeline needs micro-batches", text.span,
                             "write `microbatches = 4` in `train { }`, or give "
                             "`--set train.microbatches=4`"));
  return diagnostics.errors() == before;
}

}  // namespace

void resolve_pipeline(const Layout& layout, const Model& model, Assignment& assignment,
                      Diagnostics& diagnostics) {
  if (!layout.pipeline) return;
  // What is wrong with the entry itself is found in the same run.
  const bool able = allowed(*layout.pipeline, model, diagnostics);
  std::optional<Stages> stages =
      PipelineResolver(*layout.pipeline, model, assignment.mesh, diagnostics).run();
  if (able) assignment.stages = std::move(stages);
}

}  // namespace mtfc::lowering
