// Commands to the services without a log: an engine without markets answers theirs. And stores as bytes.
#pragma once

#include <gtest/gtest.h>

#include "base/archive.h"
#include "sim/services/service_commands.h"

namespace svc::sim {

template <class Command>
[[nodiscard]] Result<ValueOf<Command>, api::ApiError> serve(Services& services, Command command, TimestampMs now_ms) {
  engine::Engine engine{engine::EngineConfig{}};
  engine::EventLog events;
  const std::function<engine::Outcome(CommandBody)> to_engine = [&](CommandBody body) {
    return engine.apply({.now_ms = now_ms, .body = std::move(body)}, events);
  };
  auto value =
      services.apply(ServiceCommand(std::move(command)), {.now_ms = now_ms, .engine = engine, .command = to_engine});
  if (!value) return unexpected(std::move(value).error());
  return std::get<ValueOf<Command>>(std::move(*value));
}

// For commands that the test relies on.
template <class Command>
ValueOf<Command> served(Services& services, Command command, TimestampMs now_ms) {
  auto value = serve(services, std::move(command), now_ms);
  EXPECT_TRUE(value.has_value());
  return value ? std::move(*value) : ValueOf<Command>{};
}

// Whether the store takes these bytes for its own.
template <class Store>
[[nodiscard]] bool restore(Store& store, std::string_view bytes) {
  ArchiveReader reader(bytes);
  reader(store);
  return reader.done();
}
template <class... Part>
[[nodiscard]] std::string bytes_of(const Part&... parts) {
  ArchiveWriter writer;
  writer(parts...);
  return writer.take();
}

}  // namespace svc::sim
