// Values from and to the host.
#pragma once
#include "ir/graph.h"
#include "ir/instr/rules.h"

namespace mtfc {

/// What the host hands in each run: an input of the model, or one of feed_names
/// (support/program_names.h).
struct Feed {
  static constexpr std::string_view kName = "feed";
  static constexpr bool kEdge = true;
  std::string name;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("name", self.name);
  }

  std::string check(const InstrContext& c) const { return counts(c, 0, 1); }
  PartialResult partial(const ShardTypes& in, bool) const { return never_partial(in); }

  friend bool operator==(const Feed&, const Feed&) = default;
};
/// Operand goes to the host under (kind, name). Scalars are replicated; tensors keep their
/// sharding.
struct Fetch {
  static constexpr std::string_view kName = "fetch";
  static constexpr bool kEdge = true;
  Output::Kind kind{};
  std::string name;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("kind", self.kind);
    f("name", self.name);
  }

  std::string check(const InstrContext& c) const {
    if (kind == Output::Kind::variable || kind == Output::Kind::accumulate)
      return "a variable is not fetched";
    return counts(c, 1, 0);
  }
  PartialResult partial(const ShardTypes& in, bool) const { return never_partial(in); }

  friend bool operator==(const Fetch&, const Fetch&) = default;
};

}  // namespace mtfc
