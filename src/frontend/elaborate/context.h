// What one elaboration of a model (with `training` true or false) knows while it walks the syntax
// tree in order and builds a Graph. The functions of this folder get it as their first argument.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/elaborate/session.h"
#include "ops/affine.h"

namespace mtfc::elab {

/// Where elaboration stands.
struct Cursor {
  const ast::File* file = nullptr;  // whose expressions are read
  Scope* scope = nullptr;           // the innermost
  const Dims* declared = nullptr;   // left side of the statement, if it lists dimensions
};

/// Who declared the path of a parameter or state in this elaboration.
struct Owner {
  Span declared, call;
  std::string title, shape;
  ValueId value;
  Dims dims;
  const Frame* frame = nullptr;
  SharedUses uses = {};  // those that declared it last
};

/// A loss or metric: where, and the calls that lead there, innermost first.
struct Registered {
  Span here;
  std::vector<Span> calls;
};

struct Context {
  Context(Session& session, bool training, Graph& graph);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const ast::Expr& expr(ast::ExprId id) const { return now.file->at(id); }

  const DimTable& dims() const { return session.model.dims; }

  Session& session;
  const bool training;
  Graph& graph;
  ops::Builder build;
  Cursor now;

  std::map<const Module*, std::unique_ptr<Scope>> statics;  // dims and consts of each file
  Frame file_frame;
  Scope file_scope;

  std::map<std::string, Owner> owners;
  std::map<std::string, int> sample_paths;  // how many samples have a path
  std::map<std::string, Registered> outputs;

  // Paths of values in the order of the text; weak ones give way (value_names.h).
  std::vector<std::pair<std::string, ValueId>> strong_names, weak_names;
  std::map<std::string, std::size_t> strong_index;

  ops::AffineValues affine;
  std::set<ValueId> widened;          // half values made f32 because they are added up
  std::set<ValueId> written;          // numbers that are f32 because the model says so
  std::vector<std::uint8_t> asked;    // per value: f32 because the model says so
  std::vector<std::uint8_t> depends;  // per value: 1 data, 2 parameters

  // The budget of an elaboration (report.h, too_much).
  int depth = 0;
  std::int64_t work = 0;
  bool stopped = false;
  std::int64_t mistakes = 0;  // errors reported, those included that are dropped as repetitions
};

/// Evaluates elsewhere for a while.
class At {
 public:
  At(Context& cx, Cursor cursor) : cx_(cx), before_(cx.now) { cx.now = cursor; }
  ~At() { cx_.now = before_; }
  At(const At&) = delete;
  At& operator=(const At&) = delete;

 private:
  Context& cx_;
  Cursor before_;
};

}  // namespace mtfc::elab
