// What names stand for while a model is elaborated: values, bindings, scopes, block instances.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "frontend/elaborate/number.h"
#include "frontend/syntax/ast.h"
#include "ir/graph.h"
#include "support/variant.h"

namespace mtfc::elab {

using Dims = std::vector<DimId>;

/// What an expression gives. Poison: a mistake already reported, nothing more is said about it.
struct Val {
  using Values = std::vector<Val>;  // of `return a, b`
  Variant<std::monostate, Number, bool, std::string, ValueId, Values> v;

  bool poison() const { return std::holds_alternative<std::monostate>(v); }
  const Number* number() const { return std::get_if<Number>(&v); }
  const bool* boolean() const { return std::get_if<bool>(&v); }
  const std::string* text() const { return std::get_if<std::string>(&v); }
  const ValueId* tensor() const { return std::get_if<ValueId>(&v); }
  const Values* values() const { return std::get_if<Values>(&v); }
  bool is_static() const { return number() || boolean() || text(); }
};

/// A value and where it was written.
struct Operand {
  Val val;
  Span span;
};

struct Scope;
struct Frame;

struct Binding {
  enum class Kind { tensor, argument, dim, constant, input, parameter, state, data, counter };
  Kind kind = Kind::tensor;
  Span declared;            // where it got its value last
  Span first;               // where it was declared, if it got values again
  Val val;                  // of everything but dimensions
  std::vector<DimId> dims;  // of a dimension; several for a formal list
  bool usable = true;       // a dimension's size is known; false: reported
  std::string path;         // of parameters and states

  // Dimensions and constants are computed when first needed.
  enum class Ready { yes, no, running } ready = Ready::yes;
  ast::ExprId formula;
};
std::string_view describe(Binding::Kind kind);

/// One .mtf file.
struct Module {
  std::string name;  // "nn": what stands before the dot in nn.dense
  ast::File file;
  bool shipped = false;
  std::map<std::string, ast::StatementId> blocks;
  std::vector<const Module*> uses;
  std::map<const Module*, Span> use_spans;  // the paths after `use`
  bool incomplete = false;                  // a file it uses is missing or does not parse: reported
};

/// A name in paths, of instances and iterations of one scope.
struct Segment {
  int uses = 0;
  Span first, last;
};

/// `instance f = block@name`
struct SharedInstance {
  const Module* module = nullptr;
  const ast::BlockDecl* block = nullptr;
  Span declared;
  std::string path, owner_path;  // without a suffix
  int calls = 0;
  std::string label = {};
  const Segment* segment = nullptr;
};

/// One iteration of `repeat`, one block instance, the file's own statements, or (without a frame)
/// the dimensions and constants of a file.
struct Scope {
  Scope* parent = nullptr;  // where an unknown name is looked up next
  Frame* frame = nullptr;
  const Module* module = nullptr;
  std::string path;        // of samples and named values: unique
  std::string owner_path;  // of parameters and states: as the user names them
  std::string dim_path;    // of local dimensions: one for all uses of a shared instance
  std::map<std::string, Binding> names;
  std::map<std::string, SharedInstance> instances;

  std::map<std::string, Segment> segments;  // in use below this scope, by name

  bool iteration = false;
  bool shared = false;  // of an `instance`, which stands at `here`
  // Whether this scope's segment was used before in the enclosing scope (or, of an `instance`, at
  // all), and where.
  bool repeated = false;
  Span here, first;
  std::string label;  // the segment: "dense", "layers"

  /// Names of an outer scope that this iteration assigns: checked at its end.
  struct Carried {
    Scope* owner;
    std::string name;
    Val before;
    Span assigned;
  };
  std::vector<Carried> carried;

  /// Names that ended with the body of a `repeat` in this scope: for what is said about them.
  struct Ended {
    Span declared, body;
  };
  std::map<std::string, Ended> ended;
};

/// The shared instances that a call stands in, the outermost first: their owner paths and which use
/// of each it is.
using SharedUses = std::vector<std::pair<std::string, int>>;

/// Whether one of them is not the first use of its instance.
bool is_repetition(const SharedUses& uses);

/// A block instance being elaborated; the file itself has one without a block.
struct Frame {
  const ast::BlockDecl* block = nullptr;
  Span call;          // where it was instantiated
  std::string title;  // "attention@attn"
  Frame* caller = nullptr;
  Scope* caller_scope = nullptr;
  Scope* root = nullptr;
  SharedUses uses;
  bool done = false;  // returned
  Val returned;
  std::vector<Span> returned_spans;
  std::set<DimId> local_dims;
  std::set<std::string> updated;
  int depth = 0;
};

std::string joined(const std::string& path, const std::string& name);

}  // namespace mtfc::elab
