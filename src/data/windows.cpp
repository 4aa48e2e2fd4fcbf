#include "data/windows.h"

#include <algorithm>

#include "data/check_input.h"
#include "kernels/random.h"
#include "support/text.h"

namespace mtfc::runtime {
namespace {

class WindowSource final : public Source {
 public:
  WindowSource(std::string name, std::unique_ptr<IdRow> row, std::unique_ptr<Tokenizer> tokenizer,
               std::int64_t seed)
      : name_(std::move(name)),
        row_(std::move(row)),
        tokenizer_(std::move(tokenizer)),
        key_(random_key(static_cast<std::uint64_t>(seed), "data." + name_)) {}

  std::int64_t examples(Split split) const override {
    return length_ == 0 ? 0 : std::max<std::int64_t>(row_->size(split) - 1, 0) / length_;
  }

  Status accept(const InputSpec& input) override {
    if (input.field != "window" && input.field != "window_next")
      return unknown_field(input, {"window", "window_next"});
    if (input.dtype != DType::i32) return wrong_type(input, "whole numbers");
    if (input.extents.size() != 2)
      return Error{"a window is one row of ids, but the input is `" + shape_text(input) + "`",
                   {"declare it with two dimensions: examples, then positions in the window"},
                   input.name};
    if (length_ != 0 && length_ != input.extents[1])
      return Error{"all windows of `" + name_ + "` have one length; here are " +
                       std::to_string(length_) + " and " + std::to_string(input.extents[1]),
                   {},
                   input.name};
    length_ = input.extents[1];
    return row_->accept(input);
  }

  Status ready(const InputSpec& input, Split split) const override {
    if (split == Split::train && row_->size(split) <= length_)
      return Error{"`" + name_ + "` has " + std::to_string(row_->size(Split::train)) +
                       " tokens for training; one window with its next token needs " +
                       std::to_string(length_ + 1) + " (`" + input.dims[1] + "` + 1)",
                   row_->size(split) < 2 ? std::vector<std::string>{}
                                         : std::vector{"-D " + input.dims[1] + "=" +
                                                       std::to_string(row_->size(split) - 1)},
                   input.name};
    return {};
  }

  std::string too_little_to_evaluate() const override {
    const std::int64_t tokens = row_->size(Split::eval);
    if (tokens == 0 || examples(Split::eval) > 0) return {};
    return "`" + name_ + "` has " + counted(tokens, "token") +
           " for evaluation; one window with its next token needs " + std::to_string(length_ + 1);
  }

  Status fill(const InputSpec& input, const BatchIndex& batch, const Block& part,
              HostTensor& out) override {
    const std::int64_t first = part.begin[1] + (input.field == "window_next" ? 1 : 0);
    const std::int64_t length = part.extents[1];
    auto* to = out.as<std::int32_t>();
    for (std::int64_t i = 0; i < part.extents[0]; ++i, to += length) {
      const std::int64_t start = start_of(batch, part.begin[0] + i);
      if (start < 0) {
        std::fill_n(to, length, 0);
      } else if (Status read = row_->read(input, batch.split, start + first, length, to); !read) {
        return read;
      }
    }
    return {};
  }

  Tokenizer* tokenizer() override { return tokenizer_.get(); }

 private:
  /// Where in its split the window of an example begins; -1 past the end of the eval split.
  std::int64_t start_of(const BatchIndex& batch, std::int64_t i) const {
    if (batch.split == Split::train) {
      const double chance = uniform(key_, static_cast<std::uint32_t>(batch.number), i);
      return static_cast<std::int64_t>(chance * double(row_->size(Split::train) - length_));
    }
    const std::int64_t window = batch.number * batch.size + i;
    return window < examples(Split::eval) ? window * length_ : -1;
  }

  std::string name_;
  std::unique_ptr<IdRow> row_;
  std::unique_ptr<Tokenizer> tokenizer_;  // may be null
  std::uint64_t key_;                     // of where training windows start
  std::int64_t length_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_window_source(std::string name, std::unique_ptr<IdRow> row,
                                           std::unique_ptr<Tokenizer> tokenizer,
                                           std::int64_t seed) {
  return std::make_unique<WindowSource>(std::move(name), std::move(row), std::move(tokenizer),
                                        seed);
}

}  // namespace mtfc::runtime
