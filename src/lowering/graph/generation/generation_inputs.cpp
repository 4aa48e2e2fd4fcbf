#include "lowering/graph/generation/generation_inputs.h"

#include <set>

#include "lowering/graph/generation/positions.h"
#include "messages/display.h"
#include "ops/inputs.h"

namespace mtfc::lowering {

namespace {

using Content = GenerationInput::Content;

const Input* input_called(const Model& model, const std::string& name) {
  for (const Input& input : model.inputs)
    if (input.name == name) return &input;
  return nullptr;
}

/// The first input that a value is made of.
const std::string* input_behind(const Graph& graph, ValueId value) {
  std::vector<ValueId> open{value};
  std::set<ValueId> seen;
  while (!open.empty()) {
    const ValueId next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    const Operation& op = graph.producer(next);
    if (const std::string* name = ops::input_name(op)) return name;
    open.insert(open.end(), op.operands.begin(), op.operands.end());
  }
  return nullptr;
}

std::optional<Content> content_of(const Input& input, const Generation& generation) {
  if (input.name == generation.prompt) return Content::prompts;
  if (input.field.ends_with("segment")) return Content::segments;
  if (input.field.ends_with("position")) return Content::positions;
  return std::nullopt;
}

/// [texts, n] or [n].
bool has_shape_of_texts(const Input& input, const Generation& generation) {
  const DimList& dims = input.type.dims;
  const DimId rows = generation.rows;
  return rows.valid() ? dims.size() == 2 && dims[0] == rows : dims.size() == 1;
}

}  // namespace

const Input* token_input(const Model& model) {
  const std::string* name = input_behind(model.eval, model.generation->tokens);
  return name ? input_called(model, *name) : nullptr;
}

const Input* prompt_input(const Model& model) {
  const std::string& prompt = model.generation->prompt;
  return prompt.empty() ? token_input(model) : input_called(model, prompt);
}

bool computes_tokens(const Model& model) {
  return !ops::input_name(model.eval.producer(model.generation->tokens));
}

std::optional<std::vector<GenerationInput>> generation_inputs(const Model& model,
                                                              Diagnostics& diagnostics) {
  const Generation& generation = *model.generation;
  std::vector<GenerationInput> found;
  const Cut cut = cut_at_tokens(model);
  for (const Operation& op : cut.graph.ops) {
    const std::string* name = ops::input_name(op);
    if (!name || op.results[0] == cut.tokens) continue;
    const Input* input = input_called(model, *name);
    if (input == nullptr) continue;
    const std::optional<Content> content = content_of(*input, generation);
    if (!content) {
      diagnostics.report(diag(DiagKind::wrong_setting,
                              "generation has nothing to feed to the input `" + input->name + "`")
                             .at(input->declared, "needed")
                             .also(generation.span, "by what this generates")
                             .note("there are the ids, the prompt, segments and positions"));
      return std::nullopt;
    }
    if (!has_shape_of_texts(*input, generation)) {
      diagnostics.report(
          diag(DiagKind::wrong_setting,
               "`" + input->name + "` must have the dimension of the texts and one more")
              .at(input->declared, to_string(model.dims, input->type)));
      return std::nullopt;
    }
    found.push_back({input, *content, contains(input->type.dims, generation.over)});
  }
  return found;
}

}  // namespace mtfc::lowering
