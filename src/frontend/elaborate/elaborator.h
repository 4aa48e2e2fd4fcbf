// One elaboration of a model (with `training` true or false): walks the syntax tree in order and
// builds a Graph. The member functions are spread over the files named beside them.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/elaborate/session.h"
#include "ops/affine.h"

namespace mtfc::elab {

using Dims = std::vector<DimId>;

/// A call of a built-in operation with its arguments evaluated.
struct CallSite {
  const ast::Call* call = nullptr;
  Span span;
  std::vector<Operand> args;
  std::vector<std::pair<std::string, Operand>> named;
  std::optional<Dims> over, to;

  const Operand* find(const std::string& name) const;
};

struct Builtin;

/// "1 element", "3 elements"
std::string counted(double count, const std::string& what);

class Elaborator {
 public:
  Elaborator(Session& session, bool training, Graph& graph);

  /// Statements of the file, then names and outputs.
  void run();
  /// Seed and precision, needed before the first parameter.
  void read_early_settings();
  /// The `train` block with --set laid over it (settings.cpp); null: --set alone.
  void read_train_settings(const ast::Train* train, Span span);
  /// The table of built-in operations (builtins.h).
  static const std::vector<Builtin>& builtins();

 private:
  friend class SettingReader;

  struct Context {
    const ast::File* file = nullptr;
    Scope* scope = nullptr;
    bool pooled = false;             // inside a loss or metric
    const Dims* declared = nullptr;  // left side of the statement, if it lists dimensions
    std::string_view target = {};    // name on the left side
  };
  /// Evaluates in another place for a while.
  class At {
   public:
    At(Elaborator& e, Context context) : e_(e), before_(e.now_) { e.now_ = context; }
    ~At() { e_.now_ = before_; }
    At(const At&) = delete;
    At& operator=(const At&) = delete;

   private:
    Elaborator& e_;
    Context before_;
  };

  // --- report.cpp: diagnostics and words for them
  void report(Diagnostic diagnostic);
  void not_supported(Span span, const std::string& what);
  void suggest(Diagnostic& d, const ast::Name& name, const std::vector<std::string>& candidates);
  std::string show(const Dims& dims) const;   // "[batch, io]"
  std::string names(const Dims& dims) const;  // "batch, io"
  std::string sized(const Dims& dims) const;  // "[batch=64, io=784]"
  std::string show(ValueId id) const;         // "f32[batch, io]"
  std::string show(const Val& val) const;
  std::string code(Span span) const;                  // "`x`", or "this" if it is long
  std::string place(Span span) const;                 // "gpt.mtf:32"
  std::string is_dims(const Operand& operand) const;  // "`x` is [batch, io]"
  bool too_much(Span span, int cost = 1);             // the budget of the whole model is spent

  // --- names.cpp: what names stand for
  const ast::Expr& expr(ast::ExprId id) const { return now_.file->at(id); }
  Binding* find(const std::string& name, Span use);
  Scope& statics(const Module& module);
  Val name_value(const ast::Name& name);
  std::vector<std::string> visible_names(bool dims_only) const;
  Binding* declare(const ast::Name& name, Binding binding);
  void assign(const ast::Name& name, Val val);
  void settle(const std::string& name, Binding& binding, Scope& home);
  void unknown_name(const ast::Name& name);
  void announce_dims(const ast::Body& body, Scope& scope);
  void announce(const ast::Name& name, ast::ExprId formula, Binding::Kind kind, Scope& scope);

  // --- dims.cpp: dimensions and lists of them
  using Operands = std::vector<Operand>;
  std::optional<Dims> dims_named(const ast::Name& name, const Operands& near = {});
  std::optional<DimId> dim_named(const ast::Name& name, const Operands& near = {});
  std::optional<Dims> dim_list(const ast::DimList& list, const Operands& near = {});
  void listed_twice(DimId dim, const ast::DimItem& first, const ast::DimItem& second);
  std::optional<Dims> shape(const ast::DimList& list, const std::string& of);
  bool check_size(const Dims& dims, Span span);
  void settle_dim(const std::string& name, Binding& binding, Scope& home, const Val& val,
                  Span size_span, const Override* from);
  void bad_size(const std::string& name, const Val& val, const Context& where, ast::ExprId formula);
  std::string arithmetic_of(ast::ExprId formula);
  void note_origins(Diagnostic& d, ast::ExprId formula);

  // --- expressions.cpp
  Val eval(ast::ExprId id);
  Operand operand(ast::ExprId id) { return {eval(id), expr(id).span}; }
  Val eval_leaf(ast::ExprId id);
  Val literal(const ast::Number& number);
  Val field(const ast::Field& field, Span span);
  Val if_then_else(const ast::IfThenElse& choice);
  std::optional<bool> static_condition(ast::ExprId id);
  std::optional<Number> static_number(ast::ExprId id, const std::string& what);
  void not_static(const Val& val, Span span, const std::string& what);

  // --- operators.cpp
  Val unary(const ast::Unary& op, Span span);
  Val binary(ast::BinaryOp op, Span op_span, Span span, const Operand& a, const Operand& b);
  Val static_binary(ast::BinaryOp op, Span span, const Operand& a, const Operand& b);
  Val arithmetic_op(ast::BinaryOp op, Span op_span, const Operand& a, const Operand& b);
  Val comparison(ast::BinaryOp op, const Operand& a, const Operand& b);
  Val logic(ast::BinaryOp op, const Operand& a, const Operand& b);
  void warn_union(const std::string& op, Span op_span, const Operand& a, const Operand& b);

  // --- typing.cpp: tensors, their types, what static values become
  ops::Builder& at(Span span);        // the builder, with origin set to `span` here
  Val tensor(ValueId id, Span span);  // checks the size
  const TensorType& type(const Operand& o) const { return build_.type(*o.val.tensor()); }
  const Dims& dims_of(const Val& val) const;
  /// The type that a written one means: `precision = f64` makes all floats f64.
  DType machine(DType dtype) const {
    return session_.master == DType::f64 && is_float(dtype) ? DType::f64 : dtype;
  }
  // precision.cpp: which float types come of `precision`
  bool mixed() const { return is_half(session_.activation); }
  ValueId to_activation(ValueId id, Span span);
  ValueId widened(ValueId id, Span span);
  bool yields(ValueId id);
  Operand as_written(const Operand& operand, DType dtype);
  std::optional<DType> common_type(const std::vector<Operand>& operands);
  std::optional<ValueId> as_tensor(const Operand& operand, DType dtype);
  std::optional<ValueId> as_tensor(const Operand& operand);  // of its own type
  std::optional<std::vector<ValueId>> unify(const std::vector<Operand>& operands);
  std::optional<ValueId> as_float(const Operand& operand, const std::string& what);
  std::optional<double> constant_of(const Number& number, DType dtype, Span span);
  std::optional<double> constant_operand(const Operand& operand, DType dtype,
                                         const std::string& what);
  bool is_numeric(const Operand& operand, const std::string& what);
  bool depends_on_data(ValueId id);
  bool depends_on_parameters(ValueId id);

  // --- calls.cpp and the tables beside it
  Val call(const ast::Call& call, Span span);
  Val call_builtin(const Builtin& row, const ast::Call& call, Span span);
  void unknown_callable(const ast::Call& call);
  bool evaluate_arguments(CallSite& site);
  bool evaluate_lists(CallSite& site);
  bool check_form(const Builtin& row, const CallSite& site);
  std::optional<double> number_argument(const CallSite& site, const std::string& name,
                                        double otherwise);
  bool require_dims(const Operand& operand, const Dims& dims, const ast::DimList& list,
                    const std::string& to_do);
  void note_equal_sizes(Diagnostic& d, const Operand& operand, DimId missing);
  std::optional<Dims> reduced_dims(const CallSite& site, const Dims& all);

  // elementwise.cpp
  Val call_elementwise(const CallSite& site);
  Val call_cast(const CallSite& site);
  Val call_where(const CallSite& site);
  Val call_stop_gradient(const CallSite& site);
  Val call_broadcast(const CallSite& site);
  Val call_one_hot(const CallSite& site);
  Val call_index(const ast::Call& call, Span span);
  // reductions.cpp
  Val call_sum(const CallSite& site);
  Val call_mean(const CallSite& site);
  Val call_extremum(const CallSite& site);
  Val call_any_all(const CallSite& site);
  Val call_argmax(const CallSite& site);
  Val call_softmax(const CallSite& site);
  Val call_cross_entropy(const CallSite& site);
  Val call_einsum(const CallSite& site);
  std::optional<Dims> remaining(const CallSite& site, const Dims& all);
  Val reduce(const CallSite& site, Combine kind, ValueId x);
  Val extremum_of_several(const CallSite& site, bool largest);

  // along.cpp
  Val call_cumsum(const CallSite& site);
  Val call_top_k(const CallSite& site);
  Val call_nth(const CallSite& site);
  Val call_shift(const CallSite& site);
  Val call_pad(const CallSite& site);
  std::optional<ValueId> along_one(const CallSite& site);
  std::optional<bool> flag_argument(const CallSite& site, const std::string& name);
  std::optional<std::int64_t> whole_argument(const Operand& operand, const std::string& what);
  // joins.cpp
  Val call_concat(const CallSite& site);
  Val call_stack(const CallSite& site);
  std::optional<std::vector<ValueId>> join_operands(const CallSite& site, const Dims& parts);
  bool is_new(const CallSite& site, const Dims& have, DimId fresh);

  // --- views.cpp
  struct LookUp;
  struct ViewPlan;
  Val view(const ast::View& view, Span span, const Operand& base);
  static std::vector<std::vector<LookUp>> look_up_stages(const ViewPlan& plan);
  ValueId look_up(ValueId x, const std::vector<LookUp>& stage, Span span);
  bool plan_view(const ast::View& view, const Operand& base, ViewPlan& plan);
  bool plan_rename(const ast::RenameItem& item, Span span, const Operand& base, ViewPlan& plan);
  bool plan_index(const ast::IndexItem& item, const Operand& base, ViewPlan& plan);
  bool plan_slice(const ast::SliceItem& item, Span span, const Operand& base, ViewPlan& plan);
  std::optional<Dims> view_dims(const std::vector<ast::Name>& list, const Operands& near);
  bool take(DimId dim, const ast::Name& name, const Operand& base, ViewPlan& plan);
  bool check_view_result(const Operand& base, const ast::View& view, const ViewPlan& plan);
  void sizes_differ(const Dims& from, const Dims& to, Span span);
  void rename_collision(const ast::View& view, const Operand& base, DimId twice);
  DimId free_twin(DimId dim, const Dims& taken);

  // --- blocks.cpp
  struct BlockRef {
    const Module* module = nullptr;
    const ast::BlockDecl* block = nullptr;
    SharedInstance* shared = nullptr;
  };
  std::optional<BlockRef> find_block(const ast::Call& call, bool& failed);
  void no_such_method(const ast::Call& call);
  SharedInstance* find_instance(const std::string& name);
  Val call_block(const BlockRef& ref, const ast::Call& call, Span span);
  bool open_frame(const BlockRef& ref, const ast::Call& call, Frame& frame, Scope& scope);
  void count_use(SharedInstance& shared, Frame& frame, Scope& scope);
  void reserve(Scope& fresh, const std::string& segment, Span here, bool turn);
  bool bind_lists(const ast::BlockDecl& block, const CallSite& site, Scope& scope);
  bool bind_list(const std::optional<ast::DimList>& formals, const std::optional<Dims>& actual,
                 const std::string& word, const ast::BlockDecl& block, const CallSite& site,
                 Scope& scope);
  bool bind_arguments(const ast::BlockDecl& block, CallSite& site, Frame& frame);
  bool bind_dim_formal(const ast::Formal& formal, const ast::Call& call, Frame& frame,
                       const Context& caller);
  bool bind_value(const ast::Formal& formal, Operand value, Frame& frame);
  bool rename_to_twins(const ast::BlockDecl& block, CallSite& site, Scope& scope);
  bool check_pattern(const ast::Formal& formal, const Operand& value, const Frame& frame);
  Val finish_block(Frame& frame, const CallSite& site);
  bool check_returned(const Frame& frame, const CallSite& site, const Val& val);

  // --- statements.cpp
  void exec(const ast::Body& body);
  void exec(const ast::Statement& statement);
  void exec_assign(const ast::Assign& assign);
  void bind_target(const ast::Target& target, const Operand& value);
  std::optional<Val> conform(const ast::Target& target, const Dims* dims, const Operand& value);
  std::optional<ValueId> filled(const ast::Target& target, const Dims& dims, const Operand& value);
  void dims_differ(const ast::Target& target, const Dims& declared, const Operand& value);
  void exec_return(const ast::Return& statement);
  void exec_if(const ast::If& statement);
  void exec_output(const ast::Name* name, ast::ExprId value, bool loss, Span keyword);
  void exec_recompute(const ast::Recompute& statement);
  Scope& home_of_dims();
  void exec_dims(const ast::DimDecl& decl);
  void exec_consts(const ast::ConstDecl& decl);
  void exec_instance(const ast::InstanceDecl& decl);
  void loss_registered_twice(const std::string& path, const std::string& word, Span here);
  bool only_in_file(Span keyword, const std::string& what);
  std::optional<DType> declared_type(const std::optional<ast::Name>& name);

  // generate.cpp
  void exec_generate(const ast::Generate& generate, Span span);
  void check_generation(const ast::Settings& settings, Generation& found);
  void check_generation(const ast::Setting& setting, Generation& found);

  // repeat.cpp
  void exec_repeat(const ast::Repeat& repeat, Span keyword, Span whole);
  std::optional<std::string> repeat_label(const ast::Repeat& repeat, Span keyword);
  void one_turn(const ast::Repeat& repeat, std::int64_t turn, Scope& scope);
  void check_carried(const Scope& turn);

  // --- declare.cpp: parameters, states, inputs, data
  void exec_param(const ast::ParamDecl& decl);
  void exec_state(const ast::StateDecl& decl);
  void exec_update(const ast::Update& update);
  void exec_input(const ast::InputDecl& decl);
  void exec_data(const ast::DataDecl& decl);
  struct VariableDecl;
  void declare_variable(const VariableDecl& decl);
  ValueId read_variable(const VariableDecl& decl, const std::string& path, const TensorType& type);
  void path_used_twice(const VariableDecl& decl, const std::string& path, const Dims& dims);
  bool reuse_shared(const VariableDecl& decl, const std::string& path, const TensorType& type);
  std::optional<DataSource> data_source(const std::string& name, ast::ExprId source);
  void override_source(DataSource& source, const std::string& name);
  void check_field(const DataSource& source, const Input& input, const ast::InputDecl& decl);
  void check_examples(const Input& input, const ast::InputDecl& decl);

  // --- draws.cpp: initial values and fresh draws
  struct DrawSpec {
    Draw draw{};
    double a = 0, b = 0;
    DType dtype = DType::f32;
    Dims rows, columns;  // of an orthogonal matrix, made of the draws; b is its gain
  };
  std::optional<DrawSpec> draw_spec(ast::ExprId id, bool initial);
  std::optional<DrawSpec> fan_spec(const ast::Call& call, Span span);
  std::optional<DrawSpec> orthogonal_spec(const ast::Call& call, Span span);
  std::optional<ValueId> orthogonal(const DrawSpec& spec, const TensorType& type, std::int64_t key,
                                    Span span);
  void exec_draw(const ast::Assign& assign);
  bool initialise(const VariableDecl& decl, const std::string& path, const TensorType& type);
  std::string draw_path(const std::string& name);

  // --- finish.cpp
  void record_name(const std::string& path, ValueId id, bool weak);
  void give_names();
  void collect_used();

  Session& session_;
  const bool training_;
  Graph& graph_;
  ops::Builder build_;
  Context now_;
  std::map<const Module*, std::unique_ptr<Scope>> statics_;
  Frame file_frame_;
  Scope file_scope_;

  struct Owner {  // who declared a path in this elaboration
    Span declared, call;
    std::string title, shape;
    ValueId value;
    Dims dims;
    const Frame* frame = nullptr;
  };
  std::map<std::string, Owner> owners_;
  std::map<std::string, int> draw_paths_;
  struct Registered {  // a loss or metric: where, and the calls that lead there, innermost first
    Span here;
    std::vector<Span> calls;
  };
  std::map<std::string, Registered> outputs_;
  std::vector<std::pair<std::string, ValueId>> strong_names_, weak_names_;
  std::map<std::string, std::size_t> strong_index_;
  ops::AffineValues affine_;
  std::set<ValueId> widened_;          // half values made f32 because they are added up
  std::vector<std::uint8_t> asked_;    // per value: f32 because the model says so
  std::vector<std::uint8_t> depends_;  // per value: 1 data, 2 parameters
  int depth_ = 0;
  std::int64_t work_ = 0;
  bool stopped_ = false;
};

}  // namespace mtfc::elab
