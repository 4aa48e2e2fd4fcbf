// The commands: each takes a session, does its work with the rooms below, returns an exit status.
// Their rows (command_rows.h) name them.
#pragma once
namespace mtfc::cli {

class Session;

int check(Session& session);
int train(Session& session);
int eval(Session& session);
int verify(Session& session);
int run(Session& session);
int generate(Session& session);
int emit(Session& session);
int cost(Session& session);
int diff(Session& session);
int why(Session& session);
int plan_layout(Session& session);
int trace_step(Session& session);
int pictures(Session& session);
int bench_hardware(Session& session);
int scale(Session& session);
int plot_curves(Session& session);
int format(Session& session);
int explain(Session& session);
int library(Session& session);
int operations(Session& session);
int completion(Session& session);
int manual(Session& session);
int version(Session& session);

}  // namespace mtfc::cli
