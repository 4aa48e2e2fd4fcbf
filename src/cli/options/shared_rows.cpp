#include "cli/options/shared_rows.h"

#include "cli/options/option_takers.h"
#include "cli/options/words.h"
#include "kernels/pool.h"

namespace mtfc::cli {

OptionRows all_of(std::initializer_list<OptionRows> lists) {
  OptionRows all;
  for (const OptionRows& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

PositionalRow model_row(bool required) {
  return {"MODEL", "a .mtf file, or - for standard input", required, false,
          [](Options& o, const std::string& text) { o.model = text; }};
}

PositionalRow names_row(std::string name, std::string summary, Count count) {
  return {std::move(name), std::move(summary), count == Count::one || count == Count::at_least_one,
          count == Count::at_least_one || count == Count::any,
          [](Options& o, const std::string& text) { o.names.push_back(text); }};
}

PositionalRow more_layouts_row() {
  return {"LAYOUT", "more .layout files", false, true,
          [](Options& o, const std::string& text) { o.layouts.push_back(text); }};
}

OptionRows model_options() {
  return {{"-D",
           "",
           "NAME=E",
           "size of a dimension or value of a const: -D batch=32",
           name_and_value([](Options& o, KeyValue v) { o.defines.push_back(std::move(v)); }),
           {},
           true},
          {"--set",
           "",
           "KEY=E",
           "a setting: --set train.optimizer.lr=0.1",
           name_and_value([](Options& o, KeyValue v) {
             if (v.first == "train.out")
               o.out = v.second;
             else
               o.settings.push_back(std::move(v));
           }),
           {},
           true}};
}

namespace {

OptionRow seed_option() {
  OptionRow row{"--seed", "", "N", "seed of all random samples",
                whole_number(INT64_MIN, INT64_MAX, [](Options& o, std::int64_t n) {
                  o.settings.emplace_back("train.seed", std::to_string(n));
                })};
  row.last_counts = true;
  return row;
}

}  // namespace

OptionRow steps_option() {
  OptionRow row{"--steps", "", "N", "number of steps",
                whole_number(1, most_whole, [](Options& o, std::int64_t n) {
                  o.settings.emplace_back("train.steps", std::to_string(n));
                })};
  row.last_counts = true;
  return row;
}

OptionRow layout_option(bool several) {
  OptionRow layout{"--layout", "", "FILE",
                   several ? "a .layout file; any number of times" : "a .layout file",
                   [](Options& o, const std::string& text) {
                     o.layouts.push_back(text);
                     return wrong_name(text);
                   }};
  layout.repeats = several;
  return layout;
}

OptionRow mesh_option() {
  return {"--mesh", "", "TEXT", "replaces the layout's mesh: \"rows:2;cols:2\"",
          text_into(&Options::mesh)};
}

OptionRows layout_options(bool several) {
  OptionRow rules{"--rules", "", "TEXT", "a layout in one line: \"batch:rows;hidden:cols\"",
                  text_into(&Options::rules)};
  rules.excludes = "--layout";
  return {layout_option(several), mesh_option(), rules};
}

OptionRow threads_option() {
  return {"-j", "", "N", "threads; 0: one for each core",
          whole_number(0, runtime::most_threads,
                       [](Options& o, std::int64_t n) { o.threads = static_cast<int>(n); })};
}

OptionRows running_options() {
  return {seed_option(),
          threads_option(),
          {"--replicas",
           "",
           "all",
           "compute every replica and compare",
           [](Options& o, const std::string&) {
             o.all_replicas = true;
             return std::string();
           },
           {"all"}}};
}

OptionRows lowering_options() {
  return {{"--dump-after", "", "PASS", "print what a pass (or all) made, and end",
           name_into(&Options::dump_after)},
          {"--start-from", "", "FILE", "run the passes after a dump's",
           name_into(&Options::start_from)},
          {"--verify-passes", "", "", "check the rules of its stage after each pass",
           set_flag(&Options::verify_passes)}};
}

OptionRows common_options() {
  return {{"--json", "", "", "print one JSON object on standard output", set_flag(&Options::json)},
          {"--error-format", "", "FORM",
           "diagnostics as text, JSON lines, GitHub's workflow commands or a SARIF log",
           text_into(&Options::error_format), error_forms::all},
          {"--color",
           "",
           "WHEN",
           "colours on standard error",
           text_into(&Options::color),
           {"auto", "always", "never"}},
          {"--strict", "", "", "warnings count as mistakes", set_flag(&Options::strict)}};
}

OptionRow out_option(const char* placeholder, const char* summary) {
  return {"--out", "-o", placeholder, summary, output_into(&Options::out)};
}

OptionRow force_option() {
  return {"--force", "", "", "write into -o although mtfc did not make it",
          set_flag(&Options::force)};
}

OptionRow checkpoint_option(bool required) {
  OptionRow row{"--checkpoint", "", "DIR|FILE", "parameters: a file, or a run folder's newest",
                name_into(&Options::checkpoint)};
  row.required = required;
  return row;
}

OptionRow hardware_option() {
  return {"--hardware", "", "NAME",
          "predict the time on a machine: a preset, or one of the layout's",
          name_into(&Options::hardware)};
}

}  // namespace mtfc::cli
