#include "comm/agreement.h"

#include <algorithm>
#include <cstring>

#include "comm/gather_bytes.h"
#include "support/host_name.h"

namespace mtfc::runtime::net {
namespace {

/// Of one rank. As text: the host, the number of facts, then facts, the summary and its causes,
/// each as name and value.
struct Account {
  std::string host;
  Facts facts, summary, causes;
};

std::string text_of(const Account& account) {
  std::vector<std::string> texts = {account.host, std::to_string(account.facts.size())};
  for (const Facts* facts : {&account.facts, &account.summary, &account.causes})
    for (const Fact& fact : *facts) texts.insert(texts.end(), {fact.name, fact.value});
  return joined(texts);
}

Account account_of(const std::string& text) {
  const std::vector<std::string> texts = parted(text);
  Account account{texts[0], {}, {}, {}};
  const std::size_t count = std::stoul(texts[1]);
  for (std::size_t i = 2; i + 1 < texts.size(); i += 2)
    (account.facts.size() < count ? account.facts
     : account.summary.empty()    ? account.summary
                                  : account.causes)
        .push_back({texts[i], texts[i + 1]});
  return account;
}

const Fact* find(const Facts& facts, const std::string& name) {
  const auto found =
      std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) { return fact.name == name; });
  return found == facts.end() ? nullptr : &*found;
}

/// The first fact that differs; "" if none does.
std::string first_difference(const Facts& first, const Facts& other) {
  for (const Fact& fact : other) {
    const Fact* known = find(first, fact.name);
    if (known == nullptr) return fact.name + " is " + fact.value + ", rank 0 has none";
    if (known->value != fact.value)
      return fact.name + " is " + fact.value + ", not " + known->value + " as on rank 0";
  }
  for (const Fact& fact : first)
    if (find(other, fact.name) == nullptr)
      return fact.name + " is missing, which on rank 0 is " + fact.value;
  return "";
}

}  // namespace

std::string difference(Network& network, const Facts& facts, const Summary& summary) {
  if (network.ranks() == 1) return "";
  const std::vector<std::string> texts =
      gather(network, text_of({host_name(), facts, {summary.fact}, summary.causes}));
  const Account first = account_of(texts[0]);
  for (std::size_t rank = 1; rank < texts.size(); ++rank) {
    if (texts[rank] == texts[0]) continue;
    const Account other = account_of(texts[rank]);
    std::string found = first_difference(first.facts, other.facts);
    if (const std::string all = first_difference(first.summary, other.summary);
        found.empty() && !all.empty()) {
      found = first_difference(first.causes, other.causes);
      if (found.empty()) found = all;
    }
    if (!found.empty())
      return "rank " + std::to_string(rank) + " on `" + other.host + "`: " + found;
  }
  return "";
}

Error differing_run(const std::string& difference) {
  return {"the ranks do not run the same program on the same data: " + difference,
          {"give every machine the same files, options and programs"},
          {}};
}

}  // namespace mtfc::runtime::net
