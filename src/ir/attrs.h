// Attributes of graph operations: a short list of named values.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/dtype.h"
#include "support/id.h"
#include "support/variant.h"

namespace mtfc {

using DimList = std::vector<DimId>;
/// One item of a view: `from` (one or several dims) becomes `to`. Rename 1->1, split 1->n, merge
/// n->1; major first.
struct DimGroup {
  DimList from, to;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("from", self.from);
    f("to", self.to);
  }
  friend bool operator==(const DimGroup&, const DimGroup&) = default;
};

/// begin + sum of scale * (index along dim): an index that is affine in others.
struct Affine {
  struct Term {
    DimId dim;
    std::int64_t scale = 0;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f("dim", self.dim);
      f("scale", self.scale);
    }
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::int64_t begin = 0;
  std::vector<Term> terms;  // no dimension twice; a scale may be 0
  friend bool operator==(const Affine&, const Affine&) = default;
};
/// One dimension of a window: `dim` is read at the indices `at`.
struct WindowItem {
  DimId dim;
  Affine at;

  template <class Self, class F>
  static void fields(Self& self, F&& f) {
    f("dim", self.dim);
    f("begin", self.at.begin);
    f("terms", self.at.terms);
  }
  friend bool operator==(const WindowItem&, const WindowItem&) = default;
};
/// Whether one of them reads this dimension.
bool is_indexed(const std::vector<WindowItem>& items, DimId dim);

using AttrValue =
    Variant<bool, std::int64_t, double, std::string, DType, DimList, std::vector<DimGroup>,
            std::vector<std::int64_t>, std::vector<WindowItem>>;

/// Copies share the list until one of them is changed: passes copy operations all the time.
class Attrs {
 public:
  using Item = std::pair<std::string, AttrValue>;
  using List = std::vector<Item>;

  Attrs() = default;
  Attrs(std::initializer_list<Item> list) : list_(std::make_shared<List>(list)) {}

  const AttrValue* find(std::string_view name) const;
  void set(std::string name, AttrValue value);
  const List& all() const;

  // The value of a given type; `otherwise` (or an internal error) if absent.
  const DimList& dims(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  double number(std::string_view name) const;
  double number(std::string_view name, double otherwise) const;
  bool flag(std::string_view name) const;  // false if absent
  const std::string& text(std::string_view name) const;
  DType dtype(std::string_view name) const;
  const std::vector<DimGroup>& groups(std::string_view name) const;
  const std::vector<std::int64_t>& integers(std::string_view name) const;
  const std::vector<WindowItem>& windows(std::string_view name) const;

  friend bool operator==(const Attrs& a, const Attrs& b) {
    return a.list_ == b.list_ || a.all() == b.all();
  }

 private:
  std::shared_ptr<List> list_;  // null: empty
};

}  // namespace mtfc
