// The order book as a ladder: a row per price step, bids left, asks right, the account's own orders at the edges.
// A click on a side places an order at that price, a click on an own order cancels it, dragging moves it. The keyboard
// does all of it as well. Rows stay where they are while somebody is at them, so that no click hits another price.
import { el, labelledField, options, setText } from './elements.mjs';
import {
  add,
  compare,
  coordinate,
  divide,
  fixed,
  grouped,
  isDecimal,
  multiply,
  placesOf,
  sign,
  stepCount,
  subtract,
  trimmed,
} from './format.mjs';
import { onFrame } from './frame.mjs';

const GROUPS = ['1', '2', '5', '10', '20', '50', '100', '200', '500', '1000'];
const MAX_ROWS = 80;
const LEVELS_SHOWN = 11; // of each side, as a rule: the step is chosen for it
const DRAG_PIXELS = 4;
const ROOMY_CHARS = 8; // of a size; a longer one is written smaller
const PAGE_ROWS = 10;
const USUAL_VALUE = '2000'; // USDX, of the size that the ladder begins with

export const LADDER_KEYS = [
  ['↑ ↓', 'Go to the next price; Page Up and Page Down go ten'],
  ['b  s', 'Buy or sell at the chosen price'],
  ['Delete', 'Cancel the own orders at the chosen price'],
  ['m', 'Take the own orders up: arrows move them, Enter puts them down, Esc leaves them'],
  ['+ −', 'Twice, half the size'],
  ['o', 'Order ticket at the chosen price: every type and term'],
  ['c', 'Centre the ladder'],
];

// `orders` is openOrders(context, ...); draw() when they changed. onTicket({price, quantity}) opens the order ticket.
export function ladder({ context, market, orders, onTicket }) {
  const { feed, store } = context;
  const id = market.market_id;
  const tick_places = placesOf(market.tick_size);
  const lot_places = placesOf(market.lot_size);

  let step = null; // of a row; a multiple of the tick
  let top = null; // number of the highest row, in steps
  let cursor = null; // number of the chosen row, in steps
  let held = null; // own orders on their way to another price: {side, orders, from, to}
  let inside = false;
  let rows = [];

  const list = el('div.ladder.live', { tabindex: '0', role: 'listbox', 'aria-label': `Order book of ${id}` });
  const size = el('input.numeric', { type: 'text', inputMode: 'decimal', autocomplete: 'off', spellcheck: false });
  const grouping = el('select', {});
  const centre = el('button', { type: 'button', title: 'Centre (c)', onclick: () => recentre(true) }, 'Centre');
  const cancel_all = el('button', { type: 'button', onclick: () => orders.cancelAll(id) }, 'Cancel all');
  const spread = el('span.quiet');
  const ticket = el('button', { type: 'button', title: 'Order ticket (o)', onclick: () => openTicket() }, 'Ticket …');
  const note = el('div.ladder-note', {});
  const columns = el(
    'div.ladder-head',
    { 'aria-hidden': 'true' },
    ...['Own', 'Bid', 'Price', 'Ask', 'Own'].map((text) => el('span', {}, text)),
  );
  const tools = el(
    'div.ladder-tools',
    {},
    labelledField(`Size, ${market.base_asset}`, size),
    labelledField('Step', grouping),
    centre,
    cancel_all,
  );
  const element = el(
    'section.panel.book',
    { 'aria-label': 'Ladder' },
    el('header', {}, el('h2', {}, 'Order book'), spread, ticket),
    columns,
    list,
    note,
    tools,
  );
  const looks_only = store.account === null;
  size.disabled = cancel_all.disabled = ticket.disabled = looks_only;

  const priceAt = (number) => fixed(multiply(step, String(number)), tick_places);
  const rowOf = (side, price) => stepCount(price, step, side === 'Buy' ? 'down' : 'up');

  // --- rows ---------------------------------------------------------------------------------------------------------

  function makeRow(at) {
    const part = () => ({ fill: el('span.fill'), text: el('span.text') });
    const bid = part();
    const ask = part();
    const row = {
      line: el('div.ladder-row', { role: 'option', id: `ladder-${at}`, 'aria-selected': 'false' }),
      buy: el('span.own', { 'data-side': 'Buy' }),
      bid,
      price: el('span.price'),
      ask,
      sell: el('span.own', { 'data-side': 'Sell' }),
      chips: { Buy: null, Sell: null },
      class: '',
    };
    row.line.append(
      row.buy,
      el('span.bid-size', { 'data-side': 'Buy' }, bid.fill, bid.text),
      row.price,
      el('span.ask-size', { 'data-side': 'Sell' }, ask.fill, ask.text),
      row.sell,
    );
    row.line.dataset.row = at;
    return row;
  }

  function fit() {
    const height = rows[0]?.line.offsetHeight || 19;
    const count = Math.max(5, Math.min(MAX_ROWS, Math.floor(list.clientHeight / height)));
    if (count === rows.length) return;
    const middle = top === null ? null : top - Math.floor(rows.length / 2);
    while (rows.length > count) rows.pop().line.remove();
    while (rows.length < count) {
      const row = makeRow(rows.length);
      rows.push(row);
      list.append(row.line);
    }
    if (middle !== null) top = middle + Math.floor(count / 2);
    draw();
  }

  // The step with which the usual number of levels fills the ladder.
  function chooseStep(book) {
    const far = (levels) => coordinate(levels[Math.min(LEVELS_SHOWN, levels.length) - 1].price);
    const span = book.bids.length > 0 && book.asks.length > 0 ? far(book.asks) - far(book.bids) : 0;
    // Never so coarse that several levels fall into the row of the best price.
    const best = coordinate(book.bids[0]?.price ?? book.asks[0]?.price ?? market.tick_size);
    const fine = GROUPS.filter((group) => group === '1' || coordinate(group) * coordinate(market.tick_size) * rows.length <= best);
    const factor = fine.find((group) => coordinate(group) * coordinate(market.tick_size) * rows.length >= span);
    step = trimmed(multiply(market.tick_size, factor ?? fine.at(-1)));
    grouping.value = step;
  }

  function middleRow() {
    const book = feed.books.get(id);
    const bid = book?.bids[0]?.price;
    const ask = book?.asks[0]?.price;
    const mark = feed.tickers.get(id)?.markPrice;
    if (bid && ask) return Math.round((rowOf('Buy', bid) + rowOf('Sell', ask)) / 2);
    const price = bid ?? ask ?? mark;
    return price ? stepCount(price, step) : null;
  }

  function recentre(by_hand) {
    const middle = step === null ? null : middleRow();
    if (middle === null) return;
    top = middle + Math.floor(rows.length / 2);
    if (by_hand) {
      cursor = middle;
      ask();
    }
  }

  // --- the picture --------------------------------------------------------------------------------------------------

  function sizesOf(side, levels) {
    const sizes = new Map();
    for (const level of levels) {
      const number = rowOf(side, level.price);
      const before = sizes.get(number);
      sizes.set(number, before === undefined ? level.quantity : add(before, level.quantity));
    }
    return sizes;
  }

  function ownAt(side) {
    const own = new Map();
    for (const order of orders.open(id)) {
      if (order.side !== side) continue;
      const number = rowOf(side, order.price);
      own.set(number, [...(own.get(number) ?? []), order]);
    }
    return own;
  }

  const leftOf = (own) => own.reduce((sum, order) => add(sum, subtract(order.quantity, order.filled_qty)), '0');

  function drawSide(part, size_here, most) {
    const text = size_here === undefined ? '' : fixed(size_here, lot_places);
    if (part.shown !== text) {
      part.shown = text;
      setText(part.text, text);
      part.text.title = text;
      part.text.classList.toggle('long', text.length > ROOMY_CHARS);
    }
    const scale = size_here === undefined ? 0 : Math.max(0.02, coordinate(size_here) / most);
    const transform = `scaleX(${scale.toFixed(2)})`;
    if (part.transform !== transform) {
      part.transform = transform;
      part.fill.style.transform = transform;
    }
  }

  function drawChip(row, cell, side, own) {
    const key = own ? `${own.map((order) => order.id).join()} ${leftOf(own)}` : null;
    if (row.chips[side] === key) return;
    row.chips[side] = key;
    if (!own) {
      cell.replaceChildren();
      return;
    }
    const text = `${leftOf(own)}${own.length > 1 ? ` ×${own.length}` : ''}`;
    const title = `Your ${side.toLowerCase()} of ${leftOf(own)}: click cancels, drag moves`;
    cell.replaceChildren(el(`span.chip.${side.toLowerCase()}`, { title }, text));
  }

  function draw() {
    const book = feed.books.get(id);
    if (!book || rows.length === 0) return;
    if (step === null) chooseStep(book);
    const middle = middleRow();
    if (middle !== null) {
      const off = top === null ? Infinity : Math.abs(middle - (top - Math.floor(rows.length / 2)));
      const busy = inside || held !== null || document.activeElement === list;
      if (top === null || (!busy && off > rows.length / 5)) recentre(false);
      centre.classList.toggle(
        'primary',
        busy && Math.abs(middle - (top - Math.floor(rows.length / 2))) > rows.length / 2,
      );
    }
    if (top === null) return;
    cursor ??= middle ?? top;

    const bids = sizesOf('Buy', book.bids);
    const asks = sizesOf('Sell', book.asks);
    const buys = ownAt('Buy');
    const sells = ownAt('Sell');
    const best_bid = book.bids.length > 0 ? rowOf('Buy', book.bids[0].price) : null;
    const best_ask = book.asks.length > 0 ? rowOf('Sell', book.asks[0].price) : null;
    const last = feed.trades(id)[0]?.price;
    const traded = last ? stepCount(last, step) : null;
    const mark = feed.tickers.get(id)?.markPrice;
    const marked = mark ? stepCount(mark, step) : null;
    let most = 0;
    for (let at = 0; at < rows.length; ++at) {
      most = Math.max(most, coordinate(bids.get(top - at) ?? '0'), coordinate(asks.get(top - at) ?? '0'));
    }

    rows.forEach((row, at) => {
      const number = top - at;
      row.number = number;
      const price = number > 0 ? grouped(priceAt(number)) : '';
      if (row.shown !== price) {
        row.shown = price;
        setText(row.price, price);
      }
      drawSide(row.bid, bids.get(number), most);
      drawSide(row.ask, asks.get(number), most);
      drawChip(row, row.buy, 'Buy', buys.get(number));
      drawChip(row, row.sell, 'Sell', sells.get(number));
      const name = [
        'ladder-row',
        number === best_bid ? 'best-bid' : '',
        number === best_ask ? 'best-ask' : '',
        number === traded ? 'traded' : '',
        number === marked ? 'mark' : '',
        number === held?.to ? 'target' : '',
      ]
        .filter(Boolean)
        .join(' ');
      if (row.class !== name) {
        row.class = name;
        row.line.className = name;
      }
      const chosen = number === cursor;
      if (row.chosen !== chosen) {
        row.chosen = chosen;
        row.line.setAttribute('aria-selected', String(chosen));
        if (chosen) list.setAttribute('aria-activedescendant', row.line.id);
      }
    });
    if (cursor > top || cursor <= top - rows.length) list.removeAttribute('aria-activedescendant');
    drawNote(bids, asks, buys, sells);
    drawSpread(book);
  }

  function drawSpread({ bids, asks }) {
    if (bids.length === 0 || asks.length === 0) {
      setText(spread, 'no spread: a side is empty');
      return;
    }
    const width = subtract(asks[0].price, bids[0].price);
    const points = divide(multiply(width, '20000'), add(asks[0].price, bids[0].price), 2); // of the mid price
    setText(spread, `spread ${grouped(width, tick_places)} · ${points} bp`);
  }

  function drawNote(bids, asks, buys, sells) {
    const price = grouped(priceAt(cursor));
    if (held) {
      setText(
        note,
        `Moving your ${held.side.toLowerCase()} of ${leftOf(held.orders)} ` +
          `from ${grouped(priceAt(held.from))} to ${grouped(priceAt(held.to))}`,
      );
      return;
    }
    const parts = [price];
    if (bids.has(cursor)) parts.push(`bid ${bids.get(cursor)}`);
    if (asks.has(cursor)) parts.push(`ask ${asks.get(cursor)}`);
    if (buys.has(cursor)) parts.push(`your buy ${leftOf(buys.get(cursor))}`);
    if (sells.has(cursor)) parts.push(`your sell ${leftOf(sells.get(cursor))}`);
    if (looks_only) parts.push('this network has no development accounts: the page only looks');
    else parts.push('b buys, s sells, Del cancels');
    setText(note, parts.join(' · '));
  }

  const ask = onFrame(draw);

  // --- acts ---------------------------------------------------------------------------------------------------------

  // The size as typed, or null after saying what is wrong with it.
  function sizeTyped() {
    const text = size.value.trim();
    const wrong =
      !isDecimal(text) || sign(text) <= 0
        ? 'The size must be a number above 0'
        : compare(text, market.min_order_size) < 0
          ? `The size must be at least ${market.min_order_size}`
          : null;
    size.setAttribute('aria-invalid', String(wrong !== null));
    if (wrong === null) return text;
    context.notice(wrong, true);
    size.focus();
    return null;
  }

  // What is acted on is in sight: a price that was scrolled away is shown first.
  function isShown(number) {
    if (number <= top && number > top - rows.length) return true;
    top = number + Math.floor(rows.length / 2);
    ask();
    return false;
  }

  function place(side, number) {
    if (looks_only || !isShown(number)) return;
    const quantity = sizeTyped();
    if (quantity !== null) orders.place({ market_id: id, side, quantity, price: priceAt(number) });
  }

  const ownOf = (side, number) => ownAt(side).get(number) ?? [];

  function cancelAt(number) {
    if (!isShown(number)) return;
    const own = [...ownOf('Buy', number), ...ownOf('Sell', number)];
    const were_sent = orders.cancelSent(id, priceAt(number));
    if (own.length > 0) orders.cancel(own);
    else if (were_sent) context.notice(`An order at ${grouped(priceAt(number))} is cancelled once it is answered`);
    else context.notice(`No order of yours at ${grouped(priceAt(number))}`, true);
  }

  function putDown() {
    const { orders: moved, from, to } = held;
    held = null;
    if (from !== to) orders.amend(moved, priceAt(to));
    ask();
  }

  function openTicket() {
    if (looks_only) return;
    const quantity = size.value.trim();
    onTicket({
      price: cursor === null ? undefined : priceAt(cursor),
      quantity: isDecimal(quantity) ? quantity : undefined,
    });
  }

  function scaleSize(by) {
    const text = size.value.trim();
    if (!isDecimal(text)) return;
    const scaled = fixed(multiply(text, by), lot_places);
    size.value = trimmed(compare(scaled, market.min_order_size) < 0 ? market.min_order_size : scaled);
    context.say(`Size ${size.value}`);
  }

  // --- pointer ------------------------------------------------------------------------------------------------------

  const rowAt = (y) => {
    const box = list.getBoundingClientRect();
    const height = rows[0].line.offsetHeight;
    return rows[Math.max(0, Math.min(rows.length - 1, Math.floor((y - box.top) / height)))].number;
  };

  let press = null;
  list.addEventListener('pointerdown', (event) => {
    const chip = event.target.closest('.chip');
    if (!chip || event.button !== 0) return;
    event.preventDefault(); // no selection of text, and no focus that would freeze the ladder
    held = null;
    const side = chip.parentElement.dataset.side;
    const from = rowAt(event.clientY);
    press = { side, from, y: event.clientY, own: ownOf(side, from) };
    list.setPointerCapture(event.pointerId);
  });
  list.addEventListener('pointermove', (event) => {
    if (!press) return;
    if (!held && Math.abs(event.clientY - press.y) < DRAG_PIXELS) return;
    held = { side: press.side, orders: press.own, from: press.from, to: rowAt(event.clientY) };
    ask();
  });
  list.addEventListener('pointerup', () => {
    if (!press) return;
    const { own } = press;
    press = null;
    if (held) putDown();
    else orders.cancel(own);
  });
  list.addEventListener('pointercancel', () => dropHeld());
  list.addEventListener('focus', () => {
    if (top !== null && (cursor > top || cursor <= top - rows.length)) recentre(true);
  });
  list.addEventListener('pointerenter', () => {
    inside = true;
  });
  list.addEventListener('pointerleave', () => {
    inside = false;
  });
  list.addEventListener('click', (event) => {
    if (event.target.closest('.chip') || event.target === list) return;
    const line = event.target.closest('.ladder-row');
    if (!line || top === null) return;
    const { number } = rows[Number(line.dataset.row)];
    // An own order that has just gone leaves its cell: that click meant the order.
    const meant_order = event.target.closest('.own') !== null;
    const side = event.target.closest('[data-side]')?.dataset.side;
    // A finger that only wanted to scroll places nothing: it chooses the row first, and acts on the second tap.
    const chooses = event.pointerType === 'touch' && number !== cursor;
    cursor = number;
    const is_repeat = event.detail > 1;
    if (side && !meant_order && !chooses && !is_repeat && ownOf(side, number).length === 0) place(side, number);
    ask();
  });
  list.addEventListener(
    'wheel',
    (event) => {
      if (top === null) return;
      event.preventDefault();
      top -= Math.sign(event.deltaY) * 2;
      ask();
    },
    { passive: false },
  );

  // --- keyboard -----------------------------------------------------------------------------------------------------

  function go(by) {
    if (held) held.to += by;
    else cursor += by;
    const at = held ? held.to : cursor;
    if (at > top) top = at;
    if (at <= top - rows.length) top = at + rows.length - 1;
    ask();
  }

  function pickUp() {
    const [side, own] =
      [
        ['Buy', ownOf('Buy', cursor)],
        ['Sell', ownOf('Sell', cursor)],
      ].find(([, here]) => here.length > 0) ?? [];
    if (!side) {
      context.notice(`No order of yours at ${grouped(priceAt(cursor))}`, true);
      return;
    }
    held = { side, orders: own, from: cursor, to: cursor };
    context.say('Taken up: arrows move it, Enter puts it down, Escape leaves it');
    ask();
  }

  const ACTS = {
    ArrowUp: () => go(1),
    ArrowDown: () => go(-1),
    PageUp: () => go(PAGE_ROWS),
    PageDown: () => go(-PAGE_ROWS),
    b: () => place('Buy', cursor),
    s: () => place('Sell', cursor),
    Delete: () => cancelAt(cursor),
    Backspace: () => cancelAt(cursor),
    m: pickUp,
    o: openTicket,
    c: () => recentre(true),
    '+': () => scaleSize('2'),
    '=': () => scaleSize('2'),
    '-': () => scaleSize('0.5'),
  };
  const HELD_ACTS = {
    Enter: () => {
      cursor = held.to;
      press = null;
      putDown();
    },
    Escape: () => dropHeld(),
  };

  list.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || top === null) return;
    if (event.repeat && !/^Arrow|^Page/.test(event.key)) {
      event.preventDefault(); // a key that is held trades once
      return;
    }
    const act = (held && HELD_ACTS[event.key]) || ACTS[event.key];
    if (!act || (held && !HELD_ACTS[event.key] && !/^Arrow|^Page/.test(event.key))) return;
    event.preventDefault();
    act();
  });
  size.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') list.focus();
  });
  grouping.addEventListener('change', () => {
    const middle = top === null ? null : priceAt(top - Math.floor(rows.length / 2));
    const chosen = cursor === null ? null : priceAt(cursor);
    step = grouping.value;
    held = null;
    if (middle !== null) top = stepCount(middle, step) + Math.floor(rows.length / 2);
    if (chosen !== null) cursor = stepCount(chosen, step);
    ask();
  });

  // --- begin --------------------------------------------------------------------------------------------------------

  grouping.replaceChildren(
    ...options(
      GROUPS.map((group) => [
        trimmed(multiply(market.tick_size, group)),
        grouped(trimmed(multiply(market.tick_size, group))),
      ]),
      null,
    ),
  );
  const touch = (changed) => changed === id && ask();
  const dropHeld = () => {
    press = held = null;
    ask();
  };
  const stops = [feed.on('book', touch), feed.on('ticker', touch), feed.on('trade', touch), store.onAccount(dropHeld)];
  const watch = new ResizeObserver(fit);
  watch.observe(list);

  // A size worth some USUAL_VALUE, to one digit; once, and never while somebody types.
  let suggested = false;
  size.addEventListener('input', () => {
    suggested = true;
  });
  function suggestSize() {
    const price = feed.books.get(id)?.asks[0]?.price ?? feed.tickers.get(id)?.markPrice;
    if (!price || suggested || size.value !== '') return;
    suggested = true;
    const usual = divide(USUAL_VALUE, price, lot_places).replace(
      /[1-9](.*)$/,
      (text, rest) => text[0] + rest.replace(/\d/g, '0'),
    );
    size.value = trimmed(compare(usual, market.min_order_size) < 0 ? market.min_order_size : usual);
  }
  stops.push(feed.on('book', suggestSize));
  suggestSize();

  return {
    element,
    draw: ask,
    close() {
      watch.disconnect();
      for (const stop of stops) stop();
    },
  };
}
