// One development account: what it has and holds, its orders, and what became of them, as the exchange says it. All of it
// is watched; only the equity curve is read once, and continued.
import { dataTable } from './data_table.mjs';
import { el, isForPage, labelledField, options, setText } from './elements.mjs';
import { equityCurve } from './equity_curve.mjs';
import {
  add, compare, dateTime, divide, grouped, magnitude, money, moneyAtMost, multiply, negate, percent, placesOf, ratePercent,
  sign, signed, subtract, time,
} from './format.mjs';
import { onFrame } from './frame.mjs';
import { copyButton, lever } from './lever.mjs';
import { commandOf, loginCommand } from './orders.mjs';
import { orderTicket, typeText } from './order_ticket.mjs';

const FILLS_SHOWN = 100;
const CURVE_PAUSE_MS = 1000;
const WINDOWS = [['hour', '1 hour'], ['day', '1 day'], ['week', '1 week'], ['month', '1 month'], ['all', 'all']];
const GIFT = '1000';                // USDX, of the button
const NEAR = '0.1';                 // closer to its liquidation price than that, a position is marked

export function view(root, params, context) {
  const { api, store, feed, control } = context;
  const address = store.accounts.find((each) => each.address === (params[0] ?? store.account)?.toLowerCase())?.address ?? null;
  if (address === null) {
    root.append(el('h1', {}, 'Account'), el('p.empty', {}, store.accounts.length === 0
      ? `The network ${store.network} has no development accounts: the page only looks.`
      : `${params[0]} is no development account of this sandbox.`));
    return { close() {} };
  }
  const { index } = store.accounts.find((each) => each.address === address);
  const cli = (words) => commandOf(address, words);
  const login = loginCommand({ index }, store.name);
  const ask = (path, query = null) => api.asAccount(address, 'GET', path, null, query);
  let closed = false;

  let account = null;  // as GET /account says it
  const sum = (list, member) => list.reduce((total, each) => add(total, each[member] ?? '0'), '0');

  function figuresNow() {
    const positions = account.positions.map((each) => ({ ...each, mark: feed.tickers.get(each.market_id)?.markPrice ?? null }));
    const isolated = positions.filter((each) => each.margin_mode === 'isolated');
    const cross = positions.filter((each) => each.margin_mode !== 'isolated');
    const allocated = sum(isolated, 'allocated_margin');
    const cross_equity = subtract(subtract(account.equity, sum(isolated, 'unrealized_pnl')), allocated);
    const reserved = subtract(subtract(cross_equity, sum(cross, 'margin_used')), account.available_margin);
    return { positions, reserved, allocated, unrealized: sum(positions, 'unrealized_pnl'), used: sum(positions, 'margin_used') };
  }

  // The page.

  const tiles = el('dl.tiles');
  const tile = (term, hint) => {
    const told = el('dd', {}, '–');
    tiles.append(el('div', { title: hint }, el('dt', {}, term), told));
    return told;
  };
  const tile_equity = tile('Equity', 'Balance, allocated margin and unrealized profit');
  const tile_unrealized = tile('Unrealized', 'Profit of the open positions at the mark prices');
  const tile_balance = tile('Balance', 'Of the cross account');
  const tile_available = tile('Available', 'What new orders may use');
  const tile_used = tile('Margin used', 'Initial margin of the open positions');
  const tile_reserved = tile('Reserved', 'Margin that open orders set aside');
  const tile_allocated = tile('Allocated', 'Margin of isolated positions');
  const alert = el('p.alert', { role: 'alert', hidden: true });
  const problem = el('p.outcome.failed', { role: 'alert' });
  const curve = equityCurve();
  const window_choice = el('select', {}, options(WINDOWS, 'hour'));
  const place = el('aside.ticket-place', { 'aria-label': 'Order ticket' });
  const margin_place = el('div.inline.margin-form', { hidden: true });

  const price = (id, text) => (text === null || text === undefined || sign(text) === 0 ? '–' : grouped(text, Math.max(placesOf(store.market(id)?.tick_size ?? '0.01'), placesOf(text))));
  const tone = (amount) => (sign(amount) < 0 ? 'down' : sign(amount) > 0 ? 'up' : '');
  const sideTone = (side) => (/^(buy|long)$/i.test(side) ? 'up' : 'down');
  const reached = (p) => (p.liquidation_price === null || !p.mark ? null : divide(magnitude(subtract(p.mark, p.liquidation_price)), p.mark, 6));

  const positions = dataTable({
    caption: 'Positions',
    key: (p) => p.market_id,
    empty: 'No open positions.',
    columns: [
      { title: 'Market', build: (now) => el('a', { href: `#/market/${now().market_id}` }, now().market_id) },
      { title: 'Side', text: (p) => p.side, tone: (p) => sideTone(p.side) },
      { title: 'Size', numeric: true, text: (p) => grouped(p.size) },
      { title: 'Entry', numeric: true, text: (p) => price(p.market_id, p.entry_price) },
      { title: 'Mark', numeric: true, text: (p) => price(p.market_id, p.mark) },
      { title: 'Liquidation', numeric: true, text: (p) => (p.liquidation_price === null ? 'none' : price(p.market_id, p.liquidation_price)) },
      { title: 'Distance', numeric: true, hint: 'From the mark price to the liquidation price', text: (p) => { const far = reached(p); return far === null ? '–' : percent(far); }, tone: (p) => { const far = reached(p); return far !== null && compare(far, NEAR) < 0 ? 'warn' : ''; } },
      { title: 'Unrealized', numeric: true, text: (p) => signed(money(p.unrealized_pnl)), tone: (p) => tone(p.unrealized_pnl) },
      { title: 'Value', numeric: true, text: (p) => (p.notional_value === null ? '–' : money(p.notional_value)) },
      { title: 'Margin', numeric: true, hint: 'Allocated to an isolated position, else used of the cross account', text: (p) => money(p.allocated_margin ?? p.margin_used ?? '0') },
      { title: 'Mode', text: (p) => `${p.margin_mode}${p.leverage === null ? '' : ` ${p.leverage}×`}` },
      { title: 'Funding', numeric: true, hint: 'Received; paid is negative', text: (p) => signed(money(negate(p.funding_paid))), tone: (p) => tone(negate(p.funding_paid)) },
      { title: 'Close', build: (now) => el('button', { type: 'button', 'aria-label': `Close ${now().market_id}`, title: 'Fills in the ticket', onclick: () => closeOut(now()) }, 'Close…') },
    ],
  });

  const orders = dataTable({
    caption: 'Open orders',
    key: (o) => o.id,
    empty: 'No open orders.',
    columns: [
      { title: 'Market', text: (o) => o.market_id },
      { title: 'Side', text: (o) => o.side, tone: (o) => sideTone(o.side) },
      { title: 'Type', text: (o) => `${typeText(o.order_type)}${o.reduce_only ? ', reduce-only' : ''}` },
      { title: 'Price', numeric: true, text: (o) => price(o.market_id, o.price) },
      { title: 'Trigger', numeric: true, text: (o) => (o.trailing_offset_bps ? `${o.trailing_offset_bps} bps` : price(o.market_id, o.trigger_price)) },
      { title: 'Size', numeric: true, text: (o) => grouped(o.quantity) },
      { title: 'Filled', numeric: true, text: (o) => grouped(o.filled_qty) },
      { title: 'In force', text: (o) => o.time_in_force },
      { title: 'Since', text: (o) => time(o.created_at) },
      {
        title: 'Change',
        build: (now) => [
          el('button', { type: 'button', 'aria-label': `Amend ${now().side} ${now().quantity} ${now().market_id}`, onclick: () => ticket.amend(now()) }, 'Amend'),
          el('button', { type: 'button', 'aria-label': `Cancel ${now().side} ${now().quantity} ${now().market_id}`, onclick: () => cancel(now()) }, 'Cancel'),
          el('button', { type: 'button', 'aria-label': `Let somebody fill ${now().side} ${now().quantity} ${now().market_id}`, title: 'Somebody takes it (svc local fill)', onclick: () => fill(now()) }, 'Fill'),
        ],
      },
    ],
  });

  const cancel_all = lever({
    context,
    label: 'Cancel all',
    danger: 'All open orders of the account are cancelled.',
    command: () => cli('orders cancel-all'),
    run: async () => `${(await api.asAccount(address, 'DELETE', '/orders')).length} cancelled`,
  });

  const lists = {
    fills: {
      title: 'Fills',
      path: '/fills',
      table: dataTable({
        caption: 'Fills, newest first', key: (f) => f.id, empty: 'No fills yet.',
        columns: [
          { title: 'Time', text: (f) => dateTime(f.timestamp) }, { title: 'Market', text: (f) => f.market_id },
          { title: 'Side', text: (f) => f.side, tone: (f) => sideTone(f.side) },
          { title: 'Price', numeric: true, text: (f) => price(f.market_id, f.price) }, { title: 'Size', numeric: true, text: (f) => grouped(f.size) },
          { title: 'Value', numeric: true, text: (f) => money(multiply(f.price, f.size)) },
          { title: 'Fee', numeric: true, hint: 'A rebate is negative', text: (f) => grouped(f.fee) },
          { title: 'Role', text: (f) => (f.is_liquidation ? `${f.taker_or_maker}, liquidation` : f.taker_or_maker) },
        ],
      }),
    },
    activity: {
      title: 'Activity',
      path: '/account/activity',
      table: dataTable({
        caption: 'What changed the balance, newest first', key: (a) => a.id, empty: 'Nothing yet.',
        columns: [
          { title: 'Time', text: (a) => dateTime(a.timestamp) }, { title: 'Cause', text: (a) => a.cause }, { title: 'Market', text: (a) => a.market_id },
          { title: 'Amount', numeric: true, text: (a) => signed(grouped(a.amount)), tone: (a) => tone(a.amount) }, { title: 'Asset', text: (a) => a.asset },
          { title: 'Reference', text: (a) => a.reference, tone: () => 'reference' },
        ],
      }),
    },
    history: {
      title: 'Ended orders',
      path: '/orders/history',
      table: dataTable({
        caption: 'Orders that ended, newest first', key: (o) => o.id, empty: 'None yet.',
        columns: [
          { title: 'Ended', text: (o) => dateTime(o.completed_at_ms) }, { title: 'Market', text: (o) => o.market_id },
          { title: 'Side', text: (o) => o.side, tone: (o) => sideTone(o.side) }, { title: 'Type', text: (o) => o.order_type.replaceAll('_', ' ') },
          { title: 'Price', numeric: true, text: (o) => price(o.market_id, o.price) }, { title: 'Size', numeric: true, text: (o) => grouped(o.size) },
          { title: 'Filled', numeric: true, text: (o) => grouped(o.filled_qty) }, { title: 'Status', text: (o) => o.status }, { title: 'Reason', text: (o) => o.cancellation_reason },
        ],
      }),
    },
    closed: {
      title: 'Closed positions',
      path: '/positions/closed',
      table: dataTable({
        caption: 'Closed positions, newest first', key: (p) => `${p.market_id} ${p.closed_at_ms} ${p.side}`, empty: 'None yet.',
        columns: [
          { title: 'Closed', text: (p) => dateTime(p.closed_at_ms) }, { title: 'Market', text: (p) => p.market_id },
          { title: 'Side', text: (p) => p.side, tone: (p) => sideTone(p.side) }, { title: 'Size', numeric: true, text: (p) => grouped(p.size) },
          { title: 'Entry', numeric: true, text: (p) => price(p.market_id, p.entry_price) }, { title: 'Exit', numeric: true, text: (p) => price(p.market_id, p.exit_price) },
          { title: 'Realized', numeric: true, text: (p) => signed(grouped(p.realized_pnl)), tone: (p) => tone(p.realized_pnl) },
        ],
      }),
    },
    funding: {
      title: 'Funding',
      path: '/funding',
      table: dataTable({
        caption: 'Funding payments, newest first', key: (f) => `${f.market_id} ${f.timestamp}`, empty: 'None yet.',
        columns: [
          { title: 'Time', text: (f) => dateTime(f.timestamp) }, { title: 'Market', text: (f) => f.market_id },
          { title: 'Amount', numeric: true, text: (f) => signed(grouped(f.amount)), tone: (f) => tone(f.amount) },
          { title: 'Rate', numeric: true, text: (f) => ratePercent(f.funding_rate) }, { title: 'Size', numeric: true, text: (f) => grouped(f.position_size) },
        ],
      }),
    },
  };
  let end_list = () => {};
  const watchList = (name) => {
    const { path, table } = lists[name];
    end_list();
    end_list = control.watchAs(address, path, (rows) => table.show(rows), { query: { limit: FILLS_SHOWN }, failed });
  };
  const tabs = tabList(lists, watchList);

  root.append(el(
    'div.account-page', {},
    el('header.account-head', {},
      el('h1', {}, `Account ${index}`), el('code.address', {}, address),
      lever({
        context,
        label: `Fund ${grouped(GIFT)}`,
        command: () => `svc local fund ${address} ${GIFT}`,
        run: async () => `${money((await api.control('POST', '/fund', { account: address, amount: GIFT })).amount)} USDX more`,
      }).element,
      el('a', { href: `#/timeline/${address}` }, 'Its timeline'),
      el('details.more.shell', {}, el('summary', {}, 'In a shell'),
        el('p.note', {}, 'The commands that this page shows act as the account once its key is kept and logged in:'),
        copyButton(context, () => login, el('code.command', {}, login)))),
    problem, alert,
    el('div.account-split', {},
      el('div.account-main', {},
        el('div.card.wide', {}, tiles, el('div.curve-head', {}, labelledField('Window', window_choice)), curve.element),
        el('div.card.wide', {}, positions.element, margin_place),
        el('div.card.wide', {}, orders.element, cancel_all.element),
        el('div.card.wide', {}, tabs.element)),
      place),
  ));

  if (store.account !== address) store.chooseAccount(address);
  const ticket = orderTicket(place, context, { market_id: store.market_id });
  context.keys([['b', 'Buy: go to the ticket'], ['s', 'Sell: go to the ticket'], ['x', 'Cancel all orders (asks)'], ['↑ ↓', 'In the ticket: by a tick or a lot, with Shift by ten']]);

  // Drawing.

  let open_orders = [];
  let curve_timer = null;
  const draw = onFrame(() => {
    if (closed || account === null) return;
    const now = figuresNow();
    setText(tile_equity, money(account.equity));
    setText(tile_unrealized, signed(money(now.unrealized)));
    tile_unrealized.className = tone(now.unrealized);
    setText(tile_balance, money(account.balance));
    setText(tile_available, moneyAtMost(account.available_margin));
    setText(tile_used, money(now.used));
    setText(tile_reserved, money(now.reserved));
    setText(tile_allocated, money(now.allocated));
    positions.show(now.positions);
    orders.show(open_orders);
    cancel_all.element.hidden = open_orders.length === 0;
    drawMargin(now.positions.filter((each) => each.margin_mode === 'isolated'));
    curve_timer ??= setTimeout(() => {
      curve_timer = null;
      if (curve_loaded === 'hour') curve.append({ at_ms: store.now(), equity: account.equity });
    }, CURVE_PAUSE_MS);
  });

  // Margin of isolated positions.

  const margin_market = el('select');
  const margin_amount = el('input', { type: 'text', inputMode: 'decimal', value: '100', autocomplete: 'off' });
  const margin_outcome = el('p.outcome', { role: 'status' });
  const moveMargin = async (direction) => {
    const amount = margin_amount.value.trim();
    context.command(cli(`margin ${direction} ${margin_market.value} ${amount}`));
    try {
      const moved = await api.asAccount(address, 'POST', '/account/margin', { market_id: margin_market.value, amount, direction });
      setText(margin_outcome, `${moved.market_id} has ${money(moved.allocated_margin)} USDX of its own now`);
      margin_outcome.classList.remove('failed');
    } catch (error) {
      setText(margin_outcome, `${error.message} (${error.code ?? error.name})`);
      margin_outcome.classList.add('failed');
    }
  };
  margin_place.append(
    labelledField('Isolated position', margin_market), labelledField('Amount, USDX', margin_amount),
    el('button', { type: 'button', onclick: () => moveMargin('add') }, 'Add margin'),
    el('button', { type: 'button', onclick: () => moveMargin('remove') }, 'Remove margin'), margin_outcome,
  );
  function drawMargin(isolated) {
    margin_place.hidden = isolated.length === 0;
    const ids = isolated.map((each) => each.market_id);
    if ([...margin_market.options].map((each) => each.value).join() !== ids.join()) margin_market.replaceChildren(...options(ids));
  }

  // Orders.

  function closeOut(position) {
    ticket.setMarket(position.market_id);
    ticket.set({ side: position.side === 'Long' ? 'Sell' : 'Buy', order_type: 'Market', quantity: position.size, reduce_only: true });
    ticket.ready();
  }
  async function cancel(order) {
    context.command(cli(`orders cancel ${order.id}`));
    try {
      await api.asAccount(address, 'DELETE', `/orders/${order.id}`, null, { market_id: order.market_id });
      context.notice('Cancelled');
    } catch (error) {
      context.notice(`Not cancelled: ${error.message}`, true);
    }
  }
  async function fill(order) {
    context.command(`svc local fill ${order.id}`);
    try {
      const staged = await api.control('POST', `/orders/${order.id}/fill`, {});
      context.notice(`${staged.trades} trades`);
    } catch (error) {
      context.notice(`Not filled: ${error.message}`, true);
    }
  }

  // What comes.

  function failed(error) {
    if (!closed) setText(problem, error.message);
  }

  let curve_loaded = null;
  async function loadCurve() {
    const chosen = window_choice.value;
    try {
      const read = chosen === 'hour' ? await ask('/account/equity-history') : (await ask('/account/portfolio-history', { window: chosen })).points;
      if (closed || chosen !== window_choice.value) return;
      curve.show(read.map(({ timestamp_ms, equity }) => ({ at_ms: Number(timestamp_ms), equity })));
      curve_loaded = chosen;
    } catch (error) {
      failed(error);
    }
  }
  window_choice.addEventListener('change', loadCurve);

  function showAlert({ LiquidationAlert: near, PortfolioLiquidation: done }) {
    alert.hidden = false;
    setText(alert, near
      ? `${time(near.emitted_at)} ${near.severity}: ${near.market_id ?? 'the cross account'} has ${money(near.equity)} USDX of equity over ${money(near.maintenance_margin)} of maintenance margin`
      : `${time(done.emitted_at)} Liquidated: ${done.closures.map((each) => `${each.position_size_closed} ${each.market_id} at ${grouped(each.settlement_price)}`).join(', ')}. Equity ${money(done.equity_before)} to ${money(done.equity_after)} USDX`);
  }

  const ends = [
    control.watchAs(address, '/account', (now) => { account = now; setText(problem, ''); draw(); }, { failed }),
    control.watchAs(address, '/orders', (rows) => { open_orders = rows.sort((a, b) => (a.id < b.id ? 1 : -1)); draw(); }, { failed }),
    () => end_list(),
    feed.on('account', (channel, payload) => {
      if (channel === 'liquidations') showAlert(payload);
      if (channel === 'fills') context.say(`${payload.side === 'buy' ? 'Bought' : 'Sold'} ${payload.size} ${payload.market_id} at ${payload.price}`);
    }),
    feed.on('ticker', (market) => { if (account?.positions.some((each) => each.market_id === market)) draw(); }),
    feed.on('resync', loadCurve),
    feed.on('account_resync', () => { alert.hidden = true; }),  // it may belong to a time that was taken back
  ];
  watchList('fills');
  if (feed.begun) loadCurve();
  const onKey = (event) => {
    if (!isForPage(event)) return;
    if (event.key === 'b' || event.key === 's') {
      ticket.set({ side: event.key === 'b' ? 'Buy' : 'Sell' });
      ticket.focus();
    } else if (event.key === 'x' && open_orders.length > 0) {
      cancel_all.element.querySelector('button').click();
    } else {
      return;
    }
    event.preventDefault();
  };
  addEventListener('keydown', onKey);
  return {
    close() {
      closed = true;
      ends.forEach((end) => end());
      removeEventListener('keydown', onKey);
      clearTimeout(curve_timer);
      ticket.close();
    },
  };
}

// Tabs over the tables of `lists`; onShow(name) is called when another one comes to the front.
function tabList(lists, onShow) {
  const names = Object.keys(lists);
  const panels = new Map();
  const buttons = names.map((name, at) => el('button', {
    type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}`, 'aria-selected': String(at === 0), tabindex: at === 0 ? '0' : '-1',
    onclick: () => show(at),
  }, lists[name].title));
  for (const [at, name] of names.entries()) {
    panels.set(name, el('div', { role: 'tabpanel', id: `panel-${name}`, 'aria-labelledby': `tab-${name}`, hidden: at !== 0 }, lists[name].table.element));
    lists[name].table.show([]);
  }
  function show(at) {
    buttons.forEach((button, each) => {
      button.setAttribute('aria-selected', String(each === at));
      button.tabIndex = each === at ? 0 : -1;
      panels.get(names[each]).hidden = each !== at;
    });
    buttons[at].focus();
    onShow(names[at]);
  }
  const bar = el('div.tabs', { role: 'tablist', 'aria-label': 'Histories' }, buttons);
  bar.addEventListener('keydown', (event) => {
    const at = buttons.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    show((to + names.length) % names.length);
  });
  return { element: el('div', {}, bar, ...panels.values()) };
}
