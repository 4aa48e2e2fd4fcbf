#include "runtime/data/windows.h"

#include <algorithm>

#include "runtime/data/fit.h"
#include "runtime/random.h"

namespace mtfc::runtime {
namespace {

class WindowSource final : public Source {
 public:
  WindowSource(IdRow row, std::int64_t seed)
      : row_(std::move(row)),
        key_(draw_key(static_cast<std::uint64_t>(seed), "data." + row_.name)) {}

  std::int64_t examples(Split split) const override {
    return length_ == 0 ? 0 : (size(split) - 1) / length_;
  }

  Status accept(const InputSpec& input) override {
    if (input.field != "window" && input.field != "window_next")
      return unknown_field(input, {"window", "window_next"});
    if (input.dtype != DType::i32) return wrong_type(input, "whole numbers");
    if (input.extents.size() != 2)
      return Error{"a window is one row of ids, but the input is `" + shape_text(input) + "`",
                   {"declare it with two dimensions: examples, then places in the window"},
                   input.name};
    if (length_ != 0 && length_ != input.extents[1])
      return Error{"all windows of `" + row_.name + "` have one length; here are " +
                       std::to_string(length_) + " and " + std::to_string(input.extents[1]),
                   {},
                   input.name};
    length_ = input.extents[1];
    if (size(Split::train) <= length_)
      return Error{"`" + row_.name + "` is too short: " + std::to_string(size(Split::train)) +
                       " for training, " + input.dims[1] + " = " + std::to_string(length_),
                   {},
                   input.name};
    return check_ids(input, row_.count, row_.counted);
  }

  Status fill(const InputSpec& input, const BatchPlace& place, HostTensor& out) override {
    const std::int64_t shift = input.field == "window_next" ? 1 : 0;
    auto* to = out.as<std::int32_t>();
    std::fill_n(to, out.elements(), 0);
    for (std::int64_t i = 0; i < place.size; ++i) {
      const std::int64_t start = start_of(place, i);
      if (start < 0) continue;
      std::copy_n(row_.ids.begin() + start + shift, length_, to + i * length_);
    }
    return {};
  }

 private:
  std::int64_t size(Split split) const {
    const auto all = static_cast<std::int64_t>(row_.ids.size());
    return split == Split::train ? row_.train : all - row_.train;
  }

  /// Where the window of an example begins; -1 past the end of the eval split.
  std::int64_t start_of(const BatchPlace& place, std::int64_t i) const {
    if (place.split == Split::train) {
      const double chance = uniform(key_, static_cast<std::uint32_t>(place.number), i);
      return static_cast<std::int64_t>(chance * double(size(Split::train) - length_));
    }
    const std::int64_t window = place.number * place.size + i;
    return window < examples(Split::eval) ? row_.train + window * length_ : -1;
  }

  IdRow row_;
  std::uint64_t key_;  // of where training windows start
  std::int64_t length_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_window_source(IdRow row, std::int64_t seed) {
  return std::make_unique<WindowSource>(std::move(row), seed);
}

}  // namespace mtfc::runtime
