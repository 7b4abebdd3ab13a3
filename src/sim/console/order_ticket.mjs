// The order ticket: places an order of the account that the page acts as, or amends one. It shows what the order is
// worth and the margin that it asks for, exactly. Whatever a market would refuse may be sent: the refusal is the answer.
import { newClientId } from './api.mjs';
import { commandOf } from './orders.mjs';
import { el, labelledField, options, setText } from './elements.mjs';
import { add, compare, divide, fixed, grouped, isDecimal, isMultiple, money, multiply, sign, steps, trimmed } from './format.mjs';

// What the types ask for beside side and size, and how the command line spells them.
const TYPES = {
  Limit: { fields: ['price'], word: 'limit' },
  Market: { fields: ['slippage'], word: 'market' },
  StopLimit: { fields: ['price', 'trigger'], word: 'stop-limit' },
  StopMarket: { fields: ['trigger', 'slippage'], word: 'stop-market' },
  TakeProfitLimit: { fields: ['price', 'trigger'], word: 'take-profit-limit' },
  TakeProfitMarket: { fields: ['trigger', 'slippage'], word: 'take-profit-market' },
  TrailingStop: { fields: ['trailing', 'slippage'], word: 'trailing-stop' },
  TrailingLimit: { fields: ['trailing', 'offset'], word: 'trailing-limit' },
};
const TIMES_IN_FORCE = { GTC: 'gtc', IOC: 'ioc', FOK: 'fok', PostOnly: 'post-only' };
const SELF_TRADES = { '': null, CancelNewest: 'cancel-newest', CancelOldest: 'cancel-oldest', DecrementAndCancel: 'decrement-and-cancel' };
const QUOTE_PLACES = 6;  // of USDX

export const typeText = (type) => type.replace(/([a-z])([A-Z])/g, '$1 $2');

// To millionths of a USDX and up, as margins are rounded.
function quotientUp(value, divisor) {
  const near = divide(value, divisor, QUOTE_PLACES);
  return compare(multiply(near, divisor), value) < 0 ? add(near, '0.000001') : near;
}

function productUp(value, rate) {
  const product = multiply(value, rate);
  const cut = fixed(product, QUOTE_PLACES);
  return trimmed(compare(cut, product) < 0 ? add(cut, '0.000001') : cut);
}

// The line that tells of an order: Sell 0.1 StopMarket, trigger 55,000, reduce-only.
function orderText(order) {
  const parts = [`${order.side} ${order.quantity} ${order.market_id}, ${typeText(order.order_type)}`];
  if (order.price && sign(order.price) !== 0) parts.push(`price ${grouped(order.price)}`);
  if (order.trigger_price) parts.push(`trigger ${grouped(order.trigger_price)}`);
  if (order.trailing_offset_bps) parts.push(`trailing ${order.trailing_offset_bps} bps`);
  if (order.reduce_only) parts.push('reduce-only');
  return parts.join(', ');
}

// `onDone(answer)` is called after the exchange took an order or an amendment. Returns
//   set({side, order_type, price, quantity, reduce_only})
//                                              fills in those that are given, such as by a click on the ladder
//   amend(order)                               turns to this order; it turns back by itself when that is done
//   setMarket(market_id)
//   focus(), ready()                           to the size, to the button that sends
//   close()
export function orderTicket(root, context, { market_id, onDone = () => {} }) {
  const { api, store, feed } = context;
  let market = store.market(market_id);
  let amended = null;
  let terms = null;  // {margin_mode, leverage} of the account in this market, once known
  let taker_bps = null;
  let sending = false;
  let unsure = null;  // {terms_sent, client_id} of an order that may have been accepted: sent again it is the same order

  const field = (properties) => el('input', { type: 'text', inputMode: 'decimal', autocomplete: 'off', spellcheck: false, ...properties });
  const price = field({ name: 'price' });
  const quantity = field({ name: 'quantity' });
  const trigger = field({ name: 'trigger' });
  const trailing = field({ name: 'trailing', inputMode: 'numeric' });
  const offset = field({ name: 'offset', inputMode: 'numeric' });
  const slippage = field({ name: 'slippage', inputMode: 'numeric', placeholder: 'none' });
  const type = el('select', {}, options(Object.keys(TYPES).map((key) => [key, typeText(key)]), 'Limit'));
  const tif = el('select', {}, options(Object.keys(TIMES_IN_FORCE), 'GTC'));
  const stp = el('select', {}, options(Object.keys(SELF_TRADES).map((key) => [key, key === '' ? 'allowed' : typeText(key)]), ''));
  const reduce_only = el('input', { type: 'checkbox' });
  const sides = ['Buy', 'Sell'].map((side) => el('input', { type: 'radio', name: 'side', value: side, checked: side === 'Buy' }));
  const hints = new Map([price, quantity, trigger].map((input) => [input, el('small.hint')]));
  const withHint = (text, input) => labelledField(text, input, hints.get(input) ?? null);
  const optional = {
    price: withHint('Price', price),
    trigger: withHint('Trigger price', trigger),
    trailing: labelledField('Trails by, bps', trailing),
    offset: labelledField('Limit offset, bps', offset),
    slippage: labelledField('Max slippage, bps', slippage),
  };
  const title = el('h2');
  const figures = el('dl.facts.figures', { 'aria-live': 'off' });
  const figure = (term) => {
    const told = el('dd', {}, '–');
    const name = el('dt', {}, term);
    figures.append(name, told);
    return { name, told };
  };
  const notional = figure('Notional');
  const margin = figure('Initial margin');
  const fee = figure('Fee, if it takes');
  const needed = figure('Both together');
  const foreseen = el('dl.facts.figures', { hidden: true });
  const line = el('code.command');
  const submit = el('button.primary', { type: 'submit' }, 'Place');
  const preview = el('button', { type: 'button', title: 'Asks the exchange what it would do; costs one order token' }, 'Preview');
  const back = el('button', { type: 'button', hidden: true }, 'Do not amend');
  const outcome = el('p.outcome', { role: 'status' });
  const only_new = el('div.new-only', {},
    el('fieldset.sides', {}, el('legend.unseen', {}, 'Side'), sides.map((radio) => el('label', { class: radio.value.toLowerCase() }, radio, el('span', {}, radio.value)))),
    labelledField('Type', type));
  const more = el('details.more', {}, el('summary', {}, 'Time in force, self-trades'), el('div.form', {}, labelledField('Time in force', tif), labelledField('Trades with itself', stp), optional.slippage));
  const reduce = el('label.check', {}, reduce_only, ' Reduce only');

  const leverage = field({ inputMode: 'numeric' });
  const mode = el('select', {}, options(['cross', 'isolated']));
  const terms_line = el('summary');
  const terms_box = el('details.more', {}, terms_line,
    el('div.inline', {}, labelledField('Leverage', leverage), el('button', { type: 'button', onclick: () => change('/leverage', { leverage: Number(leverage.value) }) }, 'Set leverage')),
    el('div.inline', {}, labelledField('Margin mode', mode), el('button', { type: 'button', onclick: () => change('/account/margin-mode', { margin_mode: mode.value }) }, 'Set mode')));

  const form = el('form.ticket', { noValidate: true, 'aria-label': 'Order' }, title, only_new,
    optional.price, withHint('Size', quantity), optional.trigger, optional.trailing, optional.offset, reduce, more,
    figures, el('div.buttons', {}, submit, preview, back), outcome, foreseen, line, terms_box);

  if (store.account === null) {
    root.replaceChildren(el('p.empty', {}, `Orders need a development account, and ${store.network} has none: the page only looks.`));
    return { set() {}, amend() {}, setMarket() {}, focus() {}, ready() {}, close() {} };
  }
  root.replaceChildren(form);

  const side = () => sides.find((radio) => radio.checked).value;
  const given = (input) => (isDecimal(input.value.trim()) && sign(input.value.trim()) > 0 ? input.value.trim() : null);
  const has = (name) => TYPES[amended ? amended.order_type : type.value].fields.includes(name);
  const markPrice = () => feed.tickers.get(market.market_id)?.markPrice ?? null;

  // The price that the order is valued at, and what to call it.
  function valuedAt() {
    if (has('price')) return [given(price), ''];
    if (has('trigger') && !amended) return [given(trigger), ' at the trigger'];
    return [markPrice(), ' at the mark price'];
  }

  function draw() {
    const [at, of] = valuedAt();
    const size = given(quantity);
    setText(notional.name, `Notional${of}`);
    const worth = at && size ? multiply(at, size) : null;
    setText(notional.told, worth ? `${grouped(worth)} USDX` : '–');
    setText(margin.name, terms ? `Initial margin of this order alone, ${terms.margin_mode} ${terms.leverage}×` : 'Initial margin');
    const asked = worth && terms && !reduce_only.checked ? quotientUp(worth, terms.leverage) : null;
    const charged = worth && taker_bps ? productUp(worth, divide(taker_bps, '10000', 8)) : null;
    setText(margin.told, reduce_only.checked ? 'none, it only reduces' : asked ? `${grouped(asked)} USDX` : '–');
    setText(fee.name, taker_bps ? `Fee, if it takes, ${taker_bps} bps` : 'Fee, if it takes');
    setText(fee.told, charged ? `${grouped(charged)} USDX` : '–');
    setText(needed.told, asked && charged ? `${grouped(add(asked, charged))} USDX` : '–');

    hint(price, given(price) ?? price.value, market.tick_size, 'tick');
    hint(trigger, given(trigger) ?? trigger.value, market.tick_size, 'tick');
    hint(quantity, given(quantity) ?? quantity.value, market.lot_size, 'lot');
    submit.classList.toggle('sell', side() === 'Sell' && !amended);
    submit.classList.toggle('buy', side() === 'Buy' && !amended);
    setText(submit, amended ? 'Amend' : `${side()}${size ? ` ${size} ${market.base_asset}` : ''}`);
    setText(line, size && isComplete() ? commandLine() : '');
  }

  function hint(input, text, step, word) {
    const wrong = text === '' ? '' : !isDecimal(text) ? 'not a decimal number' : sign(text) <= 0 ? 'not above zero'
      : !isMultiple(text, step) ? `not a multiple of the ${word} ${step}` : '';
    setText(hints.get(input), wrong);
    if (wrong) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
  }

  function showFields() {
    for (const [name, box] of Object.entries(optional)) box.hidden = !has(name) || (amended !== null && name !== 'price');
    only_new.hidden = more.hidden = reduce.hidden = preview.hidden = amended !== null;
    back.hidden = amended === null;
    setText(title, amended ? `Amend ${orderText(amended)}` : `Order ${market.market_id}`);
    setText(foreseen, '');
    foreseen.hidden = true;
    draw();
  }

  function body() {
    const order = { market_id: market.market_id, side: side(), order_type: type.value, quantity: quantity.value.trim(), time_in_force: tif.value };
    if (has('price')) order.price = price.value.trim();
    if (has('trigger')) order.trigger_price = trigger.value.trim();
    if (has('trailing')) order.trailing_offset_bps = Number(trailing.value);
    if (has('offset')) order.limit_offset_bps = Number(offset.value);
    if (has('slippage') && slippage.value.trim() !== '') order.max_slippage_bps = Number(slippage.value);
    if (stp.value) order.stp = stp.value;
    if (reduce_only.checked) order.reduce_only = true;
    return order;
  }

  // Whether the prices that the type asks for are there: without one, the line would be that of another order.
  const isComplete = () => (!has('price') || given(price) !== null) && (!has('trigger') || amended !== null || given(trigger) !== null);

  function commandLine() {
    if (amended) return commandOf(store.account, `orders amend ${amended.id}${has('price') ? ` --price ${price.value.trim()}` : ''} --size ${quantity.value.trim()}`);
    const order = body();
    const flags = [];
    if (order.price) flags.push(`--price ${order.price}`);
    if (!['Limit', 'Market'].includes(order.order_type)) flags.push(`--type ${TYPES[order.order_type].word}`);
    if (order.trigger_price) flags.push(`--trigger-price ${order.trigger_price}`);
    if (order.trailing_offset_bps !== undefined) flags.push(`--trailing-bps ${order.trailing_offset_bps}`);
    if (order.limit_offset_bps !== undefined) flags.push(`--limit-offset-bps ${order.limit_offset_bps}`);
    if (order.time_in_force !== defaultTif()) flags.push(`--tif ${TIMES_IN_FORCE[order.time_in_force]}`);
    if (order.max_slippage_bps !== undefined) flags.push(`--max-slippage-bps ${order.max_slippage_bps}`);
    if (order.stp) flags.push(`--stp ${SELF_TRADES[order.stp]}`);
    if (order.reduce_only) flags.push('--reduce-only');
    return commandOf(store.account, [side().toLowerCase(), order.quantity, order.market_id, ...flags].join(' '));
  }

  const defaultTif = () => (/Market$|^TrailingStop$/.test(type.value) ? 'IOC' : 'GTC');
  const tell = (text, failed = false) => {
    setText(outcome, text);
    outcome.classList.toggle('failed', failed);
  };
  const tellError = (error) => tell(`${error.message} (${error.code ?? error.name})`, true);

  async function send() {
    if (sending) return;
    if (!isComplete()) {
      tell('A price is missing', true);
      return;
    }
    const account = store.account;
    sending = true;
    submit.setAttribute('aria-busy', 'true');
    context.command(commandLine());
    try {
      if (amended) {
        const changed = { price: price.value.trim(), size: quantity.value.trim() };
        if (!has('price')) delete changed.price;
        const order = await api.asAccount(account, 'PATCH', `/orders/${amended.id}`, changed, { market_id: amended.market_id });
        tell(`Amended: ${orderText(order)}`);
        leaveAmend();
        onDone({ order });
      } else {
        const terms_sent = JSON.stringify([account, body()]);
        const client_id = unsure?.terms_sent === terms_sent ? unsure.client_id : newClientId();
        unsure = { terms_sent, client_id };
        const answer = await api.asAccount(account, 'POST', '/orders', { ...body(), client_id });
        unsure = null;
        tell(answered(answer));
        context.notice(answered(answer));
        onDone(answer);
      }
    } catch (error) {
      if (!error.provesNothing) unsure = null;
      tellError(error);
    } finally {
      sending = false;
      submit.removeAttribute('aria-busy');
    }
  }

  function answered({ order, fills }) {
    const filled = fills.length > 0 ? ` ${order.filled_qty} filled in ${fills.length} ${fills.length === 1 ? 'trade' : 'trades'}.` : '';
    const ended = order.cancellation_reason;
    const why = ended ? ` The rest was cancelled: ${typeof ended === 'string' ? ended : `self-trade, ${ended.Stp}`}.` : '';
    return `${order.status}.${filled}${why}`;
  }

  async function ask() {
    const account = store.account;
    try {
      const asked = JSON.stringify(body());
      const seen = await api.asAccount(account, 'POST', '/orders/preview', JSON.parse(asked));
      if (account !== store.account || asked !== JSON.stringify(body())) return;
      const rows = [
        ['The exchange would', seen.accepted ? 'take it' : `refuse it: ${seen.reject_reason}`],
        ['Initial margin', `${grouped(seen.required_initial_margin)} USDX`],
        ['Average price', seen.expected_fill_vwap === null ? 'it would rest' : grouped(seen.expected_fill_vwap)],
        ['Fees', `${grouped(seen.projected_fees)} USDX`],
        ['Equity after', `${money(seen.projected_post_trade_equity)} USDX`],
        ['Leverage after', `${grouped(seen.projected_post_trade_leverage)}×`],
        ['Liquidation price', seen.projected_post_trade_liquidation_price === null ? 'none' : grouped(seen.projected_post_trade_liquidation_price)],
      ];
      foreseen.replaceChildren(...rows.flatMap(([term, text]) => [el('dt', {}, term), el('dd', {}, text)]));
      foreseen.hidden = false;
      tell('');
    } catch (error) {
      tellError(error);
    }
  }

  async function readTerms() {
    const [account, id] = [store.account, market.market_id];
    terms = taker_bps = null;
    setText(terms_line, 'Leverage and margin mode');
    try {
      const [read, fees] = await Promise.all(['/account/margin-mode', '/account/fees'].map((path) => api.asAccount(account, 'GET', path, null, { market_id: id })));
      if (account !== store.account || id !== market.market_id) return;
      taker_bps = fees.taker_fee_bps;
      showTerms(read);
    } catch (error) {
      tell(`The account's leverage could not be read: ${error.message}`, true);
    }
  }
  function showTerms(read) {
    terms = { margin_mode: read.margin_mode, leverage: read.leverage };
    setText(terms_line, `${terms.margin_mode} margin, leverage ${terms.leverage}×`);
    leverage.value = terms.leverage;
    mode.value = terms.margin_mode;
    draw();
  }
  async function change(path, what) {
    const words = path === '/leverage' ? `leverage ${market.market_id} ${what.leverage}` : `mode set ${market.market_id} ${what.margin_mode}`;
    context.command(commandOf(store.account, `margin ${words}`));
    try {
      await api.asAccount(store.account, 'POST', path, { market_id: market.market_id, ...what });
      tell('');
      await readTerms();
      context.say(terms_line.textContent);
    } catch (error) {
      tellError(error);
    }
  }

  function leaveAmend() {
    amended = null;
    quantity.value = '';
    showFields();
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send();
  });
  // One order for a double click, and for an Enter that is held.
  submit.addEventListener('click', (event) => { if (event.detail > 1) event.preventDefault(); });
  form.addEventListener('keydown', (event) => { if (event.key === 'Enter' && event.repeat) event.preventDefault(); }, true);
  leverage.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();  // or it would send the order
    if (!event.repeat) change('/leverage', { leverage: Number(leverage.value) });
  });
  form.addEventListener('input', () => {
    foreseen.hidden = true;
    draw();
  });
  type.addEventListener('change', () => {
    tif.value = defaultTif();
    showFields();
  });
  preview.addEventListener('click', ask);
  back.addEventListener('click', () => {
    leaveAmend();
    quantity.focus();
  });
  // The arrow keys go by ticks and lots, with Shift by ten of them.
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && amended) {
      event.stopPropagation();
      leaveAmend();
      return;
    }
    const step = { price: market.tick_size, trigger: market.tick_size, quantity: market.lot_size }[event.target.name];
    if (!step || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    const text = event.target.value.trim();
    const from = isDecimal(text) ? text : event.target.name === 'quantity' ? '0' : markPrice() ?? '0';
    const to = steps(from, step, (event.key === 'ArrowUp' ? 1 : -1) * (event.shiftKey ? 10 : 1));
    if (sign(to) > 0) event.target.value = to;
    draw();
  });

  const ends = [
    feed.on('ticker', (which) => { if (which === market.market_id && !has('price')) draw(); }),
    store.onAccount(() => {
      if (amended) leaveAmend();
      readTerms();
      draw();
    }),
  ];
  showFields();
  readTerms();

  return {
    set(values) {
      if (amended && (values.side || values.order_type)) leaveAmend();
      if (values.side) sides.forEach((radio) => { radio.checked = radio.value === values.side; });
      if (values.order_type) {
        type.value = values.order_type;
        tif.value = defaultTif();
      }
      if (values.price !== undefined) {
        price.value = values.price;
        if (!has('price') && !values.order_type) {
          type.value = 'Limit';
          tif.value = defaultTif();
        }
      }
      if (values.quantity !== undefined) quantity.value = values.quantity;
      if (values.reduce_only !== undefined) reduce_only.checked = values.reduce_only;
      showFields();
    },
    amend(order) {
      if (order.market_id !== market.market_id) this.setMarket(order.market_id);
      amended = order;
      price.value = sign(order.price ?? '0') === 0 ? '' : order.price;
      quantity.value = order.quantity;
      tell('');
      showFields();
      (has('price') ? price : quantity).focus();
    },
    setMarket(id) {
      if (id === market.market_id) return;
      market = store.market(id);
      amended = null;
      price.value = trigger.value = quantity.value = '';
      showFields();
      readTerms();
    },
    focus: () => quantity.focus(),
    ready: () => submit.focus(),
    close: () => ends.forEach((end) => end()),
  };
}
