// Settings that are one of a few words: in models, in layouts, and where a run's plan is written.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace mtfc {

enum class CheckpointForm {
  one_file,
  sharded  // a folder, with a file of each rank
};
/// Of the weight update.
enum class UpdateForm {
  sharded,  // replicas share it
  replicated
};
/// After a step that leads to NaN or infinity.
enum class OnNan {
  stop,
  skip  // it is undone
};

/// In the order of the enumeration.
template <class E>
inline constexpr std::array<std::string_view, 0> words_of = {};
template <>
inline constexpr std::array<std::string_view, 2> words_of<CheckpointForm> = {"one_file", "sharded"};
template <>
inline constexpr std::array<std::string_view, 2> words_of<UpdateForm> = {"sharded", "replicated"};
template <>
inline constexpr std::array<std::string_view, 2> words_of<OnNan> = {"stop", "skip"};

constexpr std::string_view name(CheckpointForm form) {
  return words_of<CheckpointForm>[static_cast<std::size_t>(form)];
}
constexpr std::string_view name(UpdateForm form) {
  return words_of<UpdateForm>[static_cast<std::size_t>(form)];
}
constexpr std::string_view name(OnNan what) {
  return words_of<OnNan>[static_cast<std::size_t>(what)];
}

}  // namespace mtfc
