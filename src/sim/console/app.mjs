// The page: its views by the hash of the address, the strip of markets, the banner, theme, keys and command line.
import { openApi } from './api.mjs';
import { openControlFeed } from './control_feed.mjs';
import { copied, el, isForPage, options, setText } from './elements.mjs';
import { openFeed } from './feed.mjs';
import {
  divide,
  grouped,
  percent,
  placesOf,
  shortAddress,
  sign,
  signed,
  subtract,
  time,
  watchTime,
} from './format.mjs';
import { onFrame } from './frame.mjs';

// key, route, title, module. The first is where a page without a route goes.
const VIEWS = [
  ['1', 'market', 'Market', () => import('./market.mjs')],
  ['2', 'account', 'Account', () => import('./account.mjs')],
  ['3', 'timeline', 'Timeline', () => import('./timeline.mjs')],
  ['4', 'levers', 'Levers', () => import('./levers.mjs')],
  ['5', 'coverage', 'Coverage', () => import('./coverage.mjs')],
];
const THEMES = { auto: ['◐', 'Theme: as the system'], light: ['☀', 'Theme: light'], dark: ['☾', 'Theme: dark'] };
const CLOCK_TICK_MS = 200;
const RETRY_MS = 1000;

const place = (id) => document.getElementById(id);

// What the browser remembers between visits, and nothing breaks if it does not.
const kept = {
  get(key) {
    try {
      return localStorage.getItem(`svc.${key}`);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(`svc.${key}`, value);
    } catch {
      // The choice holds for this visit.
    }
  },
};

// --- theme ----------------------------------------------------------------------------------------------------------

const theme_listeners = new Set();

function setTheme(name) {
  const chosen = name in THEMES ? name : 'auto';
  document.documentElement.dataset.theme = chosen;
  const [sign_of_it, label] = THEMES[chosen];
  setText(place('theme'), sign_of_it);
  place('theme').setAttribute('aria-label', `${label}. Change (t)`);
  place('theme').title = `${label} (t)`;
  kept.set('theme', chosen);
  for (const listener of theme_listeners) listener();
}

function turnTheme() {
  const names = Object.keys(THEMES);
  setTheme(names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length]);
  say(THEMES[document.documentElement.dataset.theme][1]);
}

// Calls when the colours change, by the switch or by the system. Returns the function that ends it.
function onTheme(listener) {
  theme_listeners.add(listener);
  return () => theme_listeners.delete(listener);
}

// --- what the page says ---------------------------------------------------------------------------------------------

function say(text) {
  setText(place('said'), '');
  requestAnimationFrame(() => setText(place('said'), text));
}

const command_line = el('code', { tabindex: '0' }, 'Whatever you do here, its command is shown in this line.');
const command_copy = el('button', { type: 'button', hidden: true, onclick: copyCommand }, 'Copy');

async function copyCommand() {
  if (!(await copied(command_line.textContent))) {
    getSelection().selectAllChildren(command_line); // ready for Ctrl-C
    return;
  }
  say('Copied');
  setText(command_copy, 'Copied');
  setTimeout(() => setText(command_copy, 'Copy'), 1200);
}

function command(text) {
  setText(command_line, text);
  command_line.classList.add('shown');
  command_copy.hidden = false;
}

// A line about what just happened, at the foot of the page, beside the command that does the same.
const notice_line = el('span.notice');
let notice_timer = null;
function notice(text, failed = false) {
  setText(notice_line, text);
  notice_line.classList.toggle('failed', failed);
  say(text);
  clearTimeout(notice_timer);
  notice_timer = setTimeout(() => setText(notice_line, ''), failed ? 12_000 : 5000);
}

// --- the banner -----------------------------------------------------------------------------------------------------

const cuts = new Map(); // who is cut off -> {since_ms, missing}; since when by the browser's clock, and what is missing

function setCut(who, { live, since_ms, missing }, words) {
  if (live) cuts.delete(who);
  else cuts.set(who, { since_ms, missing: missing?.length > 0 ? missing : [words] });
  holdClock(cuts.size > 0);
  drawBanner();
}

function drawBanner() {
  const banner = place('banner');
  banner.hidden = cuts.size === 0;
  document.body.classList.toggle('stale', cuts.has('feed') || cuts.has('sandbox'));
  if (cuts.size === 0) return;
  const missing = [...cuts.values()].flatMap((cut) => cut.missing);
  const since = Math.min(...[...cuts.values()].map((cut) => cut.since_ms));
  const listed = missing.length > 1 ? `${missing.slice(0, -1).join(', ')} and ${missing.at(-1)}` : missing[0];
  setText(banner, `Cut off since ${watchTime(since)}: ${listed}. What you see of it is from then. Connecting again …`);
}

// A first connection is no cut before it has had this long.
const FIRST_CONNECTION_MS = 1500;
const began_ms = Date.now();

function watchConnection(who, words, listen) {
  let was_live = false;
  let late = false;
  let latest = { live: false, since_ms: began_ms };
  listen((connection) => {
    latest = connection;
    was_live ||= connection.live;
    if (was_live || late) setCut(who, connection, words);
  });
  setTimeout(() => {
    late = true;
    if (!was_live) setCut(who, latest, words);
  }, FIRST_CONNECTION_MS);
}

// --- the clock ------------------------------------------------------------------------------------------------------

// The sandbox's time, carried on from the latest that it said.
const clock = { now_ms: 0, rate: 1, mode: 'real', heard_ms: 0, held: false };

function setClock({ now_ms, rate, mode }) {
  Object.assign(clock, { now_ms: Number(now_ms), rate: Number(rate), mode, heard_ms: performance.now() });
  drawClock();
}

function sandboxNow() {
  if (clock.held || clock.mode === 'manual') return clock.now_ms;
  return clock.now_ms + (performance.now() - clock.heard_ms) * clock.rate;
}

// While the page is cut off, nobody knows what the sandbox's clock does.
function holdClock(held) {
  if (held === clock.held) return;
  clock.now_ms = sandboxNow();
  clock.heard_ms = performance.now();
  clock.held = held;
  drawClock();
}

function drawClock() {
  if (clock.now_ms === 0) return;
  const pace = clock.held
    ? ' ?'
    : clock.mode === 'manual'
      ? ' stopped'
      : clock.mode === 'scaled'
        ? ` ×${clock.rate}`
        : '';
  setText(place('clock'), `${time(sandboxNow())}${pace}`);
  place('clock').classList.toggle('stopped', clock.mode === 'manual');
}

// --- the strip of markets -------------------------------------------------------------------------------------------

function openStrip(feed, markets) {
  const cells = new Map();
  const touched = new Set();
  for (const market of markets) {
    const price = el('span.price', {}, '–');
    const change = el('span.change');
    const halted = el('span.badge.warn', { hidden: true }, 'halted');
    const name = el('span.name', {}, market.base_asset, el('span.unseen', {}, ` ${market.market_id}`));
    const link = el(
      'a',
      { href: `#/market/${market.market_id}`, title: market.market_id },
      name,
      price,
      change,
      halted,
    );
    cells.set(market.market_id, { link, price, change, halted, market });
    place('strip').append(link);
  }

  const draw = onFrame(() => {
    for (const id of touched) {
      const cell = cells.get(id);
      if (!cell) continue;
      const ticker = feed.tickers.get(id);
      const shown = ticker?.markPrice ?? ticker?.last ?? null;
      setText(cell.price, shown === null ? '–' : grouped(shown, placesOf(cell.market.tick_size)));
      const has_traded = ticker?.last && ticker.open && sign(ticker.open) > 0;
      const fraction = has_traded ? divide(subtract(ticker.last, ticker.open), ticker.open, 8) : null;
      setText(cell.change, fraction === null ? '' : signed(percent(fraction)));
      cell.change.className = `change ${fraction === null ? '' : sign(fraction) < 0 ? 'down' : 'up'}`;
      const halt = feed.halts.get(id);
      cell.halted.hidden = !halt;
      cell.halted.title = halt?.reason ?? '';
    }
    touched.clear();
  });
  const touch = (id) => {
    touched.add(id);
    draw();
  };
  feed.on('ticker', touch);
  feed.on('halt', touch);
  feed.on('resync', () => markets.forEach(({ market_id }) => touch(market_id)));

  return (current) => {
    for (const [id, { link }] of cells) {
      if (id === current) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
  };
}

// --- keys -----------------------------------------------------------------------------------------------------------

const GLOBAL_KEYS = [
  ['1 – 5', 'The views'],
  ['[ ]', 'The market before, the next market'],
  ['t', 'Theme'],
  ['?', 'These keys'],
];
let view_keys = [];

function showKeys() {
  const dialog = place('keys');
  const list = (rows) =>
    el(
      'dl',
      {},
      rows.flatMap(([key, text]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, text)]),
    );
  dialog.replaceChildren(
    el('h2', { id: 'keys-title' }, 'Keys'),
    list(GLOBAL_KEYS),
    ...(view_keys.length > 0 ? [el('h3', {}, 'In this view'), list(view_keys)] : []),
    el('button', { type: 'button', onclick: () => dialog.close() }, 'Close'),
  );
  dialog.showModal();
}

function onKey(event, context) {
  if (!isForPage(event)) return;
  const view = VIEWS.find(([key]) => key === event.key);
  if (view) location.hash = hrefOf(view[1], context);
  else if (event.key === 't') turnTheme();
  else if (event.key === '?') showKeys();
  else if (event.key === '[' || event.key === ']') {
    const ids = context.store.markets.map(({ market_id }) => market_id);
    const at = Math.max(0, ids.indexOf(context.store.market_id));
    location.hash = `#/market/${ids[(at + (event.key === ']' ? 1 : ids.length - 1)) % ids.length]}`;
  } else return;
  event.preventDefault();
}

// --- routes ---------------------------------------------------------------------------------------------------------

function hrefOf(route, { store }) {
  if (route === 'market') return `#/market/${store.market_id}`;
  if (route === 'account') return store.account ? `#/account/${store.account}` : '#/account';
  return `#/${route}`;
}

// Parts of an address; none if one of them is not encoded as it should be.
function decoded(parts) {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return [];
  }
}

function openRoutes(context, showMarket) {
  const links = new Map();
  for (const [key, route, title] of VIEWS) {
    const link = el('a', { href: `#/${route}`, title: `${title} (${key})` }, title);
    links.set(route, link);
  }
  place('views').replaceChildren(...links.values());

  let shown = null;
  let turn = 0;

  async function go() {
    const mine = ++turn;
    const [, route = '', ...rest] = location.hash.split('/');
    const view = VIEWS.find(([, name]) => name === route);
    if (!view) {
      location.replace(hrefOf(VIEWS[0][1], context));
      return;
    }
    const params = decoded(rest);
    const { store } = context;
    if (route === 'market') {
      if (!store.markets.some(({ market_id }) => market_id === params[0])) {
        location.replace(hrefOf('market', context));
        return;
      }
      store.market_id = params[0];
      kept.set('market', params[0]);
    }
    if (route === 'account' && store.accounts.some(({ address }) => address === params[0]?.toLowerCase())) {
      store.chooseAccount(params[0].toLowerCase());
    }
    for (const [name, link] of links) {
      link.href = hrefOf(name, context);
      if (name === route) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    showMarket(route === 'market' ? params[0] : null);
    document.title = `${route === 'market' ? params[0] : view[2]} · svc ${store.network}`;

    let opened;
    try {
      const { view: open } = await view[3]();
      if (mine !== turn) return;
      shown?.close();
      shown = null;
      view_keys = [];
      const root = el('div.view', { class: `view ${route}` });
      place('view').replaceChildren(root);
      opened = open(root, params, context);
    } catch (error) {
      if (mine !== turn) return;
      shown?.close();
      shown = null;
      view_keys = [];
      place('view').replaceChildren(el('p.empty', {}, `This view could not be opened: ${error.message}`));
      throw error;
    }
    shown = opened;
  }

  addEventListener('hashchange', go);
  return go;
}

// --- begin ----------------------------------------------------------------------------------------------------------

// What is known about the sandbox. Keys of accounts stay in the sandbox: the page does not even remember them.
function storeOf(status, markets) {
  const listeners = new Set();
  const accounts = status.accounts.map(({ index, address, balance }) => ({ index, address, balance }));
  const remembered = kept.get('account');
  const remembered_market = kept.get('market');
  return {
    network: status.network,
    name: status.name,
    accounts,
    markets,
    market: (id) => markets.find(({ market_id }) => market_id === id) ?? null,
    market_id: markets.some(({ market_id }) => market_id === remembered_market)
      ? remembered_market
      : markets[0].market_id,
    // The account that the page acts as; null where there are no development accounts, and the page only looks.
    account: accounts.find(({ address }) => address === remembered)?.address ?? accounts[0]?.address ?? null,
    chooseAccount(address) {
      if (this.account === address) return;
      this.account = address;
      kept.set('account', address);
      for (const listener of listeners) listener(address);
    },
    onAccount(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    now: sandboxNow,
  };
}

async function readSandbox(api) {
  for (;;) {
    try {
      return await Promise.all([api.control('GET', '/status'), api.get('/markets')]);
    } catch (error) {
      setCut('sandbox', { live: false, since_ms: began_ms }, 'the sandbox');
      setText(place('view'), `The sandbox does not answer: ${error.message}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

function openAccountChoice(context) {
  const { store } = context;
  const choice = place('account');
  choice.replaceChildren(
    ...options(
      store.accounts.map(({ index, address }) => [address, `${index} · ${shortAddress(address)}`]),
      store.account,
    ),
  );
  place('account-label').hidden = store.accounts.length === 0;
  choice.addEventListener('change', () => {
    store.chooseAccount(choice.value);
    if (location.hash.startsWith('#/account')) location.hash = `#/account/${choice.value}`;
    else
      for (const link of place('views').children)
        if (link.hash.startsWith('#/account')) link.href = `#/account/${choice.value}`;
  });
  store.onAccount((address) => {
    choice.value = address;
    context.feed.follow(address);
  });
}

async function begin() {
  setTheme(kept.get('theme') ?? 'auto');
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
    theme_listeners.forEach((listener) => listener()),
  );
  place('theme').addEventListener('click', turnTheme);
  place('help').addEventListener('click', showKeys);
  place('command').replaceChildren(
    el('span.prompt', { 'aria-hidden': 'true' }, '$'),
    command_line,
    command_copy,
    notice_line,
  );
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault();
    place('view').focus();
  });

  const api = openApi();
  const [status, markets] = await readSandbox(api);
  setCut('sandbox', { live: true });

  const store = storeOf(status, markets);
  const control = openControlFeed();
  const feed = openFeed({ api, control });
  const context = {
    api,
    feed,
    control,
    store,
    say,
    notice,
    command,
    onTheme,
    keys(rows) {
      view_keys = rows;
    },
  };

  setText(place('network'), status.network);
  document.body.dataset.network = status.network;
  setClock(status.clock);
  setInterval(drawClock, CLOCK_TICK_MS);
  watchConnection('feed', 'market data', (listener) => feed.on('connection', listener));
  watchConnection('control', 'prices and events of the sandbox', (listener) => control.onConnection(listener));
  openAccountChoice(context);
  feed.follow(store.account);
  const showMarket = openStrip(feed, markets);

  // Another process answers under the same address: other markets, other accounts, another history.
  let started_ms = null;
  control.onStatus((frame) => {
    started_ms ??= frame.started_ms;
    if (frame.started_ms !== started_ms) location.reload();
    else setClock(frame);
  });

  addEventListener('keydown', (event) => onKey(event, context));
  openRoutes(context, showMarket)();
}

begin();
