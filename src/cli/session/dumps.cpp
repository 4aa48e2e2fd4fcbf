#include "cli/session/dumps.h"

#include <algorithm>

#include "ir/verify.h"
#include "lowering/state_interface.h"
#include "lowering/state_text.h"
#include "support/check.h"
#include "support/did_you_mean.h"
#include "support/fact.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

/// Behind a state in a dump: of what the passes made of the model and the command a digest, by
/// which another command is known even if the state was changed by hand.
std::string last_line(const std::string& state) { return "# state of " + digest_of(state) + "\n"; }

/// Whether a dump has the last line of another state than the passes up to `after` make. Without
/// one nothing is known, nor with `epochs`: how many steps these are some commands alone know.
bool is_of_another(const std::string& dump, const lowering::State& made,
                   const lowering::Pass& after) {
  const std::size_t begin = dump.rfind("\n# state of ");
  if (begin == dump.npos || made.model.settings.epochs > 0) return false;
  const std::string own = last_line(lowering::print(made, after));
  return dump.compare(begin + 1, own.size() - 1, own, 0, own.size() - 1) != 0;
}

/// Runs the passes up to that after which a dump was made, as its first line says; null: it does
/// not.
const lowering::Pass* catch_up(const std::string& dump, lowering::StageStates& made) {
  for (const lowering::Pass& pass : lowering::passes()) {
    lowering::run(pass, made);
    const std::string first = "state after " + std::string(pass.name);
    if (dump.starts_with(first + " ") || dump.starts_with(first + "\n")) return &pass;
  }
  return nullptr;
}

/// The state in the file of --start-from, and the pass after which it was printed; null: reported.
/// `state`: before the first pass.
const lowering::Pass* read_dump(Session& session, lowering::State& state) {
  lowering::StageStates all{state};
  const std::string& path = session.options.start_from;
  const std::optional<FileId> file = session.read(path);
  if (!file) return nullptr;
  const std::string& dump = session.sources.text(*file);
  const std::size_t model_dims = state.model.dims.size();
  const lowering::Pass* reached = catch_up(dump, all);
  if (!all.stages.empty() && (reached || dump.starts_with("# stage "))) {
    session.report(diag(DiagKind::unreadable_file,
                        "the dump in `" + path + "` is of a pass that stages go through apart")
                       .note("the stages of the layout have different meshes")
                       .help("dumps up to that of `" + std::string(lowering::last_of_all_stages) +
                             "` are of all stages"));
    return nullptr;
  }
  lowering::State& made = all.whole;
  if (reached && is_of_another(dump, made, *reached)) {
    session.report(diag(DiagKind::unreadable_file,
                        "the dump in `" + path + "` is not one of this model and command")
                       .note("the model, a size, the seed, a setting or an option was another")
                       .help("give what `--dump-after` was given, or make it anew"));
    return nullptr;
  }
  if (dump.find("\nstate after ") != dump.npos) {
    session.report(diag(DiagKind::unreadable_file, "`" + path + "` has the dumps of several passes")
                       .help("keep one of them: from its line `state after ...` up to the next"));
    return nullptr;
  }
  std::string error;
  const lowering::Pass* after = lowering::read_state(dump, state, error, &session.sources);
  if (!after) {
    session.report(
        diag(DiagKind::unreadable_file, "`" + path + "` is not a dump of --dump-after: " + error));
    return nullptr;
  }
  error = lowering::verify(state, after->stage);
  if (error.empty())
    if (const std::string found = lowering::difference(made, state, after->stage, model_dims);
        !found.empty())
      error = "it is not one of this model and command: " + found;
  if (error.empty()) {
    if (state.assignment.stages) lowering::take_cut(state, std::move(made), after->stage);
    return after;
  }
  session.report(
      diag(DiagKind::unreadable_file, "the dump in `" + path + "` breaks a rule: " + error));
  return nullptr;
}

bool is_pass(Session& session, const std::string& name) {
  if (name.empty() || name == "all" || lowering::find_pass(name)) return true;
  const std::vector<std::string> known = dump_names();
  session.report(diag(DiagKind::wrong_usage, "no pass is called `" + name + "`")
                     .help(suggested(name, known, "there are: " + joined(known, ", "))));
  return false;
}

/// Whether a pass that is to be dumped still runs when a dump was read; else reported.
bool still_runs(Session& session, const lowering::Pass& done) {
  const std::string& wanted = session.options.dump_after;
  std::vector<std::string> left;
  for (const lowering::Pass& pass : lowering::passes())
    if (&pass > &done) left.emplace_back(pass.name);
  if (wanted.empty() || (wanted == "all" && !left.empty()) ||
      std::find(left.begin(), left.end(), wanted) != left.end())
    return true;
  const std::string name(done.name);
  session.report(
      diag(DiagKind::wrong_usage,
           "`--start-from` continues after `" + name + "`, and " +
               (wanted == "all" ? "no pass runs" : "`" + wanted + "` does not run") + " after that")
          .help(left.empty() ? "it is the last one" : "these do: " + joined(left, ", ")));
  return false;
}

void verify_states(const lowering::StageStates& states, const lowering::Pass& pass) {
  for (const lowering::State* state : states.current())
    if (const std::string broken = lowering::verify(*state, pass.stage); !broken.empty())
      internal_error(pass.name, 0, broken);
}

/// Of stages that are lowered alone one after the other.
void print_states(const Session& session, const lowering::StageStates& states,
                  const lowering::Pass& pass) {
  int stage = 0;
  for (const lowering::State* state : states.current()) {
    if (!states.stages.empty()) session.print("# stage " + std::to_string(stage++) + "\n");
    const std::string text = lowering::print(*state, pass);
    session.print(text + last_line(text));
  }
}

/// The passes after `done`. Prints the dumps that were asked for.
void run_passes(const Session& session, const lowering::Pass* done, lowering::StageStates& states) {
  const std::string& wanted = session.options.dump_after;
  for (const lowering::Pass& pass : lowering::passes()) {
    if (done && &pass <= done) continue;
    lowering::run(pass, states);
    const bool last = &pass == &lowering::passes().back();
    if (last || session.options.verify_passes) verify_states(states, pass);
    if (wanted == "all") session.print("# after " + std::string(pass.name) + "\n");
    if (wanted == "all" || wanted == pass.name) print_states(session, states, pass);
  }
}

}  // namespace

std::optional<lowering::StageStates> states_for(Session& session, const Model& model,
                                                const Assignment& assignment,
                                                const lowering::Request& request, int& status) {
  status = exit_usage;
  if (!is_pass(session, session.options.dump_after)) return std::nullopt;
  lowering::StageStates states{lowering::start(model, assignment, request)};
  const lowering::Pass* done = nullptr;
  if (!session.options.start_from.empty()) {
    done = read_dump(session, states.whole);
    if (!done || !still_runs(session, *done)) return std::nullopt;
  }
  run_passes(session, done, states);
  status = exit_done;
  if (!session.options.dump_after.empty()) return std::nullopt;
  return states;
}

std::vector<std::string> dump_names() {
  std::vector<std::string> names{"all"};
  for (const lowering::Pass& pass : lowering::passes()) names.emplace_back(pass.name);
  return names;
}

}  // namespace mtfc::cli
