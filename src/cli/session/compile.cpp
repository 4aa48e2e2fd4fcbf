#include "cli/session/compile.h"
#include "ir/verify.h"

#include <algorithm>

#include "cli/session/file_kind.h"
#include "cli/session/from_checkpoint.h"
#include "cli/session/judge_pipeline.h"
#include "cli/session/target.h"
#include "frontend/elaborate/elaborate.h"
#include "frontend/layout/parse_layout.h"
#include "ir/stage_meshes.h"
#include "lowering/state_interface.h"
#include "lowering/state_text.h"
#include "messages/did_you_mean.h"
#include "support/check.h"
#include "support/fact.h"

namespace mtfc::cli {

namespace {

/// The file of the command line, or the text in the checkpoint.
std::optional<FileId> find_model(Session& session) {
  if (!session.options.model.empty()) return session.read(session.options.model);
  if (session.checkpoint && !session.checkpoint->record.model.files.empty()) {
    const auto& [location, text] = session.checkpoint->record.model.files.front();
    return session.sources.add(location, text);
  }
  session.report(diag(DiagKind::wrong_usage, "no MODEL is given")
                     .help(session.checkpoint
                               ? "the checkpoint does not have the model's text: name its file"
                               : "name a .mtf file, or - for standard input"));
  return std::nullopt;
}

/// A layout in place of the model: reported.
bool is_layout(Session& session, FileId file) {
  const std::string& path = session.sources.path(file);
  if (kind_of(path, session.sources.text(file)) != FileKind::layout) return false;
  session.report(diag(DiagKind::wrong_usage, backquoted(path) + " is a layout, not a model")
                     .help("`mtfc " + session.options.command + " MODEL --layout " + path + "`"));
  return true;
}

ElaborateOptions elaborate_options(const Session& session) {
  ElaborateOptions options{session.options.defines, session.options.settings};
  keep_last_length(options.settings);
  if (session.checkpoint) {
    const runtime::ModelRecord& record = session.checkpoint->record.model;
    options.defines = merged(record.defines, options.defines);
    options.settings = merged(record.settings, options.settings);
    if (session.options.model.empty()) options.files = {record.files.begin(), record.files.end()};
  }
  return options;
}

}  // namespace

std::optional<Model> read_model(Session& session, const lowering::Request& request, int& status) {
  if (!open_checkpoint(session, status)) return std::nullopt;
  status = exit_usage;
  session.model_file = find_model(session);
  if (!session.model_file || is_layout(session, *session.model_file)) return std::nullopt;
  status = exit_invalid;
  std::optional<Model> model = elaborate(session.sources, *session.model_file,
                                         elaborate_options(session), session.diagnostics);
  if (model) note_changes_of_used(session, *model);
  if (model && !lowering::run_before_layout(*model, request, session.diagnostics))
    return std::nullopt;
  return model;
}

std::optional<Model> read_model_again(Session& session, const lowering::Request& request,
                                      const std::vector<KeyValue>& defines, int& status) {
  status = exit_invalid;
  ElaborateOptions options = elaborate_options(session);
  options.defines.insert(options.defines.end(), defines.begin(), defines.end());
  Diagnostics found;
  std::optional<Model> model = elaborate(session.sources, *session.model_file, options, found);
  if (model && !lowering::run_before_layout(*model, request, found)) model.reset();
  if (!model) session.report(found);
  return model;
}

std::optional<Model> try_model(Session& session, const std::vector<KeyValue>& defines,
                               const std::vector<KeyValue>& settings, std::size_t warnings) {
  ElaborateOptions options = elaborate_options(session);
  options.defines.insert(options.defines.end(), defines.begin(), defines.end());
  options.settings.insert(options.settings.end(), settings.begin(), settings.end());
  Diagnostics found;
  std::optional<Model> model = elaborate(session.sources, *session.model_file, options, found);
  if (model && !lowering::run_before_layout(*model, {}, found)) model.reset();
  if (found.warnings() > warnings) model.reset();
  return model;
}

namespace {

/// A model in place of a layout: reported.
bool is_model(Session& session, FileId file) {
  const std::string& path = session.sources.path(file);
  if (kind_of(path, session.sources.text(file)) != FileKind::model) return false;
  session.report(diag(DiagKind::wrong_usage, backquoted(path) + " is a model, not a layout")
                     .help("`mtfc " + session.options.command + " " + path + "`"));
  return true;
}

std::optional<Layout> read_layout(Session& session, const std::string& path, Diagnostics& found,
                                  int& status) {
  if (!path.empty()) {
    // What is wrong with a file's name belongs to the command, not to one of its layouts.
    const std::optional<FileId> file = session.read(path);
    if (!file || is_model(session, *file)) {
      status = exit_usage;
      return std::nullopt;
    }
    return parse_layout(session.sources, *file, found);
  }
  if (!session.options.rules) return Layout{};
  const FileId file = session.add_fragment("--rules", *session.options.rules);
  return parse_layout(session.sources, file, found);
}

/// With --strict, every rule must divide.
void forbid_padding(Layout& layout) {
  for (LayoutRule& rule : layout.rules) rule.must_divide = true;
  for (LayoutScope& scope : layout.scopes)
    for (LayoutRule& rule : scope.rules) rule.must_divide = true;
}

/// Every machine of a layout, whichever command reads one.
void check_hardware(Session& session, lowering::LayoutReport& report) {
  constexpr int enough = 20;  // further mistakes help nobody
  int wrong = 0;
  for (const Hardware& hardware : report.hardware)
    if (wrong < enough && !target_of(session.sources, hardware, report.mesh, report.diagnostics))
      ++wrong;
  if (wrong == 0) return;
  report.ok = false;
  report.assignment.reset();
}

/// Of a layout that is not looked at further.
lowering::LayoutReport nothing_of(const std::string& name, Diagnostics found) {
  return {name, false, true, {}, 0, 0, std::move(found), {}, std::nullopt, {}};
}

}  // namespace

bool refuses_rules(Session& session, int& status) {
  if (!session.options.rules || session.options.layouts.empty()) return false;
  status = session.usage_error("`--rules` cannot be combined with a layout file");
  return true;
}

lowering::LayoutReport judge_layout(Session& session, const Model& model,
                                    const std::string& layout_path, int& status,
                                    const ChangeLayout& change, const ChangeMesh& change_mesh) {
  status = exit_invalid;
  const std::string name = layout_path.empty() ? "--rules" : layout_path;
  Diagnostics found;
  std::optional<Layout> layout = read_layout(session, layout_path, found, status);
  if (layout && session.options.strict) forbid_padding(*layout);
  if (layout && change) change(*layout);
  std::optional<Mesh> mesh;
  if (session.options.mesh) {
    const FileId file = session.add_fragment("--mesh", *session.options.mesh);
    mesh = parse_mesh(session.sources, file, found);
    // Whatever the layout's own mesh is, it is not the one that was asked for.
    if (!mesh) return nothing_of(name, std::move(found));
  }
  if (change_mesh && mesh)
    change_mesh(*mesh);
  else if (change_mesh && layout && layout->mesh)
    change_mesh(*layout->mesh);
  // Without stages there need be no micro-batches.
  std::optional<Model> in_two;
  if (layout && layout->pipeline && model.settings.microbatches < 2 &&
      runs_on_one_stage(session.options)) {
    in_two = model;
    in_two->settings.microbatches = 2;
  }
  lowering::LayoutReport report = lowering::check_layout(name, layout, std::move(found), mesh,
                                                         in_two ? *in_two : model, session.sources);
  check_hardware(session, report);
  judge_pipeline(session, report);
  return report;
}

std::optional<Compiled> compile(Session& session, const lowering::Request& request, int& status) {
  std::optional<Model> model = read_model(session, request, status);
  if (!model) return std::nullopt;
  const std::string path = session.options.layouts.empty() ? "" : session.options.layouts.front();
  lowering::LayoutReport report = judge_layout(session, *model, path, status);
  session.report(report.diagnostics);
  session.flush();
  if (!report.assignment && session.options.runs_layout)
    session.note("the layout is the run's own; --layout FILE or --rules RULES give another");
  if (!report.assignment) return std::nullopt;
  return Compiled{std::move(*model), std::move(*report.assignment), std::move(report.hardware),
                  std::move(report.settings)};
}

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

std::optional<Module> lower_for(Session& session, const Model& model, const Assignment& assignment,
                                const lowering::Request& request, int& status) {
  std::optional<lowering::StageStates> states =
      states_for(session, model, assignment, request, status);
  if (!states) return std::nullopt;
  return std::move(states->whole.made.module);
}

std::vector<std::string> dump_names() {
  std::vector<std::string> names{"all"};
  for (const lowering::Pass& pass : lowering::passes()) names.emplace_back(pass.name);
  return names;
}

std::string mesh_text(const Assignment& assignment) {
  const Stages& stages = *assignment.stages;
  const std::string chunks =
      stages.chunks > 1 ? ", " + std::to_string(stages.chunks) + " chunks" : "";
  const std::string text =
      counted(stages.count, "stage") + " (" + std::string(name(stages.schedule)) + chunks + ") of ";
  if (!assignment.stage_meshes.empty())
    return text + "meshes " + to_string(assignment.stage_meshes);
  return text + mesh_text(assignment.mesh) + (stages.count > 1 ? " each" : "");
}

std::string mesh_text(const Mesh& mesh) {
  if (mesh.processors() == 1) return "one processor";
  return "mesh " + to_string(mesh);
}

}  // namespace mtfc::cli
