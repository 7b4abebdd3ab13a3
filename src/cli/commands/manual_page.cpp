#include "cli/commands/manual_page.h"

#include "cli/commands/help.h"

namespace svc::cli {
namespace {

// Pages are part of the source tree: their date is that of their text, not of the build.
constexpr std::string_view manual_date = "2026-11-22";

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

// Nothing of the text is taken for a request or an escape, and a hyphen can be copied as one.
std::string escaped_roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '~') {
      out += "\\(ti";
    } else {
      out += c;
    }
  }
  return out;
}

std::string roff_block(const Block& block, bool first) {
  const std::string text = escaped_roff(block.text);
  switch (block.kind) {
    case Block::Kind::paragraph: return (first ? "" : ".PP\n") + text + "\n";
    case Block::Kind::item:
      return ".TP\n\\fB" + escaped_roff(block.term) + "\\fR\n" + (text.empty() ? "\\&" : text) + "\n";
    case Block::Kind::code: return std::string(first ? "" : ".PP\n") + ".nf\n.RS\n" + text + "\n.RE\n.fi\n";
    case Block::Kind::heading: return ".SS " + text + "\n";
  }
  return {};
}

// Lines that all have the indent.
std::string block_of(std::string_view text, std::size_t indent) {
  return text.empty() ? std::string() : std::string(indent, ' ') + wrapped(text, indent) + "\n";
}

}  // namespace

std::string roff(const ManualPage& page) {
  std::string out = ".TH " + escaped_roff(upper(page.name)) + " " + std::to_string(page.number) + " " +
                    std::string(manual_date) + " \"svc " + std::string(program_version) + "\"\n";
  out += ".SH NAME\n" + escaped_roff(page.name) + " \\- " + escaped_roff(page.summary) + "\n";
  for (const Section& section : page.sections) {
    out += ".SH " + escaped_roff(section.title) + "\n";
    bool first = true;
    for (const Block& block : section.blocks) {
      out += roff_block(block, first);
      first = block.kind == Block::Kind::heading;
    }
  }
  return out;
}

std::string plain_text(const ManualPage& page) {
  std::string out = upper(page.name) + "(" + std::to_string(page.number) + ")\n\nNAME\n";
  out += block_of(page.name + " - " + page.summary, 4);
  for (const Section& section : page.sections) {
    out += "\n" + section.title + "\n";
    for (const Block& block : section.blocks) {
      switch (block.kind) {
        case Block::Kind::paragraph: out += block_of(block.text, 4); break;
        case Block::Kind::item: out += "    " + block.term + "\n" + block_of(block.text, 12); break;
        case Block::Kind::code: out += "        " + block.text + "\n"; break;
        case Block::Kind::heading: out += "\n  " + block.text + "\n"; break;
      }
    }
  }
  return out;
}

ManualPage networks_page() {
  return {
      .name = "svc-networks",
      .number = 7,
      .summary = "which exchange a command talks to",
      .sections = {
          {"DESCRIPTION",
           {paragraph(
                "There is no default network. It is named by -n, by the variable SVC_NETWORK, or by a profile that "
                "was chosen with -P, SVC_PROFILE or svc profile use. Nothing else implies one, and no host is ever "
                "built from a name."),
            item("local",
                 "the sandbox on this machine: SVC_LOCAL_URL, else what svc network add local said, else the one "
                 "running sandbox of this user, else http://localhost:9090"),
            item("testnet", "play funds, at the address given by svc network add testnet --rest URL"),
            item("mainnet", "real funds, at the address given in the same way; until then commands end with exit 10"),
            item("any other name", "one that was added; its funds count as real unless --funds play was said")}},
          {"REAL FUNDS",
           {paragraph(
                "A write on real funds needs -n on the command line; the environment and profiles are enough for "
                "reads only. It also needs a confirmation: the name of the network typed at a prompt, or --confirm "
                "NETWORK in scripts. --yes is not enough. Cancels and orders that only reduce need no confirmation: "
                "the way out is never blocked."),
            paragraph("Credentials are filed per network and never read across. Keys that everybody knows are refused "
                      "everywhere but on local.")}},
          {"IDENTITY",
           {paragraph(
               "Before the first signed request the server is asked which network it is, under which domain "
               "signatures are made, and what time it has. Nothing is signed for a server that says it is another "
               "network, whose domain is not known, or whose clock is more than 25 seconds away.")}},
          {"EXAMPLES", {code("svc network list"), code("svc network add testnet --rest https://HOST/v1 --funds play")}},
          {"SEE ALSO", {paragraph("svc(1), svc-network(1), svc-exit-codes(7)")}}}};
}

ManualPage sandbox_page() {
  return {
      .name = "svc-sandbox",
      .number = 7,
      .summary = "the exchange on this machine",
      .sections = {
          {"DESCRIPTION",
           {paragraph(
                "svc serve --local is the exchange itself: authentication, signed actions, rate limits, matching, "
                "margin, funding and liquidation, in one process, without account, network or container. Clients "
                "in any language talk to it as they talk to the real one."),
            paragraph("It prints one line of JSON when it is ready. With --port 0 the system chooses the port; "
                      "--ready-file and --ready-fd hand the line to a script, so nobody has to wait and guess.")}},
          {"TIME AND CHANCE",
           {paragraph(
               "With --clock manual time stands still until svc local time advance moves it, and funding, expiry "
               "and every other timer move with it. With the same --seed and the same requests the sandbox gives "
               "the same ids, prices and fills.")}},
          {"FAILURE ON DEMAND",
           {paragraph("svc local fault add makes chosen requests fail: with a status and a code, late, or with the "
                      "answer dropped after the request was done. svc local halt, price, settle and freeze make the "
                      "market do what a test needs. svc local requests shows what came in and why it was refused.")}},
          {"STATE",
           {paragraph(
               "svc local snapshot and revert keep the whole state under a name; dump and load move it to a file "
               "and back. With --state DIR it survives a restart and a power cut.")}},
          {"EXAMPLES",
           {code("svc serve --local --port 0 --ready-file /tmp/ready"), code("svc local time advance 8h"),
            code("svc local fault add --route '/orders*' --status 503 --count 1"),
            code("svc local scenario run story.json")}},
          {"SEE ALSO", {paragraph("svc(1), svc-serve(1), svc-local(1), svc-networks(7)")}}}};
}

}  // namespace svc::cli
