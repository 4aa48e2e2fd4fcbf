#include "cli/profile.h"

#include <cstring>

#include "cli/compile.h"
#include "cli/profile_text.h"
#include "cli/target.h"
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

std::map<std::string, std::int64_t, std::less<>> first_steps(const Module& module) {
  std::map<std::string, std::int64_t, std::less<>> runs;
  for (const StepProgram& step : module.step) runs[step.program] += most_steps * step.microbatches;
  return runs;
}

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

std::string process_name(const Mesh& mesh, bool ranks, std::int64_t number) {
  if (!ranks)
    return mesh.axes.empty() ? "one processor, measured"
                             : "all " + std::to_string(mesh.processors()) +
                                   " processors of a simulated mesh, one after the other, measured";
  return "rank " + std::to_string(number) + " (" +
         coordinates_text(mesh, mesh.coordinates(number).data()) + "), measured";
}

std::optional<predict::Chip> chip_here(SourceMap& sources) {
  Diagnostics unsaid;
  const std::optional<Target> target =
      target_of(sources, Hardware{"here", {}, {}, true}, {}, unsaid);
  return target ? std::optional(target->machine.chip) : std::nullopt;
}

}  // namespace

Profile::Profile(Session& session, Execution& execution)
    : session_(session), execution_(execution), recording_(first_steps(execution.module())) {
  zero_ = common_zero(execution.engine().network());
  execution.record(&recording_);
}

runtime::Status Profile::save(const std::string& model, const std::string& path) {
  const std::vector<std::string> all =
      runtime::net::gather(execution_.engine().network(), packed(recording_.runs(), zero_));
  if (!execution_.engine().is_root()) return {};
  std::vector<MeasuredProcess> processes;
  for (const std::string& bytes : all)
    processes.push_back({process_name(execution_.mesh(), session_.ranks != nullptr,
                                      static_cast<std::int64_t>(processes.size())),
                         unpacked(bytes)});
  const std::vector<trace::ProgramTracks> step =
      trace::tracks_of_step(execution_.module(), session_.sources);
  table_ = trace::time_table(step, processes[0].runs,
                             session_.ranks ? 1 : execution_.mesh().processors());
  chip_ = chip_here(session_.sources);
  trace::ChromeTrace made;
  trace::add_measured(made, step, processes);
  return runtime::write_text(
      path, made.text({{"model", json(model)}, {"measured_on", json(execution_.text())}}));
}

std::string Profile::table_text() const { return time_table_text(table_, chip_); }
std::string Profile::table_json() const { return time_table_json(table_, chip_); }

}  // namespace mtfc::cli
