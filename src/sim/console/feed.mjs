// Market data, and the channels of one account, as they come. Nothing is polled.
//
// /stream carries trades, books and halts, and needs no token. Mark and index prices and an account's own channels are
// on /ws, opened with a token that the sandbox mints for the development account. Tickers that do not come that way,
// because there is no account or there are too many markets, are read again when a book has changed, and never more
// often than TICKER_PAUSE_MS.
import { parseExact } from './api.mjs';

const PAUSE_FIRST_MS = 250;
const PAUSE_MOST_MS = 8000;
const SILENCE_MS = 4000; // then the stream is asked whether it is there
const ANSWER_MS = 4000; // and this long it may take to say so
const OPENING_MS = 8000;
const TICKER_PAUSE_MS = 1000;
// Of the 50 subscriptions that an account may have over all its connections, and of a burst of 20 frames.
const TICKER_CHANNELS = 12;
const KEPT_TRADES = 200;
const KEPT_MARKS = 7200;
const ACCOUNT_CHANNELS = ['orders', 'fills', 'positions', 'balances', 'liquidations'];

// Returns an object with
//   connection         {live, since_ms, missing}: whether everything comes that should, since when that is so (the
//                      browser's clock), and what is missing, in words
//   books, tickers     by market, the newest of each; amounts are texts
//                      book: {bids, asks, sequence} of {price, quantity, orders}, best first
//   trades(market)     the latest, newest first
//   marks(market)      [{at_ms, mark, index}], oldest first, what came since the page was opened, at most one a second
//   halts              by market, {reason, at_ms}
//   begun              whether there was a first `resync`: before it nothing need be read, for it will come
//   follow(address)    the account whose channels come along, or null
//   watch(market)      the market that is looked at: its ticker comes along whatever the number of markets
//   on(kind, f)        listens; returns the function that ends it. Kinds:
//     connection       f(connection), at once too
//     book, ticker     f(market, it)
//     trade            f(market, trade)
//     halt             f(market, {reason, at_ms} or null)
//     resync           f(): something may have been missed, or is seen for the first time: read by REST what must not
//                      be lost
//     account          f(channel, payload, snapshot): an event of the account that is followed
//     account_resync   f(): the account's events have a gap before what follows, or begin
//   close()
export function openFeed({ api, markets, Socket = WebSocket, base = streamBase() }) {
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
  const told = new Set(); // markets whose tickers come on /ws
  let account = null;
  let watched = null;
  let closed = false;

  const tell = (kind, ...what) => {
    for (const listener of listeners.get(kind)) listener(...what);
  };

  function judge() {
    const missing = [];
    if (!market_line.live) missing.push('market data');
    if (account_line !== null && !account_line.live) missing.push('events of the account');
    const { live, since_ms, missing: before } = feed.connection;
    if (live === (missing.length === 0) && missing.join() === before.join()) return;
    const turned = live !== (missing.length === 0);
    feed.connection = { live: missing.length === 0, since_ms: turned ? Date.now() : since_ms, missing };
    tell('connection', feed.connection);
  }

  function keepTicker(market, ticker) {
    const before = feed.tickers.get(market);
    if (before && Number(before.timestamp) > Number(ticker.timestamp)) return;
    feed.tickers.set(market, ticker);
    if (ticker.markPrice !== null) {
      const kept = marks.get(market) ?? [];
      const at_ms = Math.floor(Number(ticker.timestamp) / 1000) * 1000;
      const mark = { at_ms, mark: ticker.markPrice, index: ticker.indexPrice };
      while (kept.length > 0 && kept.at(-1).at_ms > at_ms) kept.pop(); // time went back: a snapshot was restored
      if (kept.length > 0 && kept.at(-1).at_ms === at_ms) kept[kept.length - 1] = mark;
      else kept.push(mark);
      if (kept.length > KEPT_MARKS) kept.splice(0, kept.length - KEPT_MARKS);
      marks.set(market, kept);
    }
    tell('ticker', market, ticker);
  }

  // Tickers by REST: the first ones, and those of a page that only looks.
  let reading_tickers = false;
  let tickers_read_ms = 0;
  async function readTickers() {
    if (reading_tickers || closed) return;
    reading_tickers = true;
    tickers_read_ms = Date.now();
    try {
      for (const [market, ticker] of Object.entries(await api.get('/tickers'))) keepTicker(market, ticker);
    } catch {
      // The streams say that the sandbox is away; there is nothing to add.
    }
    reading_tickers = false;
  }

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
      if (!(account_line?.live && told.has(market)) && Date.now() - tickers_read_ms >= TICKER_PAUSE_MS) readTickers();
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
    feed.tickers.clear();
    readTickers();
    tell('resync');
  }

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
    const subscribe = (socket, channel, market) => socket.send(JSON.stringify({ op: 'subscribe', channel, market }));
    const watch = (socket) => {
      if (watched === null || told.has(watched)) return;
      told.add(watched);
      subscribe(socket, 'ticker', watched);
    };

    return line({
      async open() {
        const { token } = await api.asAccount(address, 'POST', '/ws/token');
        return new Socket(`${base}/ws?token=${token}`);
      },
      greet(socket) {
        last.clear();
        for (const channel of ACCOUNT_CHANNELS) subscribe(socket, channel);
        told.clear();
        for (const { market_id } of markets.slice(0, TICKER_CHANNELS)) {
          told.add(market_id);
          subscribe(socket, 'ticker', market_id);
        }
        watch(socket);
        tell('account_resync');
      },
      receive(frame, socket) {
        if (frame.op === 'subscribed' && ACCOUNT_CHANNELS.includes(frame.channel)) {
          last.set(frame.channel, Number(frame.seq_at_join));
        } else if (frame.op === 'event' && frame.channel === 'ticker') {
          keepTicker(frame.market, frame.payload);
        } else if (frame.op === 'event') {
          const number = Number(frame.seq);
          const before = last.get(frame.channel);
          if (!frame.snapshot) {
            if (number <= before) return; // told twice
            if (number > before + 1) tell('account_resync');
            last.set(frame.channel, number);
          }
          tell('account', frame.channel, frame.payload, Boolean(frame.snapshot));
        } else if (frame.op === 'out_of_sync') {
          subscribe(socket, frame.channel, frame.market ?? undefined);
          if (frame.channel !== 'ticker') tell('account_resync');
        }
      },
      changed: watch,
      judge,
      Socket,
    });
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

    follow(address) {
      if (address === account) return;
      account = address;
      account_line?.close();
      account_line = address === null ? null : lineOf(address);
      judge();
    },

    watch(market) {
      watched = market;
      account_line?.change();
    },

    on(kind, listener) {
      listeners.get(kind).add(listener);
      if (kind === 'connection') listener(feed.connection);
      return () => listeners.get(kind).delete(listener);
    },

    close() {
      closed = true;
      market_line.close();
      account_line?.close();
    },
  });
}

// One WebSocket that is opened again after a cut, with pauses that double. A silent one is asked with `sync` and given
// up when it does not answer: a stopped clock is silent, and so is a dead connection.
function line({ open, greet, receive, changed = () => {}, judge, Socket }) {
  const self = { live: false, close, change: () => self.live && changed(socket) };
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
