#include "train/loop/training_main.h"

#include <cerrno>
#include <cstdio>
#include <optional>
#include <vector>

#include "comm/agreement.h"
#include "comm/gather_bytes.h"
#include "support/text.h"
#include "train/loop/interrupt.h"
#include "train/loop/output_files.h"
#include "train/loop/run_files.h"
#include "train/loop/train_loop.h"

namespace mtfc::runtime {
namespace {

struct Options : EmittedOptions {
  std::string folder;  // of the run; empty: no checkpoints are saved
};

void print_error(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  for (const std::string& help : error.helps) std::fprintf(stderr, "  = help: %s\n", help.c_str());
}

void print_note(const std::string& note) { std::fprintf(stderr, "note: %s\n", note.c_str()); }

bool is_archive(const std::string& path) { return path.ends_with(".npz"); }

/// What is named, or the folder of the run that is resumed. Every rank calls it, and all decide as
/// one: they write together.
std::string run_folder(const Options& options, net::Network& network) {
  if (!options.out.empty()) return is_archive(options.out) ? "" : options.out;
  const bool is_folder = !options.resume.empty() && has_checkpoints(options.resume);
  if (network.highest(is_folder ? 1 : 0) == 0) return "";
  return is_folder ? run_folder_of(options.resume) : options.resume;
}

/// The same command, but from where the run stands.
std::string resume_command(const CommandLine& line, const Options& options,
                           const net::Network& network) {
  std::string command;
  if (network.has_launcher()) command = "mpirun -n " + std::to_string(network.ranks()) + " ";
  for (std::size_t i = 0; i < line.words.size(); ++i) {
    const std::string& word = line.words[i];
    if (word == "--out" || word == "-o" || word == "--resume")
      ++i;
    else if (word != "--force")
      command += shell_word(word) + " ";
  }
  return command + "--resume " + shell_word(options.folder);
}

void print_interruption(const TrainResult& result, const CommandLine& line, const Options& options,
                        const net::Network& network) {
  std::string next = "; not saved (no --out)";
  if (!options.folder.empty())
    next = ", saved in " + backquoted(options.folder) + "; to continue:\n  " +
           resume_command(line, options, network);
  else if (is_archive(options.out))
    next = ", saved in " + backquoted(options.out) + ", from which no run can be resumed";
  std::fprintf(stderr, "%s%s\n", interruption(result).c_str(), next.c_str());
}

/// What the user may not expect. `done`: steps before this program.
void print_notes(const Options& options, std::int64_t done, std::int64_t steps) {
  if (done > 0 && done >= steps)
    print_note(nothing_left(done) + "; " + how_to_continue(done));
  else if (options.folder.empty() && options.out.empty())
    print_note("not saved (no --out)");
  else if (options.out.empty())
    print_note("checkpoints go into " + backquoted(options.folder) + ", the folder of the run");
}

RunFilesPlan files_plan(const TrainPlan& plan, const Options& options) {
  RunFilesPlan files;
  files.folder = options.folder;
  files.access.force = options.force;
  if (!options.log.empty()) files.logs = {options.log};
  files.keep = plan.keep;
  files.form = plan.checkpoint;
  files.record.model.path = plan.model;
  files.record.model.optimizer = plan.optimizer;
  files.record.seed = plan.seed;
  files.record.length = plan.steps;
  return files;
}

/// Every rank opens the checkpoint, and must find that it fits.
Status open_checkpoint(const Engine& engine, const TrainPlan& plan, const std::string& path,
                       std::optional<Checkpoint>& checkpoint) {
  Result<FoundCheckpoint> found = find_checkpoint(path, engine.network());
  if (!found) return found.error();
  checkpoint.emplace(std::move(found->checkpoint));
  const std::vector<Misfit> wrong = misfits(engine, *checkpoint, Load::everything);
  if (!wrong.empty()) return Error{misfit_text(*checkpoint, wrong.front()), {}, {}};
  if (const auto other = other_optimizer(checkpoint->record.model, plan.optimizer))
    return Error{*other, {}, {}};
  return can_resume(*checkpoint, plan.seed);
}

/// The same on all ranks.
Status lock(Engine& engine, const Options& options, RunFilesPlan& files) {
  Status locked;
  if (!options.resume.empty() && engine.is_root()) {
    Result<std::optional<FolderLock>> taken = lock_resumed(options.resume, files.folder);
    if (taken)
      files.access.lock = std::move(*taken);
    else
      locked = taken.error();
  }
  return net::agreed(engine.network(), locked, false);
}

/// What ranks do together is the same on all of them.
bool same_options(Engine& engine, const TrainPlan& plan, const Options& options) {
  Facts facts = facts_of(plan);
  const auto given = [](const std::string& value) { return value.empty() ? "absent" : "given"; };
  facts.push_back({"`--out`", options.out.empty()       ? "absent"
                              : is_archive(options.out) ? "an archive"
                                                        : "a folder"});
  facts.push_back({"`--log`", given(options.log)});
  facts.push_back({"`--resume`", given(options.resume)});
  const std::string differs = net::difference(engine.network(), facts);
  if (!differs.empty() && engine.is_root()) print_error(net::differing_run(differs));
  return differs.empty();
}

/// The same on all ranks; the root writes, perhaps where others have other files.
Status may_write(Engine& engine, const TrainPlan& plan, const Options& options) {
  Status able;
  if (engine.is_root())
    able = can_replace({options.log, is_archive(options.out) ? options.out : "", options.folder},
                       plan, options.resume);
  return net::agreed(engine.network(), able, false);
}

int train(Engine& engine, const TrainPlan& plan, Options options, const CommandLine& line) {
  if (!same_options(engine, plan, options)) return exit_failed;
  options.folder = run_folder(options, engine.network());
  if (const Status able = may_write(engine, plan, options); !able) {
    if (engine.is_root()) print_error(able.error());
    return exit_usage;
  }
  std::optional<Checkpoint> begin;
  RunFilesPlan planned = files_plan(plan, options);
  Status ready = lock(engine, options, planned);
  if (ready && !options.resume.empty())
    ready = open_checkpoint(engine, plan, options.resume, begin);
  RunFiles files(engine, std::move(planned), begin ? &*begin : nullptr);
  if (ready) ready = files.prepare();
  if (const Status all = net::agreed(engine.network(), ready); !all) {
    if (engine.is_root()) print_error(all.error());
    return exit_failed;
  }
  TrainHooks hooks;
  files.add_to(hooks);
  const auto opened = hooks.opened;
  hooks.opened = [&](const Feeder& feeder) {
    if (opened) opened(feeder);
    const Result<std::int64_t> steps =
        plan.steps > 0 ? Result<std::int64_t>(plan.steps) : feeder.steps_of(plan.epochs);
    if (begin && engine.is_root())
      for (const std::string& change : changes_of_data(*begin, feeder)) print_note(change);
    if (!begin && engine.is_root())
      for (const std::string& change : changes_of_tokens(plan.initial, feeder)) print_note(change);
    if (steps && engine.is_root())
      print_notes(options, begin ? begin->record.state.steps : 0, *steps);
  };
  hooks.progress = !options.quiet;
  const auto to_file = hooks.log;
  hooks.log = [&](const std::string& line) -> Status {
    const bool printed = std::printf("%s\n", line.c_str()) >= 0;
    if (std::fflush(stdout) != 0 || !printed) return cannot("write", "<stdout>", errno);
    return to_file(line);
  };
  if (is_archive(options.out))
    hooks.save = [&](const TrainState&) { return save_variables(engine, options.out); };
  const TrainResult result = run_training(engine, plan, hooks);
  if (result.failed() && engine.is_root()) print_error(result.error);
  if (result.status >= exit_signal && engine.is_root())
    print_interruption(result, line, options, engine.network());
  return result.status;
}

}  // namespace

int training_main(Engine& engine, const TrainPlan& plan, const EmittedOptions& options,
                  const CommandLine& line) {
  // Until the process ends: launchers signal ranks that are ending already.
  static const InterruptGuard guard;
  if (engine.network().has_launcher())
    InterruptGuard::ignore_repeated();
  else
    InterruptGuard::end_at_once(engine.network().ranks() == 1);
  return train(engine, plan, Options{options, ""}, line);
}

}  // namespace mtfc::runtime
