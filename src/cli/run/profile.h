// train --profile: when each instruction of the first steps ran, as a timeline for Perfetto and as
// a table.
#pragma once
#include "backends/execute/recording.h"
#include "cli/run/execution.h"
#include "predict/machine.h"
#include "support/result.h"
#include "trace/time_table.h"

namespace mtfc::cli {

/// What a stage runs in a step, on its mesh; without a pipeline there is one, which runs all.
struct ProfiledStage {
  Mesh mesh;
  std::vector<trace::ProgramTracks> step;
};
/// `simulated`: one process computes for all processors of a stage.
std::vector<ProfiledStage> profiled_stages(const Programs& programs, const SourceMap& sources,
                                           bool simulated);

class Profile {
 public:
  /// Begins to record what these stages run; `execution` is done with its runs before this ends.
  /// Every rank makes one, or none does.
  Profile(Session& session, Execution& execution, std::vector<ProfiledStage> stages);
  ~Profile() { execution_.observable().observe({}); }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// Brings together what all ranks recorded, and writes it on the first of them. Every rank calls
  /// it.
  runtime::Status save(const std::string& model, const std::string& path);
  /// Where the time goes, of the simulated mesh or the first rank, once it is saved; for people and
  /// as JSON.
  std::string table_text() const;
  std::string table_json() const;

 private:
  std::string process_name(std::size_t number) const;
  /// Of the first process, or of the simulated stages together.
  void make_table(const std::vector<trace::MeasuredRun>& runs);

  Session& session_;
  Execution& execution_;
  const std::vector<ProfiledStage> stages_;
  backends::Recording recording_;
  backends::Recording::Time zero_ = 0;
  trace::TimeTable table_;
  std::optional<predict::Chip> chip_;  // of this machine, if it was measured
};

}  // namespace mtfc::cli
