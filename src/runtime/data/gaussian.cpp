// gaussian(seed, fixed=false) and gaussian_labels(seed, classes, fixed=false): numbers out of
// nothing, fresh at every step. They have no end, so their evaluation is one batch.
#include "runtime/data/args.h"
#include "runtime/data/draws.h"
#include "runtime/data/fit.h"
#include "runtime/data/table.h"
#include "runtime/files/elements.h"

namespace mtfc::runtime {
namespace {

class DrawnSource : public Source {
 public:
  DrawnSource(std::int64_t seed, std::string_view purpose, bool fixed)
      : train_(seed, purpose), eval_(seed, std::string(purpose) + ".eval"), fixed_(fixed) {}

  std::int64_t examples(Split) const override { return endless; }

  Status fill(const InputSpec&, const BatchPlace& place, HostTensor& out) override {
    const std::int64_t count = out.elements();
    // In evaluation an example's numbers depend on its place in the split, not on the batch size.
    const bool evaluates = place.split == Split::eval && !fixed_;
    const std::int64_t first = evaluates ? place.number * count : 0;
    const std::int64_t step = evaluates || fixed_ ? 0 : place.number;
    for (std::int64_t i = 0; i < count; ++i)
      draw(evaluates ? eval_ : train_, step, first + i, out, i);
    return {};
  }

 protected:
  virtual void draw(const Draws& draws, std::int64_t step, std::int64_t index, HostTensor& out,
                    std::int64_t at) const = 0;

 private:
  Draws train_, eval_;
  bool fixed_;
};

Status single_field(const InputSpec& input) {
  return input.field.empty() ? Status() : Status(unknown_field(input, {}));
}

class Gaussian final : public DrawnSource {
 public:
  Gaussian(std::int64_t seed, bool fixed) : DrawnSource(seed, "gaussian", fixed) {}
  Status accept(const InputSpec& input) override {
    if (!is_float(input.dtype)) return wrong_type(input, "real numbers");
    return single_field(input);
  }

 protected:
  void draw(const Draws& draws, std::int64_t step, std::int64_t index, HostTensor& out,
            std::int64_t at) const override {
    set_element(out, at, draws.normal(step, index));
  }
};

class GaussianLabels final : public DrawnSource {
 public:
  GaussianLabels(std::int64_t seed, std::int64_t classes, bool fixed)
      : DrawnSource(seed, "gaussian_labels", fixed), classes_(classes) {}
  Status accept(const InputSpec& input) override {
    if (input.dtype != DType::i32) return wrong_type(input, "whole numbers");
    if (Status single = single_field(input); !single) return single;
    return check_ids(input, classes_, "classes");
  }

 protected:
  void draw(const Draws& draws, std::int64_t step, std::int64_t index, HostTensor& out,
            std::int64_t at) const override {
    out.as<std::int32_t>()[at] = static_cast<std::int32_t>(draws.integer(step, index, classes_));
  }

 private:
  std::int64_t classes_;
};

}  // namespace

Result<std::unique_ptr<Source>> open_gaussian(const SourceSpec& spec) {
  Args args(spec);
  const std::int64_t seed = args.integer("seed", 0);
  const bool fixed = args.flag("fixed", false);
  if (Status read = args.finish(); !read) return read.error();
  return std::unique_ptr<Source>(std::make_unique<Gaussian>(seed, fixed));
}

Result<std::unique_ptr<Source>> open_gaussian_labels(const SourceSpec& spec) {
  Args args(spec);
  const std::int64_t seed = args.integer("seed", 0);
  const std::int64_t classes = args.integer("classes", 0);
  const bool fixed = args.flag("fixed", false);
  if (Status read = args.finish(); !read) return read.error();
  if (classes < 1 || classes > 0x7FFFFFFF)
    return Error{"`gaussian_labels` needs `classes`, a size of at least 1", {}, spec.name};
  return std::unique_ptr<Source>(std::make_unique<GaussianLabels>(seed, classes, fixed));
}

}  // namespace mtfc::runtime
