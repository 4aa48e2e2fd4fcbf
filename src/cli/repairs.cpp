#include "cli/repairs.h"

#include <algorithm>
#include <map>

#include "data/files/atomic_file.h"
#include "data/files/read_file.h"
#include "frontend/elaborate/elaborate.h"
#include "frontend/layout/parse_layout.h"
#include "layout/check_summary.h"

namespace mtfc::cli {
namespace {

constexpr int most_repairs = 100;
constexpr std::size_t largest_file = std::size_t{1} << 24;

using Texts = std::map<std::string, std::string>;  // by path

/// One proposed change of one of the files.
struct Proposal {
  std::string path;
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, std::string>> changes;
};

struct Verdict {
  // How far the checks came: later ones find mistakes that earlier ones hide.
  enum Stage { unread, read, elaborated } stage = unread;
  std::size_t mistakes = 0;  // errors and warnings
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
    const lowering::LayoutReport report =
        lowering::check_layout(path, parsed, std::move(found), mesh, model, sources);
    collect(report.diagnostics, sources, texts, verdict);
  }

  static void collect(const Diagnostics& found, const SourceMap& sources, const Texts& texts,
                      Verdict& verdict) {
    verdict.mistakes += found.errors() + found.warnings();
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
  return then.stage > now.stage || (then.stage == now.stage && then.mistakes < now.mistakes);
}

/// Keeps the first proposal that leaves fewer mistakes; false if none does.
bool repair_one(Judge& judge, Texts& texts, Verdict& now, std::map<std::string, int>& repairs) {
  for (const Proposal& proposal : now.proposals) {
    Texts tried = texts;
    tried[proposal.path] = changed(tried[proposal.path], proposal);
    Verdict then = judge.of(tried);
    if (!is_better(then, now)) continue;
    ++repairs[proposal.path];
    texts = std::move(tried);
    now = std::move(then);  // ends what `proposal` refers to
    return true;
  }
  return false;
}

}  // namespace

bool repair_files(Session& session) {
  const Options& options = session.options;
  Texts texts;
  std::vector<std::string> paths = options.layouts;
  paths.push_back(options.model);
  for (const std::string& path : paths) {
    if (path == "-") continue;
    const auto bytes = runtime::read_file(path, largest_file);
    if (bytes) texts[path].assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  if (!texts.contains(options.model)) return true;  // `check` reports it
  Judge judge(options);
  Verdict now = judge.of(texts);
  std::map<std::string, int> repairs;
  for (int i = 0; i < most_repairs && repair_one(judge, texts, now, repairs); ++i) {
  }
  for (const auto& [path, count] : repairs) {
    const runtime::Status written = runtime::write_text(path, texts[path]);
    if (!written) {
      session.report_failure(DiagKind::run_failed, written.error());
      return false;
    }
    session.note("repaired " + path + ": " + counted(count, "change"));
  }
  return true;
}

}  // namespace mtfc::cli
