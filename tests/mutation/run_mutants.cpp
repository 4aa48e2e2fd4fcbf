// Plants one mistake after the other in the programs of a model under a layout, and asks whether
// the program verifier or the comparison of `mtfc verify` finds it.
//
//   mtfc_mutants [--every N] [--survivors FILE] MODEL [options of mtfc verify]
//
// --every N: each N-th of them. Prints how many were found, and how; to FILE what was not, and what
// stopped the program that ran it. Status 1 if the program as it is does not pass, if a mistake
// that changes what is compared by more than a thousandth of it passes, or if more pass than those
// that exact arithmetic would not show either.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>

#include "backends/execute/pipeline_simulator.h"
#include "backends/verify/compare.h"
#include "cli/options/commands.h"
#include "cli/options/read_command_line.h"
#include "cli/session/compile.h"
#include "cli/session/programs.h"
#include "cli/session/train_plan.h"
#include "ir/in_f64.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "lowering/pipeline.h"
#include "mutation/mutations.h"
#include "train/loop/evaluate.h"

namespace {

using namespace mtfc;

constexpr std::int64_t first_steps = 2;
constexpr double unit = 0x1p-53;          // of f64, in which all is compared
constexpr unsigned seconds_allowed = 60;  // of a processor; ten times as many of a loaded machine
// What is subtracted before the exponentials of a softmax cancels out, and the like.
constexpr double least_found = 0.97;

/// How a mistake ended.
enum Fate { by_types, by_comparison, by_check, without_effect, within_rounding, fates };
constexpr const char* fate_names[] = {
    "found by the program verifier", "found by the comparison", "stopped by a check as it ran",
    "without any effect (the same bits)", "NOT FOUND: within what rounding explains"};

/// In the list of survivors.
constexpr const char* short_names[] = {"stopped", "no effect", "NOT FOUND"};

struct Result {
  Fate fate{};
  double relative = 0;  // the largest difference that was let pass
  std::string name;
};

/// What children write for their parent.
struct Shared {
  double relative = 0;
  char name[120] = "";
};

std::unique_ptr<runtime::Engine> engine_of(const cli::Programs& programs) {
  const backends::SimulatorOptions options{1, false};
  if (programs.pipeline)
    return std::make_unique<backends::PipelineSimulator>(*programs.pipeline, options);
  return std::make_unique<backends::Simulator>(programs.made.module, options);
}

/// The module of a stage; without a pipeline the one there is.
Module& stage_of(cli::Programs& programs, std::size_t stage) {
  return programs.pipeline ? programs.pipeline->stages[stage] : programs.made.module;
}

class Bench {
 public:
  Bench(const cli::Programs& split, Module whole, const Model& model)
      : split_(in_f64(split)),
        plan_(cli::make_train_plan(model)),
        plan_of_whole_(plan_),
        steps_(backends::compared_steps(first_steps, model.settings.steps)) {
    plan_.step = split_.step();
    plan_of_whole_.step = whole.step;
    shared_ = static_cast<Shared*>(
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    prepare(in_f64(std::move(whole)));
  }
  const cli::Programs& programs() const { return split_; }
  bool ready() const { return !expected_.empty(); }

  /// In a process of its own: a program that is wrong may stop it.
  Result judge(const cli::Programs& programs, const std::string& program) {
    Result result;
    for (const Module* module : programs.stages())
      if (!mtfc::verify(*module).empty()) return {by_types, 0, ""};
    *shared_ = {};
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit limit{seconds_allowed, seconds_allowed};
      ::setrlimit(RLIMIT_CPU, &limit);
      ::alarm(10 * seconds_allowed);
      if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(99);
      ::_exit(compare(programs, program));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : by_check;
    result.fate = code < fates ? static_cast<Fate>(code) : by_check;
    result.relative = shared_->relative;
    result.name = shared_->name;
    return result;
  }

 private:
  void prepare(Module whole) {
    runtime::Result<runtime::Feeder> feeder = runtime::open_feeder(plan_);
    if (!feeder) {
      std::fprintf(stderr, "%s\n", feeder.error().message.c_str());
      return;
    }
    backends::Simulator one(std::move(whole), {1, false});
    const std::unique_ptr<runtime::Engine> split = engine_of(split_);
    const backends::Sections sections{*feeder, steps_, runtime::can_evaluate(one, *feeder)};
    backends::Variables variables;
    for (std::size_t i = 0; i < sections.count(); ++i) {
      runtime::Result<backends::Section> section = sections.at(i);
      if (!section) return expected_.clear();
      backends::Expected expected{backends::in_f64(std::move(*section)), variables, {}};
      runtime::Result<backends::Outcome> made =
          backends::run_section(one, plan_of_whole_, expected.section);
      if (!made) return expected_.clear();
      expected.outcome = std::move(*made);
      variables = expected.outcome.variables;
      if (!backends::disturb(one, plan_of_whole_, unit, expected)) return expected_.clear();
      backends::set_variables(*split, expected.before);
      runtime::Result<backends::Outcome> as_it_is = run_section(*split, plan_, expected.section);
      if (!as_it_is) return expected_.clear();
      as_it_is_.push_back({expected.section, {}, std::move(*as_it_is), {}});
      expected_.push_back(std::move(expected));
    }
  }

  /// Whether a section runs this program; all do with "".
  bool concerns(const backends::Section& section, const std::string& program) const {
    using Kind = backends::Section::Kind;
    if (program.empty()) return true;
    if (program.starts_with(program_names::init)) return section.kind == Kind::init;
    const bool evaluates = program.starts_with("eval");
    return section.kind == (evaluates ? Kind::evaluation : Kind::step);
  }

  Fate compare(const cli::Programs& programs, const std::string& program) {
    const std::unique_ptr<runtime::Engine> simulator = engine_of(programs);
    bool same = true;
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      const backends::Expected& expected = expected_[i];
      if (!concerns(expected.section, program)) continue;
      backends::set_variables(*simulator, expected.before);
      const auto made = backends::run_section(*simulator, plan_, expected.section);
      if (!made) return by_check;
      for (const backends::Difference& d : backends::compare(expected, *made, unit)) {
        if (d.exceeds()) return by_comparison;
        if (d.relative <= shared_->relative) continue;
        shared_->relative = d.relative;
        std::snprintf(shared_->name, sizeof shared_->name, "%s", d.name.c_str());
      }
      for (const backends::Difference& d : backends::compare(as_it_is_[i], *made, unit))
        same = same && d.absolute == 0;
    }
    return same ? without_effect : within_rounding;
  }

  const cli::Programs split_;
  runtime::TrainPlan plan_, plan_of_whole_;
  std::vector<std::int64_t> steps_;
  std::vector<backends::Expected> expected_, as_it_is_;
  Shared* shared_ = nullptr;
};

struct Arguments {
  std::size_t every = 1;
  std::string survivors;
  std::vector<char*> rest;
};

Arguments read_arguments(int argc, char** argv) {
  static char program[] = "mtfc", command[] = "verify";
  Arguments found{1, "", {program, command}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--every" && i + 1 < argc)
      found.every = static_cast<std::size_t>(std::max(1, std::atoi(argv[++i])));
    else if (word == "--survivors" && i + 1 < argc)
      found.survivors = argv[++i];
    else
      found.rest.push_back(argv[i]);
  }
  return found;
}

/// Each with the stage whose module it changes.
std::vector<std::pair<std::size_t, test::Mutation>> mutations_of(const cli::Programs& programs) {
  std::vector<std::pair<std::size_t, test::Mutation>> all;
  const std::vector<const Module*> stages = programs.stages();
  for (std::size_t stage = 0; stage < stages.size(); ++stage)
    for (test::Mutation& mutation : test::mutations_of(*stages[stage]))
      all.emplace_back(stage, std::move(mutation));
  return all;
}

int run(cli::Session& session, const Arguments& arguments) {
  int status = 0;
  lowering::Request request;
  request.dump_tensors = true;
  std::optional<cli::Compiled> compiled = cli::compile(session, request, status);
  if (!compiled) return session.finish(status);
  const Model& model = compiled->model;
  std::optional<cli::Programs> split =
      cli::programs_for(session, model, compiled->assignment, request, status);
  if (!split) return session.finish(status);
  Bench bench(*split, lowering::lower(model, Assignment{}, request), model);
  if (!bench.ready()) return 1;
  const Result as_it_is = bench.judge(bench.programs(), "");
  if (as_it_is.fate != without_effect) {
    std::printf("the program as it is: %s\n", fate_names[as_it_is.fate]);
    return 1;
  }
  std::ofstream survivors;
  if (!arguments.survivors.empty()) survivors.open(arguments.survivors);
  std::size_t counts[fates] = {}, missed = 0;
  const std::vector<std::pair<std::size_t, test::Mutation>> all = mutations_of(bench.programs());
  for (std::size_t m = arguments.every / 2; m < all.size(); m += arguments.every) {
    const auto& [stage, mutation] = all[m];
    const Module& module = *bench.programs().stages()[stage];
    const Program& program = module.programs[mutation.program];
    cli::Programs mutant = bench.programs();
    mutation.apply(stage_of(mutant, stage));
    const Result result = bench.judge(mutant, program.name);
    ++counts[result.fate];
    if (result.fate < by_check) continue;
    if (result.fate != by_check && result.relative > 1e-3) ++missed;
    const std::string line = std::string(short_names[result.fate - by_check]) + "\t" +
                             program.name + "\t" + mutation.what + "\t" +
                             std::to_string(result.relative) + " " + result.name + "\t" +
                             print(program, program.instructions[mutation.instruction], module);
    if (survivors) survivors << line << '\n';
    if (!survivors.is_open()) std::printf("%s\n", line.substr(0, 400).c_str());
  }
  std::size_t total = 0, found = 0;
  for (int f = 0; f < fates; ++f) {
    std::printf("%6zu  %s\n", counts[f], fate_names[f]);
    total += counts[f];
    found += f < without_effect ? counts[f] : 0;
  }
  const std::size_t effective = total - counts[without_effect];
  std::printf("%zu mutants, %zu with an effect, of which %zu were found (%.2f %%)\n", total,
              effective, found, effective == 0 ? 100.0 : 100.0 * double(found) / double(effective));
  return missed > 0 || double(found) < least_found * double(effective) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments = read_arguments(argc, argv);
  auto command_line =
      cli::read_command_line(static_cast<int>(arguments.rest.size()), arguments.rest.data());
  cli::Options* options = std::get_if<cli::Options>(&command_line);
  if (options == nullptr) return 2;
  cli::Session session(std::move(*options));
  return run(session, arguments);
}
