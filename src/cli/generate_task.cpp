#include "cli/generate_task.h"

#include <algorithm>
#include <set>

#include "data/files/read_file.h"
#include "lowering/graph/generation/derive_generation.h"
#include "support/display.h"
#include "support/elements.h"

namespace mtfc::cli {
namespace {

using runtime::HostTensor;
using runtime::Ids;

const Input* input_named(const Model& model, const std::string& name) {
  for (const Input& input : model.inputs)
    if (input.name == name) return &input;
  return nullptr;
}

/// "the prompt", or "prompt 3" if there are several.
std::string prompt_text(std::size_t number, std::size_t count) {
  return count == 1 ? "the prompt" : "prompt " + std::to_string(number + 1);
}

class Encoder {
 public:
  Encoder(Session& session, const Model& model, const Coder& coder, std::int64_t rows_a_prompt)
      : session_(session), model_(model), coder_(coder), rows_a_prompt_(rows_a_prompt) {}

  std::optional<std::vector<Prompts>> run(const std::vector<std::string>& prompts) {
    const DimId rows = generation().rows;
    const std::int64_t all_rows = rows.valid() ? model_.dims.size(rows) : 1;
    const auto most =
        static_cast<std::size_t>(std::max<std::int64_t>(1, all_rows / rows_a_prompt_));
    std::vector<Prompts> rounds;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      const auto ids = encode(prompts[i], prompt_text(i, prompts.size()));
      if (!ids) return std::nullopt;
      all_.push_back(*ids);
      if (all_.size() < most && i + 1 < prompts.size()) continue;
      Prompts& round = rounds.emplace_back();
      for (const Ids& text : all_) round.texts.push_back(begin_of_text(text));
      if (!feed_inputs(round.inputs)) return std::nullopt;
      all_.clear();
    }
    return rounds;
  }

 private:
  const Generation& generation() const { return *model_.generation; }
  bool fed_whole() const { return !generation().prompt.empty(); }

  std::optional<Ids> encode(const std::string& prompt, const std::string& what) {
    runtime::Result<Ids> ids = coder_.encode(prompt);
    if (!ids) {
      fail(what + ": " + ids.error().message, ids.error().helps);
      return std::nullopt;
    }
    if (fed_whole() && coder_.end()) ids->push_back(*coder_.end());
    const std::int64_t vocab = model_.dims.size(generation().vocab);
    for (const std::int32_t id : *ids)
      if (!fed_whole() && id >= vocab) {
        fail(what + ": the id " + std::to_string(id) + " is not below `" +
                 model_.dims.name(generation().vocab) + "` = " + std::to_string(vocab),
             {});
        return std::nullopt;
      }
    return std::move(*ids);
  }

  /// `start` stands before ids that the model makes from something else, and where there is
  /// nothing.
  Ids begin_of_text(const Ids& prompt) const {
    const Generation& g = generation();
    const bool computed = model_.eval.producer(g.tokens).op != "input";
    const bool start = fed_whole() || g.start || computed || prompt.empty();
    Ids text;
    if (start) text.push_back(static_cast<std::int32_t>(g.start.value_or(0)));
    if (!fed_whole()) text.insert(text.end(), prompt.begin(), prompt.end());
    return text;
  }

  // ---------------------------------------------------------------- inputs
  bool feed_inputs(runtime::Feeds& feeds) {
    const lowering::Cut cut = lowering::cut_at_tokens(model_);
    for (const Operation& op : cut.graph.ops) {
      if (op.op != "input" || op.results[0] == cut.tokens) continue;
      const Input* input = input_named(model_, op.attrs.text("name"));
      if (input != nullptr && !feed(*input, feeds)) return false;
    }
    return true;
  }

  bool feed(const Input& input, runtime::Feeds& feeds) {
    const std::string& field = input.field;
    if (input.name == generation().prompt) return feed_prompts(input, feeds);
    if (field.ends_with("segment") || field.ends_with("position")) return feed_places(input, feeds);
    session_.report(diag(DiagKind::wrong_setting,
                         "generation has nothing to feed to the input `" + input.name + "`")
                        .at(input.declared, "needed")
                        .also(generation().span, "by what this generates")
                        .note("there are the ids, the prompt, segments and positions"));
    return false;
  }

  HostTensor zeros(const Input& input) const {
    std::vector<std::int64_t> extents;
    for (DimId dim : input.type.dims) extents.push_back(model_.dims.size(dim));
    return HostTensor::zeros(input.type.dtype, extents);
  }
  /// Texts by places: [rows, n] or [n].
  std::optional<std::int64_t> columns(const Input& input) {
    const DimList& dims = input.type.dims;
    const DimId rows = generation().rows;
    const bool fits = rows.valid() ? dims.size() == 2 && dims[0] == rows : dims.size() == 1;
    if (fits) return model_.dims.size(dims.back());
    session_.report(diag(DiagKind::wrong_setting,
                         "`" + input.name + "` must have the dimension of the texts and one more")
                        .at(input.declared, to_string(model_.dims, input.type)));
    return std::nullopt;
  }
  /// The prompt of a row; rows beyond all prompts repeat the first.
  const Ids& prompt_of(std::int64_t row) const {
    const auto number = static_cast<std::size_t>(row / rows_a_prompt_);
    return all_[number < all_.size() ? number : 0];
  }

  bool feed_prompts(const Input& input, runtime::Feeds& feeds) {
    const auto n = columns(input);
    if (!n) return false;
    HostTensor tensor = zeros(input);
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (static_cast<std::int64_t>(all_[i].size()) > *n)
        return fail(prompt_text(i, all_.size()) + " has " + counted(all_[i].size(), "id") +
                        ", but `" + model_.dims.name(input.type.dims.back()) + "` is " +
                        std::to_string(*n),
                    {"-D " + model_.dims.name(input.type.dims.back()) + "=" +
                     std::to_string(all_[i].size())});
    for (std::int64_t row = 0; row < tensor.elements() / *n; ++row)
      for (std::size_t i = 0; i < prompt_of(row).size(); ++i)
        runtime::set_element(tensor, row * *n + static_cast<std::int64_t>(i), prompt_of(row)[i]);
    feeds[input.name] = std::move(tensor);
    return true;
  }

  /// One segment, from the first place on; of a prompt, as far as it reaches.
  bool feed_places(const Input& input, runtime::Feeds& feeds) {
    const auto n = columns(input);
    if (!n) return false;
    HostTensor tensor = zeros(input);
    const bool whole = contains(input.type.dims, generation().over);
    for (std::int64_t at = 0; at < tensor.elements(); ++at) {
      const std::int64_t place = at % *n;
      const auto used = static_cast<std::int64_t>(prompt_of(at / *n).size());
      const bool inside = whole || place < used;
      const bool segment = input.field.ends_with("segment");
      runtime::set_element(tensor, at, segment ? (inside ? 1 : 0) : inside ? double(place) : 0);
    }
    feeds[input.name] = std::move(tensor);
    return true;
  }

  bool fail(const std::string& message, const std::vector<std::string>& helps) {
    Diagnostic d = diag(DiagKind::wrong_usage, message);
    d.helps = helps;
    session_.report(std::move(d));
    return false;
  }

  Session& session_;
  const Model& model_;
  const Coder& coder_;
  const std::int64_t rows_a_prompt_;
  std::vector<Ids> all_;  // prompts of the round
};

/// The first input that a value is made of.
const std::string* input_behind(const Graph& graph, ValueId value) {
  std::vector<ValueId> open{value};
  std::set<ValueId> seen;
  while (!open.empty()) {
    const ValueId next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    const Operation& op = graph.producer(next);
    if (op.op == "input") return &op.attrs.text("name");
    open.insert(open.end(), op.operands.begin(), op.operands.end());
  }
  return nullptr;
}

}  // namespace

std::optional<std::vector<std::string>> read_prompts(Session& session) {
  const GenerateOptions& o = session.options.generate;
  std::vector<std::string> prompts = o.prompts;
  if (o.file.empty()) {
    if (prompts.empty()) prompts.emplace_back();
    return prompts;
  }
  constexpr std::size_t most = std::size_t{64} << 20;
  const runtime::Result<runtime::Bytes> bytes =
      runtime::read_file(o.file == "-" ? "/dev/stdin" : o.file, most);
  if (!bytes) {
    session.report(diag(DiagKind::unreadable_file, bytes.error().message));
    return std::nullopt;
  }
  std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    prompts.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!prompts.empty()) return prompts;
  session.report(
      diag(DiagKind::wrong_usage, "`" + printable(o.file) + "` has no prompt: it is empty"));
  return std::nullopt;
}

const Input* token_input(const Model& model) {
  const std::string* name = input_behind(model.eval, model.generation->tokens);
  return name ? input_named(model, *name) : nullptr;
}

const Input* prompt_input(const Model& model) {
  const std::string& prompt = model.generation->prompt;
  return prompt.empty() ? token_input(model) : input_named(model, prompt);
}

std::optional<std::vector<Prompts>> encode_prompts(Session& session, const Model& model,
                                                   const std::vector<std::string>& prompts,
                                                   const Coder& coder, std::int64_t rows_a_prompt) {
  return Encoder(session, model, coder, rows_a_prompt).run(prompts);
}

}  // namespace mtfc::cli
