#include "plan/space/choice.h"

#include <algorithm>

#include "ir/stage_meshes.h"
#include "layout/rules.h"
#include "layout/stages.h"
#include "support/setting_words.h"
#include "support/text.h"

namespace mtfc::plan {
namespace {

LayoutRule rule_of(const Split& split, bool pads) {
  LayoutRule rule;
  rule.pattern = split.dim;
  rule.axes = split.axes;
  rule.axis_spans.resize(split.axes.size());
  rule.must_divide = !pads;
  return rule;
}

LayoutScope scope_of(LayoutScope::Kind kind, std::string glob, const std::vector<Split>& splits,
                     bool pads) {
  LayoutScope scope{kind, std::move(glob), {}, {}, {}};
  for (const Split& split : splits) scope.rules.push_back(rule_of(split, pads));
  return scope;
}

void set(Layout& layout, const std::string& name, const std::string& word) {
  layout.settings.emplace_back(name, word);
  layout.setting_spans.emplace_back();
}

std::string_view name(Gather gather) {
  switch (gather) {
    case Gather::once:
      return "once";
    case Gather::step:
      return "step";
    case Gather::again:
      break;
  }
  return "again";
}

/// "full", "full:40"
std::string recompute_word(const Choice& choice) {
  const std::string word = choice.recompute == Recompute::full        ? "full"
                           : choice.recompute == Recompute::selective ? "selective"
                                                                      : "none";
  return choice.recomputed == 0 ? word : word + ":" + std::to_string(choice.recomputed);
}

/// "4" if they are dealt out evenly, else "3+4+5".
std::vector<std::string> stage_words(const Pipeline& pipeline) {
  std::int64_t sum = 0;
  for (const std::int64_t blocks : pipeline.blocks) sum += blocks;
  if (pipeline.blocks.empty() || pipeline.blocks == lowering::even_blocks(sum, pipeline.stages))
    return {std::to_string(pipeline.stages)};
  std::vector<std::string> words;
  for (const std::int64_t blocks : pipeline.blocks) words.push_back(std::to_string(blocks));
  return words;
}

/// The axes whose sizes differ from stage to stage, as fields of the pipeline.
std::vector<LayoutPipeline::Field> axis_fields(const Pipeline& pipeline) {
  std::vector<LayoutPipeline::Field> fields;
  if (pipeline.meshes.empty()) return fields;
  for (std::size_t i = 0; i < pipeline.meshes.front().axes.size(); ++i) {
    LayoutPipeline::Field field{pipeline.meshes.front().axes[i].name, {}, {}};
    bool alike = true;
    for (const Mesh& mesh : pipeline.meshes) {
      field.words.push_back(std::to_string(mesh.axes[i].size));
      alike = alike && field.words.back() == field.words.front();
    }
    if (!alike) fields.push_back(std::move(field));
  }
  return fields;
}

LayoutPipeline layout_pipeline(const Pipeline& pipeline) {
  LayoutPipeline made;
  made.globs = pipeline.chain.globs;
  made.fields.push_back({"stages", stage_words(pipeline), {}});
  if (pipeline.schedule != Schedule::one_f_one_b)
    made.fields.push_back({"schedule", {std::string(name(pipeline.schedule))}, {}});
  if (pipeline.chunks > 1) made.fields.push_back({"chunks", {std::to_string(pipeline.chunks)}, {}});
  for (LayoutPipeline::Field& field : axis_fields(pipeline))
    made.fields.push_back(std::move(field));
  return made;
}

std::string text_of(const Pipeline& pipeline) {
  const std::string head = "pipeline " + text_of(pipeline.chain) + " { ";
  if (pipeline.submeshes && pipeline.meshes.empty()) return head + "any stages of submeshes }";
  return head +
         joined(layout_pipeline(pipeline).fields, "; ",
                [](const LayoutPipeline::Field& field) {
                  return field.name + " = " + joined(field.words, "+");
                }) +
         " }";
}

}  // namespace

std::string text_of(const Chain& chain) {
  return joined(chain.globs, ", ", [](const std::string& glob) { return "\"" + glob + "\""; });
}

std::vector<int> chunk_numbers(std::int64_t blocks, int stages) {
  std::vector<int> numbers;
  for (std::int64_t chunks = 2; chunks * stages <= blocks; ++chunks)
    if (blocks % (chunks * stages) == 0) numbers.push_back(static_cast<int>(chunks));
  return numbers;
}

std::vector<int> chunk_numbers(const Chain& chain, int stages) {
  std::vector<int> numbers = chunk_numbers(chain.blocks, stages);
  // Of blocks that are not alike each is compiled for every layout.
  if (!chain.alike) std::erase_if(numbers, [](int chunks) { return chunks > 2; });
  return numbers;
}

std::vector<int> chunk_numbers(const Pipeline& pipeline) {
  if (!pipeline.given) return chunk_numbers(pipeline.chain, pipeline.stages);
  return std::vector<int>(pipeline.chunks > 1, pipeline.chunks);
}

bool has_scope(const Layout& layout, LayoutScope::Kind kind) {
  return std::any_of(layout.scopes.begin(), layout.scopes.end(),
                     [&](const LayoutScope& scope) { return scope.kind == kind; });
}

std::vector<std::string> idle_axes(const Choice& choice, const Layout& given) {
  const Layout layout = layout_of(choice, given);
  const auto any_of = [](const std::vector<LayoutRule>& rules, const std::string& axis) {
    return std::any_of(rules.begin(), rules.end(),
                       [&](const LayoutRule& rule) { return has(rule.axes, axis); });
  };
  std::vector<std::string> idle;
  for (const MeshAxis& axis : choice.mesh.axes)
    if (axis.size > 1 && !any_of(layout.rules, axis.name) &&
        std::none_of(layout.scopes.begin(), layout.scopes.end(),
                     [&](const LayoutScope& scope) { return any_of(scope.rules, axis.name); }))
      idle.push_back(axis.name);
  return idle;
}

bool has_own_meshes(const Choice& choice) {
  return choice.pipeline && !choice.pipeline->meshes.empty();
}

std::vector<Mesh> meshes_of(const Choice& choice) {
  if (!choice.pipeline) return {choice.mesh};
  if (has_own_meshes(choice)) return choice.pipeline->meshes;
  return std::vector<Mesh>(static_cast<std::size_t>(choice.pipeline->stages), choice.mesh);
}

std::string meshes_text(const Choice& choice) {
  return has_own_meshes(choice) ? to_string(choice.pipeline->meshes) : to_string(choice.mesh);
}

const Mesh& written_mesh(const Choice& choice) {
  return has_own_meshes(choice) ? choice.pipeline->meshes.front() : choice.mesh;
}

Choice without_schedule(Choice choice) {
  choice.gather = Gather::again;
  choice.microbatches = 1;
  return choice;
}

Choice uncut(Choice choice) {
  choice.recomputed = 0;
  if (!choice.pipeline || choice.pipeline->given) return choice;
  const Pipeline& cut = *choice.pipeline;
  Pipeline open{cut.chain, cut.submeshes ? 0 : cut.stages};
  open.submeshes = cut.submeshes;
  choice.pipeline = std::move(open);
  return choice;
}

Layout layout_of(const Choice& choice, const Layout& given) {
  Layout layout = given;
  layout.mesh = written_mesh(choice);
  for (const Split& split : choice.rules) layout.rules.push_back(rule_of(split, choice.pads));
  const auto add = [&](LayoutScope::Kind kind, const std::string& glob,
                       const std::vector<Split>& splits) {
    layout.scopes.push_back(scope_of(kind, glob, splits, choice.pads));
  };
  for (const BlockSplit& block : choice.blocks)
    add(LayoutScope::Kind::block, block.glob, block.splits);
  if (!choice.kept.empty()) add(LayoutScope::Kind::param, "**", choice.kept);
  for (const BlockSplit& block : choice.blocks)
    if (const std::vector<Split> kept = kept_in(block, choice); !kept.empty())
      add(LayoutScope::Kind::param, block.glob + ".**", kept);
  if (choice.sharded_update) set(layout, "update", std::string(name(UpdateForm::sharded)));
  if (choice.gather != Gather::again) set(layout, "gather", std::string(name(choice.gather)));
  if (choice.recompute != Recompute::none) set(layout, "recompute", recompute_word(choice));
  if (choice.pipeline && !choice.pipeline->given)
    layout.pipeline = layout_pipeline(*choice.pipeline);
  return layout;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> axes_with(const std::vector<std::string>& axes, const std::string& axis,
                                   const Mesh& mesh) {
  std::vector<std::string> all;
  for (const MeshAxis& one : mesh.axes)
    if (one.name == axis || has(axes, one.name)) all.push_back(one.name);
  return all;
}

std::vector<std::string> ruled_axes(const Choice& choice, const std::string& dim) {
  for (const Split& rule : choice.rules)
    if (rule.dim == dim) return rule.axes;
  return {};
}

std::vector<Split> kept_in(const BlockSplit& block, const Choice& choice) {
  std::vector<Split> other;
  for (Split kept : choice.kept) {
    if (!has(block.of_parameters, kept.dim)) continue;
    const auto is_taken = [&](const std::string& axis) {
      return std::any_of(block.splits.begin(), block.splits.end(), [&](const Split& split) {
        return split.dim != kept.dim && has(block.of_parameters, split.dim) &&
               has(split.axes, axis) && !has(ruled_axes(choice, split.dim), axis);
      });
    };
    if (std::erase_if(kept.axes, is_taken) > 0) other.push_back(std::move(kept));
  }
  return other;
}

std::vector<std::string> entries_of(const Choice& choice) {
  const Layout layout = layout_of(choice);
  std::vector<std::string> entries;
  for (const LayoutRule& rule : layout.rules) entries.push_back(lowering::text_of(rule));
  for (const LayoutScope& scope : layout.scopes) entries.push_back(lowering::text_of(scope));
  for (const auto& [name, word] : layout.settings) entries.push_back("set " + name + "=" + word);
  if (layout.pipeline) entries.push_back(text_of(*choice.pipeline));
  return entries;
}

std::string rules_text(const Choice& choice) {
  const std::vector<std::string> entries = entries_of(choice);
  return entries.empty() ? "no entries" : joined(entries, "; ");
}

std::string description(const Choice& choice) {
  const std::string rules = rules_text(choice);
  if (choice.microbatches == 1) return rules;
  return rules + "; " + std::to_string(choice.microbatches) + " micro-batches";
}

}  // namespace mtfc::plan
