#include "cli/command_rows.h"

#include <algorithm>

#include "backends/backends.h"
#include "cli/option_takers.h"
#include "cli/shared_rows.h"

namespace mtfc::cli {
namespace {

OptionRows check_options() {
  return {{"--fix", "", "", "apply the repairs that are proposed, each if it leaves fewer mistakes",
           set_flag(&Options::fix)}};
}
OptionRows train_options() {
  return {
      out_option("DIR", "folder for the results; without it nothing is saved"),
      {"--resume", "", "DIR|FILE", "resume from a run folder's newest checkpoint, or from a file",
       name_into(&Options::checkpoint)},
      {"--log", "", "FILE", "file to write: one JSON object per step", output_into(&Options::log)},
      {"--dump-tensors", "", "FILE", "values and gradients of the last step, .npz",
       output_into(&Options::dump_tensors)},
      {"--profile",
       "",
       "FILE",
       "when each instruction of the first steps ran, for Perfetto, and a table of it",
       output_into(&Options::profile),
       {},
       false,
       false,
       false,
       "--replicas"},
      force_option()};
}
OptionRows verify_options() {
  return {{"--tolerance", "", "X",
           "compare in the model's precision, with this relative difference",
           real_number(0, 1e30, [](Options& o, double x) { o.tolerance = x; })}};
}
OptionRows run_options() {
  return {
      {"--gradients", "", "", "and d loss / d NAME, as grad.NAME", set_flag(&Options::gradients)},
      checkpoint_option(false),
      {"--training", "", "", "take the forward pass of training", set_flag(&Options::training)},
      out_option("PATH", "file for the values, .npz")};
}
OptionRows generate_options() {
  const auto take = [](auto member, auto convert) {
    return [member, convert](Options& o, auto value) { o.generate.*member = convert(value); };
  };
  const auto same = [](auto value) { return value; };
  return {checkpoint_option(false),
          {"--prompt",
           "",
           "TEXT",
           "text to continue; may be given several times",
           [](Options& o, const std::string& text) {
             o.generate.prompts.push_back(text);
             return std::string();
           },
           {},
           true},
          {"--prompts", "", "FILE", "a file with one prompt per line, or - for standard input",
           [](Options& o, const std::string& text) {
             o.generate.file = text;
             return wrong_name(text);
           }},
          {"--tokens", "", "N", "at most so many new tokens per text (default 100)",
           whole_number(0, std::int64_t{1} << 24, take(&GenerateOptions::tokens, same))},
          {"--temperature", "", "T", "sampling temperature; 0: greedy (default 1)",
           real_number(0, 1e6, take(&GenerateOptions::temperature, same))},
          {"--top-k", "", "K", "sample from the K likeliest only",
           whole_number(1, most_whole, take(&GenerateOptions::top_k, same))},
          {"--beam", "", "B", "beam search with B texts per prompt instead of sampling",
           whole_number(1, 1024, take(&GenerateOptions::beams, same))},
          {"--length-penalty", "", "A", "alpha of a beam search (default 0.6)",
           real_number(-10, 10, take(&GenerateOptions::length_penalty, same))},
          {"--timing", "", "", "print the time per token, by position",
           [](Options& o, const std::string&) {
             o.generate.timing = true;
             return std::string();
           }}};
}
OptionRows emit_options() {
  OptionRow backend{"--backend", "", "NAME", "what to emit", name_into(&Options::backend)};
  OptionRows rows = {backend, out_option("PATH", "folder to write into"), force_option()};
  for (const backends::Backend& each : backends::backends())
    for (const backends::BackendArgument& argument : each.arguments)
      rows.push_back({"--" + std::string(argument.name), "", argument.placeholder,
                      std::string(each.name) + ": " + argument.summary,
                      [name = argument.name](Options& o, const std::string& text) {
                        o.backend_arguments[name] = text;
                        return wrong_name(text);
                      }});
  for (const backends::Backend& each : backends::backends())
    rows.front().words.emplace_back(each.name);
  rows.push_back({"--list", "", "", "the backends there are", set_flag(&Options::list)});
  return rows;
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
OptionRows plot_options() {
  return {out_option("FILE", "file to write (.svg); default: standard output"),
          {"--title", "", "TEXT", "title of the picture", text_into(&Options::title)},
          {"--log-scale", "", "", "a logarithmic axis for losses", set_flag(&Options::log_scale)}};
}
OptionRows fmt_options() {
  return {{"--check", "", "", "change nothing; status 1 if something would",
           set_flag(&Options::check_only)}};
}

CommandRow diff_row() {
  return {"diff",
          "what two layouts compute, send and hold differently",
          {model_row(true), more_layouts_row()},
          all_of({diff_options(), model_options(), common_options()})};
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
                  common_options()})};
}
OptionRows plan_options() {
  return {
      hardware_option(),
      {"--processors",
       "",
       "N",
       "of the meshes that are tried; \"8..64\": 8, 16, 32, 64",
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
CommandRow plan_row() {
  return {"plan",
          "the layout that takes the least time on a machine, with a proof",
          {model_row(false)},
          all_of({with_problem(all_of({plan_options(), model_options()})), common_options()})};
}
CommandRow why_row() {
  return {"why",
          "what each line has, costs and sends; for one, which rule is behind it",
          {model_row(true),
           names_row("WHAT", "a line, like 14 or nn.mtf:19, or a tensor: layers.0.attn.q", false,
                     false)},
          all_of({model_options(), layout_options(false), common_options()})};
}
CommandRow trace_row() {
  return {"trace",
          "the predicted timeline of a step, for Perfetto",
          {model_row(true)},
          all_of({{out_option("FILE", "file to write (.json); default: standard output"),
                   hardware_option()},
                  model_options(),
                  layout_options(false),
                  common_options()})};
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
                 false, true)},
      all_of({{out, hardware_option()}, model_options(), layout_options(true), common_options()})};
}
CommandRow bench_row() {
  return {"bench-hardware",
          "measure this machine, for --hardware here",
          {},
          all_of({{out_option("FILE", "file to write; default: mtfc/here.layout in ~/.config"),
                   threads_option()},
                  common_options()})};
}

CommandRow run_row() {
  return {"run",
          "compute tensors of the model by name",
          {model_row(true), names_row("NAME", "tensors, by path: layers.0.attn.q", false, true)},
          all_of({run_options(), model_options(), layout_options(false), running_options(),
                  lowering_options(), common_options()}),
          Pipelines::on_one_stage};
}
CommandRow generate_row() {
  return {"generate",
          "text from a model, one token after the other",
          {model_row(false)},
          all_of({generate_options(), model_options(), layout_options(false), running_options(),
                  lowering_options(), common_options()}),
          Pipelines::on_one_stage};
}

std::vector<CommandRow> made_rows() {
  const OptionRows model = model_options(), layout = layout_options(false),
                   running = running_options(), lowering = lowering_options(),
                   common = common_options();
  return {
      {"check",
       "types, and every layout; all mistakes in one pass",
       {model_row(true), more_layouts_row()},
       all_of({check_options(), model, layout_options(true), common})},
      {"train",
       "train on a simulated mesh",
       {model_row(false)},
       all_of({train_options(), model, layout, {steps_option()}, running, lowering, common})},
      {"eval",
       "losses and metrics of a checkpoint over the evaluation data",
       {model_row(false)},
       all_of({{checkpoint_option(true)}, model, layout, running, lowering, common})},
      {"verify",
       "run under a layout and on one processor, compare",
       {model_row(true)},
       all_of({verify_options(), model, layout, {steps_option()}, running, lowering, common})},
      run_row(),
      generate_row(),
      {"emit",
       "write the program for another machine",
       {model_row(false)},
       all_of({emit_options(), model, layout, lowering, common})},
      {"cost",
       "flops, memory and communication, before any run",
       {model_row(true), more_layouts_row()},
       all_of({cost_options(), model, layout_options(true), common})},
      diff_row(),
      why_row(),
      plan_row(),
      trace_row(),
      picture_row(),
      bench_row(),
      scale_row(),
      {"plot",
       "curves of losses and learning rates, from logs",
       {names_row("RUN", "run folders, or logs (.jsonl)", true, true)},
       all_of({plot_options(), common})},
      {"fmt",
       "format models",
       {names_row("FILE", "models to format in place, or - for standard input", true, true)},
       all_of({fmt_options(), common})},
      {"explain",
       "what a diagnostic means",
       {names_row("CODE", "a diagnostic's code, like E402; without one, the list", false, false)},
       common},
      {"lib",
       "the library that ships with mtfc",
       {names_row("FILE",
                  "a file or block of the library, like nn.mtf or attention; without one, the list",
                  false, false)},
       common},
      {"ops", "the operations", {}, common},
      {"completion",
       "completion of command lines, for a shell",
       {names_row("SHELL", "bash, zsh or fish", true, false), names_row("WORD", "", false, true)},
       common},
      {"man", "the manual page; `mtfc man | man -l -` shows it", {}, common},
      {"help",
       "the commands, or the options of one",
       {names_row("COMMAND", "one of the commands", false, false)},
       {}},
      {"version", "print the version", {}, common},
  };
}

}  // namespace

const std::vector<CommandRow>& command_rows() {
  static const std::vector<CommandRow> rows = made_rows();
  return rows;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandRow& row : command_rows()) names.push_back(row.name);
  return names;
}

const CommandRow* find_command(std::string_view name) {
  for (const CommandRow& row : command_rows())
    if (row.name == name) return &row;
  return nullptr;
}

const OptionRow* find_option(const CommandRow& command, std::string_view name) {
  if (name.empty()) return nullptr;
  for (const OptionRow& row : command.options)
    if (row.name == name || row.letter == name) return &row;
  return nullptr;
}

}  // namespace mtfc::cli
