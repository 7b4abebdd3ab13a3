// What a market order of a given size would reach: the sums of the book on both sides, drawn as steps.
import { coloursOf } from './colours.mjs';
import { el } from './elements.mjs';
import { add, compare, coordinate, divide, fixed, grouped, magnitude, multiply, placesOf, subtract } from './format.mjs';
import { onFrame } from './frame.mjs';

const LABEL_PAUSE_MS = 3000; // between descriptions for those who do not see the picture

export function depth({ context, market }) {
  const { feed } = context;
  const id = market.market_id;
  const price_places = placesOf(market.tick_size);
  const lot_places = placesOf(market.lot_size);
  const canvas = el('canvas', { role: 'img', 'aria-label': `Depth of ${id}` });
  const box = el('div.depth-box.live', {}, canvas);
  const pen = canvas.getContext('2d');
  let hover = null;
  let colours = null;
  let described_ms = 0;

  function readColours() {
    colours = coloursOf(['up', 'down', 'up-fill', 'down-fill', 'soft', 'text', 'line', 'line-strong']);
    colours.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  }

  // [{price, sum}], from the best price outwards; sums are exact
  function sums(levels) {
    let sum = '0';
    return levels.map(({ price, quantity }) => {
      sum = add(sum, quantity);
      return { price, sum };
    });
  }

  function drawSide(points, edge, x, y, base, stroke, fill) {
    if (points.length === 0) return;
    pen.beginPath();
    pen.moveTo(x(coordinate(points[0].price)), base);
    let height = base;
    for (const { price, sum } of points) {
      const at = x(coordinate(price));
      pen.lineTo(at, height);
      height = y(coordinate(sum));
      pen.lineTo(at, height);
    }
    pen.lineTo(edge, height);
    pen.strokeStyle = stroke;
    pen.lineWidth = 1.5;
    pen.stroke();
    pen.lineTo(edge, base);
    pen.closePath();
    pen.fillStyle = fill;
    pen.fill();
  }

  function draw() {
    const book = feed.books.get(id);
    const width = box.clientWidth;
    const height = box.clientHeight;
    if (!book || width === 0 || height === 0) return;
    if (!colours) readColours();
    const scale = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = colours.font;
    const bids = sums(book.bids);
    const asks = sums(book.asks);
    if (bids.length === 0 || asks.length === 0) {
      pen.fillStyle = colours.soft;
      pen.textAlign = 'center';
      pen.fillText(
        bids.length + asks.length === 0 ? 'The book is empty' : 'One side of the book is empty',
        width / 2,
        height / 2,
      );
      describe(bids, asks);
      return;
    }

    // Far levels of the backstop would squeeze the rest: the picture is as wide as the levels that hold most of it.
    const mid_price = divide(add(bids[0].price, asks[0].price), '2', price_places + 1);
    const reaches = [bids, asks].map((points) =>
      magnitude(subtract(points[Math.ceil(points.length * 0.75) - 1].price, mid_price)),
    );
    const reach = [multiply(market.tick_size, '4'), ...reaches].reduce((a, b) => (compare(a, b) < 0 ? b : a));
    const [middle, half] = [coordinate(mid_price), coordinate(reach)];
    const shown = (points) => points.filter(({ price }) => Math.abs(coordinate(price) - middle) <= half);
    const [left, right] = [shown(bids), shown(asks)];
    const most = Math.max(coordinate(left.at(-1)?.sum ?? '0'), coordinate(right.at(-1)?.sum ?? '0')) * 1.08;
    const base = height - 18;
    const x = (price) => ((price - middle + half) / (2 * half)) * width;
    const y = (sum) => base - (sum / most) * (base - 6);

    pen.strokeStyle = colours.line;
    pen.lineWidth = 1;
    for (const part of [0.25, 0.5, 0.75]) {
      pen.beginPath();
      pen.moveTo(0, Math.round(base * part) + 0.5);
      pen.lineTo(width, Math.round(base * part) + 0.5);
      pen.stroke();
    }
    drawSide(left, 0, x, y, base, colours.up, colours['up-fill']);
    drawSide(right, width, x, y, base, colours.down, colours['down-fill']);

    pen.fillStyle = colours.soft;
    pen.textBaseline = 'alphabetic';
    const label = (price, at, align) => {
      pen.textAlign = align;
      pen.fillText(grouped(price), at, height - 5);
    };
    label(fixed(subtract(mid_price, reach), price_places), 4, 'left');
    label(mid_price.replace(/\.?0$/, ''), width / 2, 'center');
    label(fixed(add(mid_price, reach), price_places), width - 4, 'right');

    if (hover !== null) {
      const price = middle - half + (hover / width) * 2 * half;
      const points = price < middle ? left : right;
      const reached = points
        .filter((point) => (price < middle ? coordinate(point.price) >= price : coordinate(point.price) <= price))
        .at(-1);
      pen.strokeStyle = colours['line-strong'];
      pen.beginPath();
      pen.moveTo(Math.round(hover) + 0.5, 0);
      pen.lineTo(Math.round(hover) + 0.5, base);
      pen.stroke();
      if (reached) {
        pen.fillStyle = colours.text;
        pen.textAlign = price < middle ? 'left' : 'right';
        pen.fillText(
          `${fixed(reached.sum, lot_places)} ${market.base_asset} to ${grouped(reached.price)}`,
          price < middle ? 6 : width - 6,
          14,
        );
      }
    }
    describe(bids, asks);
  }

  function describe(bids, asks) {
    const now = performance.now();
    if (now - described_ms < LABEL_PAUSE_MS && described_ms > 0) return;
    described_ms = now;
    const side = (points, word) =>
      points.length === 0
        ? `no ${word}`
        : `${points.at(-1).sum} ${market.base_asset} of ${word} to ${grouped(points.at(-1).price)}`;
    const spread =
      bids.length > 0 && asks.length > 0
        ? `, spread ${divide(add(asks[0].price, `-${bids[0].price}`), '1', price_places)}`
        : '';
    canvas.setAttribute('aria-label', `Depth of ${id}: ${side(bids, 'bids')}, ${side(asks, 'asks')}${spread}`);
  }

  const ask = onFrame(draw);
  canvas.addEventListener('pointermove', (event) => {
    hover = event.offsetX;
    ask();
  });
  canvas.addEventListener('pointerleave', () => {
    hover = null;
    ask();
  });
  const stops = [
    feed.on('book', (changed) => changed === id && ask()),
    context.onTheme(() => {
      colours = null;
      ask();
    }),
  ];
  const watch = new ResizeObserver(ask);
  watch.observe(box);

  return {
    element: el('section.panel', { 'aria-label': 'Depth' }, el('header', {}, el('h2', {}, 'Depth')), box),
    close() {
      watch.disconnect();
      for (const stop of stops) stop();
    },
  };
}
