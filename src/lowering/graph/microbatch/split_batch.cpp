#include "lowering/graph/microbatch/split_batch.h"

#include <algorithm>

#include "lowering/graph/microbatch/example_dims.h"
#include "lowering/graph/microbatch/example_flow.h"
#include "lowering/graph/microbatch/on_microbatch.h"
#include "lowering/graph/microbatch/split_evaluation.h"
#include "lowering/graph/rewrite.h"
#include "lowering/state/passes.h"
#include "ops/literals.h"
#include "ops/op.h"

namespace mtfc::lowering {

namespace {

class Splitting {
 public:
  Splitting(Model& model, const Graph& batch, Diagnostics& diagnostics)
      : model_(model),
        micro_(model.microbatch),
        batch_(batch),
        diagnostics_(diagnostics),
        copier_(batch, model.microbatch.graph, model.dims, model.microbatch) {
    micro_.graph.name = batch.name;
  }

  void run() {
    check_variables();
    check_inputs();
    const std::vector<bool> needed = needed_operations(batch_);
    for (std::size_t i = 0; i < batch_.ops.size(); ++i) {
      const Operation& op = batch_.ops[i];
      if (!needed[i] && !is_easy(op)) continue;
      if (can_be_split(op)) copy(op);
      if (diagnostics_.errors() > 0) return;
    }
    for (const Output& output : batch_.outputs)
      micro_.graph.outputs.push_back({output.kind, output.name, copier_.at(output.value)});
  }

 private:
  DimId micro(DimId dim) const {
    const ExampleDim* d = micro_.of_batch(dim);
    return d ? d->micro : dim;
  }
  DimList micro(const DimList& dims) const { return on_microbatch(dims, micro_); }
  const std::string& name(DimId dim) const { return model_.dims[dim].name; }

  void report(const Operation& op, const std::string& what, const std::string& why) {
    diagnostics_.report(diag(DiagKind::not_on_microbatches, what + " on a micro-batch")
                            .at(op.origin.span, why)
                            .also(model_.settings.microbatches_span, "micro-batches")
                            .help(without_microbatches));
  }

  void check_variables() {
    for (const Variable& v : model_.variables) {
      for (DimId dim : v.type.dims) {
        if (!micro_.of_batch(dim)) continue;
        diagnostics_.report(
            diag(DiagKind::not_on_microbatches,
                 "`" + v.path + "` has the dimension of the examples")
                .at(v.declared, "a micro-batch has not all positions of `" + name(dim) + "`")
                .also(model_.settings.microbatches_span, "micro-batches")
                .help(without_microbatches));
      }
    }
  }

  /// The loop splits leading dimensions only.
  void check_inputs() {
    for (const Input& input : model_.inputs) {
      for (std::size_t i = 1; i < input.type.dims.size(); ++i) {
        if (!micro_.of_batch(input.type.dims[i])) continue;
        diagnostics_.report(
            diag(DiagKind::not_on_microbatches, "`" + name(input.type.dims[i]) +
                                                    "` carries examples and is not the first of `" +
                                                    input.name + "`")
                .at(input.declared, "only the first dimension is split into micro-batches")
                .help("write it first: `input " + input.name + "[" + name(input.type.dims[i]) +
                      ", ...]`, or " + without_microbatches));
      }
    }
  }

  bool is_there(const Operation& op) const {
    return std::all_of(op.operands.begin(), op.operands.end(),
                       [&](ValueId id) { return copier_.at(id).valid(); });
  }
  DimId obstacle(const Operation& op) const { return needs_whole_batch(op, batch_, micro_); }

  bool can_be_split(const Operation& op) {
    const DimId dim = obstacle(op);
    if (dim.valid())
      diagnostics_.report(
          diag(DiagKind::not_on_microbatches, "the whole batch is needed along `" + name(dim) +
                                                  "`, and a micro-batch has a part of it")
              .at(op.origin.span, "`" + op.op + "`: indices in the whole batch")
              .also(model_.settings.microbatches_span, "micro-batches")
              .help(without_microbatches));
    return !dim.valid();
  }

  /// For what is only shown, if it can be.
  bool is_easy(const Operation& op) const {
    const DimId indexed = ops::index_dim(op);
    const ExampleDim* d = indexed.valid() ? micro_.of_batch(indexed) : nullptr;
    const bool has_positions = d == nullptr || d->inner == 1 || d->is_of_whole_examples();
    return is_there(op) && !obstacle(op).valid() && has_positions && !sample_obstacle(op);
  }

  void copy(const Operation& op) {
    b.follow(op);
    const DimId indexed = ops::index_dim(op);
    if (indexed.valid() && micro_.of_batch(indexed)) {
      copier_.set(op, position(*micro_.of_batch(indexed), op));
    } else if (is_sample(op) && carried(op)) {
      copier_.set(op, sample(op, *carried(op)));
    } else {
      copier_.copy(op);
    }
  }

  ValueId microbatch_number() {
    if (!each_.valid()) each_ = b.apply("microbatch", {});
    return each_;
  }
  ValueId whole_number(std::int64_t v) { return b.constant(static_cast<double>(v), DType::i32); }

  /// i * count + number, for the examples' own dimension; as it is for others.
  ValueId position_along(DimId dim) {
    const ValueId i = b.index(micro(dim));
    if (!micro_.of_batch(dim)) return i;
    const ValueId number = microbatch_number();
    return b.binary("add", b.binary("mul", i, whole_number(micro_.count)), number);
  }

  /// The positions that this micro-batch has of a dimension.
  ValueId position(const ExampleDim& d, const Operation& op) {
    if (d.inner == 1) return position_along(d.batch);
    if (!d.is_of_whole_examples()) {
      report(op, "positions along `" + name(d.batch) + "` cannot be computed",
             "it is made of parts of examples");
      return {};
    }
    ValueId sum;
    for (DimId dim : d.merged) {
      const ValueId next = position_along(dim);
      sum = sum.valid()
                ? b.binary("add", b.binary("mul", sum, whole_number(model_.dims.size(dim))), next)
                : next;
    }
    const DimList from = micro(d.merged);
    return b.view(b.broadcast(sum, from), {{from, {d.micro}}});
  }

  static bool is_sample(const Operation& op) { return ops::op_of(op).kind == ops::Kind::random; }
  /// The example dimension of a random sample; null if it has none.
  const ExampleDim* carried(const Operation& op) const {
    for (DimId dim : batch_.at(op.results[0]).type.dims) {
      if (const ExampleDim* d = micro_.of_batch(dim)) return d;
    }
    return nullptr;
  }

  /// Why a micro-batch cannot have its share of a sample; null: it can, or it is no sample of
  /// examples.
  const char* sample_obstacle(const Operation& op) const {
    if (!is_sample(op) || !carried(op)) return nullptr;
    int carriers = 0;
    for (DimId dim : batch_.at(op.results[0]).type.dims) carriers += micro_.of_batch(dim) ? 1 : 0;
    if (carriers > 1) return "it has two dimensions of examples";
    if (!carried(op)->is_of_whole_examples() || op.operands.empty())
      return "this dimension is made of parts of examples";
    return nullptr;
  }

  /// This micro-batch's share of what is sampled for the whole batch.
  ValueId sample(const Operation& op, const ExampleDim& d) {
    const TensorType& type = batch_.at(op.results[0]).type;
    if (const char* why = sample_obstacle(op)) {
      report(op, "a random sample along `" + name(d.batch) + "` cannot be made", why);
      return {};
    }
    const DimList from = d.merged.empty() ? DimList{d.batch} : d.merged;
    DimList dims, numbered;
    for (DimId dim : type.dims) {
      const DimList these = dim == d.batch ? from : DimList{dim};
      dims.insert(dims.end(), these.begin(), these.end());
    }
    for (DimId dim : from) {
      if (micro_.of_batch(dim)) numbered = {micro(dim)};
    }
    Attrs attrs = op.attrs;
    attrs.set("dims", micro(dims));
    attrs.set("numbered", numbered);
    attrs.set("every", micro_.count);
    const ValueId u =
        b.apply(op.op, {copier_.at(op.operands[0]), microbatch_number()}, std::move(attrs));
    return from.size() == 1 ? u : b.view(u, {{micro(from), {d.micro}}});
  }

  Model& model_;
  Microbatch& micro_;
  const Graph& batch_;
  Diagnostics& diagnostics_;
  MicrobatchCopier copier_;
  ops::Builder& b = copier_.build;
  ValueId each_;
};

void add_dims(Model& model) {
  for (ExampleDim& d : model.microbatch.dims)
    d.micro = add_alias(model.dims, d.batch, model.microbatch.count);
  Dim number;
  number.name = "microbatch~";  // not a name of the language: no rule means it
  number.size = model.microbatch.count;
  number.formula = "microbatches";
  model.microbatch.number = model.dims.add(std::move(number));
}

}  // namespace

bool split_batch(Model& model, Diagnostics& diagnostics) {
  const auto is_loss = [](const Output& o) { return o.kind == Output::Kind::loss; };
  if (model.settings.microbatches <= 1 ||
      std::none_of(model.train.outputs.begin(), model.train.outputs.end(), is_loss))
    return true;
  Diagnostics found;
  Microbatch& micro = model.microbatch;
  micro.count = model.settings.microbatches;
  micro.dims = find_example_dims(model, micro.count, found);
  if (found.errors() == 0) {
    add_dims(model);
    const Graph batch = expand_if(model.train, model.dims, [&](const Operation& op) {
      return is_composite_along_examples(op, micro);
    });
    Splitting(model, batch, found).run();
    const Graph live = share_operations(micro.graph, model.dims);
    if (found.errors() == 0) ExampleFlow(live, model.dims, micro).warn(found);
  }
  for (const Diagnostic& d : found.all()) diagnostics.report(d);
  if (found.errors() == 0) split_evaluation(model);
  return found.errors() == 0;
}

void split_batch(State& s) {
  if (s.request.whole_batch || s.request.generation) return;
  if (s.request.evaluation) {
    if (s.model.evaluation.count == 1) split_evaluation(s.model);
  } else if (s.model.microbatch.count == 1) {
    split_batch(s.model, s.diagnostics);
  }
}

}  // namespace mtfc::lowering
