// Candles with volume, lines of mark and index price, and funding below, drawn by TradingView's Lightweight Charts.
// Candles are read once and then folded from the trades as they come; the chart gets numbers, the legend gets texts.
import {
  CandlestickSeries,
  CrosshairMode,
  HistogramSeries,
  LineSeries,
  createChart,
} from './vendor/lightweight-charts.mjs';
import { patientReader } from './api.mjs';
import { coloursOf } from './colours.mjs';
import { el, setText } from './elements.mjs';
import { add, compare, coordinate, grouped, placesOf, trimmed } from './format.mjs';
import { onFrame } from './frame.mjs';

const INTERVALS = { '1s': 1, '1m': 60, '5m': 300, '1h': 3600 };
const CANDLES_READ = 500;
const CANDLES_FILLED = 1000; // flat ones at most, after a time without trades
const HEAD_ATTEMPTS = 3;
const FUNDING_HEIGHT = 0.16;
const BASIS_POINTS = 10_000;

// setFunding(samples, settled) takes what market.mjs watches. `interval` is the one to begin with, onInterval(it) hears of
// another.
export function chart({ context, market, interval: first = '1m', onInterval }) {
  const { api, feed } = context;
  const id = market.market_id;
  const price_places = placesOf(market.tick_size);
  let interval = first in INTERVALS ? first : '1m';
  let candles = []; // {time, open, high, low, close, volume}: seconds, and amounts as texts
  let waiting = null; // trades that came while candles were being read
  let shown_interval = interval; // of the candles that are there
  let funding = { samples: [], settled: [] };

  const box = el('div.chart-box');
  const frame = el(
    'div.chart.live',
    { role: 'group', tabindex: '0', 'aria-label': `Candles of ${id}. Arrow keys move, plus and minus zoom` },
    box,
  );
  const shown = el('span', {});
  const buttons = Object.keys(INTERVALS).map((name) =>
    el('button', { type: 'button', 'aria-pressed': String(name === interval), onclick: () => choose(name) }, name),
  );
  const choice = el('span.choice', { role: 'group', 'aria-label': 'Length of a candle' }, ...buttons);
  const legend = el(
    'div.legend',
    {},
    el('span.key.mark', {}, 'mark'),
    el('span.key.index', {}, 'index'),
    el(
      'span',
      { title: 'Basis points: premium of each minute as a line, settled rates of each hour as columns' },
      'below: premium and funding, bp',
    ),
    shown,
    el(
      'span.attribution',
      {},
      'Charts: ',
      el(
        'a',
        { href: 'https://www.tradingview.com/', target: '_blank', rel: 'noopener noreferrer' },
        'TradingView Lightweight Charts™',
      ),
      ' © 2025 TradingView, Inc.',
    ),
  );

  // --- the library --------------------------------------------------------------------------------------------------

  const drawing = createChart(box, {
    autoSize: true,
    // The notice is in the legend: the logo would add a <style>.
    layout: { attributionLogo: false, panes: { enableResize: false } },
    crosshair: { mode: CrosshairMode.Normal },
    rightPriceScale: { scaleMargins: { top: 0.06, bottom: 0.22 }, minimumWidth: 74 },
    timeScale: { timeVisible: true, rightOffset: 4, minBarSpacing: 1 },
    localization: { locale: 'en-GB' },
  });
  const price_format = {
    type: 'custom',
    minMove: coordinate(market.tick_size),
    formatter: (value) => grouped(value.toFixed(price_places)),
  };
  const candle_series = drawing.addSeries(CandlestickSeries, { priceFormat: price_format, borderVisible: false });
  const volume_series = drawing.addSeries(HistogramSeries, {
    priceScaleId: 'volume',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  });
  drawing.priceScale('volume').applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
  const line = (width, style) => ({
    priceFormat: price_format,
    lineWidth: width,
    lineStyle: style,
    priceLineVisible: false,
    lastValueVisible: false,
    crosshairMarkerVisible: false,
  });
  const mark_series = drawing.addSeries(LineSeries, line(2, 0));
  const index_series = drawing.addSeries(LineSeries, line(1, 0));
  const points = { type: 'custom', minMove: 0.01, formatter: (value) => value.toFixed(2) };
  const settled_series = drawing.addSeries(
    HistogramSeries,
    { priceFormat: points, priceLineVisible: false, lastValueVisible: false },
    1,
  );
  const premium_series = drawing.addSeries(
    LineSeries,
    {
      priceFormat: points,
      lineWidth: 1,
      priceLineVisible: false,
      lastValueVisible: false,
      crosshairMarkerVisible: false,
    },
    1,
  );
  drawing.panes()[0].setStretchFactor(1 - FUNDING_HEIGHT);
  drawing.panes()[1].setStretchFactor(FUNDING_HEIGHT);

  let colours = {};
  function paint() {
    colours = coloursOf([
      'panel',
      'soft',
      'line',
      'line-strong',
      'up',
      'down',
      'up-fill',
      'down-fill',
      'mark',
      'index',
      'accent',
    ]);
    const font = getComputedStyle(document.body).fontFamily;
    drawing.applyOptions({
      layout: {
        background: { type: 'solid', color: colours.panel },
        textColor: colours.soft,
        fontSize: 11,
        fontFamily: font,
        panes: { separatorColor: colours.line },
      },
      grid: { vertLines: { color: colours.line }, horzLines: { color: colours.line } },
      rightPriceScale: { borderColor: colours.line },
      timeScale: { borderColor: colours.line },
      crosshair: {
        vertLine: { color: colours['line-strong'], labelBackgroundColor: colours['line-strong'] },
        horzLine: { color: colours['line-strong'], labelBackgroundColor: colours['line-strong'] },
      },
    });
    candle_series.applyOptions({
      upColor: colours.up,
      downColor: colours.down,
      wickUpColor: colours.up,
      wickDownColor: colours.down,
    });
    mark_series.applyOptions({ color: colours.mark });
    index_series.applyOptions({ color: colours.index });
    premium_series.applyOptions({ color: colours.accent });
    settled_series.applyOptions({ color: colours['line-strong'] });
    if (candles.length > 0) volume_series.setData(candles.map(volumeOf));
  }

  // --- candles ------------------------------------------------------------------------------------------------------

  const startOf = (ms) => Math.floor(Number(ms) / 1000 / INTERVALS[shown_interval]) * INTERVALS[shown_interval];
  const candleOf = ({ time, open, high, low, close }) => ({
    time,
    open: coordinate(open),
    high: coordinate(high),
    low: coordinate(low),
    close: coordinate(close),
  });
  const volumeOf = ({ time, open, close, volume }) => ({
    time,
    value: coordinate(volume),
    color: compare(close, open) < 0 ? colours['down-fill'] : colours['up-fill'],
  });

  let dirty_from = null; // index of the first candle that the chart does not have as it is

  function fold(trade) {
    const time = startOf(trade.timestamp);
    let last = candles.at(-1);
    if (last && time < last.time) return; // told late: the next reading has it
    if (last && (time - last.time) / INTERVALS[shown_interval] > CANDLES_FILLED) {
      load();
      return;
    }
    dirty_from = Math.min(dirty_from ?? Infinity, Math.max(0, candles.length - 1));
    while (last && last.time < time - INTERVALS[shown_interval]) {
      last = {
        time: last.time + INTERVALS[shown_interval],
        open: last.close,
        high: last.close,
        low: last.close,
        close: last.close,
        volume: '0',
      };
      candles.push(last);
    }
    const { price, amount } = trade;
    if (!last || last.time < time) {
      candles.push({ time, open: price, high: price, low: price, close: price, volume: amount });
    } else {
      if (compare(price, last.high) > 0) last.high = price;
      if (compare(price, last.low) < 0) last.low = price;
      last.close = price;
      last.volume = add(last.volume, amount);
    }
  }

  const newestId = async () => (await api.get(`/markets/${id}/trades`, { limit: 1 }))[0]?.id ?? '';

  // The candles, and the id of the newest trade that is in them: no trade between two equal heads.
  async function read() {
    let head = await newestId();
    for (let attempt = 1; ; ++attempt) {
      const rows = await api.get(`/markets/${id}/candles`, { timeframe: interval, limit: CANDLES_READ });
      const after = await newestId();
      if (after === head || attempt === HEAD_ATTEMPTS) return { rows, head: after };
      head = after;
    }
  }

  const reader = patientReader(
    async (isCurrent) => {
      waiting ??= [];
      const wanted = interval;
      const [{ rows, head }, { marks }] = await Promise.all([read(), api.control('GET', `/markets/${id}/marks`)]);
      if (!isCurrent()) return;
      feed.mergeMarks(id, marks);
      shown_interval = wanted;
      candles = rows.map(([at, open, high, low, close, volume]) => ({
        time: Number(at) / 1000,
        open,
        high,
        low,
        close,
        volume,
      }));
      for (const trade of waiting) if (trade.id > head) fold(trade);
      waiting = null;
      dirty_from = null;
      candle_series.setData(candles.map(candleOf));
      volume_series.setData(candles.map(volumeOf));
      setMarks();
      drawFunding();
      drawShown();
    },
    // The candles on the screen stay, with their interval, and new trades are added to them.
    (error) => {
      const trades = waiting ?? [];
      waiting = null;
      trades.forEach(fold);
      if (error.status !== 0) context.notice(`Candles could not be read: ${error.message}`, true);
    },
  );
  const load = reader.read;

  // --- lines --------------------------------------------------------------------------------------------------------

  const begin = () => candles[0]?.time ?? Infinity;

  // One point an interval: the last one of it.
  function bucketed(rows, at, value) {
    const found = new Map();
    for (const row of rows) found.set(startOf(at(row)), value(row));
    return [...found].filter(([time]) => time >= begin()).map(([time, value_of_it]) => ({ time, value: value_of_it }));
  }

  let mark_time = 0;
  function setMarks() {
    const marks = feed.marks(id);
    mark_series.setData(
      bucketed(
        marks,
        (row) => row.at_ms,
        (row) => coordinate(row.mark),
      ),
    );
    index_series.setData(
      bucketed(
        marks.filter((row) => row.index !== null),
        (row) => row.at_ms,
        (row) => coordinate(row.index),
      ),
    );
    mark_time = marks.length > 0 ? startOf(marks.at(-1).at_ms) : 0;
  }

  let mark_dirty = false;
  function drawMarks() {
    const latest = feed.marks(id).at(-1);
    if (!latest || startOf(latest.at_ms) < begin()) return;
    const time = startOf(latest.at_ms);
    if (time < mark_time) {
      setMarks(); // the clock went back: a snapshot was restored
      return;
    }
    mark_time = time;
    mark_series.update({ time, value: coordinate(latest.mark) });
    if (latest.index !== null) index_series.update({ time, value: coordinate(latest.index) });
  }

  function drawFunding() {
    const points_of = (rows, member) =>
      bucketed(
        rows,
        (row) => row.timestamp,
        (row) => coordinate(row[member]) * BASIS_POINTS,
      );
    const ascending = (rows) => rows.sort((a, b) => a.time - b.time);
    premium_series.setData(ascending(points_of(funding.samples, 'premium_index')));
    settled_series.setData(ascending(points_of([...funding.settled].reverse(), 'funding_rate')));
  }

  // --- what is under the crosshair, or the last candle --------------------------------------------------------------

  let hovered = null;
  let shown_text = '';
  function drawShown() {
    const candle = candles.find(({ time }) => time === hovered) ?? candles.at(-1);
    if (!candle) {
      setText(shown, (shown_text = ''));
      return;
    }
    const text = ['open', 'high', 'low', 'close']
      .map((name) => `${name[0].toUpperCase()} ${grouped(candle[name], price_places)}`)
      .join('  ');
    const whole = `${text}  V ${trimmed(candle.volume)}`;
    if (whole !== shown_text) setText(shown, (shown_text = whole));
  }
  drawing.subscribeCrosshairMove(({ time }) => {
    hovered = time ?? null;
    ask();
  });

  function draw() {
    if (dirty_from !== null && waiting === null) {
      for (const candle of candles.slice(dirty_from)) {
        candle_series.update(candleOf(candle));
        volume_series.update(volumeOf(candle));
      }
      dirty_from = null;
    }
    if (mark_dirty) {
      mark_dirty = false;
      if (candles.length > 0) drawMarks();
    }
    drawShown();
  }
  const ask = onFrame(draw);

  function choose(name) {
    if (name === interval) return;
    interval = name;
    buttons.forEach((button) => button.setAttribute('aria-pressed', String(button.textContent === name)));
    drawing.applyOptions({ timeScale: { secondsVisible: INTERVALS[name] < 60 } });
    onInterval?.(name);
    load();
    drawing.timeScale().scrollToRealTime();
  }

  frame.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== frame) return;
    const scale = drawing.timeScale();
    const { barSpacing } = scale.options();
    const acts = {
      ArrowLeft: () => scale.scrollToPosition(scale.scrollPosition() - 10, false),
      ArrowRight: () => scale.scrollToPosition(scale.scrollPosition() + 10, false),
      End: () => scale.scrollToRealTime(),
      '+': () => scale.applyOptions({ barSpacing: Math.min(40, barSpacing * 1.25) }),
      '=': () => scale.applyOptions({ barSpacing: Math.min(40, barSpacing * 1.25) }),
      '-': () => scale.applyOptions({ barSpacing: Math.max(1, barSpacing / 1.25) }),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });

  paint();
  drawing.applyOptions({ timeScale: { secondsVisible: INTERVALS[interval] < 60 } });
  const stops = [
    feed.on('trade', (changed, trade) => {
      if (changed !== id) return;
      if (waiting) waiting.push(trade);
      else fold(trade);
      ask();
    }),
    feed.on('ticker', (changed) => {
      if (changed !== id) return;
      mark_dirty = true;
      ask();
    }),
    feed.on('resync', load),
    context.onTheme(paint),
  ];
  if (feed.begun) load();

  return {
    element: frame,
    legend,
    choice,
    setFunding(samples, settled) {
      funding = { samples, settled };
      if (candles.length > 0) drawFunding();
    },
    close() {
      reader.close();
      for (const stop of stops) stop();
      drawing.remove();
    },
  };
}
