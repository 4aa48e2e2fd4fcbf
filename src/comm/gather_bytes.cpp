#include "comm/gather_bytes.h"

#include <algorithm>
#include <cstring>

#include "support/host_name.h"

namespace mtfc::runtime::net {

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    const std::uint64_t size = text.size();
    all.append(reinterpret_cast<const char*>(&size), sizeof size);
    all += text;
  }
  return all;
}

std::vector<std::string> parted(const std::string& all) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size();) {
    std::uint64_t size = 0;
    std::memcpy(&size, all.data() + at, sizeof size);
    texts.push_back(all.substr(at + sizeof size, size));
    at += sizeof size + size;
  }
  return texts;
}

namespace {

std::string error_text(const Error& error) {
  std::vector<std::string> texts = {error.message, error.subject, error.unreadable ? "r" : ""};
  texts.insert(texts.end(), error.helps.begin(), error.helps.end());
  return joined(texts);
}

Error error_of(const std::string& text) {
  const std::vector<std::string> texts = parted(text);
  return {texts[0], {texts.begin() + 3, texts.end()}, texts[1], !texts[2].empty()};
}

}  // namespace

std::vector<std::string> gather(Network& network, const std::string& mine) {
  const std::unique_ptr<Channel> all = network.split(0, network.rank());
  const auto ranks = static_cast<std::size_t>(network.ranks());
  const auto size = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> sizes(ranks);
  all->all_gather(&size, sizes.data(), sizeof size);
  const auto most = static_cast<std::size_t>(*std::max_element(sizes.begin(), sizes.end()));
  std::string padded = mine, texts(most * ranks, '\0');
  padded.resize(most);
  all->all_gather(padded.data(), texts.data(), static_cast<std::int64_t>(most));
  std::vector<std::string> parts;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    parts.push_back(texts.substr(rank * most, static_cast<std::size_t>(sizes[rank])));
  return parts;
}

Status agreed(Network& network, const Status& mine, bool all_tried) {
  if (network.highest(mine ? 0 : 1) == 0) return {};
  const std::vector<std::string> texts =
      gather(network, mine ? "" : joined({host_name(), error_text(mine.error())}));
  const auto failed = [](const std::string& text) { return !text.empty(); };
  const auto first = std::find_if(texts.begin(), texts.end(), failed);
  const std::vector<std::string> parts = parted(*first);
  Error error = error_of(parts[1]);
  const auto count = static_cast<std::size_t>(std::count_if(texts.begin(), texts.end(), failed));
  const bool are_threads = network.ranks_here() > network.processes_here();
  if (count < texts.size() && all_tried && !are_threads)
    error.message +=
        " (rank " + std::to_string(first - texts.begin()) + " on `" + parts[0] + "`; " +
        (count == 1
             ? "other ranks did not fail"
             : std::to_string(count) + " of " + std::to_string(texts.size()) + " ranks failed") +
        ")";
  return error;
}

}  // namespace mtfc::runtime::net
