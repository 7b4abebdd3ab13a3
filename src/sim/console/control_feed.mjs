// The client of /_svc/stream: what happens in the sandbox, its status, the tickers, and whatever is watched, as they
// come. No page polls. It opens itself again after a cut, and continues behind the last entry that it saw.
import { API_BASE, CONTROL_BASE, Refusal, parseExact, target } from './api.mjs';

const PAUSE_FIRST_MS = 250;
const PAUSE_MOST_MS = 8000;

// Returns an object with
//   status                the latest status, or null before the first: the members of GET /_svc/time, and `flow`,
//                         `switches`, `faults`, `markets` and `started_ms`, of the process
//   connection            {live, since_ms}: whether it is open, and since when that is so (the browser's clock)
//   onStatus(f)           f(status), at once if there is one, and for each that comes
//   onConnection(f)       f(connection), at once and for each change
//   onEntries(f)          f(entries, lost): entries of the timeline, oldest first; `lost` is how many are missing before them
//   onTickers(f)          f({market: ticker}): those that changed; every number in them is a text
//   watch(path, f, {query, failed})              what GET of the control surface answers: f(body), whenever it is another
//   watchAs(address, path, f, {query, failed})   what GET of the API answers; with null of the public; numbers are texts
//                                                failed(refusal), where it is refused
// Each returns the function that ends it.
export function openControlFeed(url = streamUrl(), Socket = WebSocket) {
  const listeners = { status: new Set(), connection: new Set(), entries: new Set(), tickers: new Set() };
  const feed = { status: null, connection: { live: false, since_ms: Date.now() } };
  const watches = new Map();
  let watch_number = 0;
  let socket = null;
  let last = null;
  let pause = PAUSE_FIRST_MS;

  const listen = (kind, listener, first) => {
    listeners[kind].add(listener);
    if (first !== null) listener(first);
    return () => listeners[kind].delete(listener);
  };
  const tell = (kind, ...what) => {
    for (const listener of listeners[kind]) listener(...what);
  };
  const turn = (live) => {
    if (feed.connection.live === live) return;
    feed.connection = { live, since_ms: Date.now() };
    tell('connection', feed.connection);
  };
  const send = (message) => {
    if (socket?.readyState === Socket.OPEN) socket.send(JSON.stringify(message));
  };

  function receive(text) {
    const frame = JSON.parse(text);
    if (frame.type === 'status') {
      const { time, faults, ...others } = frame;
      feed.status = { ...time, ...others, faults: faults.faults };
      tell('status', feed.status);
    } else if (frame.type === 'tickers') {
      tell('tickers', parseExact(text).tickers);
    } else if (frame.type === 'state') {
      const watched = watches.get(frame.watch);
      if (!watched) return;
      if (frame.status !== 200) watched.failed(new Refusal(frame.status, frame.body));
      else watched.f(watched.exact ? parseExact(text).body : frame.body);
    } else if (frame.type === 'gap') {
      tell('entries', [], frame.lost);
    } else if (frame.type === 'timeline' && frame.entries.length > 0) {
      last = frame.entries.at(-1).number;
      tell('entries', frame.entries, 0);
    }
  }

  function open() {
    socket = new Socket(last === null ? url : `${url}?after=${last}`);
    socket.onopen = () => {
      pause = PAUSE_FIRST_MS;
      for (const { message } of watches.values()) send(message);
      turn(true);
    };
    socket.onmessage = (message) => receive(message.data);
    socket.onclose = () => {
      turn(false);
      setTimeout(open, pause * (0.5 + Math.random() / 2));
      pause = Math.min(pause * 2, PAUSE_MOST_MS);
    };
  }
  open();

  function watch(message, exact, f, failed = () => {}) {
    const number = ++watch_number;
    const watched = { message: { watch: number, ...message }, exact, f, failed };
    watches.set(number, watched);
    send(watched.message);
    return () => {
      if (watches.delete(number)) send({ watch: number });
    };
  }

  return Object.assign(feed, {
    onStatus: (listener) => listen('status', listener, feed.status),
    onConnection: (listener) => listen('connection', listener, feed.connection),
    onEntries: (listener) => listen('entries', listener, null),
    onTickers: (listener) => listen('tickers', listener, null),
    watch: (path, f, { query, failed } = {}) => watch({ path: target(CONTROL_BASE, path, query) }, false, f, failed),
    watchAs: (address, path, f, { query, failed } = {}) =>
      watch({ path: target(API_BASE, path, query), ...(address ? { account: address } : {}) }, true, f, failed),
  });
}

function streamUrl() {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${CONTROL_BASE}/stream`;
}
