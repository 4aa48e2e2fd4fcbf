#include "solve/eliminate.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace mtfc::solve {
namespace {

/// Calls `visit(row, entry)` for every row of labels of the scope; `entry` is the table's.
template <class Visit>
void for_rows(const std::vector<std::size_t>& sizes, const std::vector<std::size_t>& strides,
              Visit visit) {
  std::vector<std::size_t> at(sizes.size(), 0);
  std::size_t entry = 0;
  for (std::size_t row = 0;; ++row) {
    visit(row, entry);
    std::size_t k = sizes.size();
    while (k > 0) {
      --k;
      entry += strides[k];
      if (++at[k] < sizes[k]) break;
      entry -= strides[k] * sizes[k];
      at[k] = 0;
      if (k == 0) return;
    }
    if (sizes.empty()) return;
  }
}

}  // namespace

void Eliminator::prepare(std::span<const std::uint32_t> nodes, const std::vector<double>& unary,
                         const Labels& labels) {
  tables_.clear();
  gone_.clear();
  settled_ = 0;
  unary_.assign(nodes.size(), {});
  neighbours_.assign(nodes.size(), {});
  tables_of_.assign(nodes.size(), {});
  done_.assign(nodes.size(), false);
  for (std::size_t v = 0; v < nodes.size(); ++v) local_[nodes[v]] = static_cast<int>(v);
  for (std::uint32_t v = 0; v < nodes.size(); ++v) {
    const std::uint32_t i = nodes[v];
    const double* own = &unary[core_.offset[i]];
    unary_[v].assign(own, own + core_.labels[i]);
    for (const CoreLink& link : core_.links_of(i)) {
      const int other = local_[link.other];
      if (other < 0) {
        const double* row =
            core_.row(link.other, {link.edge, i}, static_cast<std::size_t>(labels[link.other]));
        for (std::size_t s = 0; s < unary_[v].size(); ++s) unary_[v][s] += row[s];
      } else if (link.other > i) {
        add_table({v, static_cast<std::uint32_t>(other)}, {},
                  &core_.costs_ab[core_.edges[link.edge].at]);
      }
    }
  }
}

void Eliminator::add_table(std::vector<std::uint32_t> scope, std::vector<double> own,
                           const double* costs) {
  if (scope.size() == 1) {
    std::vector<double>& unary = unary_[scope[0]];
    for (std::size_t s = 0; s < unary.size(); ++s) unary[s] += own[s];
    return;
  }
  if (scope.empty()) {
    settled_ += own[0];
    return;
  }
  for (const std::uint32_t v : scope) {
    tables_of_[v].push_back(static_cast<std::uint32_t>(tables_.size()));
    for (const std::uint32_t u : scope)
      if (u != v &&
          std::find(neighbours_[v].begin(), neighbours_[v].end(), u) == neighbours_[v].end())
        neighbours_[v].push_back(u);
  }
  tables_.push_back({std::move(scope), std::move(own), costs, true});
  if (!costs) tables_.back().costs = tables_.back().own.data();
}

double Eliminator::size_of(std::uint32_t v) const {
  double size = static_cast<double>(labels_of(v));
  for (const std::uint32_t u : neighbours_[v]) size *= static_cast<double>(labels_of(u));
  return size;
}

void Eliminator::forget(std::uint32_t v, bool join) {
  for (const std::uint32_t u : neighbours_[v]) {
    std::vector<std::uint32_t>& list = neighbours_[u];
    list.erase(std::find(list.begin(), list.end(), v));
    if (!join) continue;
    for (const std::uint32_t w : neighbours_[v])
      if (w != u && std::find(list.begin(), list.end(), w) == list.end()) list.push_back(w);
  }
  done_[v] = true;
}

void Eliminator::eliminate(std::uint32_t v) {
  const std::vector<std::uint32_t> scope = neighbours_[v];
  const std::size_t count = labels_of(v);
  std::vector<std::size_t> sizes;
  std::size_t rows = 1;
  for (const std::uint32_t u : scope) {
    sizes.push_back(labels_of(u));
    rows *= labels_of(u);
  }
  joined_.resize(rows * count);
  for (std::size_t r = 0; r < rows; ++r)
    std::copy(unary_[v].begin(), unary_[v].end(),
              joined_.begin() + static_cast<std::ptrdiff_t>(r * count));
  for (const std::uint32_t t : tables_of_[v]) {
    Table& table = tables_[t];
    if (!table.alive) continue;
    std::vector<std::size_t> strides(scope.size(), 0);
    std::size_t stride = 1, of_v = 0;
    for (std::size_t k = table.scope.size(); k-- > 0; stride *= labels_of(table.scope[k])) {
      if (table.scope[k] == v)
        of_v = stride;
      else
        strides[static_cast<std::size_t>(std::find(scope.begin(), scope.end(), table.scope[k]) -
                                         scope.begin())] = stride;
    }
    for_rows(sizes, strides, [&](std::size_t row, std::size_t entry) {
      double* to = &joined_[row * count];
      const double* from = table.costs + entry;
      for (std::size_t s = 0; s < count; ++s) to[s] += from[s * of_v];
    });
    table.alive = false;
  }
  Gone gone{v, scope, std::vector<std::uint16_t>(rows)};
  std::vector<double> least(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const double* from = &joined_[r * count];
    std::size_t best = 0;
    for (std::size_t s = 1; s < count; ++s)
      if (from[s] < from[best]) best = s;
    gone.best[r] = static_cast<std::uint16_t>(best);
    least[r] = from[best];
  }
  gone_.push_back(std::move(gone));
  forget(v, true);
  for (const std::uint32_t t : tables_of_[v]) tables_[t].own = {};
  add_table(scope, std::move(least), nullptr);
}

void Eliminator::fix(std::uint32_t v, int label) {
  const std::vector<std::uint32_t> mine = tables_of_[v];
  forget(v, false);
  for (const std::uint32_t t : mine) {
    if (!tables_[t].alive) continue;
    tables_[t].alive = false;
    const std::vector<std::uint32_t> from = tables_[t].scope;
    std::vector<std::uint32_t> scope;
    std::vector<std::size_t> sizes, strides;
    std::size_t stride = 1, base = 0, rows = 1;
    for (std::size_t k = from.size(); k-- > 0; stride *= labels_of(from[k])) {
      if (from[k] == v) {
        base = stride * static_cast<std::size_t>(label);
        continue;
      }
      scope.insert(scope.begin(), from[k]);
      sizes.insert(sizes.begin(), labels_of(from[k]));
      strides.insert(strides.begin(), stride);
      rows *= labels_of(from[k]);
    }
    std::vector<double> own(rows);
    for_rows(sizes, strides, [&](std::size_t row, std::size_t entry) {
      own[row] = tables_[t].costs[entry + base];
    });
    add_table(std::move(scope), std::move(own), nullptr);
  }
}

void Eliminator::trace_back(std::span<const std::uint32_t> nodes, Labels& labels) {
  for (std::size_t k = gone_.size(); k-- > 0;) {
    const Gone& gone = gone_[k];
    std::size_t row = 0;
    for (const std::uint32_t u : gone.scope)
      row = row * labels_of(u) + static_cast<std::size_t>(labels[nodes[u]]);
    labels[nodes[gone.node]] = gone.best[row];
  }
  for (const std::uint32_t i : nodes) local_[i] = -1;
}

double Eliminator::minimum(const std::vector<std::uint32_t>& order,
                           const std::vector<double>& unary, Labels& labels) {
  prepare(order, unary, labels);
  for (std::uint32_t v = 0; v < order.size(); ++v) eliminate(v);
  trace_back(order, labels);
  return settled_;
}

bool Eliminator::run(std::span<const std::uint32_t> nodes, const std::vector<double>& unary,
                     Labels& labels, std::mt19937_64& random) {
  prepare(nodes, unary, labels);
  using Entry = std::pair<double, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::uniform_real_distribution<double> jitter(1.0, 1.3);
  std::vector<double> key(nodes.size());
  const auto push = [&](std::uint32_t v) {
    queue.emplace(key[v] = size_of(v) * jitter(random), v);
  };
  for (std::uint32_t v = 0; v < nodes.size(); ++v) push(v);
  std::size_t fixed = 0;
  while (!queue.empty()) {
    const auto [size, v] = queue.top();
    queue.pop();
    if (done_[v] || size != key[v]) continue;
    std::vector<std::uint32_t> touched = neighbours_[v];
    if (size_of(v) <= static_cast<double>(most_)) {
      eliminate(v);
    } else {
      // The node with the most neighbours stays: all others get smaller tables.
      std::uint32_t widest = v;
      for (std::uint32_t u = 0; u < nodes.size(); ++u)
        if (!done_[u] && neighbours_[u].size() > neighbours_[widest].size()) widest = u;
      touched = neighbours_[widest];
      touched.push_back(v);
      fix(widest, labels[nodes[widest]]);
      ++fixed;
    }
    for (const std::uint32_t u : touched)
      if (!done_[u]) push(u);
  }
  trace_back(nodes, labels);
  return fixed == 0;
}

}  // namespace mtfc::solve
