// Market data, and the channels of one account, as they come. Nothing is polled.
//
// /stream carries trades, books and halts, and needs no token. An account's own channels are on /ws, opened with a token
// that the sandbox mints for the development account. Tickers come over the control surface's own stream, because /stream
// has none, and what /ws carries is counted for the account.
import { parseExact } from './api.mjs';

const PAUSE_FIRST_MS = 250;
const PAUSE_MOST_MS = 8000;
const SILENCE_MS = 4000; // then the stream is asked whether it is there
const ANSWER_MS = 4000; // and this long it may take to say so
const OPENING_MS = 8000;
const KEPT_TRADES = 200;
const KEPT_MARKS = 7200;
const ACCOUNT_CHANNELS = ['orders', 'fills', 'liquidations'];
// Of the timeline: codes by which the exchange refuses streams, and what somebody can do about it.
const CEILINGS = {
  ws_conn_limit_exceeded: 'the exchange allows no more connections of this address or account',
  subscription_limit_exceeded: 'the exchange allows no more subscriptions of this account',
};
const CURE = 'close another tab or client, or start the sandbox with --limits off';

// Returns an object with
//   connection         {live, since_ms, missing}: whether everything comes that should, since when that is so (the
//                      browser's clock), and what is missing, in words
//   books, tickers     by market, the newest of each; amounts are texts
//                      book: {bids, asks, sequence} of {price, quantity, orders}, best first
//   trades(market)     the latest, newest first
//   marks(market)      [{at_ms, mark, index}], oldest first, at most one a second
//   mergeMarks(market, rows)     adds those that were read, from before the first that came
//   halts              by market, {reason, at_ms}
//   begun              whether there was a first `resync`: before it nothing need be read, for it will come
//   follow(address)    the account whose channels come along, or null
//   on(kind, f)        listens; returns the function that ends it. Kinds:
//     connection       f(connection), at once too
//     book, ticker     f(market, it)
//     trade            f(market, trade)
//     halt             f(market, {reason, at_ms} or null)
//     resync           f(): something may have been missed, or is seen for the first time: read by REST what must not
//                      be lost
//     account          f(channel, payload): an event of the account that is followed
//     account_resync   f(): the account's events have a gap before what follows, or begin
export function openFeed({ api, control, Socket = WebSocket, base = streamBase() }) {
  const listeners = new Map(
    ['connection', 'book', 'ticker', 'trade', 'halt', 'resync', 'account', 'account_resync'].map((kind) => [
      kind,
      new Set(),
    ]),
  );
  const feed = {
    connection: { live: false, since_ms: Date.now(), missing: [] },
    books: new Map(),
    tickers: new Map(),
    halts: new Map(),
    begun: false,
  };
  const trades = new Map();
  const marks = new Map();
  let account = null;

  const tell = (kind, ...what) => {
    for (const listener of listeners.get(kind)) listener(...what);
  };

  function judge() {
    const missing = [];
    const name = (what, { refused }) => missing.push(refused ? `${what} (${CEILINGS[refused] ?? refused}: ${CURE})` : what);
    if (!market_line.live) name('market data', market_line);
    if (account_line !== null && (!account_line.live || account_line.refused)) name('events of the account', account_line);
    const { live, since_ms, missing: before } = feed.connection;
    if (live === (missing.length === 0) && missing.join() === before.join()) return;
    const turned = live !== (missing.length === 0);
    feed.connection = { live: missing.length === 0, since_ms: turned ? Date.now() : since_ms, missing };
    tell('connection', feed.connection);
  }

  function keepTicker(market, ticker) {
    feed.tickers.set(market, ticker);
    if (ticker.markPrice !== null) {
      const kept = marks.get(market) ?? [];
      const at_ms = Math.floor(Number(ticker.timestamp) / 1000) * 1000;
      const mark = { at_ms, mark: ticker.markPrice, index: ticker.indexPrice };
      while (kept.length > 0 && kept.at(-1).at_ms >= at_ms) kept.pop(); // time goes back when a snapshot is restored
      kept.push(mark);
      if (kept.length > KEPT_MARKS) kept.splice(0, kept.length - KEPT_MARKS);
      marks.set(market, kept);
    }
    tell('ticker', market, ticker);
  }
  control.onTickers((tickers) => {
    for (const [market, ticker] of Object.entries(tickers)) keepTicker(market, ticker);
  });

  function keepTrade(market, trade) {
    const kept = trades.get(market) ?? [];
    if (kept.some((other) => other.id === trade.id)) return;
    const at = kept.findIndex((other) => other.id < trade.id); // nearly always 0: a late one goes to its place
    kept.splice(at < 0 ? kept.length : at, 0, trade);
    if (kept.length > KEPT_TRADES) kept.length = KEPT_TRADES;
    trades.set(market, kept);
    tell('trade', market, trade);
  }

  function receiveMarket(frame) {
    const market = frame.market_id;
    if (frame.type === 'BookUpdate') {
      const side = (levels) =>
        levels.map(({ price, quantity, order_count }) => ({ price, quantity, orders: Number(order_count) }));
      const book = { bids: side(frame.book.bids), asks: side(frame.book.asks), sequence: Number(frame.book.sequence) };
      feed.books.set(market, book);
      tell('book', market, book);
    } else if (frame.type === 'Trade') {
      keepTrade(market, frame.trade);
    } else if (frame.type === 'MarketHalted' || frame.type === 'MarketResumed') {
      const halt = frame.type === 'MarketHalted' ? { reason: frame.reason, at_ms: Number(frame.timestamp) } : null;
      if (halt) feed.halts.set(market, halt);
      else feed.halts.delete(market);
      tell('halt', market, halt);
    } else if (frame.type === 'gap') {
      beginAgain();
    }
  }

  // After a cut, and when a snapshot was restored: what was heard may never have happened.
  function beginAgain() {
    feed.begun = true;
    trades.clear();
    tell('resync');
  }

  // A browser is not told why its connection was refused. The timeline tells it.
  control.onEntries((entries) => {
    for (const { code, operation } of entries) {
      const refused = { public_stream: market_line, account_stream: account_line }[operation];
      if (!refused || refused.live || !(code in CEILINGS)) continue;
      refused.refused = code;
      judge();
    }
  });

  const market_line = line({
    open: () => new Socket(`${base}/stream`),
    greet(socket) {
      feed.halts.clear(); // the stream begins with those that are
      socket.send(JSON.stringify({ subscribe: ['trades:*', 'book:*', 'market_status:*'] }));
      beginAgain();
    },
    receive: receiveMarket,
    judge,
    Socket,
  });

  let account_line = null;

  // An account's line counts its sequences anew with each connection.
  function lineOf(address) {
    const last = new Map();
    const subscribe = (socket, channel) => socket.send(JSON.stringify({ op: 'subscribe', channel }));

    const self = line({
      async open() {
        const { token } = await api.asAccount(address, 'POST', '/ws/token');
        return new Socket(`${base}/ws?token=${token}`);
      },
      greet(socket) {
        last.clear();
        for (const channel of ACCOUNT_CHANNELS) subscribe(socket, channel);
        tell('account_resync');
      },
      receive(frame, socket) {
        if (frame.op === 'subscribed') {
          last.set(frame.channel, Number(frame.seq_at_join));
        } else if (frame.op === 'error') {
          self.refused = frame.code;
          judge();
        } else if (frame.op === 'event') {
          const number = Number(frame.seq);
          const before = last.get(frame.channel);
          if (number <= before) return; // told twice
          if (number > before + 1) tell('account_resync');
          last.set(frame.channel, number);
          tell('account', frame.channel, frame.payload);
        } else if (frame.op === 'out_of_sync') {
          subscribe(socket, frame.channel);
          tell('account_resync');
        }
      },
      judge,
      Socket,
    });
    return self;
  }

  return Object.assign(feed, {
    trades: (market) => trades.get(market) ?? [],
    marks: (market) => marks.get(market) ?? [],

    // Trades that were read by REST, newest first: those that the stream has told already stay as they are.
    mergeTrades(market, read) {
      const known = new Map((trades.get(market) ?? []).map((trade) => [trade.id, trade]));
      for (const trade of read) known.set(trade.id, trade);
      const merged = [...known.values()].sort((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0));
      trades.set(market, merged.slice(0, KEPT_TRADES));
    },

    mergeMarks(market, rows) {
      const came = marks.get(market) ?? [];
      const before = rows.filter(({ at_ms }) => came.length === 0 || at_ms < came[0].at_ms);
      marks.set(market, [...before, ...came].slice(-KEPT_MARKS));
    },

    follow(address) {
      if (address === account) return;
      account = address;
      account_line?.close();
      account_line = address === null ? null : lineOf(address);
      judge();
    },

    on(kind, listener) {
      listeners.get(kind).add(listener);
      if (kind === 'connection') listener(feed.connection);
      return () => listeners.get(kind).delete(listener);
    },
  });
}

// One WebSocket that is opened again after a cut, with pauses that double. A silent one is asked with `sync` and given
// up when it does not answer: a stopped clock is silent, and so is a dead connection.
// `refused` is the code with which the exchange refused it since it was last opened, or null.
function line({ open, greet, receive, judge, Socket }) {
  const self = { live: false, refused: null, close };
  let socket = null;
  let pause = PAUSE_FIRST_MS;
  let timer = null;
  let ended = false;

  function turn(live) {
    if (self.live === live || ended) return;
    self.live = live;
    judge();
  }

  function again() {
    if (ended) return;
    turn(false);
    clearTimeout(timer);
    timer = setTimeout(begin, pause * (0.5 + Math.random() / 2));
    pause = Math.min(pause * 2, PAUSE_MOST_MS);
  }

  function drop() {
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
    socket = null;
  }

  function ask() {
    if (socket?.readyState !== Socket.OPEN) return;
    socket.send('{"op":"sync"}');
    timer = setTimeout(() => {
      drop();
      again();
    }, ANSWER_MS);
  }

  // Frames may come a hundred times a second: the timer is looked at only when it runs out.
  let heard_ms = 0;
  function listen() {
    clearTimeout(timer);
    const rest = heard_ms + SILENCE_MS - Date.now();
    if (rest <= 0) ask();
    else timer = setTimeout(listen, rest);
  }

  async function begin() {
    let opened;
    try {
      opened = await open();
    } catch {
      again();
      return;
    }
    if (ended) {
      opened.close();
      return;
    }
    socket = opened;
    timer = setTimeout(() => {
      drop();
      again();
    }, OPENING_MS);
    socket.onopen = () => {
      pause = PAUSE_FIRST_MS;
      heard_ms = Date.now();
      self.refused = null;
      greet(socket);
      turn(true);
      listen();
    };
    socket.onmessage = (message) => {
      const asked = heard_ms + SILENCE_MS <= Date.now();
      heard_ms = Date.now();
      receive(parseExact(message.data), socket);
      if (asked) listen();
    };
    socket.onclose = () => {
      socket = null;
      again();
    };
  }

  function close() {
    ended = true;
    clearTimeout(timer);
    drop();
  }

  // After openFeed() has returned what `judge` and `greet` need.
  queueMicrotask(begin);
  return self;
}

function streamBase() {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/v1`;
}
