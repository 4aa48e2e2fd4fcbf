// mtfc generate: texts that begin with prompts, one token after the other.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "cli/options/commands.h"
#include "cli/run/execution.h"
#include "cli/run/generate_output.h"
#include "cli/run/generate_task.h"
#include "cli/session/compile.h"
#include "cli/session/from_checkpoint.h"
#include "cli/session/programs.h"
#include "cli/session/read_model.h"
#include "lowering/graph/generation/derive_generation.h"
#include "lowering/graph/generation/generation_inputs.h"
#include "support/program_names.h"
#include "support/random_key.h"
#include "support/rounding.h"
#include "train/loop/interrupt.h"

namespace mtfc::cli {
namespace {

using runtime::GenerationTask;
using runtime::TextCodec;

constexpr std::int64_t most_rows = 1024;  // texts at once; more prompts go in rounds

/// What the options say of samples and searches; the prompts come later. Absent: reported.
std::optional<GenerationTask> read_task(Session& session) {
  const GenerateOptions& o = session.options.generate;
  if (o.beams && (o.temperature || o.top_k)) {
    session.report(
        diag(DiagKind::wrong_usage,
             "`--beam` cannot be combined with `--temperature` or `--top-k`, which sample")
            .help("leave one of the two out"));
    return std::nullopt;
  }
  if (o.temperature == 0 && o.top_k) {
    session.report(
        diag(DiagKind::wrong_usage,
             "`--temperature 0` takes the likeliest token, so that `--top-k` has no effect")
            .help("leave one of the two out"));
    return std::nullopt;
  }
  if (o.length_penalty && !o.beams) {
    session.report(diag(DiagKind::wrong_usage, "`--length-penalty` belongs to `--beam`"));
    return std::nullopt;
  }
  GenerationTask task;
  task.tokens = o.tokens;
  task.sampling.temperature = o.temperature.value_or(1);
  task.sampling.top_k = o.top_k.value_or(0);
  if (o.beams) {
    task.beam.emplace();
    task.beam->beams = *o.beams;
    task.beam->length_penalty = o.length_penalty.value_or(0.6);
  }
  return task;
}

/// The model with as many texts as there are prompts (times beams), rounded up to what the layout
/// divides.
std::optional<Compiled> compile_for(Session& session, const lowering::Request& request,
                                    std::int64_t rows, int& status) {
  std::optional<Model> model = read_model(session, request, status);
  if (!model) return std::nullopt;
  status = exit_usage;
  if (!model->generation) {
    session.report(diag(DiagKind::wrong_usage, "the model does not say what it generates")
                       .help("add a line such as `generate logits from tok over length`"));
    return std::nullopt;
  }
  const std::string layout = session.options.layouts.empty() ? "" : session.options.layouts[0];
  const DimId dim = model->generation->rows;
  if (!dim.valid() && rows > 1) {
    session.report(diag(DiagKind::wrong_usage, "the model takes one text only")
                       .at(model->generation->span, "from ids without a dimension of texts"));
    return std::nullopt;
  }
  if (dim.valid()) {
    const auto judged = judge_layout(session, *model, layout, status);
    const std::int64_t shards =
        judged.assignment ? judged.assignment->mesh.size(judged.assignment->axes(dim)) : 1;
    const std::int64_t wanted = round_up(rows, shards);
    if (wanted != model->dims.size(dim))
      model = read_model_again(session, request, {{model->dims[dim].name, std::to_string(wanted)}},
                               status);
    if (!model) return std::nullopt;
  }
  auto report = judge_layout(session, *model, layout, status);
  session.report(report.diagnostics);
  if (!report.assignment) return std::nullopt;
  return Compiled{std::move(*model), std::move(*report.assignment)};
}

runtime::GenerationPlan plan_of(const Model& model, const Module& module,
                                const lowering::GenerationRequest& request) {
  const Generation& g = *model.generation;
  runtime::GenerationPlan plan;
  plan.incremental = request.incremental;
  plan.fixed = module.find(program_names::generate_fixed) != nullptr;
  plan.windows = request.windows;
  plan.rows = g.rows.valid() ? model.dims.size(g.rows) : 1;
  plan.vocab = model.dims.size(g.vocab);
  return plan;
}

class Generating {
 public:
  Generating(Session& session, const Model& model, const TextCodec& coder,
             const std::vector<std::string>& prompts, GenerationTask task)
      : session_(session),
        model_(model),
        coder_(coder),
        prompts_(prompts),
        task_(std::move(task)),
        terminal_(::isatty(STDOUT_FILENO) != 0),
        streams_(terminal_ && prompts.size() == 1 && !task_.beam && !session.options.json),
        stream_(terminal_) {}

  int run(Execution& execution, const runtime::GenerationPlan& plan, std::vector<Prompts> rounds) {
    const runtime::InterruptGuard guard;
    task_.interrupted = [&execution] {
      return execution.engine().any(runtime::InterruptGuard::signal() != 0);
    };
    if (streams_) task_.on_id = [this](std::size_t, std::int32_t id) { stream(id); };
    runtime::Decoder decoder(execution.engine(), plan);
    runtime::GenerationResult all;
    bool slid = false;
    for (Prompts& round : rounds) {
      task_.first = static_cast<std::int64_t>(all.texts.size());
      task_.prompts = std::move(round.texts);
      decoder.prepare(round.inputs);
      if (streams_) session_.print(stream_.add(text_ = beginning(0)));
      auto result = runtime::generate(decoder, plan, task_);
      if (streams_) session_.print(stream_.end() + "\n");
      if (!result) {
        session_.report_failure(DiagKind::run_failed, result.error());
        return session_.finish(exit_failed);
      }
      slid = slid || decoder.has_slid();
      if (!streams_) print(*result, all.texts.size());
      // What a token takes is reported of the first round.
      if (all.texts.empty()) all.prompt_seconds = result->prompt_seconds;
      if (all.texts.empty()) all.seconds = result->seconds;
      std::move(result->texts.begin(), result->texts.end(), std::back_inserter(all.texts));
      if (task_.interrupted()) break;
    }
    const int status = execution.status_of_replicas(session_, exit_done);
    if (status != exit_done) return session_.finish(status);
    if (slid)
      session_.note("the text is longer than `" + over() +
                    "` = " + std::to_string(plan.windows.back()) +
                    "; generation continued from its last half");
    if (session_.options.generate.timing && !session_.options.json)
      session_.note_line(timing_table(all));
    JsonFields fields = {{"texts", generated_json(coder_, prompts_, all, task_.beam.has_value())},
                         {"incremental", json(plan.incremental)}};
    if (session_.options.generate.timing)
      fields.emplace_back("seconds", json_object(json_timing(all)));
    const int signal = runtime::InterruptGuard::signal();
    return session_.finish(signal != 0 ? exit_signal + signal : exit_done, fields);
  }

 private:
  const std::string& over() const { return model_.dims.name(model_.generation->over); }

  void stream(std::int32_t id) {
    const std::size_t before = text_.size();
    coder_.append(id, text_);
    session_.print(stream_.add(std::string_view(text_).substr(before)));
    std::fflush(stdout);
  }

  /// A prompt is part of the text that goes on from it.
  std::string beginning(std::size_t i) const {
    return model_.generation->prompt.empty() ? prompts_[i] : "";
  }

  /// Where prompts are lines of their own, so are results; else texts may have many lines.
  void print(const runtime::GenerationResult& result, std::size_t first) const {
    for (std::size_t i = 0; i < result.texts.size(); ++i) {
      if (first + i > 0 && model_.generation->prompt.empty()) session_.print("----------\n");
      std::string text = beginning(first + i);
      if (!result.texts[i].empty())
        for (const std::int32_t id : result.texts[i][0].ids) coder_.append(id, text);
      TextStream stream(terminal_);
      const std::string out = stream.add(text);
      session_.print(out + stream.end() + "\n");
    }
  }

  Session& session_;
  const Model& model_;
  const TextCodec& coder_;
  const std::vector<std::string>& prompts_;
  GenerationTask task_;
  const bool terminal_, streams_;
  TextStream stream_;
  std::string text_;
};

/// Ranks sample the same tokens, after the same prompts.
Facts facts_of(const GenerateOptions& o, const std::vector<Prompts>& rounds) {
  const auto number = [](const auto& value) {
    return value ? std::to_string(*value) : std::string("absent");
  };
  std::string ids;
  for (const Prompts& prompts : rounds)
    for (const runtime::Ids& text : prompts.texts) {
      for (const std::int32_t id : text) ids += std::to_string(id) + " ";
      ids += "\n";
    }
  return {{"the ids of the prompts", digest_of(ids)},
          {"`--tokens`", std::to_string(o.tokens)},
          {"`--temperature`", number(o.temperature)},
          {"`--top-k`", number(o.top_k)},
          {"`--beam`", number(o.beams)},
          {"`--length-penalty`", number(o.length_penalty)},
          {"`--timing`", o.timing ? "given" : "absent"}};
}

/// How prompts become ids, and ids text. Absent: reported.
struct Codecs {
  TextCodec reads, writes;
};
std::optional<Codecs> open_codecs(Session& session, const Model& model) {
  const Input *in = lowering::prompt_input(model), *out = lowering::token_input(model);
  runtime::Result<TextCodec> reads = open_codec(session, model, in ? in->source : "");
  runtime::Result<TextCodec> writes = open_codec(session, model, out ? out->source : "");
  for (const auto* coder : {&reads, &writes}) {
    if (*coder) continue;
    session.report_failure(DiagKind::data_does_not_fit, coder->error());
    return std::nullopt;
  }
  return Codecs{std::move(*reads), std::move(*writes)};
}

/// What the programs of a model are to generate, as its layout splits it.
lowering::GenerationRequest request_for(Session& session, const Compiled& compiled, bool beams) {
  lowering::GenerationRequest request;
  request.incremental = lowering::check_generation(compiled.model, session.diagnostics);
  request.beams = beams;
  request.windows = lowering::generation_windows(compiled.model, compiled.assignment);
  session.flush();
  return request;
}

}  // namespace

int generate(Session& session) {
  int status = exit_usage;
  std::optional<GenerationTask> task = read_task(session);
  const auto prompts = task ? read_prompts(session) : std::nullopt;
  if (!prompts) return session.finish(status);
  const std::int64_t width = task->beam ? task->beam->beams : 1;
  const auto together = std::min(static_cast<std::int64_t>(prompts->size()),
                                 std::max<std::int64_t>(1, most_rows / width));
  lowering::Request request;
  request.whole_batch = true;
  const std::optional<Compiled> compiled = compile_for(session, request, together * width, status);
  if (!compiled) return session.finish(status);
  const Model& model = compiled->model;
  task->sampling.key = random_key(static_cast<std::uint64_t>(model.settings.seed), "generate");
  if (model.generation->stop) task->stop = static_cast<std::int32_t>(*model.generation->stop);

  request.generation = request_for(session, *compiled, task->beam.has_value());
  std::optional<Module> module = lower_for(session, model, compiled->assignment, request, status);
  if (!module) return session.finish(status);
  const runtime::GenerationPlan plan = plan_of(model, *module, *request.generation);

  const std::optional<Codecs> codecs = open_codecs(session, model);
  if (!codecs) return session.finish(exit_failed);
  std::optional<std::vector<Prompts>> rounds =
      encode_prompts(session, model, *prompts, codecs->reads, width);
  if (!rounds) return session.finish(exit_usage);

  std::optional<Execution> execution = Execution::make(session, std::move(*module), status,
                                                       facts_of(session.options.generate, *rounds));
  if (!execution) return session.finish(status);
  if (!initialise_weights(session, model, execution->engine())) return session.finish(exit_failed);
  if (!session.checkpoint)
    session.note("untrained: there is no --checkpoint, so the model has its initial values");
  return Generating(session, model, codecs->writes, *prompts, std::move(*task))
      .run(*execution, plan, std::move(*rounds));
}

}  // namespace mtfc::cli
