// One market: its figures, candles, ladder, depth, trades and funding.
import { patientReader } from './api.mjs';
import { depth } from './depth.mjs';
import { el, setText } from './elements.mjs';
import { compare, fixed, grouped, placesOf, ratePercent, short, time } from './format.mjs';
import { onFrame } from './frame.mjs';
import { LADDER_KEYS, ladder } from './ladder.mjs';
import { openOrders } from './orders.mjs';

const TAPE_ROWS = 60;
const FUNDING_ROWS = 24;
const HOUR_MS = 3_600_000;
let interval = '1m'; // of the candles, for as long as the page is open

export function view(root, [market_id], context) {
  const { api, control, feed, store } = context;
  const market = store.market(market_id);
  const price_places = placesOf(market.tick_size);
  const lot_places = placesOf(market.lot_size);
  let closed = false;
  let candles = null;
  context.keys(LADDER_KEYS);

  // --- figures ------------------------------------------------------------------------------------------------------

  const figures = {};
  const figure = (name, title, hint = '') => {
    figures[name] = el('dd', {}, '–');
    return el('div', { title: hint }, el('dt', {}, title), figures[name]);
  };
  const halted = el('span.badge.warn', { hidden: true });
  const head = el(
    'dl.figures.live',
    {},
    figure('mark', 'Mark'),
    figure('index', 'Index'),
    figure('last', 'Last'),
    figure('high', 'High', 'Of 24 hours'),
    figure('low', 'Low', 'Of 24 hours'),
    figure('volume', 'Volume', 'USDX of 24 hours'),
    figure('funding', 'Funding', 'The last settled rate of an hour, and the time to the next'),
  );
  let settled = [];
  let samples = [];

  function drawFigures() {
    const ticker = feed.tickers.get(market_id);
    if (ticker) {
      const price = (text) => (text === null ? '–' : grouped(text, price_places));
      setText(figures.mark, price(ticker.markPrice));
      setText(figures.index, price(ticker.indexPrice));
      setText(figures.last, price(ticker.last));
      setText(figures.high, price(ticker.high));
      setText(figures.low, price(ticker.low));
      setText(figures.volume, ticker.quoteVolume === null ? '–' : short(ticker.quoteVolume));
    }
    const halt = feed.halts.get(market_id);
    halted.hidden = !halt;
    if (halt) setText(halted, `halted: ${halt.reason}`);
  }

  function drawCountdown() {
    const left = HOUR_MS - (store.now() % HOUR_MS);
    const rate = settled[0] ? `${ratePercent(settled[0].funding_rate)} · ` : '';
    setText(figures.funding, `${rate}${time(left).slice(3)}`);
  }

  // --- trades -------------------------------------------------------------------------------------------------------

  const tape = el('div.tape');
  const tape_rows = [];
  const tape_head = el(
    'div.tape-row.head',
    {},
    el('span', {}, 'Time'),
    el('span', {}, 'Price'),
    el('span', {}, `Size, ${market.base_asset}`),
  );
  const tape_box = el(
    'div.scroll.live',
    { tabindex: '0', role: 'region', 'aria-label': 'Trades as they come' },
    tape_head,
    tape,
  );

  function tapeRow() {
    const cells = { at: el('span'), price: el('span'), size: el('span') };
    const line = el('div.tape-row', {}, cells.at, cells.price, cells.size);
    return { ...cells, line };
  }

  // A new trade takes the row of the oldest and goes to the top: the rows between are not touched.
  let tape_first = null;
  function drawTape() {
    const trades = feed.trades(market_id).slice(0, TAPE_ROWS);
    if (trades.length === 0 || trades[0].id === tape_first) return;
    let fresh = trades.findIndex(({ id }) => id === tape_first);
    if (fresh < 0) fresh = trades.length;
    for (const trade of trades.slice(0, fresh).reverse()) {
      const row = tape_rows.length < TAPE_ROWS ? tapeRow() : tape_rows.pop();
      tape_rows.unshift(row);
      setText(row.at, time(trade.timestamp));
      setText(row.price, grouped(trade.price, price_places));
      setText(row.size, fixed(trade.amount, lot_places));
      row.price.className = trade.side === 'buy' ? 'up' : 'down';
      row.line.classList.toggle('liquidation', trade.is_liquidation);
      row.line.title = `${trade.side === 'buy' ? 'Bought' : 'Sold'} by the taker${trade.is_liquidation ? ', a liquidation' : ''}`;
      tape.prepend(row.line);
    }
    tape_first = trades[0].id;
  }

  const trades_reader = patientReader(
    async (isCurrent) => {
      const rows = await api.get(`/markets/${market_id}/trades`, { limit: TAPE_ROWS });
      if (!isCurrent()) return;
      feed.mergeTrades(market_id, rows);
      tape_first = null; // rows between may be new
      tape.replaceChildren();
      tape_rows.length = 0;
      ask();
    },
    (error) => error.status !== 0 && context.notice(`Trades could not be read: ${error.message}`, true),
  );
  const readTrades = trades_reader.read;

  // --- funding ------------------------------------------------------------------------------------------------------

  const funding_body = el('div.tape');
  const funding_box = el(
    'div.scroll',
    { tabindex: '0', role: 'region', 'aria-label': 'Settled funding' },
    el('div.tape-row.head', {}, el('span', {}, 'Settled'), el('span', {}, 'Rate'), el('span', {}, 'Premium')),
    funding_body,
  );

  let funding_shown = null;
  function drawFunding() {
    drawCountdown();
    const newest = settled[0]?.timestamp ?? '';
    if (newest === funding_shown) return;
    funding_shown = newest;
    if (settled.length === 0) {
      funding_body.replaceChildren(el('p.empty', {}, 'Nothing settled yet: funding is paid at every full hour.'));
      return;
    }
    funding_body.replaceChildren(
      ...settled.map(({ timestamp, funding_rate, premium_index }) => {
        const tone = compare(funding_rate, '0') < 0 ? 'down' : 'up';
        return el(
          'div.tape-row',
          { title: tone === 'up' ? 'Longs paid shorts' : 'Shorts paid longs' },
          el('span', {}, time(timestamp).slice(0, 5)),
          el(`span.${tone}`, {}, ratePercent(funding_rate)),
          el('span', {}, ratePercent(premium_index)),
        );
      }),
    );
  }

  // --- the order ticket, when it is asked for -----------------------------------------------------------------------

  const ticket_place = el('div', {});
  const ticket_dialog = el(
    'dialog',
    { 'aria-label': `Order on ${market_id}` },
    ticket_place,
    el('button', { type: 'button', onclick: () => ticket_dialog.close() }, 'Close'),
  );
  let ticket = null;

  async function openTicket(terms) {
    try {
      const { orderTicket } = await import('./order_ticket.mjs');
      if (closed) return;
      ticket ??= orderTicket(ticket_place, context, { market_id, onDone: () => ticket_dialog.close() });
      ticket.set(terms);
      if (!ticket_dialog.open) ticket_dialog.showModal();
      ticket.focus();
    } catch (error) {
      context.notice(`The order ticket could not be opened: ${error.message}`, true);
    }
  }

  // --- the page -----------------------------------------------------------------------------------------------------

  const ask = onFrame(() => {
    if (closed) return;
    drawFigures();
    drawTape();
  });
  const orders = openOrders(context, () => book.draw());
  const book = ladder({ context, market, orders, onTicket: openTicket });
  const picture = depth({ context, market });
  const tools = el('span.tools-of-chart');
  const chart_place = el(
    'section.panel',
    { 'aria-label': 'Chart' },
    el('header', {}, el('h1', {}, market_id, ' ', halted), tools),
    head,
  );
  root.append(
    chart_place,
    book.element,
    el(
      'div.column.side',
      {},
      picture.element,
      el('section.panel', { 'aria-label': 'Trades' }, el('header', {}, el('h2', {}, 'Trades')), tape_box),
      el('section.panel', { 'aria-label': 'Funding' }, el('header', {}, el('h2', {}, 'Funding')), funding_box),
    ),
    ticket_dialog,
  );

  // The chart's library is most of the page's weight: everything else is there before it.
  import('./chart.mjs')
    .then(({ chart }) => {
      if (closed) return;
      candles = chart({
        context,
        market,
        interval,
        onInterval: (name) => {
          interval = name;
        },
      });
      tools.append(candles.choice);
      chart_place.append(candles.element, candles.legend);
      candles.setFunding(samples, settled);
    })
    .catch((error) => chart_place.append(el('p.empty', {}, `The chart could not be loaded: ${error.message}`)));

  const touch = (changed) => changed === market_id && ask();
  const stops = [
    feed.on('ticker', touch),
    feed.on('trade', touch),
    feed.on('halt', touch),
    feed.on('resync', readTrades),
    control.watchAs(null, `/markets/${market_id}/funding-samples`, (rows) => {
      samples = rows;
      candles?.setFunding(samples, settled);
    }),
    control.watchAs(
      null,
      `/markets/${market_id}/funding`,
      (rows) => {
        settled = rows;
        candles?.setFunding(samples, settled);
        drawFunding();
      },
      { query: { limit: FUNDING_ROWS } },
    ),
  ];
  const countdown = setInterval(drawCountdown, 500);
  if (feed.begun) readTrades();
  ask();

  return {
    close() {
      closed = true;
      clearInterval(countdown);
      trades_reader.close();
      for (const stop of stops) stop();
      ticket?.close();
      orders.close();
      book.close();
      picture.close();
      candles?.close();
    },
  };
}
