// train --profile: when each instruction of the first steps ran, as a timeline for Perfetto.
#pragma once
#include "backends/execute/recording.h"
#include "cli/execution.h"
#include "support/result.h"

namespace mtfc::cli {

class Profile {
 public:
  /// Begins to record; `execution` is done with its runs before this ends. Every rank makes one, or
  /// none does.
  Profile(Session& session, Execution& execution);
  ~Profile() { execution_.record(nullptr); }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// Brings together what all ranks recorded, and writes it on the first of them. Every rank calls
  /// it.
  runtime::Status save(const std::string& model, const std::string& path);

 private:
  Session& session_;
  Execution& execution_;
  backends::Recording recording_;
  backends::Recording::Time zero_ = 0;
};

}  // namespace mtfc::cli
