// mtfc fmt: models in the house style, in place.
#include "cli/options/commands.h"
#include "cli/session/file_kind.h"
#include "cli/session/session.h"
#include "data/files/atomic_file.h"
#include "frontend/syntax/parse.h"

namespace mtfc::cli {
namespace {

/// Formats one file; returns a status. `changed` notes it if the file is not in the house style.
int format_one(Session& session, const std::string& path, std::vector<std::string>& changed) {
  const std::optional<FileId> file = session.read(path);
  if (!file) return exit_usage;
  if (kind_of(session.sources.path(*file), session.sources.text(*file)) == FileKind::layout) {
    session.report(diag(DiagKind::wrong_usage, backquoted(session.sources.path(*file)) +
                                                   " is a layout; `fmt` formats models"));
    return exit_usage;
  }
  const std::optional<std::string> text = format_model(session.sources, *file, session.diagnostics);
  session.flush();
  if (!text) return exit_invalid;
  if (path == "-" && !session.options.check_only) session.print(*text);
  if (*text == session.sources.text(*file)) return exit_done;
  const bool replaces = !session.options.check_only && path != "-";
  if (const runtime::Status written =
          replaces ? runtime::write_text(path, *text) : runtime::Status();
      !written) {
    session.report_failure(DiagKind::run_failed, written.error());
    return exit_failed;
  }
  changed.push_back(path);
  return session.options.check_only ? exit_invalid : exit_done;
}

}  // namespace

int format(Session& session) {
  int status = exit_done;
  std::vector<std::string> changed, quoted;
  for (const std::string& path : session.options.names)
    status = std::max(status, format_one(session, path, changed));
  const char* verb = session.options.check_only ? "would change " : "formatted ";
  for (const std::string& path : changed) {
    if (path != "-" || session.options.check_only) session.note_line(verb + path);
    quoted.push_back(json(path));
  }
  return session.finish(status, {{"changed", json_array(quoted)}});
}

}  // namespace mtfc::cli
