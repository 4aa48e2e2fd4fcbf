// gaussian(seed, fixed=false) and gaussian_labels(seed, classes, fixed=false): numbers out of
// nothing, fresh at every step. They have no end, so their evaluation is one batch.
#include "data/args.h"
#include "data/check_input.h"
#include "data/table.h"
#include "kernels/random.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kTask = 4096;  // numbers that one thread draws

class RandomSource final : public Source {
 public:
  /// `classes` 0: real numbers of mean 0 and deviation 1; else whole numbers below it.
  RandomSource(std::int64_t seed, std::int64_t classes, bool fixed)
      : seed_(static_cast<std::uint64_t>(seed)), classes_(classes), fixed_(fixed) {}

  std::int64_t examples(Split) const override { return endless; }

  Status accept(const InputSpec& input) override {
    if (!input.field.empty()) return unknown_field(input, {});
    if (classes_ == 0) return is_float(input.dtype) ? Status() : wrong_type(input, "real numbers");
    if (input.dtype != DType::i32) return wrong_type(input, "whole numbers");
    return check_ids(input, classes_, "classes");
  }

  Status fill(const InputSpec& input, const BatchIndex& batch, const Block& part,
              HostTensor& out) override {
    // In evaluation an example's numbers depend on its place in the split, not on the batch size.
    const bool evaluates = batch.split == Split::eval && !fixed_;
    const std::int64_t step = evaluates || fixed_ ? 0 : batch.number;
    const Stream numbers = stream(evaluates ? "eval" : "train", step);
    const std::int64_t first =
        batch.split == Split::eval ? batch.number * Block::whole(input.extents).elements() : 0;
    const std::size_t size = size_of(input.dtype);
    for_each_run(input.extents, part, [&](std::int64_t from, std::int64_t to, std::int64_t count) {
      spread()(ceil_div(count, kTask), [&](std::int64_t task) {
        const std::int64_t done = task * kTask;
        sample(numbers, input.dtype, first + from + done, std::min(count - done, kTask),
               out.data.data() + static_cast<std::size_t>(to + done) * size);
      });
    });
    return {};
  }

 private:
  Stream stream(const std::string& purpose, std::int64_t step) const {
    const bool labels = classes_ != 0;
    const std::uint64_t key =
        random_key(seed_, (labels ? "gaussian_labels." : "gaussian.") + purpose);
    return {.distribution = labels ? Distribution::integers : Distribution::normal,
            .a = labels ? static_cast<double>(classes_) : 1,
            .b = 0,
            .key = key,
            .step = static_cast<std::uint32_t>(step)};
  }

  std::uint64_t seed_;
  std::int64_t classes_;
  bool fixed_;
};

}  // namespace

Result<std::unique_ptr<Source>> open_gaussian(const SourceSpec& spec) {
  Args args(spec);
  const std::int64_t seed = args.integer("seed");
  const bool fixed = args.flag("fixed");
  if (Status read = args.finish(); !read) return read.error();
  return std::unique_ptr<Source>(std::make_unique<RandomSource>(seed, 0, fixed));
}

Result<std::unique_ptr<Source>> open_gaussian_labels(const SourceSpec& spec) {
  Args args(spec);
  const std::int64_t seed = args.integer("seed");
  const std::int64_t classes = args.integer("classes");
  const bool fixed = args.flag("fixed");
  if (Status read = args.finish(); !read) return read.error();
  if (classes < 1 || classes > 0x7FFFFFFF)
    return Error{"`gaussian_labels` needs `classes`, a size of at least 1", {}, spec.name};
  return std::unique_ptr<Source>(std::make_unique<RandomSource>(seed, classes, fixed));
}

}  // namespace mtfc::runtime
