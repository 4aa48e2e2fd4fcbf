// The command line as plain data.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/words.h"

namespace mtfc::cli {

using KeyValue = std::pair<std::string, std::string>;

struct GenerateOptions {
  std::vector<std::string> prompts;
  std::string file;  // of prompts
  std::int64_t tokens = 100;
  std::optional<double> temperature, length_penalty;
  std::optional<std::int64_t> top_k, beams;
  bool timing = false;
};

struct PlanOptions {
  std::string processors;   // "8", "8..64"; empty: not given
  std::string keep;         // a layout of which everything is kept
  std::optional<int> axes;  // of a mesh, at most
  int most_axes() const { return axes.value_or(2); }
  int stages = 1 << 20;    // of a pipeline, at most; 1: none
  bool submeshes = false;  // stages may have unlike meshes
  bool pads = false;       // axes need not divide sizes
  std::string memory;      // "80GB"; empty: the machine's
  double seconds = 60;     // of search
  std::string problem;     // a file, instead of a model
};

struct Options {
  std::string command;
  std::vector<std::string> words;  // the whole command line, for the record
  std::string model;               // a path, or "-"
  std::vector<std::string>
      names;  // run: tensors; why: a line or tensor; explain: a code; lib: a file; fmt: files

  std::vector<std::string> layouts;
  std::optional<std::string> mesh, rules;
  std::vector<std::string> without;  // diff: rules
  std::vector<KeyValue> defines;
  /// --set, --steps and --seed in the order of the command line: the last one for a key wins.
  std::vector<KeyValue> settings;

  bool json = false, strict = false;
  std::string error_format = error_forms::human;
  std::string color = "auto";
  int threads = 0;

  std::string out, log, dump_tensors, profile;
  std::string title;         // plot
  bool log_scale = false;    // plot
  std::string checkpoint;    // --checkpoint or --resume: a file or a run folder
  bool runs_layout = false;  // `layouts` is that of the run that --resume names
  std::string dump_after, start_from;
  bool verify_passes = false;
  bool all_replicas = false;
  std::optional<double> tolerance;
  bool gradients = false, training = false;
  bool force = false;
  std::string axis, weak;        // scale: "rows=1..64"; a dimension
  std::string hardware, budget;  // cost: the name of a machine; limits
  std::string backend;
  std::map<std::string, std::string> backend_arguments;  // those that were given, by name
  GenerateOptions generate;
  PlanOptions plan;
  bool list = false, symbolic = false, leading = false, passes = false, counters = false,
       check_only = false, fix = false, symbols = false;
};

}  // namespace mtfc::cli
