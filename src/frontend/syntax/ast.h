// The syntax tree of one .mtf file, as plain values in two vectors. It says what was written,
// nothing about what it means.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/source_map.h"

namespace mtfc::ast {

using ExprId = Id<struct ExprTag>;
using StatementId = Id<struct StatementTag>;

struct Name {
  std::string text;
  Span span;
};

/// One item of a list of dimensions: `d`, `...`, or `dims(x) - a - b`.
struct DimItem {
  enum class Kind { name, ellipsis, dims_of } kind = Kind::name;
  Name name;                // the dimension, or the tensor of dims(x)
  std::vector<Name> minus;  // of dims(x) - a - b
  Span span;
};
struct DimList {
  std::vector<DimItem> items;
  Span span;  // including brackets where there are any; the items otherwise
};

// ---------------------------------------------------------------- expressions
enum class UnaryOp { negate, logical_not };
enum class BinaryOp {
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
};
std::string_view spelling(BinaryOp op);

struct Number {
  std::string text;
  double value = 0;
  bool whole = false;        // no '.' and no exponent
  std::int64_t integer = 0;  // if whole and it fits
  bool fits = true;
};
struct String {
  std::string value;
};  // escapes resolved
struct Boolean {
  bool value = false;
};
struct NameRef {
  Name name;
};
struct Unary {
  UnaryOp op{};
  Span op_span;
  ExprId operand;
};
struct Binary {
  BinaryOp op{};
  Span op_span;
  ExprId left, right;
};
/// `first op rest[0] op rest[1] ...` of one level of precedence is kept as nested Binary, built
/// without recursion.
struct IfThenElse {
  ExprId condition, then_value, else_value;
};

struct Argument {
  std::optional<Name> name;  // `rate=0.1`
  ExprId value;
};
/// f(args over a, b -> c), block@instance(...), nn.dense(...)
struct Call {
  std::optional<Name> module;  // `nn` of nn.dense(...)
  Name callee;
  std::optional<Name> instance;  // after '@'
  std::vector<Argument> args;
  std::optional<DimList> over;
  std::optional<DimList> to;
};

/// x.field (a data source's field)
struct Field {
  ExprId base;
  Name name;
};

struct RenameItem {  // a -> b, (a, b) -> c, a -> (b, c)
  std::vector<Name> from, to;
};
struct IndexItem {  // d = e, d = e else v
  Name dim;
  ExprId index;
  std::optional<ExprId> otherwise;
};
struct SliceItem {  // d = lo : hi -> fresh
  Name dim;
  ExprId low, high;
  Name fresh;
};
struct ViewItem {
  std::variant<RenameItem, IndexItem, SliceItem> item;
  Span span;
};
struct View {
  ExprId base;
  std::vector<ViewItem> items;
  Span brackets;
};

struct Expr {
  std::variant<Number, String, Boolean, NameRef, Unary, Binary, IfThenElse, Call, Field, View> node;
  Span span;  // all of it, without enclosing parentheses
  bool parenthesised = false;
};

// ---------------------------------------------------------------- statements
using Body = std::vector<StatementId>;

struct Sized {
  Name name;
  ExprId value;
};
struct Target {
  Name name;
  std::optional<DimList> shape;
  std::optional<Name> dtype;
};

struct Use {
  std::string path;
  Span path_span;
};
struct DimDecl {
  std::vector<Sized> dims;
};
struct ConstDecl {
  std::vector<Sized> consts;
};
struct DataDecl {
  Name name;
  ExprId source;
};
struct InputDecl {
  Target target;
  ExprId source;
};
struct ParamDecl {
  std::vector<Name> names;
  DimList shape;
  std::optional<Name> dtype;
  bool sampled = false;  // '~' rather than '='
  ExprId init;
};
struct StateDecl {
  Target target;
  bool sampled = false;
  ExprId init;
};
struct Update {
  Name name;
  ExprId value;
};
struct InstanceDecl {
  Name name;
  Name block;
  Name instance;
};

struct Formal {
  bool is_dim = false;  // `dim kv`
  Name name;
  std::optional<DimList> pattern;  // x[..., d]
  std::optional<Name> dtype;
  std::optional<ExprId> default_value;
};
struct BlockDecl {
  Name name;
  std::vector<Formal> formals;
  std::optional<DimList> over;  // plain names, some primed
  std::optional<DimList> to;
  Body body;
  std::string doc;  // the comment lines directly above, without '#'
};
struct Return {
  std::vector<ExprId> values;
};
struct Repeat {
  std::optional<Name> label;
  std::optional<Name> counter;
  ExprId count;
  Body body;
};
struct Recompute {
  Body body;
};
struct Scan {
  Name name;
  Name dim;
  Body body;
};
struct If {
  ExprId condition;
  Body then_body;
  std::optional<Body> else_body;
};
struct Loss {
  std::optional<Name> name;
  ExprId value;
};
struct Metric {
  Name name;
  ExprId value;
};

struct Setting {
  Name key;
  ExprId value;
};
struct Settings {
  struct Params {
    std::vector<std::pair<std::string, Span>> globs;
    std::vector<Setting> settings;
  };
  std::vector<Setting> settings;
  std::vector<Params> params;
};
struct Generate {
  Name logits, tokens, dim;
  std::optional<Settings> settings;
};
struct Train {
  Settings settings;
};
struct Assign {
  std::vector<Target> targets;
  bool sampled = false;
  ExprId value;
};

struct Statement {
  std::variant<Use, DimDecl, ConstDecl, DataDecl, InputDecl, ParamDecl, StateDecl, Update,
               InstanceDecl, BlockDecl, Return, Repeat, Recompute, Scan, If, Loss, Metric, Generate,
               Train, Assign>
      node;
  Span span;     // from the first to the last token
  Span keyword;  // the first token
};

struct File {
  FileId file;
  std::vector<Expr> exprs;
  std::vector<Statement> statements;
  Body body;  // the file's own statements in order; those of blocks hang below

  const Expr& at(ExprId id) const { return exprs[id.at()]; }
  const Statement& at(StatementId id) const { return statements[id.at()]; }
};

}  // namespace mtfc::ast
