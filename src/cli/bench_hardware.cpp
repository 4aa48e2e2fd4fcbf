// mtfc bench-hardware: measures this machine, for `--hardware here`.
#include <filesystem>

#include "cli/options/commands.h"
#include "cli/session/here.h"
#include "cli/session/outputs.h"
#include "comm/consistency.h"
#include "data/files/atomic_file.h"
#include "messages/wrap.h"
#include "predict/measure.h"

namespace mtfc::cli {
namespace {

runtime::Status write_description(const std::string& path, const std::string& text) {
  std::error_code failed;
  if (const std::filesystem::path folder = std::filesystem::path(path).parent_path();
      !folder.empty())
    std::filesystem::create_directories(folder, failed);
  return runtime::write_text(path, text);  // says what is wrong with the folder, too
}

/// Who measured: a comment at the top of the file.
std::string heading(const std::string& ranks, int threads) {
  return "# This machine, by mtfc bench-hardware " + std::string(program_version) + ": each of " +
         ranks + " has " + counted(threads, "thread") + ".\n";
}

}  // namespace

int bench_hardware(Session& session) {
  const std::string path = session.options.out.empty() ? here_path() : session.options.out;
  if (path.empty())
    return session.usage_error("neither `$XDG_CONFIG_HOME` nor `$HOME` is set",
                               "name a file by -o");
  if (const auto refused =
          refused_outputs(session, {{session.options.out, runtime::OutputForm::layout}}, {});
      refused)
    return session.finish(*refused);
  runtime::net::Network& network = session.ranks ? session.ranks->network() : runtime::net::alone();
  if (session.ranks && !runtime::net::agree_on_kernels(network)) {
    session.report(diag(DiagKind::run_failed, runtime::net::products_differ));
    return session.finish(exit_failed);
  }
  const int share = session.ranks ? runtime::net::share_of_threads(network) : 0;
  runtime::Pool pool(session.options.threads > 0 ? session.options.threads : share);
  session.progress("measuring this machine, some seconds");
  const predict::Machine machine = predict::measure(pool, network);
  const std::string text =
      heading(counted(network.ranks(), "rank"), pool.threads()) + description(machine);
  session.print(text);
  if (network.rank() == 0)
    if (const runtime::Status written = write_description(path, text); !written) {
      session.report_failure(DiagKind::run_failed, written.error());
      return session.finish(exit_failed);
    }
  session.progress("written to " + in_one_piece(path) + "; `--hardware here` reads " +
                   in_one_piece(here_path()));
  return session.finish(exit_done, {{"out", json(path)}, {"description", json(text)}});
}

}  // namespace mtfc::cli
