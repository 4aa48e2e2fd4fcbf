// What `mtfc why` prints: for people and as JSON.
#pragma once
#include <string>
#include <vector>

#include "cli/reports/why_target.h"
#include "cost/collective_groups.h"
#include "cost/stage_lines.h"
#include "support/json.h"

namespace mtfc::cli {

/// The layout without one of its rules, tried.
struct WhyChange {
  std::string rule;
  cost::Cost cost;                           // of the whole step then
  std::vector<std::size_t> removes;          // groups of the target's collectives that are gone
  std::int64_t sent_now = 0, sent_then = 0;  // bytes for the target
};
/// Groups of the target's collectives, in the order in which why_text numbers them.
std::vector<cost::CollectiveGroup> collectives_of(const WhyTarget& target, const cost::Cost& cost);
/// Finds what the change takes away; without anything it is dropped.
void add_change(std::vector<WhyChange>& changes, const WhyTarget& target, const cost::Cost& now,
                WhyChange change);
/// By what it adds to work, memory and bytes sent of the whole step, as shares of `now`.
void sort_by_price(std::vector<WhyChange>& changes, const cost::Cost& now);

/// The model's text with figures and shards, then lines of the library that cost something.
/// `stages`, here and below: of a pipeline; else empty.
std::string why_listing(const SourceMap& sources, FileId model, const cost::Cost& cost,
                        const std::vector<cost::LineShard>& shards, const cost::LineStages& stages);
/// One line or tensor: shards, the rules behind its collectives, and changes.
std::string why_text(const WhyTarget& target, const cost::Cost& cost,
                     const std::vector<cost::LineShard>& shards, const cost::LineStages& stages,
                     const std::vector<WhyChange>& changes);

/// `lines`: [{source, flops, bytes_sent, collectives, shards}], of a pipeline also stages.
std::string why_json(const cost::Cost& cost, const std::vector<cost::LineShard>& shards,
                     const cost::LineStages& stages);
/// `source`, `name`, `shards`, `collectives`, `changes`, of a pipeline also `stages`.
JsonFields why_json(const WhyTarget& target, const cost::Cost& cost,
                    const std::vector<cost::LineShard>& shards, const cost::LineStages& stages,
                    const std::vector<WhyChange>& changes);

}  // namespace mtfc::cli
