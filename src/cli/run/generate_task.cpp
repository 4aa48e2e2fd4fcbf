#include "cli/run/generate_task.h"

#include <algorithm>

#include "cli/session/train_plan.h"
#include "data/files/read_file.h"
#include "lowering/graph/generation/generation_inputs.h"
#include "lowering/graph/index_inputs.h"
#include "messages/display.h"
#include "support/utf8.h"
#include "train/generate/prompt_feeds.h"

namespace mtfc::cli {
namespace {

using runtime::Ids;
using runtime::TextCodec;

/// "the prompt", or "prompt 3" if there are several.
std::string prompt_text(std::size_t number, std::size_t count) {
  return count == 1 ? "the prompt" : "prompt " + std::to_string(number + 1);
}

class Encoder {
 public:
  Encoder(Session& session, const Model& model, const TextCodec& coder, std::int64_t rows_a_prompt)
      : session_(session),
        model_(model),
        coder_(coder),
        rows_a_prompt_(rows_a_prompt),
        computed_(lowering::computes_tokens(model)) {}

  std::optional<std::vector<Prompts>> run(const std::vector<std::string>& prompts) {
    const DimId rows = generation().rows;
    const std::int64_t all_rows = rows.valid() ? model_.dims.size(rows) : 1;
    const auto most =
        static_cast<std::size_t>(std::max<std::int64_t>(1, all_rows / rows_a_prompt_));
    const auto inputs = lowering::generation_inputs(model_, session_.diagnostics);
    if (!inputs) return std::nullopt;
    std::vector<Prompts> rounds;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      const auto ids = encode(prompts[i], prompt_text(i, prompts.size()));
      if (!ids) return std::nullopt;
      all_.push_back(*ids);
      if (all_.size() < most && i + 1 < prompts.size()) continue;
      Prompts& round = rounds.emplace_back();
      for (const Ids& text : all_) round.texts.push_back(begin_of_text(text));
      if (!feed(*inputs, round.inputs)) return std::nullopt;
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
    if (!fed_whole() && !are_below(generation().vocab, *ids, what)) return std::nullopt;
    return std::move(*ids);
  }

  bool are_below(DimId dim, const Ids& ids, const std::string& what) {
    const std::int64_t size = model_.dims.size(dim);
    for (const std::int32_t id : ids)
      if (id >= size)
        return fail(what + ": the id " + std::to_string(id) + " is not below `" +
                        model_.dims.name(dim) + "` = " + std::to_string(size),
                    {});
    return true;
  }

  /// `start` stands before ids that the model makes from something else, and where there is
  /// nothing.
  Ids begin_of_text(const Ids& prompt) const {
    const Generation& g = generation();
    const bool start = fed_whole() || g.start || computed_ || prompt.empty();
    Ids text;
    if (start) text.push_back(static_cast<std::int32_t>(g.start.value_or(0)));
    if (!fed_whole()) text.insert(text.end(), prompt.begin(), prompt.end());
    return text;
  }

  /// Prompts that are longer than the input that takes them are reported.
  bool feed(const std::vector<lowering::GenerationInput>& inputs, runtime::Feeds& feeds) {
    std::vector<runtime::PromptInput> plan;
    for (const lowering::GenerationInput& wanted : inputs) {
      runtime::PromptInput& input = plan.emplace_back(prompt_input_of(wanted));
      if (input.content == runtime::PromptInput::Content::prompts && !fit(*wanted.input))
        return false;
    }
    feeds = runtime::prompt_feeds(plan, all_, rows_a_prompt_);
    return true;
  }

  runtime::PromptInput prompt_input_of(const lowering::GenerationInput& wanted) const {
    using From = lowering::GenerationInput::Content;
    using To = runtime::PromptInput::Content;
    runtime::PromptInput input;
    input.name = wanted.input->name;
    input.content = wanted.content == From::prompts    ? To::prompts
                    : wanted.content == From::segments ? To::segments
                                                       : To::positions;
    input.dtype = wanted.input->type.dtype;
    for (const DimId dim : wanted.input->type.dims) input.extents.push_back(model_.dims.size(dim));
    input.generated = wanted.generated;
    return input;
  }

  /// Whether the checkpoint fixes its size.
  bool is_trained(DimId dim) const {
    return std::any_of(model_.variables.begin(), model_.variables.end(),
                       [&](const Variable& variable) {
                         const auto& dims = variable.type.dims;
                         return variable.kind == Variable::Kind::parameter &&
                                std::find(dims.begin(), dims.end(), dim) != dims.end();
                       });
  }

  bool fit(const Input& input) {
    const DimId dim = input.type.dims.back();
    const std::string& name = model_.dims.name(dim);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      for (const lowering::IndexInput& index : indices_)
        if (index.input == input.name &&
            !are_below(index.dim, all_[i], prompt_text(i, all_.size())))
          return false;
      const std::string size = std::to_string(all_[i].size());
      if (static_cast<std::int64_t>(all_[i].size()) > model_.dims.size(dim))
        return fail(prompt_text(i, all_.size()) + " has " + counted(all_[i].size(), "id") +
                        ", but `" + name + "` is " + std::to_string(model_.dims.size(dim)),
                    {is_trained(dim) ? "shorten the prompt: the size of `" + name +
                                           "` cannot change, since parameters have it"
                                     : "-D " + name + "=" + size});
    }
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
  const TextCodec& coder_;
  const std::int64_t rows_a_prompt_;
  const std::vector<lowering::IndexInput> indices_ = lowering::find_index_inputs(model_);
  const bool computed_;   // the ids that the model generates from are not an input
  std::vector<Ids> all_;  // prompts of the round
};

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
      runtime::read_file(o.file == "-" ? runtime::standard_input : o.file, most);
  if (!bytes) {
    session.report(diag(DiagKind::unreadable_file, bytes.error().message));
    return std::nullopt;
  }
  std::string_view text = runtime::text_of(*bytes);
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
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

runtime::Result<TextCodec> open_codec(const Session& session, const Model& model,
                                      const std::string& source) {
  if (session.checkpoint) {
    const auto& tables = session.checkpoint->record.tokens;
    if (const auto table = tables.find(source); table != tables.end())
      return TextCodec::of_table(table->second);
  }
  for (const DataSource& known : model.sources)
    if (known.name == source) return TextCodec::of_source(known, model.settings.seed);
  return TextCodec();
}

std::optional<std::vector<Prompts>> encode_prompts(Session& session, const Model& model,
                                                   const std::vector<std::string>& prompts,
                                                   const TextCodec& coder,
                                                   std::int64_t rows_a_prompt) {
  return Encoder(session, model, coder, rows_a_prompt).run(prompts);
}

}  // namespace mtfc::cli
