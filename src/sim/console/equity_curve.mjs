// A curve of an account's equity. What is drawn are positions on the screen; the figures beside it are the amounts.
import { el, setText, svg } from './elements.mjs';
import { compare, coordinate, dateTime, money } from './format.mjs';

const POINTS_MAX = 1000;

export function equityCurve() {
  const line = svg('polyline', { class: 'equity-line' });
  const area = svg('polygon', { class: 'equity-area' });
  const picture = svg('svg', { viewBox: '0 0 100 100', preserveAspectRatio: 'none', role: 'img', 'aria-label': 'No equity known yet' }, area, line);
  const high = el('span.price-top');
  const low = el('span.price-bottom');
  const under = el('span.equity-under', { hidden: true });
  const element = el('div.equity-curve', {}, picture, high, low, under);
  let points = [];

  function draw() {
    if (points.length === 0) return;
    let [least, most] = [points[0].equity, points[0].equity];
    for (const { equity } of points) {
      if (compare(equity, least) < 0) least = equity;
      if (compare(equity, most) > 0) most = equity;
    }
    const [bottom, top] = [coordinate(least), coordinate(most)];
    const [begin, end] = [points[0].at_ms, points.at(-1).at_ms];
    const x = ({ at_ms }) => (end === begin ? 100 : (100 * (at_ms - begin)) / (end - begin));
    const y = ({ equity }) => (top === bottom ? 50 : 95 - (90 * (coordinate(equity) - bottom)) / (top - bottom));
    const path = points.map((point) => `${x(point).toFixed(2)},${y(point).toFixed(2)}`);
    line.setAttribute('points', path.join(' '));
    area.setAttribute('points', `0,100 ${path.join(' ')} 100,100`);
    setText(high, money(most));
    setText(low, compare(least, most) === 0 ? '' : money(least));
    picture.setAttribute('aria-label', `Equity from ${dateTime(begin)} to ${dateTime(end)}, lowest ${money(least)}, highest ${money(most)} USDX`);
  }

  element.addEventListener('pointermove', (event) => {
    if (points.length < 2) return;
    const box = element.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    const at = points[0].at_ms + share * (points.at(-1).at_ms - points[0].at_ms);
    const nearest = points.reduce((best, point) => (Math.abs(point.at_ms - at) < Math.abs(best.at_ms - at) ? point : best));
    setText(under, `${dateTime(nearest.at_ms)}  ${money(nearest.equity)}`);
    under.hidden = false;
  });
  element.addEventListener('pointerleave', () => { under.hidden = true; });

  return {
    element,
    // [{at_ms, equity}], oldest first
    show(list) {
      points = list.slice(-POINTS_MAX);
      draw();
    },
    // One more; a second one of the same second replaces it.
    append(point) {
      const last = points.at(-1);
      if (last && point.at_ms < last.at_ms) return;
      if (last && points.length > 1 && Math.floor(last.at_ms / 1000) === Math.floor(point.at_ms / 1000)) points.pop();
      points.push(point);
      if (points.length > POINTS_MAX) points.shift();
      draw();
    },
  };
}
