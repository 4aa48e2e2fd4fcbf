#include "layout/permutations.h"

#include <algorithm>

namespace mtfc::lowering {

namespace {

using Axes = std::vector<AxisId>;
using Split = std::vector<Axes>;

class Permutations {
 public:
  Permutations(const Mesh& mesh, const Axes& axes, const Split& split, int most)
      : mesh_(mesh), axes_(axes), split_(split), most_(most), now_(split.size()) {}

  std::vector<Split> run() {
    if (!split_.empty()) fill(0, parts(0));
    return std::move(found_);
  }

 private:
  std::int64_t parts(std::size_t d) const {
    std::int64_t product = 1;
    for (AxisId axis : split_[d]) product *= mesh_.size(axis);
    return product;
  }
  bool in_use(AxisId axis) const {
    return std::any_of(now_.begin(), now_.end(), [&](const Axes& axes) {
      return std::find(axes.begin(), axes.end(), axis) != axes.end();
    });
  }

  /// Dimension d is still to be cut into `left` parts.
  void fill(std::size_t d, std::int64_t left) {
    if (most_-- <= 0) return;
    if (left == 1) {
      if (d + 1 < split_.size())
        fill(d + 1, parts(d + 1));
      else if (now_ != split_)
        found_.push_back(now_);
      return;
    }
    for (AxisId axis : axes_) {
      if (left % mesh_.size(axis) != 0 || in_use(axis)) continue;
      now_[d].push_back(axis);
      fill(d, left / mesh_.size(axis));
      now_[d].pop_back();
    }
  }

  const Mesh& mesh_;
  const Axes& axes_;
  const Split& split_;
  int most_;
  Split now_;
  std::vector<Split> found_;
};

}  // namespace

std::vector<Split> permutations(const Mesh& mesh, const Axes& axes, const Split& split, int most) {
  return Permutations(mesh, axes, split, most).run();
}

}  // namespace mtfc::lowering
