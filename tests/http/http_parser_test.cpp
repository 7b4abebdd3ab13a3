#include "api/http/http_parser.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "base/random.h"

namespace svc::api {
namespace SVC_FILE {

const ParserLimits bounds{
    .start_line_bytes_max = 100, .header_bytes_max = 400, .header_fields_max = 8, .body_bytes_max = 50};

std::string text(const Headers& headers) {
  std::string out;
  for (const Header& field : headers) out.append(field.name).append("=").append(field.value).append(";");
  return out;
}

// Gives the bytes in pieces, keeping what was not taken, as a connection does.
template <class Parser>
void feed_in_pieces(Parser& parser, std::string_view bytes, std::size_t piece) {
  std::string waiting;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    waiting += bytes.substr(at, piece);
    waiting.erase(0, parser.feed(waiting));
    if (parser.state() == ParserState::failed || parser.state() == ParserState::complete) return;
  }
}

const std::size_t pieces[] = {1, 2, 3, 7, 1000};

struct Accepted {
  const char* what;
  std::string bytes;
  std::string method;
  std::string target;
  std::string headers;
  std::string body;
  bool keep_alive;
};

const Accepted accepted[] = {
    {"plain GET", "GET /a?b=c%20d HTTP/1.1\r\nHost: x\r\n\r\n", "GET", "/a?b=c%20d", "Host=x;", "", true},
    {"empty lines before", "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET", "/", "Host=x;", "", true},
    {"Connection: close", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET", "/",
     "Host=x;Connection=close;", "", false},
    {"HTTP/1.0 closes", "GET / HTTP/1.0\r\n\r\n", "GET", "/", "", "", false},
    {"HTTP/1.0 keep-alive", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET", "/", "Connection=keep-alive;",
     "", true},
    {"body by length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", "POST", "/",
     "Host=x;Content-Length=5;", "hello", true},
    {"body at the bound", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n" + std::string(50, 'b'), "POST",
     "/", "Host=x;Content-Length=50;", std::string(50, 'b'), true},
    {"chunks, extensions and trailers",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;n=v\r\nabc\r\n2\r\nde\r\n0\r\nX-Api-Key: "
     "k\r\n\r\n",
     "POST", "/", "Host=x;Transfer-Encoding=chunked;", "abcde", true},
    {"an extension with a tab, and data that looks like a folded line",
     "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n6;n=\"a\tb\"\r\n\r\n b\r\n\r\n0\r\n\r\n", "POST",
     "/", "Host=x;Transfer-Encoding=chunked;", "\r\n b\r\n", true},
    {"absolute form replaces Host", "GET http://y:90/p?q HTTP/1.1\r\nHost: x\r\n\r\n", "GET", "/p?q", "Host=y:90;", "",
     true},
    {"absolute form with a scheme in capitals", "GET HTTP://y/p HTTP/1.1\r\nHost: x\r\n\r\n", "GET", "/p", "Host=y;",
     "", true},
    {"absolute form without path", "GET http://y?q HTTP/1.1\r\nHost: x\r\n\r\n", "GET", "/?q", "Host=y;", "", true},
    {"asterisk form", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "OPTIONS", "*", "Host=x;", "", true},
    {"unknown method", "BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n", "BREW", "/pot", "Host=x;", "", true},
};

TEST(RequestParser, TakesWellFormedRequestsInPiecesOfAnySize) {
  for (const Accepted& row : accepted) {
    for (const std::size_t piece : pieces) {
      RequestParser parser(bounds);
      feed_in_pieces(parser, row.bytes, piece);
      ASSERT_EQ(parser.state(), ParserState::complete) << row.what << ", pieces of " << piece;
      EXPECT_EQ(parser.request().method, row.method) << row.what;
      EXPECT_EQ(parser.request().target, row.target) << row.what;
      EXPECT_EQ(text(parser.request().headers), row.headers) << row.what;
      EXPECT_EQ(parser.request().body, row.body) << row.what;
      EXPECT_EQ(parser.keep_alive(), row.keep_alive) << row.what;
    }
  }
}

struct Refused {
  const char* what;
  std::string bytes;
  ParseFailure failure;
};

const std::string head = "POST / HTTP/1.1\r\nHost: x\r\n";
const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";

std::string many_fields(int count) {
  std::string bytes = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 1; i < count; ++i) bytes += "a: b\r\n";
  return bytes + "\r\n";
}

const Refused refused[] = {
    {"no request line", "hello\r\n\r\n", ParseFailure::malformed},
    {"bytes of TLS", std::string("\x16\x03\x01\x02\x00", 5), ParseFailure::malformed},
    {"no version", "GET /\r\n\r\n", ParseFailure::malformed},
    {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ParseFailure::malformed},
    {"two blanks", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", ParseFailure::malformed},
    {"target without slash", "GET a HTTP/1.1\r\nHost: x\r\n\r\n", ParseFailure::malformed},
    {"authority form", "GET x:1 HTTP/1.1\r\nHost: x\r\n\r\n", ParseFailure::malformed},
    {"a tunnel", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", ParseFailure::tunnel_asked_for},
    {"a Host with a blank", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", ParseFailure::malformed},
    {"a Host with a user", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", ParseFailure::malformed},
    {"a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", ParseFailure::malformed},
    {"a Host with half a bracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", ParseFailure::malformed},
    {"a Host that is no address in brackets", "GET / HTTP/1.1\r\nHost: [zz]\r\n\r\n", ParseFailure::malformed},
    {"a Host with a port beyond the last", "GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n", ParseFailure::malformed},
    {"a target with a fragment", "GET /x#y HTTP/1.1\r\nHost: a\r\n\r\n", ParseFailure::malformed},
    {"a Host with a word after the bracket", "GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n", ParseFailure::malformed},
    {"a Host with two ports", "GET / HTTP/1.1\r\nHost: a:1:2\r\n\r\n", ParseFailure::malformed},
    {"a Host with half an escape", "GET / HTTP/1.1\r\nHost: a%2\r\n\r\n", ParseFailure::malformed},
    {"absolute form with a user", "GET http://a@b/p HTTP/1.1\r\nHost: b\r\n\r\n", ParseFailure::malformed},
    {"a field in two lines", "GET / HTTP/1.1\r\nHost: x\r\na: b\r\n c\r\n\r\n", ParseFailure::malformed},
    {"a field in two lines, by a tab", "GET / HTTP/1.1\r\nHost: x\r\na: b\r\n\tc\r\n\r\n", ParseFailure::malformed},
    {"absolute form without host", "GET http:///p HTTP/1.1\r\nHost: x\r\n\r\n", ParseFailure::malformed},
    {"asterisk with GET", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", ParseFailure::malformed},
    {"bare line feeds", "GET / HTTP/1.1\nHost: x\n\n", ParseFailure::malformed},
    {"no Host", "GET / HTTP/1.1\r\n\r\n", ParseFailure::malformed},
    {"two Hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", ParseFailure::malformed},
    {"blank before colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", ParseFailure::malformed},
    {"no colon", "GET / HTTP/1.1\r\nHost\r\n\r\n", ParseFailure::malformed},
    {"zero byte in a value", std::string("GET / HTTP/1.1\r\nHost: x\0y\r\n\r\n", 29), ParseFailure::malformed},
    {"length that is no number", head + "Content-Length: 1x\r\n\r\n", ParseFailure::malformed},
    {"negative length", head + "Content-Length: -1\r\n\r\n", ParseFailure::malformed},
    {"two lengths", head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", ParseFailure::malformed},
    {"length and chunks", head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", ParseFailure::malformed},
    {"chunks and length", head + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", ParseFailure::malformed},
    {"chunks in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", ParseFailure::malformed},
    {"gzip", head + "Transfer-Encoding: gzip\r\n\r\n", ParseFailure::unknown_transfer_coding},
    {"chunked, gzip", head + "Transfer-Encoding: chunked, gzip\r\n\r\n", ParseFailure::malformed},
    {"chunked, then gzip", head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n",
     ParseFailure::malformed},
    {"chunked twice", head + "Transfer-Encoding: chunked, chunked\r\n\r\n", ParseFailure::malformed},
    {"gzip, chunked", head + "Transfer-Encoding: gzip, chunked\r\n\r\n", ParseFailure::unknown_transfer_coding},
    {"chunk size that is no number", chunked + "zz\r\n", ParseFailure::malformed},
    {"chunk extension with a line feed", chunked + "2;a=\"\n\n0\n\n\"\r\n", ParseFailure::malformed},
    {"chunk extension with an escaped line feed", chunked + "2;a=\"\\\n\"\r\n", ParseFailure::malformed},
    {"chunk extension with a zero byte", chunked + std::string("2;a=\"\0\"\r\n", 9), ParseFailure::malformed},
    {"a trailer field in two lines", chunked + "2\r\n{}\r\n0\r\na: b\r\n c\r\n\r\n", ParseFailure::malformed},
    {"chunk longer than said", chunked + "1\r\nabc\r\n", ParseFailure::malformed},
    {"expectation unknown", head + "Expect: 200-ok\r\n\r\n", ParseFailure::unknown_expectation},
    {"request line too long", "GET /" + std::string(100, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n",
     ParseFailure::start_line_too_long},
    {"endless request line", "GET /" + std::string(1000, 'a'), ParseFailure::start_line_too_long},
    {"one field too long", "GET / HTTP/1.1\r\nHost: x\r\na: " + std::string(400, 'b') + "\r\n\r\n",
     ParseFailure::header_too_large},
    {"endless field", "GET / HTTP/1.1\r\nHost: x\r\na: " + std::string(4000, 'b'), ParseFailure::header_too_large},
    {"blanks count", "GET / HTTP/1.1\r\nHost: x\r\na:" + std::string(390, ' ') + "b\r\n\r\n",
     ParseFailure::header_too_large},
    {"one field too many", many_fields(9), ParseFailure::header_too_large},
    {"body one byte too long", head + "Content-Length: 51\r\n\r\n", ParseFailure::body_too_large},
    {"length beyond 64 bits", head + "Content-Length: 99999999999999999999999\r\n\r\n", ParseFailure::malformed},
    {"chunk too long", chunked + "33\r\n", ParseFailure::body_too_large},
    {"chunks together too long", chunked + "20\r\n" + std::string(32, 'b') + "\r\n20\r\n",
     ParseFailure::body_too_large},
    {"endless chunk extension", chunked + "1;" + std::string(4000, 'e'), ParseFailure::malformed},
    {"endless trailer", chunked + "0\r\na: " + std::string(4000, 'e'), ParseFailure::malformed},
};

TEST(RequestParser, RefusesWhatBreaksTheGrammarOrABound) {
  for (const Refused& row : refused) {
    for (const std::size_t piece : pieces) {
      RequestParser parser(bounds);
      feed_in_pieces(parser, row.bytes, piece);
      ASSERT_EQ(parser.state(), ParserState::failed) << row.what << ", pieces of " << piece;
      EXPECT_EQ(parser.failure(), row.failure) << row.what << ", pieces of " << piece;
    }
  }
}

TEST(RequestParser, FieldsAtTheBoundPass) {
  RequestParser parser(bounds);
  feed_in_pieces(parser, many_fields(8), 1000);
  EXPECT_EQ(parser.state(), ParserState::complete);
}

TEST(RequestParser, HeaderAtTheBoundPassesAndOneByteMoreDoesNot) {
  const std::string rest = "GET / HTTP/1.1\r\nHost: x\r\na: \r\n\r\n";
  for (const std::size_t extra : {0u, 1u}) {
    const std::string value(bounds.header_bytes_max - rest.size() + extra, 'b');
    RequestParser parser(bounds);
    feed_in_pieces(parser, "GET / HTTP/1.1\r\nHost: x\r\na: " + value + "\r\n\r\n", 1000);
    EXPECT_EQ(parser.state(), extra == 0 ? ParserState::complete : ParserState::failed);
  }
}

TEST(RequestParser, TakesNothingBeyondTheEndOfARequest) {
  const std::string one = "POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab";
  const std::string two = "GET /2 HTTP/1.1\r\nHost: x\r\n\r\n";
  RequestParser parser(bounds);
  EXPECT_EQ(parser.feed(one + two), one.size());
  ASSERT_EQ(parser.state(), ParserState::complete);
  parser.reset();
  EXPECT_EQ(parser.state(), ParserState::empty);
  EXPECT_EQ(parser.feed(two), two.size());
  ASSERT_EQ(parser.state(), ParserState::complete);
  EXPECT_EQ(parser.request().target, "/2");
  EXPECT_EQ(parser.request().body, "");
}

TEST(RequestParser, TellsHeaderFromBodyAndWhatTheHeaderAsksFor) {
  RequestParser parser(bounds);
  EXPECT_EQ(parser.feed("POST / HT"), 0u);
  EXPECT_EQ(parser.state(), ParserState::header);
  parser.feed("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(parser.state(), ParserState::body);
  EXPECT_TRUE(parser.expects_continue());
  EXPECT_FALSE(parser.upgrade());

  parser.reset();
  parser.feed("GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n");
  ASSERT_EQ(parser.state(), ParserState::complete);
  EXPECT_TRUE(parser.upgrade());
  EXPECT_FALSE(parser.expects_continue());
}

TEST(RequestParser, NoBytesInNoPiecesBreakIt) {
  constexpr std::uint64_t seed = 20'056;
  Prng random(seed);
  std::vector<std::string> samples;
  for (const Accepted& row : accepted) samples.push_back(row.bytes);
  for (const Refused& row : refused) samples.push_back(row.bytes);
  constexpr char spice[] = {'\r', '\n', ':', ';', ' ', '0', 'a', 'f', ',', '\0', '\xff'};
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = samples[random.below(samples.size())];
    for (std::uint64_t changes = random.below(4); changes > 0; --changes) {
      const std::size_t at = random.below(bytes.size());
      if (random.below(2) == 0) {
        bytes[at] = spice[random.below(sizeof spice)];
      } else {
        bytes.erase(at, random.below(4));
        if (bytes.empty()) bytes = "\r";
      }
    }
    RequestParser parser(bounds);
    std::string waiting;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t piece = 1 + random.below(9);
      waiting += bytes.substr(at, piece);
      at += piece;
      const std::size_t taken = parser.feed(waiting);
      ASSERT_LE(taken, waiting.size()) << "seed " << seed << ", round " << round;
      waiting.erase(0, taken);
      if (parser.state() == ParserState::failed) break;
      if (parser.state() == ParserState::complete) parser.reset();
    }
    if (parser.state() == ParserState::body) {
      EXPECT_LE(parser.request().body.size(), bounds.body_bytes_max) << "round " << round;
    }
  }
}

struct Answer {
  const char* what;
  std::string bytes;
  bool ends;  // the connection ends after the bytes
  std::optional<int> status;
  std::string body;
  bool keep_alive;
};

const Answer answers[] = {
    {"by length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", false, 200, "ok", true},
    {"no reason phrase", "HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n", false, 404, "", true},
    {"chunked", "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", false, 201, "a", true},
    {"until the end", "HTTP/1.1 200 OK\r\n\r\nrest of it", true, 200, "rest of it", false},
    {"no body allowed", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", false, 304, "", true},
    {"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", false, 200, "x", false},
    {"cut in the header", "HTTP/1.1 200 OK\r\nConte", true, std::nullopt, "", false},
    {"cut in the body", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", true, std::nullopt, "", false},
    {"cut in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", true, std::nullopt, "", false},
    {"nothing at all", "", true, std::nullopt, "", false},
    {"another protocol", "SSH-2.0-x\r\n", false, std::nullopt, "", false},
    {"announced too long", "HTTP/1.1 200 OK\r\nContent-Length: 51\r\n\r\n", false, std::nullopt, "", false},
    {"too long until the end", "HTTP/1.1 200 OK\r\n\r\n" + std::string(51, 'x'), true, std::nullopt, "", false},
};

TEST(ResponseParser, ReadsEveryFramingAndFailsWhatIsCut) {
  for (const Answer& row : answers) {
    for (const std::size_t piece : pieces) {
      ResponseParser parser(bounds);
      feed_in_pieces(parser, row.bytes, piece);
      if (row.ends && parser.state() != ParserState::failed) parser.end_of_bytes();
      if (!row.status) {
        EXPECT_EQ(parser.state(), ParserState::failed) << row.what << ", pieces of " << piece;
        continue;
      }
      ASSERT_EQ(parser.state(), ParserState::complete) << row.what << ", pieces of " << piece;
      EXPECT_EQ(parser.response().status, *row.status) << row.what;
      EXPECT_EQ(parser.response().body, row.body) << row.what;
      EXPECT_EQ(parser.keep_alive(), row.keep_alive) << row.what;
    }
  }
}

TEST(ResponseParser, AnswerToHeadHasNoBodyWhateverItsLengthSays) {
  ResponseParser parser(bounds);
  parser.begin(ResponseParser::Body::none);
  const std::string bytes = "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n";
  EXPECT_EQ(parser.feed(bytes + "HTTP"), bytes.size());
  EXPECT_EQ(parser.state(), ParserState::complete);
}

}  // namespace SVC_FILE
}  // namespace svc::api
