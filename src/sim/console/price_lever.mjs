// The price of a market under the reader's hand: a line to drag over the trail of the mark price, and a field to type in.
import { add, compare, coordinate, divide, fixed, grouped, isDecimal, multiply, onStep, placesOf, sign, subtract } from './format.mjs';
import { onFrame } from './frame.mjs';
import { parseDuration } from './durations.mjs';
import { el, labelledField, options, setText, svg } from './elements.mjs';

const TRAIL_MS = 300_000;  // of the sandbox's clock
const TRAIL_POINTS = 600;
const RANGES = [['0.01', '± 1 %'], ['0.05', '± 5 %'], ['0.2', '± 20 %'], ['0.5', '± 50 %']];
const KEY_STEP = '0.001';  // an arrow key moves so much of the price; with Shift one tick
const PAGE_STEP = '0.01';

// `make` builds a lever; `onMark(market_id, f)` calls f(mark, at_ms) for each mark price, first for those that are known, and returns its end.
export function priceLever(root, { market, make, onMark, set, walk }) {
  const tick = market.tick_size;
  const places = placesOf(tick);
  const range = el('select', { onchange: () => centre() }, options(RANGES, '0.01'));
  const typed = el('input', { type: 'text', inputMode: 'decimal', autocomplete: 'off' });
  const over = el('input', { type: 'text', value: '60s', autocomplete: 'off' });
  const shock = el('input', { type: 'text', value: '-10', inputMode: 'text', autocomplete: 'off' });
  const trail = svg('polyline', { class: 'trail', points: '' });
  const picture = svg('svg', { viewBox: '0 0 100 100', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, trail);
  const mark = el('div.price-mark', {}, '');
  const label = el('span');
  const handle = el('div.price-handle', {
    role: 'slider', tabindex: '0', 'aria-label': `Price of ${market.market_id}`, 'aria-orientation': 'vertical',
  }, label);
  const top = el('span.price-top');
  const bottom = el('span.price-bottom');
  const fieldBox = el('div.price-field', {}, picture, top, bottom, mark, handle);

  const points = [];
  let last = null;
  let low = null;
  let high = null;
  let chosen = null;  // what the handle says; null: it follows the mark
  let dragging = false;

  // The picture's edges: so far around the mark, on ticks, never below one tick.
  function centre() {
    if (last === null) return;
    const reach = multiply(last, range.value);
    low = onStep(subtract(last, reach), tick, 'down');
    if (compare(low, tick) < 0) low = fixed(tick, places);
    high = onStep(add(last, reach), tick, 'up');
    draw();
  }

  const part = (price) => {
    const from = coordinate(low);
    return Math.min(1, Math.max(0, (coordinate(price) - from) / (coordinate(high) - from)));
  };

  function draw() {
    if (low === null) return;
    const price = chosen ?? last;
    handle.style.top = `${(1 - part(price)) * 100}%`;
    handle.setAttribute('aria-valuemin', low);
    handle.setAttribute('aria-valuemax', high);
    handle.setAttribute('aria-valuenow', fixed(price, places));
    handle.setAttribute('aria-valuetext', `${fixed(price, places)}, ${away(price)} from the mark price`);
    handle.classList.toggle('chosen', chosen !== null);
    setText(label, `${grouped(price, places)}  ${away(price)}`);
    mark.style.top = `${(1 - part(last)) * 100}%`;
    setText(mark, `mark ${grouped(last, places)}`);
    mark.hidden = chosen === null;
    setText(top, grouped(high, places));
    setText(bottom, grouped(low, places));
    const now = points.at(-1).at_ms;
    const line = points.map(({ at_ms, price: was }) => `${(100 * (1 - (now - at_ms) / TRAIL_MS)).toFixed(2)},${(100 * (1 - part(was))).toFixed(2)}`);
    trail.setAttribute('points', line.join(' '));
  }
  const away = (price) => {
    const change = divide(multiply(subtract(price, last), '100'), last, 2);
    return `${sign(change) >= 0 ? '+' : ''}${change} %`;
  };

  function choose(price) {
    if (low === null) return;
    chosen = compare(price, high) > 0 ? high : compare(price, low) < 0 ? low : price;
    typed.value = fixed(chosen, places);
    draw();
    refresh();
  }
  function follow() {
    chosen = null;
    draw();
  }

  // Where the pointer is, on the nearest tick. The share of the picture is in millionths, so that the price is exact.
  function pointed(event) {
    const box = fieldBox.getBoundingClientRect();
    const share = Math.round(1e6 * Math.min(1, Math.max(0, 1 - (event.clientY - box.top) / box.height)));
    return onStep(add(low, multiply(subtract(high, low), divide(String(share), '1000000', 6))), tick);
  }
  const apply = () => setAtOnce.pull().then(() => { if (!dragging) follow(); });

  fieldBox.addEventListener('pointerdown', (event) => {
    if (low === null || event.button !== 0) return;
    event.preventDefault();
    handle.focus();
    fieldBox.setPointerCapture(event.pointerId);
    dragging = true;
    choose(pointed(event));
  });
  fieldBox.addEventListener('pointermove', (event) => { if (dragging) choose(pointed(event)); });
  fieldBox.addEventListener('pointerup', () => {
    if (!dragging) return;
    dragging = false;
    apply();
  });
  fieldBox.addEventListener('pointercancel', () => { dragging = false; follow(); });
  handle.addEventListener('keydown', (event) => {
    if (last === null) return;
    const at = chosen ?? fixed(last, places);
    const small = event.shiftKey ? tick : onStep(multiply(last, KEY_STEP), tick, 'up');
    const large = onStep(multiply(last, PAGE_STEP), tick, 'up');
    const to = {
      ArrowUp: () => choose(add(at, small)), ArrowRight: () => choose(add(at, small)),
      ArrowDown: () => choose(subtract(at, small)), ArrowLeft: () => choose(subtract(at, small)),
      PageUp: () => choose(add(at, large)), PageDown: () => choose(subtract(at, large)),
      Home: () => choose(low), End: () => choose(high),
      Enter: () => { if (chosen !== null) apply(); }, Escape: follow,
    }[event.key];
    if (!to) return;
    event.preventDefault();
    event.stopPropagation();
    to();
  });

  const price = () => (isDecimal(typed.value.trim()) && sign(typed.value.trim()) > 0 ? typed.value.trim() : null);
  const duration = () => (/\d(s|m|h|d)$/.test(over.value.trim()) ? parseDuration(over.value) : null);  // as svc takes it
  const id = market.market_id;
  const setAtOnce = make({
    label: 'Set',
    command: () => price() && `svc local price ${id} ${price()}`,
    run: () => set(id, price()),
  });
  const walkThere = make({
    label: 'Walk there',
    command: () => (price() && duration() ? `svc local price ${id} ${price()} --walk --over ${over.value.trim()}` : null),
    run: () => walk(id, { to: price(), over_ms: duration() }),
  });
  const shockIt = make({
    label: 'Shock',
    command: () => (isDecimal(shock.value.trim()) && duration() ? `svc local price ${id} --shock ${shock.value.trim()}% --over ${over.value.trim()}` : null),
    run: () => walk(id, { shock: shock.value.trim(), over_ms: duration() }),
  });
  const refresh = () => [setAtOnce, walkThere, shockIt].forEach((each) => each.refresh());
  for (const field of [typed, over, shock]) field.addEventListener('input', refresh);
  typed.addEventListener('keydown', (event) => { if (event.key === 'Enter' && price()) setAtOnce.pull(); });

  root.replaceChildren(
    el('div.inline', {}, labelledField('Range', range), el('p.note', {}, 'Drag the line and let go, or use the arrow keys and Enter. From then on this price moves only by hand.')),
    fieldBox,
    el('div.inline', {}, labelledField('Price', typed), setAtOnce.element),
    el('div.inline', {}, labelledField('Over', over), walkThere.element),
    el('div.inline', {}, labelledField('Shock, per cent', shock), shockIt.element),
  );

  const draw_soon = onFrame(draw);
  const end = onMark(id, (text, at_ms) => {
    const first = last === null;
    last = text;
    points.push({ at_ms, price: text });
    while (points.length > TRAIL_POINTS || points[0].at_ms < at_ms - TRAIL_MS) points.shift();
    if (first) {
      typed.value = fixed(text, places);
      refresh();
    }
    if (low === null || (!dragging && (compare(text, low) <= 0 || compare(text, high) >= 0))) centre();
    else draw_soon();
  });
  return { close: end };
}
