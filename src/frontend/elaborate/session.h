// What both elaborations of one model (training, evaluation) share: files, dimensions, variables.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "frontend/elaborate/elaborate.h"
#include "frontend/elaborate/scope.h"
#include "frontend/elaborate/symbol_recorder.h"
#include "ops/builder.h"

namespace mtfc::elab {

/// A -D or --set entry: its text is a file of its own in the SourceMap.
struct Override {
  std::string key;  // "heads", "train.steps"
  std::string text;
  FileId file;
  std::optional<ast::File> tree;  // parsed, if it is an expression
  ast::ExprId value;
  bool used = false;
  std::vector<Diagnostic> mistakes;  // why it is no expression: said where one is needed

  void complain(Diagnostics& diagnostics) const {
    for (const Diagnostic& d : mistakes) diagnostics.report(d);
  }
};

struct Session {
  Session(SourceMap& s, Diagnostics& d, Model& m)
      : sources(s), diagnostics(d), model(m), init(m.init, m.dims) {}

  SourceMap& sources;
  Diagnostics& diagnostics;
  Model& model;
  ops::Builder init;

  std::deque<Module> modules;  // the model first
  std::deque<Override> defines, settings;
  const std::map<std::string, std::string>* files = nullptr;  // ElaborateOptions::files

  std::map<std::tuple<std::string, std::string, std::int64_t>, DimId> dims;  // path, name, size
  std::map<DimId, DimId> aliases;
  std::map<std::string, VariableId> variables;      // by path
  std::map<std::string, std::string> first_values;  // by path: as written
  std::set<VariableId> used_variables;
  std::set<std::pair<std::uint32_t, std::uint32_t>> reported_owners;  // places of E302
  struct Glob {
    std::string text;
    Span span;
    std::size_t group;  // of TrainSettings::params
  };
  std::vector<Glob> globs;
  struct Result {  // lost_results.h
    ast::Name name;
    Span call;
    std::vector<ValueId> in_training, in_evaluation;  // of each elaboration of the statement
  };
  using Anchor = std::pair<FileId, std::uint32_t>;
  std::map<Anchor, Result> results;        // by where the name begins
  std::map<ValueId, Anchor> last_results;  // in training: what a block returns has further names
  std::int64_t seed = 0;
  bool seed_is_wrong = false;  // reported, before anything was declared
  std::string precision = "f32";
  // docs/precision.md: in which type floats are kept, and in which they are computed with.
  DType master = DType::f32, activation = DType::f32;
  Span generate_span;                 // of `generate`
  SymbolRecorder* symbols = nullptr;  // null: no symbol table is wanted

  DimId dim(const std::string& path, const std::string& name, std::int64_t size, Dim full);
  DimId alias(DimId dim);
  Override* define(const std::string& name);
  Override* setting(const std::string& key);
};

/// The model's file and all files it uses; mistakes are reported. False if the model's own file
/// does not parse: nothing can be said about it then.
bool load_files(Session& session, FileId model);

}  // namespace mtfc::elab
