// What one call of mtfc shares among its parts: options, texts, diagnostics, and how they are
// reported.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "cli/options/exit_status.h"
#include "cli/options/options.h"
#include "cli/options/version.h"
#include "cli/session/ranks.h"
#include "messages/diagnostic.h"
#include "support/json.h"
#include "support/result.h"
#include "support/text.h"
#include "train/checkpoint/checkpoint.h"

namespace mtfc::cli {

class Session {
 public:
  explicit Session(Options options);
  ~Session();

  const Options options;
  /// Set under mpirun, for commands that run on all ranks together. Outlives every engine.
  std::unique_ptr<Ranks> ranks;
  /// False on all ranks but the first: what is printed would be printed several times.
  bool prints;
  /// What --checkpoint or --resume named, once it is open (from_checkpoint.h).
  std::optional<runtime::Checkpoint> checkpoint;
  SourceMap sources;
  std::optional<FileId> model_file;  // once it is read
  Diagnostics diagnostics;

  /// Reads a file named on the command line ("-": standard input), once: what is wrong with it is
  /// said once, however often it is looked at. Absent: reported, status exit_usage.
  std::optional<FileId> read(const std::string& path);
  /// A fragment of the command line as a source text, so that diagnostics can point into it.
  FileId add_fragment(const std::string& option, const std::string& text);

  void report(Diagnostic diagnostic) { diagnostics.report(std::move(diagnostic)); }
  void report(const Diagnostics& more) {
    for (const Diagnostic& diagnostic : more.all()) report(diagnostic);
  }
  /// Prints the diagnostics that were reported since, on stderr (with --json only at the end).
  void flush();
  /// Prints these. Of ranks other than the first errors only: what all found, the first one prints.
  void print(const Diagnostics& found, std::size_t first = 0);
  /// "note: " and a sentence for people, on stderr, wrapped; with --json kept for the end. The same
  /// one is made once.
  void note(const std::string& sentence) const;
  /// A sentence of what is done, on stderr, wrapped.
  void progress(const std::string& sentence) const;
  /// A line for people, on stderr, as it is: a row of a table, a command to copy.
  void note_line(const std::string& line) const;
  /// A line of the result, on stdout; none with --json.
  void print(const std::string& text) const;
  /// Ends the command: prints what is left and, with --json, the one object on stdout.
  /// Returns the status, which --strict makes 1 if there was a warning.
  int finish(int status, JsonFields fields = {});
  /// What was printed must have arrived: a full disk or a closed standard output is reported, and
  /// does not pass for success.
  int check_output(int status) const;
  /// Prints that a rank has vanished, whichever rank prints otherwise; for Network::watch.
  void report_lost_rank(int rank) const;
  /// Ends the command in the middle of something, where no other rank would wait for this one to
  /// end: all ranks end at once, and one of them prints why.
  int abort(const Diagnostic& why, int status);
  /// Under mpirun: waits for all ranks to come here. False: some rank has failed, or they do not
  /// run the same command (reported); the command ends with `status`.
  bool all_at(Ranks::Stage stage, int& status);
  /// Whether all ranks say so; alone, whether this one does.
  bool all(bool mine) const;
  /// Reports a usage mistake with its help and finishes.
  int usage_error(const std::string& message, const std::string& help = "");

  /// The code of an error in data, files or a run; `labels`: where it is, if that is known.
  void report_failure(DiagKind kind, const runtime::Error& error,
                      const std::vector<Label>& labels = {});
  /// The ranks do not run the same program; in what they differ, if it is known.
  void report_apart(const std::string& difference = "");
  bool color() const;

 private:
  /// Columns of a line on stderr: the terminal's, within what can be read.
  std::size_t columns() const;
  /// At once and in one piece, since others may be writing.
  void write_now(const Diagnostic& diagnostic) const;
  /// In the form that --error-format asks for, with its line end.
  std::string rendered(const Diagnostic& diagnostic, const SourceMap& texts) const;

  const bool first_;  // of all ranks
  std::size_t printed_ = 0;
  std::map<std::string, FileId> files_;  // that were read, by their names
  std::vector<std::string> sarif_;       // results of --error-format sarif, printed at the end
  mutable std::vector<std::string> notes_;
};

/// The diagnostics as a JSON array.
std::string json_diagnostics(const Diagnostics& diagnostics, const SourceMap& sources);

}  // namespace mtfc::cli
