// Names of the small enumerations.
#include "ir/layout.h"
#include "ir/text_words.h"

namespace mtfc {

std::string_view name(StepRole::Kind kind) {
  switch (kind) {
    case StepRole::Kind::model:
      return "model";
    case StepRole::Kind::gradient:
      return "gradient";
    case StepRole::Kind::update:
      return "update";
  }
  return "?";
}

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return "forward";
    case Phase::backward:
      return "backward";
    case Phase::update:
      return "update";
    case Phase::recompute:
      return "recompute";
  }
  return "";
}

std::string_view name(Output::Kind kind) {
  switch (kind) {
    case Output::Kind::loss:
      return "loss";
    case Output::Kind::metric:
      return "metric";
    case Output::Kind::report:
      return "report";
    case Output::Kind::variable:
      return "variable";
    case Output::Kind::accumulate:
      return "accumulate";
    case Output::Kind::tensor:
      return "tensor";
  }
  return "";
}

std::string_view name(Variable::Kind kind) {
  switch (kind) {
    case Variable::Kind::parameter:
      return "parameter";
    case Variable::Kind::state:
      return "state";
    case Variable::Kind::optimizer:
      return "optimizer";
    case Variable::Kind::accumulator:
      return "accumulator";
    case Variable::Kind::cache:
      return "cache";
  }
  return "";
}

std::string_view name(Schedule schedule) {
  switch (schedule) {
    case Schedule::gpipe:
      return "gpipe";
    case Schedule::one_f_one_b:
      return "1f1b";
    case Schedule::interleaved:
      return "interleaved";
  }
  return "";
}

std::string_view name(LayoutScope::Kind kind) {
  constexpr std::string_view names[] = {"param", "value", "in"};
  const auto i = static_cast<std::size_t>(kind);
  return i < std::size(names) ? names[i] : std::string_view{};
}

}  // namespace mtfc
