// How far a search may go.
#pragma once

namespace mtfc::plan {

struct Limits {
  double memory = 0;   // bytes of one processor
  double seconds = 0;  // of search
  bool any = false;    // the first layout that fits will do
};

}  // namespace mtfc::plan
