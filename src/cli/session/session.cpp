#include "cli/session/session.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "backends/execute/mpi_library.h"
#include "data/files/read_file.h"
#include "frontend/syntax/text_check.h"
#include "messages/render.h"
#include "messages/wrap.h"
#include "support/did_you_mean.h"
#include "support/host_name.h"
#include "train/loop/interrupt.h"
#include "train/loop/train_loop.h"

namespace mtfc::cli {
namespace {

// What is larger than a model may be is read, too, so that the message says how large it is.
constexpr std::size_t source_limit = 4 * syntax::max_text_bytes;

constexpr int most_columns = 120;

int terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
  return 80;
}

/// Files of the same kind, or models or layouts, beside one that is not there, which may be meant.
std::vector<std::string> similar_files(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int most_entries = 10000;
  const fs::path wanted(path);
  std::error_code failed;
  if (path.empty() || fs::exists(wanted, failed)) return {};
  for (const char* kind : {".mtf", ".layout"})
    if (fs::exists(path + kind, failed)) return {path + kind};
  const fs::path folder = wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
  std::vector<std::string> names;
  fs::directory_iterator entry(folder, failed);
  for (int i = 0; !failed && entry != fs::directory_iterator() && i < most_entries; ++i) {
    const std::string kind = entry->path().extension().string();
    if (kind == wanted.extension() || kind == ".mtf" || kind == ".layout")
      names.push_back(entry->path().filename().string());
    entry.increment(failed);
  }
  std::sort(names.begin(), names.end());
  std::vector<std::string> near = did_you_mean(wanted.filename().string(), names);
  for (std::string& name : near) name = (wanted.parent_path() / name).string();
  return near;
}

/// Of several ranks some are well: which one is not, and where.
std::string reporting_rank(const Ranks& ranks) {
  return "reported by rank " + std::to_string(ranks.rank()) + " on `" + host_name() +
         "`; other ranks did not fail";
}

}  // namespace

Session::Session(Options given)
    : options(std::move(given)), prints(backends::find_launch().rank == 0), first_(prints) {}
Session::~Session() = default;

std::optional<FileId> Session::read(const std::string& path) {
  if (const auto known = files_.find(path); known != files_.end()) return known->second;
  const std::string location = path == "-" ? runtime::standard_input : path;
  const runtime::Result<runtime::Bytes> bytes = runtime::read_file(location, source_limit);
  if (bytes)
    return files_
        .emplace(path,
                 sources.add(path == "-" ? "<stdin>" : path, std::string(runtime::text_of(*bytes))))
        .first->second;
  Diagnostic unread = diag(DiagKind::unreadable_file, bytes.error().message);
  if (const std::vector<std::string> near = similar_files(path); !near.empty())
    unread.helps.push_back(meant(near));
  report(std::move(unread));
  return std::nullopt;
}

FileId Session::add_fragment(const std::string& option, const std::string& text) {
  return sources.add(option, text);
}

bool Session::color() const {
  if (options.color != "auto") return options.color == "always";
  const char* off = std::getenv("NO_COLOR");
  return (off == nullptr || *off == '\0') && ::isatty(STDERR_FILENO) != 0;
}

std::string Session::rendered(const Diagnostic& diagnostic, const SourceMap& texts) const {
  const std::string& form = options.error_format;
  std::string text = form == error_forms::json ? render_json(diagnostic, texts)
                     : form == error_forms::github
                         ? render_github(diagnostic, texts)
                         : render_text(diagnostic, texts, {color(), static_cast<int>(columns())});
  return text.ends_with('\n') ? text : text + "\n";
}

void Session::print(const Diagnostics& found, std::size_t first) {
  const bool for_people = options.error_format == error_forms::human;
  if (!prints || (options.json && for_people)) return;
  for (std::size_t i = first; i < found.all().size(); ++i) {
    const Diagnostic& diagnostic = found.all()[i];
    if (!first_ && diagnostic.severity() != Severity::error) continue;
    if (options.error_format == error_forms::sarif)
      sarif_.push_back(sarif_result(diagnostic, sources));
    else
      std::fputs(rendered(diagnostic, sources).c_str(), stderr);
  }
}

void Session::flush() {
  if (!prints) return;  // kept, in case it turns out that this rank is the one to print
  print(diagnostics, printed_);
  printed_ = diagnostics.all().size();
}

void Session::note(const std::string& sentence) const {
  if (std::find(notes_.begin(), notes_.end(), sentence) != notes_.end()) return;
  notes_.push_back(sentence);
  constexpr std::string_view begin = "note: ";
  if (!options.json)
    note_line(wrapped(std::string(begin) + sentence, {0, begin.size(), columns()}));
}

void Session::progress(const std::string& sentence) const {
  note_line(wrapped(sentence, {0, 2, columns()}));
}

void Session::note_line(const std::string& line) const {
  if (prints) std::fprintf(stderr, "%s\n", line.c_str());
}

std::size_t Session::columns() const {
  return static_cast<std::size_t>(std::min(terminal_width(), most_columns));
}

void Session::print(const std::string& text) const {
  if (prints && !options.json) std::fputs(text.c_str(), stdout);
}

int Session::finish(int status, JsonFields fields) {
  if (ranks) {
    // A rank that ends only because another one failed has nothing to report.
    const bool knows_why = diagnostics.errors() > 0 || status >= exit_signal;
    const Ranks::Verdict verdict = ranks->settle(knows_why ? status : exit_done, Ranks::Stage::end);
    if (verdict.apart) report_apart();
    status = std::max(status, verdict.status);
    prints = verdict.reports;
    if (verdict.others_are_well) diagnostics.add_note_to_errors(reporting_rank(*ranks));
  }
  flush();
  if (options.error_format == error_forms::sarif && prints)
    std::fprintf(stderr, "%s\n", sarif_log(sarif_, program_version).c_str());
  if (status == exit_done && options.strict && diagnostics.warnings() > 0) status = exit_invalid;
  if (options.json && prints) {
    JsonFields all = {{"schema", "1"},
                      {"command", json(options.command)},
                      {"version", json(program_version)},
                      {"ok", json(status == exit_done)},
                      {"diagnostics", json_diagnostics(diagnostics, sources)}};
    if (!notes_.empty()) all.emplace_back("notes", json_list(notes_));
    all.insert(all.end(), fields.begin(), fields.end());
    std::fprintf(stdout, "%s\n", json_object(all).c_str());
  }
  return check_output(status);
}

int Session::check_output(int status) const {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  write_now(diag(DiagKind::run_failed,
                 "standard output is not complete: it cannot be written to (any more)")
                .help("is the disk full, or the output closed?"));
  return status == exit_done ? exit_failed : status;
}

void Session::report_lost_rank(int rank) const {
  if (runtime::InterruptGuard::signal() != 0) return;  // the launcher ends all ranks, some sooner
  Diagnostic lost = diag(DiagKind::run_failed, "rank " + std::to_string(rank) + " of " +
                                                   std::to_string(ranks->network().ranks()) +
                                                   " is gone: it was killed, or it crashed")
                        .note("all ranks stop; checkpoints on disk are intact");
  if (options.command == "train") lost.helps.push_back("`--resume` continues from the newest one");
  write_now(lost);
}

void Session::write_now(const Diagnostic& diagnostic) const {
  const std::string line = rendered(diagnostic, SourceMap());
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

int Session::abort(const Diagnostic& why, int status) {
  if (ranks) ranks->network().abort(status, [&] { write_now(why); });
  report(why);
  return finish(status);
}

void Session::report_apart(const std::string& difference) {
  report(diag(DiagKind::run_failed, "the ranks do not run the same program")
             .note(difference.empty() ? "their models, layouts, options or versions of mtfc differ"
                                      : difference)
             .help("give every machine the same files and the same mtfc"));
}

bool Session::all_at(Ranks::Stage stage, int& status) {
  if (!ranks) return true;
  const Ranks::Verdict verdict = ranks->settle(exit_done, stage);
  if (verdict.apart) report_apart();
  if (verdict.status != exit_done) status = verdict.status;
  return verdict.status == exit_done;
}

bool Session::all(bool mine) const {
  return ranks ? ranks->network().lowest(mine ? 1 : 0) == 1 : mine;
}

int Session::usage_error(const std::string& message, const std::string& help) {
  Diagnostic wrong = diag(DiagKind::wrong_usage, message);
  if (!help.empty()) wrong.helps.push_back(help);
  report(std::move(wrong));
  return finish(exit_usage);
}

void Session::report_failure(DiagKind kind, const runtime::Error& error,
                             const std::vector<Label>& labels) {
  if (error.message == runtime::failed_elsewhere) return;
  Diagnostic failure = diag(kind, error.message);
  failure.labels = labels;
  failure.helps = error.helps;
  report(std::move(failure));
}

std::string json_diagnostics(const Diagnostics& diagnostics, const SourceMap& sources) {
  std::vector<std::string> items;
  for (const Diagnostic& diagnostic : diagnostics.all())
    items.push_back(render_json(diagnostic, sources));
  return json_array(items);
}

}  // namespace mtfc::cli
