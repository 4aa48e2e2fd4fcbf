// mtfc plan: the layout that takes the least time on a machine, found and proved.
#include <algorithm>

#include "cli/options/commands.h"
#include "cli/plan/conflict.h"
#include "cli/plan/json.h"
#include "cli/plan/machines.h"
#include "cli/plan/models.h"
#include "cli/plan/padded.h"
#include "cli/plan/problem.h"
#include "cli/plan/request.h"
#include "cli/plan/rivals.h"
#include "cli/plan/shown.h"
#include "cli/plan/text.h"
#include "cli/plan/wire.h"
#include "cli/session/mesh_text.h"
#include "cli/session/outputs.h"
#include "cli/session/read_model.h"
#include "data/files/atomic_file.h"
#include "plan/space/chain.h"
#include "solve/clock.h"
#include "support/figures.h"
#include "support/text.h"

namespace mtfc::cli {
namespace {

/// The command line in one line, by the program's name, wherever it lies.
std::string command_text(const std::vector<std::string>& words) {
  std::string text = "mtfc";
  for (std::size_t i = 1; i < words.size(); ++i) text += " " + shell_word(words[i]);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

class Planning {
 public:
  Planning(Session& session, const Model& model, const plan::Models& models,
           const PlanRequest& request)
      : session_(session), model_(model), models_(models), request_(request) {}

  int run() {
    std::vector<PlannedMachine> machines;
    for (const PlanRequest::Size& size : request_.sizes)
      machines.push_back({size.processors, space_of(size.meshes, request_.given), {}});
    if (session_.options.plan.submeshes && !can_have_submeshes(machines))
      return session_.finish(exit_usage);
    for (PlannedMachine& one : machines) {
      answer_by_ = solve::Clock(kAnswered * session_.options.plan.seconds);
      one.plan = search(one.space, session_.options.plan.seconds, false);
    }
    PlannedMachine& shown = fastest(machines);
    const std::vector<plan::Without> without = entries_bought(shown.plan);
    count_memory(shown.plan);
    session_.print(model_.path + " on " + request_.machine.name + ", " +
                   counted(shown.processors, "processor") + ", one training step\n\n");
    JsonFields fields;  // takes seconds for a large space
    if (session_.options.json)
      fields = plan_json(shown.plan, shown.space, model_.dims, request_.memory);
    if (machines.size() > 1) {
      session_.print(machines_text(machines));
      fields.emplace_back("machines", machines_json(machines));
    }
    const int status =
        shown.plan.best ? print_best(shown, without, fields) : print_conflict(shown, fields);
    session_.print(proof_text(shown.plan, shown.space, model_.dims));
    return session_.finish(status, fields);
  }

 private:
  /// False: reported.
  bool can_have_submeshes(const std::vector<PlannedMachine>& machines) const {
    const auto none = std::all_of(machines.begin(), machines.end(), [](const auto& one) {
      return one.space.submeshes.processors == 0;
    });
    if (none)
      session_.report(
          diag(DiagKind::wrong_usage, "there are no pipelines for `--submeshes` to look at")
              .help(request_.pipeline
                        ? "the pipeline that is kept has its stages: leave it out"
                        : "they need `--processors` of three or more, micro-batches, and a "
                          "model that repeats as often as a dimension says, `dim layers = 12` "
                          "and `repeat layers`, or has two blocks with parameters that are not "
                          "alike"));
    for (const PlannedMachine& one : machines) {
      if (plan::can_deal_out(one.space.submeshes, one.space.chain.blocks)) continue;
      session_.report(diag(DiagKind::wrong_usage, "`--submeshes` has too many ways to deal " +
                                                      counted(one.space.chain.blocks, "block") +
                                                      " out to " +
                                                      counted(one.processors, "processor"))
                          .help("allow fewer stages, as `--stages 4`, or leave it out"));
      return false;
    }
    return !none;
  }

  plan::Space space_of(const std::vector<Mesh>& meshes, const Layout& given) const {
    plan::Space space = plan::space_of(model_, meshes, given, session_.options.plan.pads);
    const TriedMicrobatches tried = microbatches_of(models_, model_);
    space.microbatches = tried.counts;
    space.bars_microbatches = tried.barred;
    if (given.pipeline) {
      keep_pipeline(space);
      return space;
    }
    plan::Chain chain = plan::chain_of(model_);
    if (request_.stages == 1 || chain.blocks < 2 || space.microbatches.back() == 1) return space;
    space.chain = std::move(chain);
    space.chain.counted = models_.iterations() > 0;
    const PlanOptions& o = session_.options.plan;
    const std::int64_t processors = meshes.front().processors();
    const auto most = static_cast<int>(std::min<std::int64_t>(request_.stages, space.chain.blocks));
    space.staged = plan::staged_meshes_of(processors, o.most_axes(), most);
    if (o.submeshes && processors > 2)
      space.submeshes = plan::submeshes_of(processors, o.most_axes(), most, request_.machine);
    return space;
  }
  /// Every layout has that which is kept, with a mesh of the space in each stage.
  void keep_pipeline(plan::Space& space) const {
    space.kept_pipeline = request_.pipeline;
    space.chain = request_.pipeline->chain;
    for (Mesh& mesh : space.meshes)
      space.staged.push_back({request_.pipeline->stages, std::move(mesh)});
    space.meshes.clear();
    // Stages need two.
    if (space.microbatches.size() > 2 && space.microbatches.front() == 1)
      space.microbatches.erase(space.microbatches.begin());
  }
  plan::Plan search(const plan::Space& space, double seconds, bool any) const {
    return plan::search(space, models_, session_.sources, request_.machine,
                        {request_.memory, seconds, any});
  }

  /// With no time left to compile about as many layouts whole.
  bool is_hurried(const plan::Plan& found) const {
    constexpr double many = 12;
    return many * found.whole_seconds > answer_by_.left();
  }

  /// What each entry of the best layout buys; those that buy nothing are gone from it.
  std::vector<plan::Without> entries_bought(plan::Plan& found) const {
    if (!found.best) return {};
    plan::Pricer pricer(models_, session_.sources, request_.machine, request_.given);
    std::vector<plan::Without> all =
        plan::prune_best(found, pricer, request_.memory, is_hurried(found));
    // Micro-batches that the model says are no choice of the plan.
    if (microbatches_of(models_, model_).counts.size() == 1)
      std::erase_if(all, [&](const plan::Without& one) {
        return one.choice.microbatches != found.best->choice.microbatches;
      });
    return all;
  }

  /// Of what is printed, in evaluations and for first values, too.
  void count_memory(plan::Plan& found) const {
    if (!found.best || is_hurried(found)) return;
    plan::Pricer pricer(models_, session_.sources, request_.machine, request_.given);
    count_shown(found, pricer, request_.memory, answer_by_);
  }

  int print_best(const PlannedMachine& shown, const std::vector<plan::Without>& without,
                 JsonFields& fields) {
    const plan::Plan& found = shown.plan;
    // What was not looked at may be faster at any speed.
    const std::vector<plan::Stability> stability = found.is_proved()
                                                       ? plan::stability(found, request_.machine)
                                                       : std::vector<plan::Stability>();
    const std::vector<Rival> rivals = rivals_of(found, models_, session_.sources, request_.machine,
                                                request_.given, is_hurried(found));
    fields.emplace_back("buys", without_json(without));
    fields.emplace_back("stable", stability_json(stability, request_.machine));
    fields.emplace_back("rivals", rivals_json(rivals));
    const std::optional<plan::Price> narrow =
        with_narrow_sums(*found.best, models_, session_.sources, request_.machine, request_.given,
                         request_.memory, is_hurried(found));
    fields.emplace_back("wire_bf16", narrow_sums_json(narrow));
    const std::optional<plan::Judged> padded =
        padded_batch(found, shown.space, model_.dims, models_, session_.sources, request_.machine,
                     request_.memory, is_hurried(found));
    fields.emplace_back("padded", padded ? judged_json(*padded) : "null");
    fields.emplace_back("beside_step", beside_step_json(found.best->price));
    const std::string& keep = session_.options.plan.keep;
    if (!keep.empty()) session_.print("entries are added to those of " + keep + "\n\n");
    session_.print(best_text(found, shown.space.given, request_.memory, without) +
                   fastest_text(found) + rivals_text(rivals) + frontier_text(found) +
                   stability_text(stability, request_.machine) + narrow_sums_text(narrow) +
                   padded_text(padded));
    const std::string setting = train_setting(found.best->choice, shown.space);
    if (!setting.empty()) session_.print("Train it with `" + setting + "`.\n");
    const std::string text = layout_file(*found.best, request_.memory, without,
                                         command_text(session_.options.words), request_.given_text);
    return write_layout(text) ? exit_done : exit_failed;
  }

  int print_conflict(const PlannedMachine& shown, JsonFields& fields) {
    const PlanOptions& o = session_.options.plan;
    const bool can_grow = !o.processors.empty();
    const auto fits = [&](std::int64_t processors, bool keeping) {
      if (answer_by_.left() <= 0) return false;
      std::vector<Mesh> meshes =
          can_grow ? meshes_for(keeping ? request_ : PlanRequest{}, processors, o.most_axes())
          : request_.pipeline && !keeping ? plan::meshes_of(processors, o.most_axes())
                                          : request_.sizes.back().meshes;
      if (meshes.empty()) return false;
      plan::Space space = space_of(std::move(meshes), keeping ? request_.given : Layout{});
      if (!plan::can_deal_out(space.submeshes, space.chain.blocks)) space.submeshes = {};
      return search(space, std::clamp(answer_by_.left() / 2, 0.0, o.seconds / 4), true)
          .best.has_value();
    };
    const Conflict conflict = find_conflict(
        "--memory " + scaled(request_.memory, "B"),
        can_grow            ? "--processors " + std::to_string(shown.processors)
        : request_.pipeline ? "the " + counted(shown.processors, "processor")
                            : "the " + mesh_text(request_.sizes.back().meshes.front()),
        o.keep.empty() ? "" : "--keep " + o.keep, shown.processors, can_grow, fits);
    session_.print(conflict_text(conflict, shown.plan));
    append(fields, conflict_json(conflict));
    return exit_over_budget;
  }

  /// False: reported.
  bool write_layout(const std::string& text) {
    if (session_.options.out.empty()) return true;
    const runtime::Status written = runtime::write_text(session_.options.out, text);
    if (written) return true;
    session_.report_failure(DiagKind::run_failed, written.error());
    return false;
  }

  /// Of `--time`: whatever is asked, the answer comes soon after the search.
  static constexpr double kAnswered = 1.15;

  Session& session_;
  const Model& model_;
  const plan::Models& models_;
  const PlanRequest& request_;
  solve::Clock answer_by_{0};
};

}  // namespace

int plan_layout(Session& session) {
  if (!session.options.plan.problem.empty()) return plan_problem(session);
  int status = exit_usage;
  const std::optional<Model> model = read_model(session, {}, status);
  if (!model) return session.finish(status);
  if (!has_loss(model->train))
    return session.usage_error("the model has no loss: there is no training step to plan");
  const plan::Models models = models_of(session, *model);
  const std::optional<PlanRequest> request = plan_request(session, *model, models, status);
  if (!request) return session.finish(status);
  if (const auto refused = refused_outputs(
          session, {{session.options.out, runtime::OutputForm::layout}}, read_by(session, *model));
      refused)
    return session.finish(*refused);
  session.flush();
  // Of few iterations a number of them that are computed again would be another share.
  const bool whole = plan::counts_iterations(request->given);
  return Planning(session, *model, whole ? models.whole_ones() : models, *request).run();
}

}  // namespace mtfc::cli
