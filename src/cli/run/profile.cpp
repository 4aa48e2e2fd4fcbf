#include "cli/run/profile.h"

#include <algorithm>
#include <cstring>

#include "cli/run/profile_text.h"
#include "cli/session/programs.h"
#include "cli/session/target.h"
#include "comm/gather_bytes.h"
#include "data/files/atomic_file.h"
#include "trace/measured.h"

namespace mtfc::cli {
namespace {

using backends::Recording;
using trace::MeasuredProcess;
using trace::MeasuredRun;

/// More would show the same in a larger file.
constexpr std::int64_t most_steps = 10;

/// Now, on a clock that all ranks read alike: that of the machine, or of each since they met.
Recording::Time common_zero(runtime::net::Network& network) {
  network.lowest(0);
  Recording::Time zero = Recording::now();
  if (network.ranks_here() == network.ranks()) network.broadcast(&zero, sizeof zero);
  return zero;
}

/// As bytes, for ranks of the same program.
std::string packed(const std::vector<Recording::Run>& runs, Recording::Time zero) {
  std::vector<std::string> texts;
  for (const Recording::Run& run : runs) {
    std::vector<trace::Nanoseconds> times = run.times;
    for (trace::Nanoseconds& time : times) time -= zero;
    texts.push_back(run.program);
    texts.emplace_back(reinterpret_cast<const char*>(times.data()), times.size() * sizeof times[0]);
  }
  return runtime::net::joined(texts);
}

std::vector<MeasuredRun> unpacked(const std::string& bytes) {
  const std::vector<std::string> texts = runtime::net::parted(bytes);
  std::vector<MeasuredRun> runs;
  for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
    MeasuredRun& run = runs.emplace_back(MeasuredRun{texts[i], {}});
    run.times.resize(texts[i + 1].size() / sizeof run.times[0]);
    std::memcpy(run.times.data(), texts[i + 1].data(), texts[i + 1].size());
  }
  return runs;
}

/// The stage that runs the program.
std::size_t stage_of(const std::vector<ProfiledStage>& stages, const std::string& program) {
  std::size_t stage = 0;
  while (stage + 1 < stages.size() &&
         std::none_of(stages[stage].step.begin(), stages[stage].step.end(),
                      [&](const trace::ProgramTracks& one) { return one.program == program; }))
    ++stage;
  return stage;
}

std::vector<trace::ProgramTracks> steps_of(const std::vector<ProfiledStage>& stages) {
  std::vector<trace::ProgramTracks> all;
  for (const ProfiledStage& stage : stages)
    all.insert(all.end(), stage.step.begin(), stage.step.end());
  return all;
}

std::map<std::string, std::int64_t, std::less<>> first_steps(
    const std::vector<ProfiledStage>& stages) {
  std::map<std::string, std::int64_t, std::less<>> runs;
  for (const trace::ProgramTracks& one : steps_of(stages))
    runs[one.program] += most_steps * one.times;
  return runs;
}

std::optional<predict::Chip> chip_here(SourceMap& sources) {
  Diagnostics unsaid;
  const std::optional<Target> target =
      target_of(sources, Hardware{"here", {}, {}, true}, {}, unsaid);
  return target ? std::optional(target->machine.chip) : std::nullopt;
}

}  // namespace

std::vector<ProfiledStage> profiled_stages(const Programs& programs, const SourceMap& sources,
                                           bool simulated) {
  std::vector<ProfiledStage> stages;
  for (const Module* module : programs.stages()) {
    stages.push_back({module->mesh, trace::tracks_of_step(*module, sources)});
    for (trace::ProgramTracks& program : stages.back().step)
      if (simulated) program.processors = module->mesh.processors();
  }
  return stages;
}

Profile::Profile(Session& session, Execution& execution, std::vector<ProfiledStage> stages)
    : session_(session),
      execution_(execution),
      stages_(std::move(stages)),
      recording_(first_steps(stages_)) {
  zero_ = common_zero(execution.engine().network());
  execution.observable().observe({&recording_, nullptr});
}

/// Of a rank, or of a stage of simulated meshes.
std::string Profile::process_name(std::size_t number) const {
  const bool several = stages_.size() > 1;
  if (session_.ranks) {
    std::size_t stage = 0;
    auto rank = static_cast<std::int64_t>(number);
    while (rank >= stages_[stage].mesh.processors()) rank -= stages_[stage++].mesh.processors();
    const Mesh& mesh = stages_[stage].mesh;
    return "rank " + std::to_string(number) + " (" +
           (several ? "stage " + std::to_string(stage) + ": " : "") +
           coordinates_text(mesh, mesh.coordinates(rank).data()) + "), measured";
  }
  const Mesh& mesh = stages_[number].mesh;
  return (several ? "stage " + std::to_string(number) + ": " : "") +
         (mesh.processors() == 1
              ? "one processor, measured"
              : "all " + std::to_string(mesh.processors()) +
                    " processors of a simulated mesh, one after the other, measured");
}

void Profile::make_table(const std::vector<MeasuredRun>& runs) {
  table_ = trace::time_table(session_.ranks ? stages_.front().step : steps_of(stages_), runs);
  chip_ = chip_here(session_.sources);
}

runtime::Status Profile::save(const std::string& model, const std::string& path) {
  const std::vector<std::string> all =
      runtime::net::gather(execution_.engine().network(), packed(recording_.runs(), zero_));
  if (!execution_.engine().is_root()) return {};
  make_table(unpacked(all.front()));
  std::vector<std::vector<MeasuredRun>> runs(session_.ranks ? all.size() : stages_.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (MeasuredRun& run : unpacked(all[i]))
      runs[session_.ranks ? i : stage_of(stages_, run.program)].push_back(std::move(run));
  std::vector<MeasuredProcess> processes;
  for (std::size_t i = 0; i < runs.size(); ++i)
    processes.push_back({process_name(i), std::move(runs[i])});
  trace::ChromeTrace made;
  trace::add_measured(made, steps_of(stages_), processes);
  return runtime::write_text(
      path, made.text({{"model", json(model)}, {"measured_on", json(execution_.text())}}));
}

std::string Profile::table_text() const { return time_table_text(table_, chip_); }
std::string Profile::table_json() const { return time_table_json(table_, chip_); }

}  // namespace mtfc::cli
