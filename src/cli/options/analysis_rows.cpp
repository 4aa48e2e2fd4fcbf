#include "cli/options/analysis_rows.h"

#include <algorithm>

#include "cli/options/commands.h"
#include "cli/options/option_takers.h"
#include "cli/options/shared_rows.h"

namespace mtfc::cli {
namespace {

OptionRows check_options() {
  return {{"--fix", "", "", "apply the repairs that are proposed, each if it leaves fewer mistakes",
           set_flag(&Options::fix)},
          {"--symbols", "", "", "with --json: what each name is, where it is declared and used",
           set_flag(&Options::symbols)}};
}
OptionRows cost_options() {
  return {hardware_option(),
          {"--budget", "", "TEXT",
           "status 5 if it costs more: \"memory<=16GB, sent<=2GB, step<=300ms\"",
           name_into(&Options::budget)},
          {"--passes", "", "", "what is communicated after each pass", set_flag(&Options::passes)},
          {"--counters", "", "", "and Mesh-TensorFlow's counters, under their names",
           set_flag(&Options::counters)},
          {"--symbolic", "", "", "the counts as formulas in dimensions and mesh axes",
           set_flag(&Options::symbolic)},
          {"--leading", "", "", "with --symbolic: what grows fastest, without constants",
           set_flag(&Options::leading)}};
}
OptionRows diff_options() {
  return {{"--without",
           "",
           "RULE",
           "compare the layout with itself without a rule: --without hidden:cols",
           [](Options& o, const std::string& text) {
             if (std::find(o.without.begin(), o.without.end(), text) == o.without.end())
               o.without.push_back(text);
             return wrong_name(text);
           },
           {},
           true},
          layout_option(true),
          mesh_option()};
}
OptionRows plan_options() {
  return {
      hardware_option(),
      {"--processors",
       "",
       "N",
       "of the meshes that are tried; 4,12 or 8..64 for several",
       [](Options& o, const std::string& text) {
         o.plan.processors = text;
         return wrong_name(text);
       },
       {},
       false,
       false,
       false,
       "--mesh"},
      {"--keep", "", "LAYOUT", "a layout: what it says is kept, the rest is searched",
       [](Options& o, const std::string& path) {
         o.plan.keep = path;
         return wrong_name(path);
       }},
      {"--mesh", "", "TEXT", "the only mesh: \"rows:2;cols:2\"", text_into(&Options::mesh)},
      {"--axes", "", "N", "axes of a mesh at most; 2 if not given",
       whole_number(1, 4, [](Options& o, std::int64_t n) { o.plan.axes = static_cast<int>(n); })},
      {"--stages", "", "N", "of a pipeline at most; 1: no pipelines",
       whole_number(1, 1 << 20,
                    [](Options& o, std::int64_t n) { o.plan.stages = static_cast<int>(n); })},
      {"--submeshes", "", "", "stages may have meshes of different sizes",
       [](Options& o, const std::string&) {
         o.plan.submeshes = true;
         return std::string();
       }},
      {"--pad", "", "", "axes may split what they do not divide, with padding",
       [](Options& o, const std::string&) {
         o.plan.pads = true;
         return std::string();
       }},
      {"--memory", "", "SIZE", "what a processor may hold: 80GB; the chip's if not given",
       [](Options& o, const std::string& text) {
         o.plan.memory = text;
         return wrong_name(text);
       }},
      {"--time", "", "SECONDS", "of search; 60 if not given",
       real_number(0, 1e6, [](Options& o, double seconds) { o.plan.seconds = seconds; })},
      out_option("FILE", "the layout, for `mtfc train --layout`")};
}
/// A problem instead of a model: nothing else is asked than how long.
OptionRows with_problem(OptionRows rows) {
  for (OptionRow& row : rows)
    if (row.excludes.empty() && row.name != "--time") row.excludes = "--problem";
  rows.push_back({"--problem", "", "FILE",
                  "instead of MODEL: a problem for the solver alone, .json",
                  [](Options& o, const std::string& text) {
                    o.plan.problem = text;
                    return wrong_name(text);
                  }});
  return rows;
}

}  // namespace

CommandRow check_row() {
  return {"check",
          "types, and every layout; all mistakes in one pass",
          {model_row(true), more_layouts_row()},
          all_of({check_options(), model_options(), layout_options(true), common_options()}),
          check};
}
CommandRow cost_row() {
  return {"cost",
          "flops, memory and communication, before any run",
          {model_row(true), more_layouts_row()},
          all_of({cost_options(), model_options(), layout_options(true), common_options()}),
          cost};
}
CommandRow diff_row() {
  return {"diff",
          "what two layouts compute, send and hold differently",
          {model_row(true), more_layouts_row()},
          all_of({diff_options(), model_options(), common_options()}),
          diff};
}
CommandRow scale_row() {
  OptionRow axis{"--axis", "", "TEXT",
                 "mesh axis, or `stages`, and sizes: \"rows=1..64\" (doubled), \"rows=1,3,6\"",
                 name_into(&Options::axis)};
  axis.required = true;
  OptionRow weak{"--weak", "", "DIM", "a dimension that grows with the axis: weak scaling",
                 name_into(&Options::weak)};
  return {"scale",
          "how the predicted step scales with a mesh axis: time, memory, a chart",
          {model_row(true)},
          all_of({{axis,
                   weak,
                   hardware_option(),
                   out_option("FILE", "file for the chart (.svg)"),
                   {"--title", "", "TEXT", "title of the chart", text_into(&Options::title)}},
                  model_options(),
                  layout_options(false),
                  common_options()}),
          scale};
}
CommandRow plan_row() {
  return {"plan",
          "the layout that takes the least time on a machine, with a proof",
          {model_row(false)},
          all_of({with_problem(all_of({plan_options(), model_options()})), common_options()}),
          plan_layout};
}
CommandRow why_row() {
  return {"why",
          "what each line has, costs and sends; for one, which rule is behind it",
          {model_row(true),
           names_row("WHAT", "a line, like 14 or nn.mtf:19, or a tensor: layers.0.attn.q",
                     Count::at_most_one)},
          all_of({model_options(), layout_options(false), common_options()}),
          why};
}
CommandRow trace_row() {
  return {"trace",
          "the predicted timeline of a step, for Perfetto",
          {model_row(true)},
          all_of({{out_option("FILE", "file to write (.json); default: standard output"),
                   hardware_option()},
                  model_options(),
                  layout_options(false),
                  common_options()}),
          trace_step};
}
CommandRow picture_row() {
  const OptionRow out{"--out", "-o", "FILE", "file to write (.svg, .txt); default, and -: text",
                      name_into(&Options::out)};
  return {
      "draw",
      "tensors, operations, memory, data flow, pipelines as a picture",
      {model_row(true),
       names_row("WHAT",
                 "lines, like 14, tensors, like layers.0.attn.q; memory; flow (default); of a "
                 "pipeline: passes",
                 Count::any)},
      all_of({{out, hardware_option()}, model_options(), layout_options(true), common_options()}),
      pictures};
}
CommandRow bench_row() {
  return {"bench-hardware",
          "measure this machine, for --hardware here",
          {},
          all_of({{out_option("FILE", "file to write; default: mtfc/here.layout in ~/.config"),
                   threads_option()},
                  common_options()}),
          bench_hardware,
          true};
}

}  // namespace mtfc::cli
