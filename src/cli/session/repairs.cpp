#include "cli/session/repairs.h"

#include <algorithm>
#include <map>
#include <set>

#include "cli/session/judge_layout.h"
#include "cli/session/proposal.h"
#include "data/files/atomic_file.h"
#include "data/files/read_file.h"
#include "frontend/elaborate/elaborate.h"
#include "frontend/layout/parse_layout.h"
#include "frontend/syntax/text_check.h"
#include "layout/check_summary.h"
#include "support/text.h"
#include "support/utf8.h"

namespace mtfc::cli {
namespace {

constexpr int most_repairs = 100;

struct Verdict {
  // How far the checks came: later ones find mistakes that earlier ones hide.
  enum Stage { unread, read, elaborated } stage = unread;
  std::size_t mistakes = 0;  // errors and warnings
  std::size_t errors = 0;    // those alone
  std::vector<Proposal> proposals;
};

/// What `check` finds in these texts.
class Judge {
 public:
  explicit Judge(const Options& options) : options_(options) {}

  Verdict of(const Texts& texts) {
    SourceMap sources;
    Diagnostics found;
    const FileId file = sources.add(options_.model, texts.at(options_.model));
    const ElaborateOptions with{options_.defines, options_.settings};
    const std::optional<Model> model = elaborate(sources, file, with, found);
    Verdict verdict;
    collect(found, sources, texts, verdict);
    verdict.stage = model ? Verdict::elaborated : is_read(found) ? Verdict::read : Verdict::unread;
    if (!model) return verdict;
    for (const std::string& path : options_.layouts) layout(path, *model, sources, texts, verdict);
    return verdict;
  }

 private:
  /// Whether the model's text follows the grammar.
  static bool is_read(const Diagnostics& found) {
    return std::none_of(found.all().begin(), found.all().end(),
                        [](const Diagnostic& d) { return info(d.kind).code.starts_with("E1"); });
  }

  void layout(const std::string& path, const Model& model, SourceMap& sources, const Texts& texts,
              Verdict& verdict) {
    const auto text = texts.find(path);
    if (text == texts.end()) return;
    Diagnostics found;
    const auto parsed = parse_layout(sources, sources.add(path, text->second), found);
    std::optional<Mesh> mesh;
    if (options_.mesh) mesh = parse_mesh(sources, sources.add("--mesh", *options_.mesh), found);
    lowering::LayoutReport report =
        lowering::check_layout(path, parsed, std::move(found), mesh, model, sources);
    check_hardware(sources, report);
    collect(report.diagnostics, sources, texts, verdict);
  }

  static void collect(const Diagnostics& found, const SourceMap& sources, const Texts& texts,
                      Verdict& verdict) {
    verdict.mistakes += found.errors() + found.warnings();
    verdict.errors += found.errors();
    for (const Diagnostic& d : found.all()) {
      if (d.fixes.empty()) continue;
      Proposal proposal{sources.path(d.fixes.front().span.file), {}};
      bool whole = texts.contains(proposal.path);
      for (const Fix& fix : d.fixes) {
        whole = whole && sources.path(fix.span.file) == proposal.path;
        proposal.changes.push_back({{fix.span.begin, fix.span.end}, fix.replacement});
      }
      if (whole) verdict.proposals.push_back(std::move(proposal));
    }
  }

  const Options& options_;
};

/// The text with the changes, from the last one to the first, so that offsets hold.
std::string changed(std::string text, Proposal proposal) {
  std::sort(proposal.changes.begin(), proposal.changes.end());
  std::reverse(proposal.changes.begin(), proposal.changes.end());
  for (const auto& [range, replacement] : proposal.changes)
    text.replace(range.first, range.second - range.first, replacement);
  return text;
}

bool is_better(const Verdict& then, const Verdict& now) {
  if (then.stage != now.stage) return then.stage > now.stage;
  if (then.mistakes != now.mistakes) return then.mistakes < now.mistakes;
  return then.errors < now.errors;  // what was an error is a warning
}

/// "`layer_nrom` becomes `layer_norm`"; what looks like a space is named by its number.
std::string replaced(const std::string& old, const std::string& replacement) {
  constexpr std::size_t most = 60;
  if (old.empty()) return backquoted(replacement, most) + " is added";
  if (replacement.empty()) return backquoted(old, most) + " is removed";
  if (const CodePoint first = decode_utf8(old, 0); replacement == " " && first.value >= 0x80)
    return code_point_name(first.value) + " becomes a space";
  return backquoted(old, most) + " becomes " + backquoted(replacement, most);
}

/// "line 32: ...", for each change.
std::vector<std::string> described(const std::string& text, const Proposal& proposal) {
  std::vector<std::string> lines;
  for (const auto& [range, replacement] : proposal.changes) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(range.first);
    lines.push_back("line " + std::to_string(1 + std::count(text.begin(), begin, '\n')) + ": " +
                    replaced(text.substr(range.first, range.second - range.first), replacement));
  }
  return lines;
}

struct State {
  Texts texts;
  Verdict verdict;
  std::map<std::string, std::vector<std::string>> repairs;  // by path: what was changed
};

/// Keeps the first proposal that leaves fewer mistakes, or as many of which fewer are errors; one
/// that uncovers as many as it repairs counts if what they propose leaves fewer, `ahead` such steps
/// on.
class Repairer {
 public:
  Repairer(Judge& judge, State& state) : judge_(judge), state_(state) {}

  /// False if there is nothing more to keep.
  bool repair_one() { return improve(state_, most_ahead); }

 private:
  static constexpr int most_ahead = 8;

  bool improve(State& state, int ahead) {
    for (const Proposal& proposal : state.verdict.proposals)
      if (const auto other = the_other_way(state.texts, proposal);
          (other && helps(state, *other, ahead)) || helps(state, proposal, ahead))
        return true;
    return false;
  }

  /// Keeps it if it does, which ends what the verdict refers to.
  bool helps(State& state, const Proposal& proposal, int ahead) {
    State tried = state;
    std::string& text = tried.texts[proposal.path];
    for (std::string& line : described(text, proposal))
      tried.repairs[proposal.path].push_back(std::move(line));
    text = changed(text, proposal);
    tried.verdict = judge_.of(tried.texts);
    if (!is_better(tried.verdict, state.verdict) &&
        !(uncovers(tried.verdict, state.verdict) && leads_on(tried, ahead)))
      return false;
    state = std::move(tried);
    return true;
  }

  static bool uncovers(const Verdict& then, const Verdict& now) {
    return then.stage == now.stage && then.mistakes == now.mistakes;
  }
  bool leads_on(State& tried, int ahead) {
    return ahead > 0 && looked_ahead_++ < most_looks && improve(tried, ahead - 1);
  }

  static constexpr int most_looks = 50;  // bounds the time
  Judge& judge_;
  State& state_;
  int looked_ahead_ = 0;
};

/// The files of the command line, without byte order marks; which had one.
Texts texts_of(const Options& options, std::set<std::string>& marked) {
  Texts texts;
  std::vector<std::string> paths = options.layouts;
  paths.push_back(options.model);
  for (const std::string& path : paths) {
    if (path == "-") continue;
    const auto bytes = runtime::read_file(path, syntax::max_text_bytes);
    if (!bytes) continue;
    std::string& text = texts[path];
    text.assign(runtime::text_of(*bytes));
    if (!text.starts_with(byte_order_mark)) continue;  // SourceMap counts behind it
    text.erase(0, byte_order_mark.size());
    marked.insert(path);
  }
  return texts;
}

}  // namespace

bool repair_files(Session& session) {
  const Options& options = session.options;
  State state;
  std::set<std::string> marked;
  state.texts = texts_of(options, marked);
  if (!state.texts.contains(options.model)) return true;  // `check` reports it
  Judge judge(options);
  state.verdict = judge.of(state.texts);
  Repairer repairer(judge, state);
  for (int i = 0; i < most_repairs && repairer.repair_one(); ++i) {
  }
  for (const auto& [path, lines] : state.repairs) {
    const std::string mark(marked.contains(path) ? byte_order_mark : "");
    const runtime::Status written = runtime::write_text(path, mark + state.texts[path]);
    if (!written) {
      session.report_failure(DiagKind::run_failed, written.error());
      return false;
    }
    session.note_line("repaired " + path + ": " + counted(lines.size(), "change"));
    for (const std::string& line : lines) session.note_line("  " + line);
  }
  return true;
}

}  // namespace mtfc::cli
