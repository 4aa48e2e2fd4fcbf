#include "frontend/elaborate/elaborate.h"

#include "frontend/elaborate/lost_results.h"
#include "frontend/elaborate/names.h"
#include "frontend/elaborate/note_symbols.h"
#include "frontend/elaborate/overrides.h"
#include "frontend/elaborate/parameters.h"
#include "frontend/elaborate/statements.h"
#include "frontend/elaborate/train_settings.h"
#include "frontend/elaborate/value_names.h"
#include "frontend/elaborate/warn_looked_up_examples.h"
#include "support/program_names.h"

namespace mtfc {

namespace {

using namespace elab;

/// One elaboration: the statements of the file, then names and outputs.
void run(Session& session, bool training, Graph& graph) {
  Context cx(session, training, graph);
  const Module& main = session.modules.front();
  cx.file_scope.parent = &statics(cx, main);
  if (training) read_early_settings(cx);
  exec(cx, main.file.body);
  if (cx.stopped) return;
  read_train_settings(cx, nullptr, {main.file.file, 0, 0});
  collect_used(cx);
  give_names(cx);
}

std::optional<Model> elaborate_model(SourceMap& sources, FileId model,
                                     const ElaborateOptions& options, Diagnostics& diagnostics,
                                     SymbolRecorder* symbols) {
  const std::size_t errors_before = diagnostics.errors();
  Model result;
  result.path = sources.path(model);
  result.init.name = program_names::init;
  result.train.name = program_names::train;
  result.eval.name = program_names::eval;
  Session session(sources, diagnostics, result);
  session.symbols = symbols;
  session.files = &options.files;
  read_overrides(session, "-D", options.defines, session.defines);
  read_overrides(session, "--set", options.settings, session.settings);
  for (const Override& over : session.defines) over.complain(diagnostics);
  if (!load_files(session, model)) return std::nullopt;
  for (const Override& over : session.defines)
    if (!over.tree) return std::nullopt;

  note_files(session);
  run(session, true, result.train);
  run(session, false, result.eval);
  if (diagnostics.errors() == errors_before) {
    check_overrides(session);
    apply_globs(session);
    warn_unused_parameters(session);
    warn_parameters_of_examples(session);
    warn_looked_up_examples(session);
    warn_states_without_update(session);
    note_untrained_parameters(session);
    warn_constant_losses(session);
    warn_lost_results(session);
  }
  if (diagnostics.errors() > errors_before) return std::nullopt;
  return result;
}

}  // namespace

std::optional<Model> elaborate(SourceMap& sources, FileId model, const ElaborateOptions& options,
                               Diagnostics& diagnostics) {
  return elaborate_model(sources, model, options, diagnostics, nullptr);
}

ModelWithSymbols elaborate_with_symbols(SourceMap& sources, FileId model,
                                        const ElaborateOptions& options, Diagnostics& diagnostics) {
  SymbolRecorder recorder(sources);
  auto result = elaborate_model(sources, model, options, diagnostics, &recorder);
  return {std::move(result), recorder.finish()};
}

}  // namespace mtfc
