#include "kernels/small_product.h"

#include <algorithm>
#include <cstring>

#include "kernels/micro_kernels.h"
#include "kernels/scratch.h"
#include "support/rounding.h"

namespace mtfc::runtime {
namespace {

constexpr std::int64_t kMostTask = 1 << 19, kLeastTask = 1 << 17;  // multiply-adds
constexpr std::int64_t kTasksOfThread = 8;
constexpr std::int64_t kRowsOfPack = 64;  // fewer are not worth another copy of the columns

/// One product: where its operands begin.
struct Item {
  const float *x = nullptr, *y = nullptr;
  float* c = nullptr;
};

/// Items that have the columns in common, or are parts of one sum.
struct ItemGroups {
  std::int64_t count = 0, size = 1;
  std::int64_t next_group = 1, next_item = 1;  // steps among items
};

/// Columns in common: of neighbours, or of every so many-th.
ItemGroups groups_of(const std::vector<Item>& items) {
  const auto count = static_cast<std::int64_t>(items.size());
  const auto y = [&](std::int64_t i) { return items[static_cast<std::size_t>(i)].y; };
  std::int64_t run = 1, period = 1;
  while (run < count && y(run) == y(0)) ++run;
  while (period < count && y(period) != y(0)) ++period;
  const auto holds = [&](std::int64_t of, auto other) {
    if (count % of != 0) return false;
    for (std::int64_t i = 0; i < count; ++i)
      if (y(i) != y(other(i))) return false;
    return true;
  };
  if (run > 1 && holds(run, [run](std::int64_t i) { return i / run * run; }))
    return {count / run, run, run, 1};
  if (period > 1 && period < count &&
      holds(period, [period](std::int64_t i) { return i % period; }))
    return {period, count / period, 1, period};
  return {count, 1, 1, 1};
}

class SmallJob {
 public:
  SmallJob(const SmallProduct& plan, const std::vector<Item>& items, const ItemGroups& groups,
           int calls_of_part, int threads)
      : plan_(plan),
        kernels_(*micro_kernels()),
        table_(calls_of_part == 0   ? kernels_.chains
               : calls_of_part == 1 ? kernels_.sums
                                    : kernels_.nested),
        items_(items),
        groups_(groups),
        part_(calls_of_part),
        rows_(plan.rows() * (sums() ? 1 : groups.size)),
        vectors_(ceil_div(plan.columns(), kernels_.lanes)) {
    const TileSize tile =
        sums() || groups.size > 1 ? best_tile(table_, rows_, vectors_, plan.k) : plan.tile;
    blocks_ = ceil_div(rows_, tile.rows);
    panels_ = ceil_div(vectors_, tile.vectors);
    cut(threads);
  }

  std::int64_t tasks() const { return tasks_; }
  void task(std::int64_t i) const {
    if (pieces_ > 1) return piece(i % groups_.count, i / groups_.count);
    const std::int64_t end = std::min((i + 1) * groups_per_task_, groups_.count);
    for (std::int64_t group = i * groups_per_task_; group < end; ++group) piece(group, 0);
  }

 private:
  using Terms = std::vector<MicroTerm>;
  struct Rows {
    const std::int64_t *x, *c;  // from those of an item
    std::int64_t first_item;
  };
  /// So many parts, about equal.
  struct Cut {
    std::int64_t size, more;
    Cut(std::int64_t extent, std::int64_t parts) : size(extent / parts), more(extent % parts) {}
    std::int64_t begin(std::int64_t part) const { return part * size + std::min(part, more); }
  };
  struct Panel {
    std::int64_t begin, count;  // columns
    std::int64_t width, vectors;
    bool packed, in_place;
  };

  bool sums() const { return part_ > 0; }
  MicroKernel kernel(std::int64_t rows, std::int64_t vectors) const {
    return table_[rows][vectors];
  }

  void cut(int threads) {
    const std::int64_t terms = sums() ? groups_.size : plan_.terms();
    const std::int64_t group = rows_ * vectors_ * plan_.k * terms * kernels_.lanes;
    const std::int64_t even = groups_.count * group / (threads * kTasksOfThread);
    const std::int64_t task =
        threads == 1 ? kMostTask * 4 : std::clamp(even, kLeastTask, kMostTask);
    pieces_of_panels_ = std::clamp<std::int64_t>(group / task, 1, panels_);
    const std::int64_t most = !plan_.adjacent ? ceil_div(rows_, kRowsOfPack) : blocks_;
    pieces_of_rows_ = std::clamp<std::int64_t>(group / pieces_of_panels_ / task, 1, most);
    pieces_ = pieces_of_panels_ * pieces_of_rows_;
    groups_per_task_ = pieces_ > 1 ? 1 : std::clamp<std::int64_t>(task / group, 1, groups_.count);
    tasks_ = ceil_div(groups_.count, groups_per_task_) * pieces_;
  }

  const Item& item(std::int64_t group, std::int64_t i) const {
    return items_[static_cast<std::size_t>(group * groups_.next_group + i * groups_.next_item)];
  }

  void piece(std::int64_t group, std::int64_t number) const {
    const std::int64_t of_panels = number / pieces_of_rows_, of_rows = number % pieces_of_rows_;
    const Cut blocks(rows_, blocks_), panels(vectors_, panels_);
    const std::int64_t first_block = blocks_ * of_rows / pieces_of_rows_;
    const std::int64_t last_block = blocks_ * (of_rows + 1) / pieces_of_rows_;
    const std::int64_t last = panels_ * (of_panels + 1) / pieces_of_panels_;
    const std::int64_t begin = blocks.begin(first_block);
    const Rows rows = rows_of(group, begin, blocks.begin(last_block));
    for (std::int64_t p = panels_ * of_panels / pieces_of_panels_; p < last; ++p) {
      const Panel panel = panel_of(panels.begin(p), panels.begin(p + 1));
      const Terms& terms = terms_of(group, panel, rows.first_item);
      float* const c = item(group, rows.first_item).c;
      for (std::int64_t b = first_block; b < last_block; ++b)
        tile(panel, terms, rows, c, blocks.begin(b) - begin, blocks.begin(b + 1) - blocks.begin(b));
    }
  }

  Panel panel_of(std::int64_t begin, std::int64_t end) const {
    const std::int64_t first = begin * kernels_.lanes, width = (end - begin) * kernels_.lanes;
    const std::int64_t count = std::min(width, plan_.columns() - first);
    return {first,
            count,
            width,
            end - begin,
            !plan_.adjacent || count < width,
            !plan_.scatters && count == width};
  }

  /// Of items one below the other. A piece of one item has the plan's.
  Rows rows_of(std::int64_t group, std::int64_t begin, std::int64_t end) const {
    const std::int64_t rows = plan_.rows(), first = begin / rows;
    const Item& base = item(group, first);
    if (end <= (first + 1) * rows)
      return {&plan_.x_rows[static_cast<std::size_t>(begin % rows)],
              &plan_.c_rows[static_cast<std::size_t>(begin % rows)], first};
    thread_local std::vector<std::int64_t> x, c;
    x.resize(static_cast<std::size_t>(end - begin));
    c.resize(x.size());
    std::int64_t at = first, row = begin % rows;
    for (std::size_t i = 0; i < x.size(); ++at, row = 0) {
      const std::int64_t to_x = distance(base.x, item(group, at).x);
      const std::int64_t to_c = distance(base.c, item(group, at).c);
      for (; row < rows && i < x.size(); ++row, ++i) {
        x[i] = to_x + plan_.x_rows[static_cast<std::size_t>(row)];
        c[i] = to_c + plan_.c_rows[static_cast<std::size_t>(row)];
      }
    }
    return {x.data(), c.data(), first};
  }
  /// In elements: of shards of one value, or the same one.
  static std::int64_t distance(const float* from, const float* to) {
    const auto bytes = reinterpret_cast<std::intptr_t>(to) - reinterpret_cast<std::intptr_t>(from);
    return static_cast<std::int64_t>(bytes) / static_cast<std::int64_t>(sizeof(float));
  }

  const Terms& terms_of(std::int64_t group, const Panel& panel, std::int64_t first_item) const {
    thread_local Terms terms;
    thread_local Scratch memory;
    terms.clear();
    const std::int64_t items = sums() ? groups_.size : 1;
    float* copy = nullptr;
    if (panel.packed)
      copy = reinterpret_cast<float*>(memory.take(
          static_cast<std::size_t>(items * plan_.terms() * plan_.k * panel.width) * sizeof(float)));
    for (std::int64_t i = 0; i < items; ++i) {
      const Item& one = item(group, first_item + i);
      for (std::size_t t = 0; t < plan_.x_terms.size(); ++t) {
        const float* y = one.y + plan_.y_terms[t];
        if (panel.packed) {
          pack(y, panel, copy);
          y = copy;
          copy += plan_.k * panel.width;
        } else {
          y += panel.begin;
        }
        terms.push_back({one.x + plan_.x_terms[t], y});
      }
    }
    return terms;
  }

  /// Columns that are missing in the last vector are zeros.
  void pack(const float* y, const Panel& panel, float* copy) const {
    const std::int64_t step = plan_.y_step, k = plan_.k, count = panel.count;
    const std::int64_t* columns = plan_.y_columns.data() + panel.begin;
    if (plan_.adjacent) {
      for (std::int64_t p = 0; p < k; ++p)
        std::copy_n(y + columns[0] + p * step, count, copy + p * panel.width);
    } else if (plan_.y_pitch != 0 && step == 1) {
      kernels_.transpose(y + columns[0], plan_.y_pitch, count, k, copy, panel.width);
    } else {
      for (std::int64_t p = 0; p < k; ++p)
        for (std::int64_t j = 0; j < count; ++j)
          copy[p * panel.width + j] = y[columns[j] + p * step];
    }
    for (std::int64_t p = 0; count < panel.width && p < k; ++p)
      std::fill_n(copy + p * panel.width + count, panel.width - count, 0.0f);
  }

  void tile(const Panel& panel, const Terms& terms, const Rows& rows, float* c, std::int64_t begin,
            std::int64_t count) const {
    MicroTile tile{rows.x + begin,
                   rows.c + begin,
                   plan_.x_step,
                   panel.packed ? panel.width : plan_.y_step,
                   plan_.k,
                   terms.data(),
                   static_cast<std::int64_t>(terms.size()),
                   part_,
                   c + panel.begin};
    if (panel.in_place) return kernel(count, panel.vectors)(tile);
    alignas(64) float results[kMicroRows * kMicroVectors * kMostLanes];
    std::int64_t result_rows[kMicroRows];
    for (std::int64_t i = 0; i < kMicroRows; ++i) result_rows[i] = i * panel.width;
    tile.c = results;
    tile.c_rows = result_rows;
    kernel(count, panel.vectors)(tile);
    write(panel, results, rows.c + begin, count, c);
  }

  void write(const Panel& panel, const float* results, const std::int64_t* c_rows,
             std::int64_t rows, float* c) const {
    const std::int64_t* columns = plan_.c_columns.data() + panel.begin;
    for (std::int64_t i = 0, run = 1; i < rows; i += run, run = 1) {
      const float* from = results + i * panel.width;
      float* const to = c + c_rows[i];
      if (plan_.transposes && plan_.c_pitch != 0) {
        while (i + run < rows && c_rows[i + run] == c_rows[i] + run) ++run;
        kernels_.transpose(from, panel.width, run, panel.count, to + columns[0], plan_.c_pitch);
      } else if (!plan_.scatters) {
        std::copy_n(from, panel.count, to + columns[0]);
      } else {
        for (std::int64_t j = 0; j < panel.count; ++j) to[columns[j]] = from[j];
      }
    }
  }

  const SmallProduct& plan_;
  const MicroKernels& kernels_;
  const MicroKernel (&table_)[kMicroRows + 1][kMicroVectors + 1];
  const std::vector<Item>& items_;
  const ItemGroups groups_;
  const std::int64_t part_;            // calls of a part of a sum; 0: no sums
  const std::int64_t rows_, vectors_;  // of a group
  std::int64_t blocks_ = 1, panels_ = 1;
  std::int64_t pieces_of_panels_ = 1, pieces_of_rows_ = 1, pieces_ = 1, groups_per_task_ = 1;
  std::int64_t tasks_ = 1;
};

Item item_of(const SmallProduct& plan, const Call& call, std::size_t at) {
  const auto* x = static_cast<const float*>(call.inputs[plan.swapped ? 1 : 0]);
  const auto* y = static_cast<const float*>(call.inputs[plan.swapped ? 0 : 1]);
  auto* c = static_cast<float*>(call.outputs[0]);
  return {x + plan.x_items[at], y + plan.y_items[at], c + plan.c_items[at]};
}

/// Of a call one behind the other.
const std::vector<Item>& items_of(const SmallProduct& plan, const Call* calls, int count) {
  thread_local std::vector<Item> items;
  items.clear();
  for (int i = 0; i < count; ++i)
    for (std::size_t at = 0; at < plan.x_items.size(); ++at)
      items.push_back(item_of(plan, calls[i], at));
  return items;
}

/// What is added to one result one behind the other.
const std::vector<Item>& items_of_sums(const SmallProduct& plan, const Call* calls, int sums,
                                       int calls_of_sum) {
  thread_local std::vector<Item> items;
  items.clear();
  for (int sum = 0; sum < sums; ++sum)
    for (std::size_t at = 0; at < plan.x_items.size(); ++at)
      for (int i = 0; i < calls_of_sum; ++i)
        items.push_back(item_of(plan, calls[sum * calls_of_sum + i], at));
  return items;
}

}  // namespace

void run_small_product(Pool& pool, const SmallProduct& plan, const Call* calls, int count) {
  const std::vector<Item>& items = items_of(plan, calls, count);
  const SmallJob job(plan, items, groups_of(items), 0, pool.threads());
  pool.run(job.tasks(), [&job](std::int64_t i) { job.task(i); });
}

void run_sums_of_small_products(Pool& pool, const SmallProduct& plan, const Call* calls, int sums,
                                int calls_of_sum, int calls_of_part) {
  const std::vector<Item>& items = items_of_sums(plan, calls, sums, calls_of_sum);
  const SmallJob job(plan, items, {sums * plan.items(), calls_of_sum, calls_of_sum, 1},
                     calls_of_part, pool.threads());
  pool.run(job.tasks(), [&job](std::int64_t i) { job.task(i); });
}

}  // namespace mtfc::runtime
