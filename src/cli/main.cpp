// mtfc: reads the command line and hands over to a command.
#include <cstdio>
#include <exception>
#include <new>

#include "cli/commands.h"

namespace {

using namespace mtfc::cli;

struct Row {
  std::string_view name;
  int (*run)(Session&);
};

constexpr Row rows[] = {
    {"check", check}, {"train", train},    {"verify", verify},   {"run", run},
    {"emit", emit},   {"cost", cost},      {"fmt", format},      {"explain", explain},
    {"lib", library}, {"ops", operations}, {"version", version},
};

int run_command(Session& session) {
  for (const Row& row : rows)
    if (row.name == session.options.command) return row.run(session);
  return exit_internal;
}

}  // namespace

int main(int argc, char** argv) {
  auto command_line = read_command_line(argc, argv);
  if (const int* status = std::get_if<int>(&command_line)) return *status;
  Session session(std::move(std::get<Options>(command_line)));
  try {
    return run_command(session);
  } catch (const std::bad_alloc&) {
    session.report_failure(mtfc::DiagKind::run_failed, {"not enough memory", {}, {}});
    return session.finish(exit_too_large);
  } catch (const std::exception& error) {  // a library's: none of ours is thrown
    std::fprintf(stderr, "mtfc: internal error: %s\n", error.what());
    return exit_internal;
  }
}
