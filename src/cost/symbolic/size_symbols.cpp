#include "cost/symbolic/size_symbols.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "cost/symbolic/declared_product.h"

namespace mtfc::cost {

/// Settles each dimension, those first that it is a product of.
class SymbolMaker {
 public:
  SymbolMaker(const Module& module, Symbols& made) : module_(module), made_(made) {
    const std::size_t dims = module.dims.size();
    made_.dims_.assign(dims, {});
    settled_.assign(dims, false);
    for (std::size_t i = 0; i < dims; ++i) {
      const Dim& dim = module.dims[id(i)];
      if (!dim.pads.valid()) by_name_.try_emplace({dim.scope, dim.name}, id(i));
    }
  }

  void run() {
    std::int64_t microbatches = 1;
    for (const StepProgram& step : module_.step)
      microbatches = std::max(microbatches, step.microbatches);
    for (std::size_t i = 0; i < module_.dims.size(); ++i) {
      // What the model declares comes first in formulas.
      if (!module_.dims[id(i)].pads.valid()) settle(id(i), microbatches);
    }
    for (std::size_t i = 0; i < module_.dims.size(); ++i) settle(id(i), microbatches);
    for (const MeshAxis& axis : module_.mesh.axes)
      made_.axes_.push_back(made_.add(
          {Symbol::Kind::axis, axis_name(axis.name), "", static_cast<double>(axis.size)}));
    if (microbatches > 1) use_microbatches(microbatches);
    for (const ModuleVariable& variable : module_.variables) note_split(variable.type);
    for (const Program& program : module_.programs)
      for (const ProgramValue& value : program.values) note_split(value.type);
  }

 private:
  static DimId id(std::size_t i) { return DimId{static_cast<std::int32_t>(i)}; }

  const Polynomial& settle(DimId dim, std::int64_t microbatches) {
    Polynomial& made = made_.dims_[dim.at()];
    if (settled_[dim.at()]) return made;
    settled_[dim.at()] = true;
    const Dim& declared = module_.dims[dim];
    if (const std::optional<Polynomial> product = product_of(dim, microbatches)) {
      made = *product;
      if (!is_alias_dim(declared) && declared.formula.find("microbatches") == std::string::npos)
        made_.definitions_.push_back({declared.name, made});
    } else {
      made = symbol_of(declared);
    }
    return made;
  }

  /// What its formula says, if that is a product and gives the size.
  std::optional<Polynomial> product_of(DimId dim, std::int64_t microbatches) {
    const Dim& declared = module_.dims[dim];
    if (declared.pads.valid()) return std::nullopt;
    const auto named = [&](std::string_view name) { return value_of(name, dim, microbatches); };
    const std::optional<Polynomial> product = declared_product(declared.formula, named);
    const bool fits = product && product->at(made_.sizes()) == static_cast<double>(declared.size);
    return fits ? product : std::nullopt;
  }

  std::optional<Polynomial> value_of(std::string_view text, DimId dim, std::int64_t microbatches) {
    // A name means the nearest block's dimension, from the inside outwards.
    std::string scope = module_.dims[dim].scope;
    for (;;) {
      const auto found = by_name_.find({scope, std::string(text)});
      if (found != by_name_.end() && found->second != dim)
        return settle(found->second, microbatches);
      if (scope.empty()) break;
      const std::size_t dot = scope.rfind('.');
      scope.resize(dot == std::string::npos ? 0 : dot);
    }
    if (text == "microbatches" && microbatches > 1) return use_microbatches(microbatches);
    return std::nullopt;
  }

  const Polynomial& use_microbatches(std::int64_t count) {
    if (!has_microbatches_)
      made_.microbatches_ = made_.add(
          {Symbol::Kind::microbatches, free_name("microbatches"), "", static_cast<double>(count)});
    has_microbatches_ = true;
    return made_.microbatches_;
  }

  /// The symbol of a dimension, one for all of this name, formula and size.
  Polynomial symbol_of(const Dim& dim) {
    std::string name = dim.name, formula = dim.formula;
    if (dim.pads.valid()) {
      name = "padded(" + module_.dims[stored_dim(module_.dims, dim.pads)].name + ")";
      formula.clear();
    }
    if (is_whole_number(formula)) formula.clear();
    const auto [at, fresh] = symbols_.try_emplace({name, formula, dim.size});
    if (fresh)
      at->second =
          made_.add({Symbol::Kind::dim, free_name(name), formula, static_cast<double>(dim.size)});
    return at->second;
  }

  bool is_taken(const std::string& name) const {
    return std::any_of(made_.symbols_.begin(), made_.symbols_.end(),
                       [&](const Symbol& symbol) { return symbol.name == name; });
  }
  /// Several may be called alike: dimensions of blocks, an axis like a dimension ("mesh.batch").
  std::string free_name(const std::string& name) const {
    std::string free = name;
    for (int i = 2; is_taken(free); ++i) free = name + "~" + std::to_string(i);
    return free;
  }
  std::string axis_name(const std::string& name) const {
    return free_name(is_taken(name) ? "mesh." + name : name);
  }

  void note_split(const ShardType& type) {
    for (std::size_t i = 0; i < type.sharding.split.size(); ++i)
      for (AxisId axis : type.sharding.split[i])
        for (const auto& [symbol, power] : made_.of(type.tensor.dims[i]).terms().begin()->first)
          if (power > 0) split(symbol, made_.of(axis).terms().begin()->first.front().first);
  }
  void split(int dim, int axis) {
    const auto [begin, end] = made_.split_.equal_range(dim);
    if (std::none_of(begin, end, [&](const auto& pair) { return pair.second == axis; }))
      made_.split_.emplace(dim, axis);
  }

  const Module& module_;
  Symbols& made_;
  std::vector<bool> settled_;
  std::map<std::pair<std::string, std::string>, DimId> by_name_;  // by scope and name
  std::map<std::tuple<std::string, std::string, std::int64_t>, Polynomial> symbols_;
  bool has_microbatches_ = false;
};

Symbols::Symbols(const Module& module) { SymbolMaker(module, *this).run(); }

std::vector<double> Symbols::sizes() const {
  std::vector<double> sizes;
  for (const Symbol& symbol : symbols_) sizes.push_back(symbol.size);
  return sizes;
}

std::vector<bool> Symbols::are_dims() const {
  std::vector<bool> dims;
  for (const Symbol& symbol : symbols_) dims.push_back(symbol.kind == Symbol::Kind::dim);
  return dims;
}

Polynomial Symbols::of(const std::vector<AxisId>& axes) const {
  Polynomial product(1);
  for (AxisId axis : axes) product = product * of(axis);
  return product;
}

Polynomial Symbols::elements(const ShardType& type) const {
  Powers powers;
  double coefficient = 1;
  const auto put = [&](const Polynomial& product, bool divides) {
    const auto& [more, factor] = *product.terms().begin();
    coefficient = divides ? coefficient / factor : coefficient * factor;
    powers = divides ? over(powers, more) : times(powers, more);
  };
  for (std::size_t i = 0; i < type.tensor.dims.size(); ++i) {
    put(of(type.tensor.dims[i]), false);
    for (AxisId axis : type.sharding.split[i]) put(of(axis), true);
  }
  return {coefficient, powers};
}

Polynomial Symbols::add(Symbol symbol) {
  symbols_.push_back(std::move(symbol));
  return Polynomial::symbol(static_cast<int>(symbols_.size()) - 1);
}

}  // namespace mtfc::cost
