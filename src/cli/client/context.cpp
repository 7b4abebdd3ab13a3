#include "cli/client/context.h"

#include "api/http/dialler.h"
#include "cli/client/client_id.h"
#include "cli/store/kept_document.h"

namespace svc::cli {

Context::Context(Environment& environment, Globals globals, CommandLine line, const EntryPoints& entry_points,
                 ShellSession* shell_session)
    : environment_(environment),
      globals_(std::move(globals)),
      line_(std::move(line)),
      entry_points_(entry_points),
      shell_session_(shell_session) {
  facts_.schema = line_.schema;
  facts_.network = globals_.network;
}

void Context::adopt(Paths paths, Config config) {
  paths_ = std::move(paths);
  config_ = std::move(config);
  for (const std::string& warning : config_->warnings) notice("config", warning);
}

Result<const Paths*> Context::paths() {
  if (!paths_) {
    paths_ = SVC_TRY(find_paths(environment_, globals_.config_file));
  }
  return &*paths_;
}

Result<const Config*> Context::config() {
  if (!config_) {
    const auto files = SVC_TRY(paths());
    auto loaded = SVC_TRY(load_config(*files));
    adopt(*files, std::move(loaded));
  }
  return &*config_;
}

Result<NetworkName> Context::network_name() {
  const auto& named = globals_.network ? globals_.network : preferred_network_;
  // A shell stays on its network, whatever profile is chosen meanwhile.
  if (const Pinned* kept = pinned(); kept != nullptr && !named) {
    facts_.network = kept->network.name;
    return NetworkName{kept->network.name, kept->network.by};
  }
  auto name = choose_network(named, environment_, profile_network_);
  if (name) facts_.network = name->text;
  return name;
}

Result<Context::NetworkFiles> Context::network_files() {
  auto name = SVC_TRY(network_name());
  const auto files = SVC_TRY(paths());
  return NetworkFiles{.network = std::move(name), .paths = files};
}

Result<const Network*> Context::network() {
  if (!network_) {
    const auto name = SVC_TRY(network_name());
    const auto known = SVC_TRY(config());
    const Pinned* kept = pinned();
    const bool again = kept != nullptr && kept->network.name == name.text;
    network_ = SVC_TRY(again ? find_again(kept->network, *known, *paths_, environment_)
                             : find_network(name, *known, *paths_, environment_));
    if (is_run_) say_done_on_signal();  // with the network
  }
  return &*network_;
}

bool Context::is_typed(std::string_view setting) const {
  return std::ranges::any_of(settings_, [&](const Explained& one) { return one.key == setting && one.is_typed(); });
}

bool Context::leave_stored_format(std::string_view why) {
  const auto stored = std::ranges::find(settings_, "output", &Explained::key);
  if (!globals_.format || stored == settings_.end() || stored->layers.empty() || stored->is_typed()) return false;
  const Layer& layer = stored->layers.front();
  notice("setting", concat(layer.place, ": output = ", layer.value, "; not used, because ", why));
  globals_.format.reset();
  presentation_.format = environment_.out_is_terminal ? Format::table : Format::tsv;
  return true;
}

Result<void> Context::take_input(std::string_view what) {
  // If another reader took the password, it would be sent or filed. The second text is that of read_password().
  if (globals_.password_fd == 0u)
    input_reader_ = "the password of --password-fd";
  else if (globals_.password_file == "-")
    input_reader_ = "the file of --password-file";
  if (input_reader_.empty()) input_reader_ = what;
  if (input_reader_ != what) return usage_error("standard input cannot be both ", input_reader_, " and ", what);
  return {};
}

Result<std::string> Context::read_given_or_input(const std::string& file, std::string_view what, std::size_t bytes_max,
                                                 LooseMode mode, PipePatience patience_ms) {
  if (file != "-") return read_given(file, what, bytes_max, mode, patience_ms);
  SVC_TRY(take_input(what));
  // Files that nobody else may read hold secrets. What is typed must not be seen either. (D-1127)
  if (mode == LooseMode::refuse && environment_.in_is_terminal) {
    const std::string prompt = concat("type the line that ", what, " would hold (not shown): ");
    if (const auto typed = may_ask() ? environment_.ask(prompt, Echo::hidden) : std::nullopt)
      return std::string(typed->reveal());
    return failed("input_required", what, " is needed, and nobody typed it");
  }
  if (patience_ms && !environment_.has_input(*patience_ms))
    return usage_error("cannot read ", what, " from standard input: nothing comes");
  auto text = environment_.read_input(bytes_max);
  if (text) return std::move(*text);
  return usage_error("cannot read ", what, " from standard input: ", text.error());
}

Route Context::route_to(std::string origin, std::int64_t timeout_ms) {
  const bool is_wanted = globals_.proxy && *globals_.proxy != "none" && is_typed("proxy");
  if (const auto url = api::parse_url(origin); url && is_wanted) {
    const auto chosen = api::choose_proxy(*url, globals_.proxy, {});
    if (chosen && !*chosen)
      notice("proxy_passed_over", "--proxy names another machine, and is not used for addresses of this one",
             Frequency::once_per_shell);
  }
  return {.origin = std::move(origin), .timeout_ms = timeout_ms, .proxy = globals_.proxy, .ca = globals_.ca};
}

void Context::notice(std::string code, std::string message, Frequency frequency) {
  const auto is_it = [&](const Warning& one) { return one.code == code && one.message == message; };
  if (std::ranges::any_of(facts_.warnings, is_it)) return;
  bool is_news = frequency != Frequency::documents_only;
  if (frequency == Frequency::once_per_shell || frequency == Frequency::once_per_day) {
    if (shell_session_ != nullptr) {
      is_news = shell_session_->told.insert(code + message).second;
    } else if (frequency == Frequency::once_per_day) {
      is_news = first_today(message);
    }
  }
  if (is_news) say("note: " + message);
  facts_.warnings.push_back({std::move(code), std::move(message)});
}

void Context::notices(const std::vector<Failure>& failures) {
  for (const Failure& failure : failures) notice(failure.code, failure.message);
}

bool Context::first_today(const std::string& message) {
  const auto network = network_name();
  const auto files = paths();
  if (!network || !files || globals_.quiet) return true;
  const KeptDocument file((*files)->told(network->text), 2);
  const Json known = file.read_if_usable();
  Json told = Json::array();  // of the last 24 hours
  for (const Json& row : known.items_at("told")) {
    const auto at_ms = row.integer_at("at_ms");
    if (!at_ms || *at_ms > now_ms() || now_ms() - *at_ms >= day_ms) continue;
    if (row.string_at("message") == std::string_view(message)) return false;
    told.push(row);
  }
  constexpr std::size_t told_max = 50;  // more than that are shown every time
  if (told.items().size() == told_max) return true;
  told.push(Json::object({{"message", message}, {"at_ms", now_ms()}}));
  // If it cannot be recorded, the notice is shown again next time.
  static_cast<void>(file.write(Json::object({{"told", std::move(told)}})));
  return true;
}

void Context::say(std::string_view line, std::string_view color) {
  if (!globals_.quiet) environment_.err(concat(color, escaped(line, "\n\t"), color.empty() ? "\n" : "\x1b[0m\n"));
}

SignalMessages Context::words_on_signal(Failure failure) const {
  const auto print = [&](ExitCode exit, std::string_view begin, std::string& err, std::string& out) {
    failure.exit = exit;
    failure.code = meaning_of(exit).category;
    // A run that did nothing prints no text, only the document.
    if (!failure.actions.empty()) err = concat(begin, render_failure(failure));
    if (presentation_.filter != nullptr) return;
    const Format format = presentation_.format;
    if (format == Format::ndjson || (format == Format::json && !presentation_.more_follow))
      out = render_document({.failure = failure}, facts_, format);
  };
  SignalMessages words;
  print(ExitCode::interrupted, "\n", words.interrupted_err, words.interrupted_out);
  print(ExitCode::terminated, "", words.terminated_err, words.terminated_out);
  return words;
}

void Context::begin_run() {
  if (environment_.signals_are_taken || shell_session_ != nullptr) return;
  is_run_ = true;
  say_done_on_signal();
}

void Context::end_run() {
  is_run_ = false;
  if (answered_writes_ == 0 || on_signal_ == nullptr) return on_signal_.reset();
  Failure failure{.message = "stopped by a signal"};
  tell_answered(failure);
  SignalMessages words = words_on_signal(std::move(failure));
  words.interrupted_out.clear();
  words.terminated_out.clear();
  on_signal_->replace(std::move(words));
}

void Context::say_on_signal(Failure failure) {
  if (environment_.signals_are_taken) return;
  SignalMessages words = words_on_signal(std::move(failure));
  if (on_signal_ != nullptr)
    on_signal_->replace(std::move(words));
  else
    on_signal_ = environment_.print_on_signal(std::move(words));
}

void Context::say_done_on_signal() {
  if (!is_run_) return on_signal_.reset();
  Failure failure{.message = "stopped by a signal"};
  tell_answered(failure);
  say_on_signal(std::move(failure));
}

void Context::tell_answered(Failure& failure) {
  if (answered_writes_ == 0) return;
  failure.message += "; before that, ";
  failure.message += answered_orders_ > 1    ? concat(answered_orders_, " orders were sent and answered")
                     : answered_writes_ == 1 ? last_answered_ + " was accepted"
                                             : concat(answered_writes_, " writes were answered");
  failure.actions.push_back(
      command_line(*this, answered_writes_ == 1 ? "journal show " + last_answered_id_ : "journal list"));
}

void Context::note_answered(std::string_view what, const std::string& id, std::size_t orders) {
  ++answered_writes_;
  answered_orders_ += orders;
  last_answered_ = what;
  last_answered_id_ = id;
  say_done_on_signal();
}

}  // namespace svc::cli
