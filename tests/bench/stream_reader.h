// A reader of a WebSocket server on loopback, that counts frames and throws them away.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "bench/http_load.h"

namespace svc::bench {

struct Reader {
  int fd = -1;
  bool open = false;
  std::string head;            // of the answer to the upgrade, until it is whole
  unsigned char header[14]{};  // of the frame that is coming
  std::size_t header_bytes = 0;
  std::uint64_t payload_left = 0;
  bool counts = false;  // the frame is a whole text
  std::uint64_t frames = 0;
};

// Bytes of a frame's header, as far as it is known.
inline std::size_t header_size(const Reader& reader) {
  if (reader.header_bytes < 2) return 2;
  const unsigned length = reader.header[1] & 0x7fu;
  return length == 127 ? 10 : length == 126 ? 4 : 2;
}

inline std::uint64_t payload_size(const Reader& reader) {
  const unsigned length = reader.header[1] & 0x7fu;
  if (length < 126) return length;
  std::uint64_t size = 0;
  for (std::size_t i = 2; i < header_size(reader); ++i) size = size << 8 | reader.header[i];
  return size;
}

inline void take(Reader& reader, const char* bytes, std::size_t count) {
  while (count > 0) {
    if (reader.payload_left > 0) {
      const std::size_t part = reader.payload_left < count ? static_cast<std::size_t>(reader.payload_left) : count;
      reader.payload_left -= part;
      bytes += part;
      count -= part;
      if (reader.payload_left == 0 && reader.counts) ++reader.frames;
      continue;
    }
    reader.header[reader.header_bytes++] = static_cast<unsigned char>(*bytes++);
    --count;
    if (reader.header_bytes < 2 || reader.header_bytes < header_size(reader)) continue;
    reader.counts = (reader.header[0] & 0x0fu) == 1;
    reader.payload_left = payload_size(reader);
    reader.header_bytes = 0;
    if (reader.payload_left == 0 && reader.counts) ++reader.frames;
  }
}

inline std::string masked_frame(const std::string& text) {
  std::string frame = "\x81";
  if (text.size() < 126) {
    frame += static_cast<char>(0x80 | text.size());
  } else {
    frame += static_cast<char>(0x80 | 126);
    frame += static_cast<char>(text.size() >> 8);
    frame += static_cast<char>(text.size() & 0xff);
  }
  return frame + std::string(4, '\0') + text;  // a mask of zeros changes nothing
}

inline void write_all(int fd, const std::string& text) {
  if (::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) fail("write");
}

// The handshake, one reader at a time.
inline void upgrade(Reader& reader, std::uint16_t port, const std::string& path, const std::string& subscription) {
  reader.fd = dial(port);
  write_all(reader.fd, "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                           "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  char byte = 0;
  while (!reader.head.ends_with("\r\n\r\n")) {
    if (::read(reader.fd, &byte, 1) != 1) fail("the upgrade was not answered");
    reader.head += byte;
  }
  if (!reader.head.starts_with("HTTP/1.1 101")) {
    std::fprintf(stderr, "%s", reader.head.c_str());
    std::exit(1);
  }
  if (!subscription.empty()) write_all(reader.fd, masked_frame(subscription));
}

}  // namespace svc::bench
