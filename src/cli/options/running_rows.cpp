#include "cli/options/running_rows.h"

#include "backends/backends.h"
#include "cli/options/commands.h"
#include "cli/options/option_takers.h"
#include "cli/options/shared_rows.h"

namespace mtfc::cli {
namespace {

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

}  // namespace

CommandRow train_row() {
  return {"train",
          "train on a simulated mesh",
          {model_row(false)},
          all_of({train_options(),
                  model_options(),
                  layout_options(false),
                  {steps_option()},
                  running_options(),
                  lowering_options(),
                  common_options()}),
          train,
          true};
}
CommandRow eval_row() {
  return {"eval",
          "losses and metrics of a checkpoint over the evaluation data",
          {model_row(false)},
          all_of({{checkpoint_option(true)},
                  model_options(),
                  layout_options(false),
                  running_options(),
                  lowering_options(),
                  common_options()}),
          eval,
          true};
}
CommandRow verify_row() {
  return {"verify",
          "run under a layout and on one processor, compare",
          {model_row(true)},
          all_of({verify_options(),
                  model_options(),
                  layout_options(false),
                  {steps_option()},
                  running_options(),
                  lowering_options(),
                  common_options()}),
          verify,
          true};
}
CommandRow run_row() {
  return {"run",
          "compute tensors of the model by name",
          {model_row(true), names_row("NAME", "tensors, by path: layers.0.attn.q", Count::any)},
          all_of({run_options(), model_options(), layout_options(false), running_options(),
                  lowering_options(), common_options()}),
          run,
          true,
          Pipelines::on_one_stage};
}
CommandRow generate_row() {
  return {"generate",
          "text from a model, one token after the other",
          {model_row(false)},
          all_of({generate_options(), model_options(), layout_options(false), running_options(),
                  lowering_options(), common_options()}),
          generate,
          true,
          Pipelines::on_one_stage};
}
CommandRow emit_row() {
  return {"emit",
          "write the program for another machine",
          {model_row(false)},
          all_of({emit_options(), model_options(), layout_options(false), lowering_options(),
                  common_options()}),
          emit};
}

}  // namespace mtfc::cli
