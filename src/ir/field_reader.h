// Reads what field_text.h writes: values by their types, and the names that they refer to.
#pragma once
#include <algorithm>
#include <utility>
#include <variant>

#include "ir/dump_line.h"
#include "ir/field_text.h"
#include "support/program_names.h"

namespace mtfc {

/// Look-ups in the tables read so far. What is wrong is the line's error (dump_line.h).
class FieldReader {
 public:
  FieldReader(const DimTable& dims, const Mesh& mesh) : dims_(dims), mesh_(mesh) {}

  /// The instruction `kind` with its fields, up to the line's end or its origin.
  InstructionKind instruction(const std::string& kind, DumpLine& line) const;
  /// The value of a graph operation's attribute; its form says what type it has.
  AttrValue attribute(DumpLine& line) const;

  DimId dim(DumpLine& line) const;
  AxisId axis(DumpLine& line) const;
  DType dtype(DumpLine& line) const;
  std::vector<AxisId> axes(DumpLine& line) const;     // "a+b"
  ShardType shard_type(DumpLine& line) const;         // "f32[batch/rows] partial(cols)"
  static void read_axes(DumpLine& line, Mesh& mesh);  // " rows=2 cols=4", behind `mesh`
  static StepProgram step_program(DumpLine& line);    // "train = 1", behind `step`
  template <class E>
  E one_of(DumpLine& line) const;  // an enumeration whose names are name(e)

  void read(DumpLine& line, bool& value) const;
  void read(DumpLine& line, int& value) const;
  void read(DumpLine& line, std::int64_t& value) const { value = line.integer(); }
  void read(DumpLine& line, double& value) const { value = line.number(); }
  void read(DumpLine& line, std::string& value) const { value = line.string(); }
  void read(DumpLine& line, Bits<std::int64_t> bits) const;
  void read(DumpLine& line, Distribution& value) const;
  void read(DumpLine& line, Combine& value) const { value = one_of<Combine>(line); }
  void read(DumpLine& line, Output::Kind& value) const { value = one_of<Output::Kind>(line); }
  void read(DumpLine& line, DimId& value) const;
  void read(DumpLine& line, AxisId& value) const { value = axis(line); }
  void read(DumpLine& line, DimGroup& group) const;
  void read(DumpLine& line, WindowItem& item) const;
  void read(DumpLine& line, ScalarInstruction& step) const;
  void read(DumpLine& line, ShardType& type) const { type = shard_type(line); }
  template <class... Kinds>
  void read(DumpLine& line, std::variant<Kinds...>& made) const {
    const std::string kind = line.word();
    if (!set_kind(made, kind, std::index_sequence_for<Kinds...>()))
      return line.fail("unknown instruction `" + kind + "`");
    std::visit([&](auto& value) { read(line, value); }, made);
  }
  template <class T>
  void read(DumpLine& line, std::vector<T>& list) const {
    line.need("[");
    rest_of_list(line, list);
  }
  template <HasFields T>
  void read(DumpLine& line, T& value) const {
    line.need("{");
    fields(line, value);
    line.need("}");
  }

  /// key=value pairs in any order; what may not be absent must be there.
  template <HasFields T>
  void fields(DumpLine& line, T& value) const {
    std::vector<std::string> found;
    while (line.ok() && line.next_is_word()) {
      const std::string key = line.word();
      line.need("=");
      if (std::find(found.begin(), found.end(), key) != found.end())
        line.fail("`" + key + "` is given twice");
      const std::size_t before = found.size();
      T::fields(value, [&](std::string_view name, auto&& field) {
        if (name != key) return;
        read(line, field);
        found.push_back(key);
      });
      if (found.size() == before) line.fail("there is no `" + key + "` here");
    }
    T::fields(value, [&]<class Field>(std::string_view name, Field&&) {
      if constexpr (!may_be_absent<std::remove_reference_t<Field>>)
        if (std::find(found.begin(), found.end(), name) == found.end())
          line.fail("`" + std::string(name) + "=` is missing");
    });
  }

 private:
  template <class T>
  void rest_of_list(DumpLine& line, std::vector<T>& list) const {
    line.list("", "]", [&] {
      T item{};
      read(line, item);
      list.push_back(std::move(item));
    });
  }
  /// The alternative of the variant that is called `kind`; false: there is none.
  template <class Variant, std::size_t... I>
  static bool set_kind(Variant& made, std::string_view kind, std::index_sequence<I...>) {
    return ((std::variant_alternative_t<I, Variant>::kName == kind &&
             (made.template emplace<I>(), true)) ||
            ...);
  }
  DimList side(DumpLine& line) const;
  AttrValue list_attribute(DumpLine& line) const;

  const DimTable& dims_;
  const Mesh& mesh_;
};

template <class E>
E FieldReader::one_of(DumpLine& line) const {
  const std::string word = line.word();
  for (int i = 0; !name(static_cast<E>(i)).empty(); ++i)
    if (name(static_cast<E>(i)) == word) return static_cast<E>(i);
  line.fail("`" + word + "` is not known here");
  return E{};
}

}  // namespace mtfc
