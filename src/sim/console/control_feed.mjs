// The client of /_svc/stream: what happens in the sandbox, and its status, as they come. No page polls.
// It opens itself again after a cut, and continues behind the last entry that it saw.

const PAUSE_FIRST_MS = 250;
const PAUSE_MOST_MS = 8000;

// Returns an object with
//   status                the latest status, or null before the first: the members of GET /_svc/time, and `flow`,
//                         `switches`, `faults` and `markets`
//   connection            {live, since_ms}: whether it is open, and since when that is so (the browser's clock)
//   onStatus(f)           f(status), at once if there is one, and for each that comes
//   onConnection(f)       f(connection), at once and for each change
//   onEntries(f)          f(entries, lost): entries of the timeline, oldest first; `lost` is how many are missing before them
//   close()
// Each on... returns the function that ends it.
export function openControlFeed(url = streamUrl(), Socket = WebSocket) {
  const listeners = { status: new Set(), connection: new Set(), entries: new Set() };
  const feed = { status: null, connection: { live: false, since_ms: Date.now() } };
  let socket = null;
  let last = null;
  let pause = PAUSE_FIRST_MS;
  let timer = null;
  let closed = false;

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

  function receive(frame) {
    if (frame.type === 'status') {
      const { time, flow, switches, faults, markets } = frame;
      feed.status = { ...time, flow, switches, faults: faults.faults, markets };
      tell('status', feed.status);
    } else if (frame.type === 'gap') {
      tell('entries', [], frame.lost);
    } else if (frame.type === 'timeline' && frame.entries.length > 0) {
      last = frame.entries.at(-1).number;
      tell('entries', frame.entries, 0);
    }
  }

  function open() {
    timer = null;
    socket = new Socket(last === null ? url : `${url}?after=${last}`);
    socket.onopen = () => {
      pause = PAUSE_FIRST_MS;
      turn(true);
    };
    socket.onmessage = (message) => receive(JSON.parse(message.data));
    socket.onclose = () => {
      turn(false);
      if (closed) return;
      timer = setTimeout(open, pause * (0.5 + Math.random() / 2));
      pause = Math.min(pause * 2, PAUSE_MOST_MS);
    };
  }
  open();

  return Object.assign(feed, {
    onStatus: (listener) => listen('status', listener, feed.status),
    onConnection: (listener) => listen('connection', listener, feed.connection),
    onEntries: (listener) => listen('entries', listener, null),
    close() {
      closed = true;
      clearTimeout(timer);
      socket.close();
    },
  });
}

function streamUrl() {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/_svc/stream`;
}
