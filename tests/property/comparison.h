// Where the engine and the naive venue disagree.
#pragma once

#include <string>

#include "naive_venue.h"
#include "sim/engine/engine.h"

namespace svc::engine {

// Both are about to have applied the same command; empty if they agree on everything there is to see.
[[nodiscard]] std::string disagreement(const Engine& engine, const EventLog& log, Reject reject,
                                       const naive::NaiveVenue& naive, Reject naive_reject);

}  // namespace svc::engine
