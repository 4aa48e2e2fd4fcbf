// Reading the command line: the one file that includes CLI11.
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "backends/backends.h"
#include "cli/exit_status.h"
#include "cli/usage.h"
#include "support/render.h"

namespace mtfc::cli {
namespace {

/// The groups of options that commands share.
enum OptionGroup : unsigned {
  model = 1,       // MODEL, -D, --set
  one_layout = 2,  // --layout, --mesh, --rules
  layouts = 4,     // the same, any number of layouts
  running = 8,     // -j, --seed, --replicas
  lowering = 16,   // --dump-after, --start-from
  steps = 32,      // --steps
};

struct Command {
  const char* name;
  const char* summary;
  unsigned groups;
  void (*more)(CLI::App&, Options&);
};

void force_option(CLI::App& app, Options& o) {
  app.add_flag("--force", o.force, "write into -o although mtfc did not make it");
}
void train_options(CLI::App& app, Options& o) {
  app.add_option("-o,--out", o.out, "folder for the results; without it nothing is saved");
  app.add_option("--resume", o.checkpoint,
                 "resume from a run folder's newest checkpoint, or from a file")
      ->type_name("DIR|FILE");
  app.add_option("--log", o.log, "file to write: one JSON object per step")->type_name("FILE");
  app.add_option("--dump-tensors", o.dump_tensors, "values and gradients of the last step, .npz")
      ->type_name("FILE");
  force_option(app, o);
}
void checkpoint_option(CLI::App& app, Options& o, bool required) {
  app.add_option("--checkpoint", o.checkpoint, "parameters: a file, or a run folder's newest")
      ->type_name("DIR|FILE")
      ->required(required);
}
void eval_options(CLI::App& app, Options& o) { checkpoint_option(app, o, true); }
void verify_options(CLI::App& app, Options& o) {
  app.add_option("--tolerance", o.tolerance, "largest relative difference (default 1e-4)")
      ->type_name("X");
}
void run_options(CLI::App& app, Options& o) {
  app.add_option("NAME", o.names, "tensors, by path: layers.0.attn.q")->type_name("");
  app.add_flag("--gradients", o.gradients, "and d loss / d NAME, as grad.NAME");
  checkpoint_option(app, o, false);
  app.add_flag("--training", o.training, "take the forward pass of training");
  app.add_option("-o,--out", o.out, "file for the values, .npz")->type_name("PATH");
}
/// "json, mpi or placement"
std::string backend_names() {
  const std::vector<backends::Backend>& rows = backends::backends();
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += std::string(i == 0 ? "" : i + 1 < rows.size() ? ", " : " or ") + rows[i].name;
  return text;
}
void emit_options(CLI::App& app, Options& o) {
  app.add_option("--backend", o.backend, "what to emit: " + backend_names())->type_name("NAME");
  app.add_option("-o,--out", o.out, "folder to write into")->type_name("PATH");
  force_option(app, o);
  for (const backends::Backend& backend : backends::backends())
    for (const backends::BackendArgument& argument : backend.arguments)
      app.add_option_function<std::string>(
             "--" + std::string(argument.name),
             [&o, &argument](const std::string& value) {
               if (!value.empty()) o.backend_arguments[argument.name] = value;
             },
             std::string(backend.name) + ": " + argument.summary)
          ->type_name(argument.placeholder);
  app.add_flag("--list", o.list, "the backends there are");
}
void cost_options(CLI::App& app, Options& o) {
  app.add_flag("--passes", o.passes, "what is communicated after each pass");
  app.add_flag("--symbolic", o.symbolic, "formulas in dimensions and mesh axes");
}
void generate_options(CLI::App& app, Options& o) {
  GenerateOptions& g = o.generate;
  checkpoint_option(app, o, false);
  app.add_option("--prompt", g.prompts, "text to continue; may be given several times")
      ->type_name("TEXT")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--prompts", g.file, "a file with one prompt per line, or - for standard input")
      ->type_name("FILE");
  app.add_option("--tokens", g.tokens, "at most so many new tokens per text (default 100)")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 24));
  app.add_option("--temperature", g.temperature, "of sampling; 0: always the likeliest (default 1)")
      ->type_name("T")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--top-k", g.top_k, "draw from the K likeliest only")
      ->type_name("K")
      ->check(CLI::PositiveNumber);
  app.add_option("--beam", g.beams, "beam search with B texts per prompt instead of sampling")
      ->type_name("B")
      ->check(CLI::Range(1, 1024));
  app.add_option("--length-penalty", g.length_penalty, "alpha of a beam search (default 0.6)")
      ->type_name("A")
      ->check(CLI::Range(-10.0, 10.0));
  app.add_flag("--timing", g.timing, "say what a token takes, by position");
}
void plot_options(CLI::App& app, Options& o) {
  app.add_option("RUN", o.names, "run folders, or logs (.jsonl)")->type_name("")->required();
  app.add_option("-o,--out", o.out, "the picture, .svg; without it standard output")
      ->type_name("FILE");
  app.add_option("--title", o.title, "title of the picture")->type_name("TEXT");
  app.add_flag("--log-scale", o.log_scale, "a logarithmic axis for losses");
}
void fmt_options(CLI::App& app, Options& o) {
  app.add_option("FILE", o.names, "models to format in place, or - for standard input")
      ->type_name("")
      ->required();
  app.add_flag("--check", o.check_only, "change nothing; status 1 if something would");
}
void explain_options(CLI::App& app, Options& o) {
  app.add_option("CODE", o.names, "a diagnostic's code, like E402; without one, the list");
}
void lib_options(CLI::App& app, Options& o) {
  app.add_option("FILE", o.names,
                 "a file or block of the library, like nn.mtf or attention; without one, the list");
}
void nothing_more(CLI::App&, Options&) {}

const Command commands[] = {
    {"check", "types, and every layout; all mistakes in one pass", model | layouts, nothing_more},
    {"train", "train on a simulated mesh", model | one_layout | running | lowering | steps,
     train_options},
    {"eval", "losses and metrics of a checkpoint over the evaluation data",
     model | one_layout | running | lowering, eval_options},
    {"verify", "run under a layout and on one processor, compare",
     model | one_layout | running | lowering | steps, verify_options},
    {"run", "compute tensors of the model by name", model | one_layout | running | lowering,
     run_options},
    {"generate", "text from a model, one token after the other",
     model | one_layout | running | lowering, generate_options},
    {"emit", "write the program for another machine", model | one_layout | lowering, emit_options},
    {"cost", "flops, memory and communication, before any run", model | one_layout, cost_options},
    {"plot", "curves of losses and learning rates, from logs", 0, plot_options},
    {"fmt", "format models", 0, fmt_options},
    {"explain", "what a diagnostic means", 0, explain_options},
    {"lib", "the library that ships with mtfc", 0, lib_options},
    {"ops", "the operations", 0, nothing_more},
};

/// Values as CLI11 collects them; put in order afterwards.
struct Raw {
  std::vector<std::string> defines, settings;
  std::string steps, seed;
};

void add_options(CLI::App& app, const Command& command, Options& o, Raw& raw) {
  const auto any = CLI::MultiOptionPolicy::TakeLast;
  const auto has = [&](OptionGroup group) { return (command.groups & group) != 0; };
  if (has(model)) {
    // `emit --list` needs none, and a checkpoint has its model's text.
    const std::string_view name = command.name;
    app.add_option("MODEL", o.model, "a .mtf file, or - for standard input")
        ->type_name("FILE")
        ->required(name != "emit" && name != "train" && name != "eval" && name != "generate");
    app.add_option("-D", raw.defines, "size of a dimension or value of a const: -D batch=32")
        ->type_name("NAME=E")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--set", raw.settings, "a setting: --set train.optimizer.lr=0.1")
        ->type_name("KEY=E")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  if (has(one_layout))
    app.add_option("--layout", o.layouts, "a .layout file")->type_name("FILE")->expected(1);
  if (has(layouts))
    app.add_option("--layout", o.layouts, "a .layout file; any number of times")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (has(one_layout) || has(layouts)) {
    app.add_option("--mesh", o.mesh, "replaces the layout's mesh: \"rows:2;cols:2\"");
    app.add_option("--rules", o.rules, "a layout in one line: \"batch:rows;hidden:cols\"");
  }
  if (has(steps))
    app.add_option("--steps", raw.steps, "number of steps")
        ->type_name("N")
        ->multi_option_policy(any);
  if (has(running)) {
    app.add_option("--seed", raw.seed, "seed of all random samples")
        ->type_name("N")
        ->multi_option_policy(any);
    app.add_option("-j", o.threads, "threads")->type_name("N")->check(CLI::NonNegativeNumber);
    app.add_option_function<std::string>(
           "--replicas", [&](const std::string&) { o.all_replicas = true; },
           "all: compute every replica and compare")
        ->check(CLI::IsMember({"all"}));
  }
  if (has(lowering)) {
    app.add_option("--dump-after", o.dump_after, "print what a pass (or all) made, and end")
        ->type_name("PASS");
    app.add_option("--start-from", o.start_from, "run the passes after a dump's")
        ->type_name("FILE");
    app.add_flag("--verify-passes", o.verify_passes,
                 "check the rules of its stage after each pass");
  }
  app.add_flag("--json", o.json, "print one JSON object on standard output");
  app.add_option_function<std::string>(
         "--error-format", [&](const std::string& form) { o.json_errors = form == "json"; },
         "human, or json: one object a line on standard error")
      ->check(CLI::IsMember({"human", "json"}));
  app.add_option("--color", o.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app.add_flag("--strict", o.strict, "warnings count as mistakes");
  command.more(app, o);
}

/// "name=value" in two; the mistake is a CLI11 error like all others.
KeyValue split(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    throw CLI::ValidationError(option, "`" + text + "` is not of the form name=value");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// --set, --steps and --seed become settings in the order in which they were written.
void collect_settings(const CLI::App& app, const Raw& raw, Options& o) {
  std::size_t next = 0;
  for (const CLI::Option* option : app.parse_order()) {
    const std::string name = option->get_name();
    if (name == "--set") {
      KeyValue setting = split("--set", raw.settings.at(next++));
      if (setting.first == "train.out")
        o.out = setting.second;
      else
        o.settings.push_back(std::move(setting));
    }
    if (name == "--steps") o.settings.emplace_back("train.steps", raw.steps);
    if (name == "--seed") o.settings.emplace_back("train.seed", raw.seed);
  }
  for (const std::string& define : raw.defines) o.defines.push_back(split("-D", define));
}

void check_together(const Options& o) {
  if (o.rules && !o.layouts.empty())
    throw CLI::ValidationError("--rules", "--layout and --rules exclude each other");
}

/// The first word, if it should be a command and is none.
std::string unknown_command(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  for (const Command& command : commands)
    if (std::string_view(command.name) == argv[1]) return "";
  return argv[1];
}

/// What is near a word that is no command, or else all there is.
std::string suggestion(const std::string& word) {
  std::vector<std::string> known;
  std::string all;
  for (const Command& command : commands) {
    known.emplace_back(command.name);
    all += (all.empty() ? "" : ", ") + known.back();
  }
  const std::vector<std::string> near = did_you_mean(word, known);
  return near.empty() ? "the commands are " + all : "did you mean `mtfc " + near.front() + "`?";
}

/// A mistake on the command line goes the way of all diagnostics, whatever --json says.
Misuse misuse(const Options& parsed, int argc, char** argv, const CLI::ParseError& error) {
  Misuse found;
  found.options.command = parsed.command;
  found.options.color = parsed.color;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--json") found.options.json = true;
    if (std::string_view(argv[i]) == "--error-format=json") found.options.json_errors = true;
  }
  const std::string word = unknown_command(argc, argv);
  found.message = word.empty() ? error.what() : "there is no command `" + word + "`";
  found.help = !word.empty() ? suggestion(word)
                             : "`mtfc" + (parsed.command.empty() ? "" : " " + parsed.command) +
                                   " --help` lists what there is";
  return found;
}

}  // namespace

std::variant<Options, Misuse, int> read_command_line(int argc, char** argv) {
  Options options;
  if (argc < 2) {
    std::fputs(first_screen().c_str(), stdout);
    return exit_done;
  }
  options.words.assign(argv, argv + argc);
  Raw raw;
  CLI::App app("a compiler for models that are split over meshes of processors", "mtfc");
  app.require_subcommand(1);
  app.set_help_flag();
  for (const Command& command : commands) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    sub->set_help_flag("-h,--help", "this help");
    sub->parse_complete_callback([&options, sub] { options.command = sub->get_name(); });
    sub->preparse_callback([&options, sub](std::size_t) { options.command = sub->get_name(); });
    add_options(*sub, command, options, raw);
  }
  const std::string_view first = argv[1];
  if (first == "--version" || first == "-h" || first == "--help" || first == "help") {
    if (first != "--version") {
      std::fputs(first_screen().c_str(), stdout);
      return exit_done;
    }
    options.command = "version";
    options.json = argc > 2 && std::string_view(argv[2]) == "--json";
    return options;
  }
  try {
    app.parse(argc, argv);
    collect_settings(*app.get_subcommands().front(), raw, options);
    check_together(options);
    return options;
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.get_subcommands().front()->help("mtfc").c_str(), stdout);
    return exit_done;
  } catch (const CLI::ParseError& error) {
    return misuse(options, argc, argv, error);
  }
}

}  // namespace mtfc::cli
