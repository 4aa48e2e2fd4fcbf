#include "cli/run/not_finite_search.h"

#include <algorithm>
#include <new>

#include "cli/run/not_finite_advice.h"
#include "comm/gather_bytes.h"
#include "cost/peak.h"
#include "support/aligned_bytes.h"

namespace mtfc::cli {
namespace {

using backends::NotFiniteBegin;

/// What can be shown: in a file of the model.
Span shown_span(const Origin& origin) { return origin.call.valid() ? origin.call : origin.span; }

/// "this", "the gradient of this", "the update of `w`", and what may be meant as well
std::string subject(const NotFiniteBegin& begin, bool together) {
  const std::string others = together ? ", or what is computed together with it," : "";
  if (begin.origin.phase == Phase::backward) return "the gradient of this" + others;
  if (begin.origin.phase != Phase::update) return "this" + others;
  const std::string parameter(begin.role.parameter);
  return parameter.empty() ? "the update" : "the update of `" + parameter + "`";
}

/// `together`: operations that are one instruction were not taken apart.
std::string text_of(const NotFiniteBegin& begin, bool together) {
  std::string text =
      subject(begin, together) + " gives the first value that is " + mtfc::name(begin.kind);
  const std::string block(begin.role.block);
  if (!block.empty() && begin.origin.phase != Phase::update) text += ", in `" + block + "`";
  return begin.from_finite && !begin.received ? text + ", from finite ones" : text;
}

std::string since_text(const Origin& since) {
  return since.phase == Phase::backward ? "infinite gradients that it takes begin here"
                                        : "infinite values that it takes begin here";
}

std::vector<Label> labels_of(const NotFiniteBegin& begin, bool together) {
  if (!shown_span(begin.origin).valid()) return {};
  std::vector<Label> labels = {{shown_span(begin.origin), text_of(begin, together), true}};
  if (begin.infinite_since && shown_span(*begin.infinite_since).valid())
    labels.push_back({shown_span(*begin.infinite_since), since_text(*begin.infinite_since), false});
  return labels;
}

/// As one text, which begins with what is compared: who knows best, then the earliest. A stage that
/// only passes it on knows where it began; others, which keep it, know nothing.
std::string packed(const NotFiniteBegin& begin, bool together) {
  std::vector<std::string> texts = {std::to_string(static_cast<int>(begin.seen)),
                                    begin.received ? "1" : "0", std::to_string(begin.order),
                                    advice_on(begin)};
  for (const Label& label : labels_of(begin, together)) {
    texts.push_back(std::to_string(label.span.file.at()));
    texts.push_back(std::to_string(label.span.begin));
    texts.push_back(std::to_string(label.span.end));
    texts.push_back(label.text);
  }
  return runtime::net::joined(texts);
}

NotFiniteSearch::Found unpacked(const std::vector<std::string>& texts) {
  NotFiniteSearch::Found found{{}, texts[3]};
  std::vector<Label>& labels = found.labels;
  for (std::size_t i = 4; i + 3 < texts.size(); i += 4) {
    const Span span{FileId{static_cast<std::int32_t>(std::stol(texts[i]))},
                    static_cast<std::uint32_t>(std::stoul(texts[i + 1])),
                    static_cast<std::uint32_t>(std::stoul(texts[i + 2]))};
    labels.push_back({span, texts[i + 3], labels.empty()});
  }
  return found;
}

/// Of all ranks the one that saw it begin.
NotFiniteSearch::Found agreed(runtime::net::Network& network,
                              const std::optional<NotFiniteBegin>& mine, bool together) {
  std::optional<std::vector<std::string>> best;
  const auto key = [](const std::vector<std::string>& texts) {
    return std::tuple(texts[0], texts[1], std::stoll(texts[2]));
  };
  for (const std::string& text :
       runtime::net::gather(network, mine ? packed(*mine, together) : "")) {
    if (text.empty()) continue;
    std::vector<std::string> texts = runtime::net::parted(text);
    if (!best || key(texts) < key(*best)) best = std::move(texts);
  }
  return best ? unpacked(*best) : NotFiniteSearch::Found{};
}

/// Of one rank, whichever of the programs runs.
std::int64_t bytes_of(const Programs& programs, const SourceMap& sources) {
  std::int64_t most = 0;
  for (const Module* module : programs.stages())
    for (const Program& program : module->programs) {
      const std::vector<bind::Bound> bound = bind::bind_all({module->dims, module->mesh}, program);
      const cost::ProgramMemory memory = cost::bytes_of(*module, program, bound, sources);
      most =
          std::max(most, memory.variables + memory.arena + cost::message_bytes({memory.travels}));
    }
  return most;
}

bool has_memory(std::int64_t bytes) {
  try {
    AlignedBytes::require(bytes);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

}  // namespace

std::optional<Execution> NotFiniteSearch::apart() {
  int status = exit_done;
  std::optional<Programs> programs =
      programs_for(session_, compiled_.model, compiled_.assignment, request_, status);
  if (!programs || rounds_to_16_bits(*programs)) return std::nullopt;
  // Ranks must not wait for one that has too little.
  const bool poor = session_.ranks && !has_memory(bytes_of(*programs, session_.sources));
  if (execution_.engine().any(poor)) return std::nullopt;
  Execution made = Execution::make_further(session_, std::move(*programs), compiled_.assignment);
  made.observable().prepare();
  return made;
}

bool NotFiniteSearch::run_apart(const std::function<void(runtime::Engine&)>& programs,
                                Begin& begin) {
  try {
    std::optional<Execution> made = apart();
    if (!made) return false;
    runtime::Engine& engine = execution_.engine();
    for (const runtime::VariableInfo& variable : engine.variables())
      made->engine().set_part(variable.path, engine.part(variable.path));
    backends::NotFiniteWatch watch;
    made->observable().observe({nullptr, &watch});
    programs(made->engine());
    begin = watch.begin();
    return true;
  } catch (const std::bad_alloc&) {
    if (session_.ranks) throw;
    return false;
  }
}

void NotFiniteSearch::run(const std::function<void(runtime::Engine&)>& programs) {
  Begin begin;
  const bool together = !run_apart(programs, begin);
  if (together) {
    backends::NotFiniteWatch watch;
    execution_.observable().observe({nullptr, &watch});
    programs(execution_.engine());
    execution_.observable().observe({});
    begin = watch.begin();
  }
  found_ = agreed(execution_.engine().network(), begin, together);
}

}  // namespace mtfc::cli
