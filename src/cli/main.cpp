// mtfc: reads the command line and hands over to a command.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "backends/execute/mpi_library.h"
#include "cli/options/command_rows.h"
#include "cli/options/exit_status.h"
#include "cli/options/read_command_line.h"
#include "cli/session/note_environment.h"
#include "cli/session/run_folder.h"
#include "support/last_words.h"

namespace {

using namespace mtfc;
using namespace mtfc::cli;

/// Under mpirun: one voice, and the network for those who use it.
int prepare_ranks(Session& session, const CommandRow& row) {
  const backends::Launch launch = backends::find_launch();
  if (!launch.launched || !row.on_ranks) return exit_done;
  auto network = backends::open_mpi(launch);
  if (!network) {
    session.report_failure(DiagKind::run_failed, network.error());
    return session.finish(exit_failed);
  }
  session.ranks = std::make_unique<Ranks>(std::move(*network));
  session.ranks->network().watch([&session](int rank) { session.report_lost_rank(rank); });
  if (session.ranks->network().ranks() > 1 && reads_standard_input(session.options))
    return session.usage_error("`-` is standard input, which launchers give to rank 0 alone",
                               "name a file that every rank can read");
  return exit_done;
}

/// Of ranks with other command lines only some may be wrong: one that is tells the others.
int report_misuse(Misuse misuse) {
  Session session(std::move(misuse.options));
  const CommandRow* row = find_command(session.options.command);
  const int status = row == nullptr ? exit_done : prepare_ranks(session, *row);
  return status == exit_done ? session.usage_error(misuse.message, misuse.help) : status;
}

int run_command(Session& session) {
  const CommandRow* row = find_command(session.options.command);
  if (row == nullptr || row->run == nullptr) return exit_internal;
  if (const int status = prepare_ranks(session, *row); status != exit_done) return status;
  if (row->on_ranks) note_environment(session);
  return row->run(session);
}

/// Before the tables of the parser are made, which is before main.
__attribute__((constructor(101))) void expect_end_of_memory() {
  exit_when_memory_ends("error[E601]: not enough memory\n", exit_too_large);
}

/// A descriptor that is closed at the start would become that of the next file, and messages would
/// go into it. What is written to a closed standard output still fails.
void open_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0 &&
        ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0)
      return;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_descriptors();
  ::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is told by the write that meets it
  auto command_line = read_command_line(argc, argv);
  if (const std::string* answer = std::get_if<std::string>(&command_line)) {
    std::fputs(answer->c_str(), stdout);
    return Session({}).check_output(exit_done);
  }
  if (Misuse* misuse = std::get_if<Misuse>(&command_line)) return report_misuse(std::move(*misuse));
  Session session(with_layout_of_run(std::move(std::get<Options>(command_line))));
  try {
    return run_command(session);
  } catch (const std::bad_alloc&) {
    return session.abort(diag(mtfc::DiagKind::run_failed, mtfc::not_enough_memory())
                             .help("`mtfc cost` shows what the model needs under a layout"),
                         exit_too_large);
  } catch (const std::system_error& error) {  // a limit on processes or on memory
    return session.abort(
        diag(mtfc::DiagKind::run_failed,
             std::string("a thread cannot be started: ") + error.code().message())
            .help("fewer threads with -j, or a higher limit (ulimit -u, ulimit -v)"),
        exit_too_large);
  } catch (const std::exception& error) {  // a library's: none of ours is thrown
    const auto print = [&] { std::fprintf(stderr, "mtfc: internal error: %s\n", error.what()); };
    if (session.ranks) session.ranks->network().abort(exit_internal, print);
    print();
    return exit_internal;
  }
}
