#include "ir/instr/all.h"

#include <concepts>

namespace mtfc {

namespace {

template <class Kind>
concept Collective = requires(const Kind& kind) {
  kind.along();
};

/// What is read and written is partial as the variable is.
template <class Kind>
concept OfVariable = requires {
  Kind::kTypeOfVariable;
};

std::string partial_fits(const PartialResult& expected, const ShardTypes& results) {
  if (!expected) return "an operand must be completed first";
  for (const ShardType& type : results) {
    if (type.sharding.partial != expected->axes) return "the result is partial over other axes";
    if (!expected->axes.empty() && type.sharding.combine != expected->combine)
      return "the result combines differently";
  }
  return "";
}

}  // namespace

std::string_view name(const InstructionKind& kind) {
  return std::visit([]<class Kind>(const Kind&) { return Kind::kName; }, kind);
}

bool is_collective(const InstructionKind& kind) {
  return std::visit([]<class Kind>(const Kind&) { return Collective<Kind>; }, kind);
}

Summing* summing(InstructionKind& kind) {
  const auto how = []<class Kind>(Kind& of) -> Summing* {
    if constexpr (requires { of.how; })
      return &of.how;
    else
      return nullptr;
  };
  return std::visit(how, kind);
}
const Summing* summing(const InstructionKind& kind) {
  return summing(const_cast<InstructionKind&>(kind));
}

bool* async_flag(InstructionKind& kind) {
  const auto flag = []<class Kind>(Kind& of) -> bool* {
    if constexpr (requires { of.how.async; })
      return &of.how.async;
    else if constexpr (requires { of.async; })
      return &of.async;
    else
      return nullptr;
  };
  return std::visit(flag, kind);
}
bool is_async(const InstructionKind& kind) {
  const bool* flag = async_flag(const_cast<InstructionKind&>(kind));
  return flag && *flag;
}

std::optional<std::size_t> overwritten_operand(const InstructionKind& kind) {
  return std::visit(
      []<class Kind>(const Kind&) -> std::optional<std::size_t> {
        if constexpr (requires { Kind::kOverwrites; }) return Kind::kOverwrites;
        return std::nullopt;
      },
      kind);
}

const std::string* variable_of(const InstructionKind& kind) {
  const auto ask = []<class Kind>(const Kind& of) -> const std::string* {
    if constexpr (OfVariable<Kind>)
      return &of.variable;
    else
      return nullptr;
  };
  return std::visit(ask, kind);
}

std::string check(const InstructionKind& kind, const InstrContext& context) {
  const auto ask = [&]<class Kind>(const Kind& of) -> std::string {
    std::string error = of.check(context);
    if (!error.empty() || OfVariable<Kind>) return error;
    // What is sent may be rounded first (set wire=bf16).
    return partial_fits(of.partial(context.in, true), context.out);
  };
  return std::visit(ask, kind);
}

PartialResult partial_of(const InstructionKind& kind, const ShardTypes& operands, bool rounded) {
  return std::visit([&](const auto& of) { return of.partial(operands, rounded); }, kind);
}

std::vector<Flops> flops(const InstructionKind& kind, const InstrContext& context) {
  const auto ask = [&](const auto& of) -> std::vector<Flops> {
    if constexpr (requires {
                    { of.flops(context) } -> std::same_as<Flops>;
                  })
      return {of.flops(context)};
    else if constexpr (requires { of.flops(context); })
      return of.flops(context);
    else
      return {};
  };
  return std::visit(ask, kind);
}

double flops_of(const InstructionKind& kind, const InstrContext& context) {
  double all = 0;
  for (const Flops& part : flops(kind, context)) {
    double count = part.per_element;
    for (const std::int64_t extent : shard_extents(context.dims, context.mesh, part.shard))
      count *= static_cast<double>(extent);
    all += count;
  }
  return all;
}

std::vector<AxisId> axes_of(const InstructionKind& kind) {
  const auto ask = []<class Kind>(const Kind& of) -> std::vector<AxisId> {
    if constexpr (Collective<Kind>)
      return of.along();
    else
      return {};
  };
  return std::visit(ask, kind);
}

const ShardTypes& moved_types(const InstructionKind& kind, const InstrContext& context) {
  static const ShardTypes none;
  const auto ask = [&]<class Kind>(const Kind& of) -> const ShardTypes& {
    if constexpr (Collective<Kind>)
      return of.traffic(context);
    else
      return none;
  };
  return std::visit(ask, kind);
}

Traffic traffic_of(const InstructionKind& kind, const InstrContext& context) {
  Traffic total;
  for (const ShardType& type : moved_types(kind, context)) {
    const std::int64_t elements = shard_elements(context.dims, context.mesh, type);
    total.elements += elements;
    total.bytes += elements * static_cast<std::int64_t>(size_of(type.tensor.dtype));
  }
  return total;
}

}  // namespace mtfc
