// A real browser for a test: Debian's chromium without a window, driven by playwright-core.
import assert from 'node:assert/strict';
import { accessSync, constants, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

export const screens = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
};

function program() {
  const path = process.env.CHROMIUM ?? '/usr/bin/chromium';
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw new Error(`there is no browser at ${path}: scripts/setup installs chromium, or CHROMIUM names another one`);
  }
}

// Names under .test lead to this machine.
export async function withBrowser(use) {
  // The sandbox of the browser needs rights that a build machine seldom gives.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP *.test 127.0.0.1'];
  const browser = await chromium.launch({ executablePath: program(), args });
  try {
    await use(browser);
  } finally {
    await browser.close();
  }
}

const QUIET_MS = 1000;
const RECENT_LINES = 60;

const open_pages = new Map(); // page -> what went between it and the sandbox of late, a line each

// What goes between a page and the sandbox.
//   settled()         waits until the page has what it asks for when it opens: every request is answered, every stream has
//                     spoken, and nothing was asked for a while. Playwright's `networkidle` does not wait for streams, and
//                     what a page reads is asked for when its streams begin.
//   interruptions()   how often a stream was opened, or told the page that it missed something
//   recent            lines for whoever looks for the reason of a failure
function watchTraffic(page) {
  const recent = [];
  const note = (...words) => {
    recent.push(`${new Date().toISOString().slice(11, 23)} ${words.join(' ')}`.slice(0, 160));
    if (recent.length > RECENT_LINES) recent.shift();
  };
  const open = new Set();
  let last = Date.now();
  let interruptions = 0;
  const begin = (what) => {
    open.add(what);
    last = Date.now();
  };
  const end = (what) => {
    if (open.delete(what)) last = Date.now();
  };
  page.on('request', (request) => {
    begin(request);
    note('asks', request.url());
  });
  page.on('requestfinished', (request) => {
    end(request);
    note('got', request.url());
  });
  page.on('requestfailed', (request) => {
    end(request);
    note('failed', request.url(), request.failure()?.errorText);
  });
  page.on('websocket', (socket) => {
    begin(socket);
    ++interruptions;
    const stream = new URL(socket.url()).pathname;
    note('opens', stream);
    socket.on('framesent', ({ payload }) => note('says', stream, payload));
    socket.on('framereceived', ({ payload }) => {
      end(socket);
      note('hears', stream, payload);
      if (/"(gap|out_of_sync)"/.test(payload)) ++interruptions;
    });
    socket.on('close', () => {
      end(socket);
      note('closed', stream);
    });
  });
  return {
    recent,
    settled() {
      last = Date.now(); // what was asked before may be for another view
      return until(() => open.size === 0 && Date.now() - last >= QUIET_MS, `${page.url()} has what it asks for`);
    },
    interruptions: () => interruptions,
  };
}

// Pages that are closed, per browser and screen. A new context costs the browser several processes, so the next page of
// its kind takes over one that remembers nothing of its visits but their files.
const closed = new WeakMap();

// A page whose complaints are collected: errors, refusals of the content security policy. Two that are open at a time are
// as those of two browsers. What a page is prepared for cannot be taken back, so it is not used again.
export async function openPage(browser, address, { screen = 'desktop', scheme = 'light', password, prepare } = {}) {
  if (!closed.has(browser)) closed.set(browser, Object.fromEntries(Object.keys(screens).map((name) => [name, []])));
  const alike = password || prepare ? [] : closed.get(browser)[screen];
  const page = alike.pop() ?? await (await browser.newContext({
    ...screens[screen], reducedMotion: 'reduce', ...(password ? { httpCredentials: { username: 'anybody', password } } : {}),
  })).newPage();
  page.setDefaultTimeout(60_000);  // a line that was cut pauses for longer and longer
  await page.emulateMedia({ colorScheme: scheme });
  await prepare?.(page);
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.stack ?? String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  const traffic = watchTraffic(page);
  open_pages.set(page, traffic.recent);
  await page.goto(address);

  async function close() {
    open_pages.delete(page);
    page.removeAllListeners();
    if (password || prepare) return page.context().close();
    await page.unrouteAll();
    await page.evaluate(() => localStorage.clear());
    await page.goto('about:blank');
    alike.push(page);
  }
  return { page, complaints, ...traffic, close };
}

// What axe calls serious or critical on this page, one line each. What is not drawn in a frame goes on while axe looks: a
// finding counts if it is there every time.
export async function seriousFindings(page) {
  for (let looks = 3; ; --looks) {
    const findings = await findingsNow(page);
    if (findings.length === 0 || looks === 1) return findings;
  }
}

async function findingsNow(page) {
  // Playwright's evaluate is not bound by the page's policy, a script element would be.
  if (!await page.evaluate(() => 'axe' in globalThis)) {
    await page.evaluate(readFileSync(axe, 'utf8'));
  }
  // Nothing is drawn meanwhile: axe reads one element after the other, and drawing would take most of the time.
  const { violations } = await page.evaluate(async () => {
    const later = [];
    const askFrame = globalThis.requestAnimationFrame;
    globalThis.requestAnimationFrame = (draw) => later.push(draw);
    try {
      return await globalThis.axe.run(document, { resultTypes: ['violations'] });
    } finally {
      globalThis.requestAnimationFrame = askFrame;
      later.forEach((draw) => askFrame(draw));
    }
  });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

// Pictures go where SVC_PICTURES says; without it none are made.
export async function picture(page, name) {
  const folder = process.env.SVC_PICTURES;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

// Waits until `look()` gives something true, and returns it. Only for what another process does: the page itself has
// locators that wait.
export async function until(look, what, patience_ms = 60_000) {
  const end = Date.now() + patience_ms;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    assert.ok(Date.now() < end, `it never came to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

// A part of a script, told by its name.
export async function part(name, use) {
  try {
    await use();
    console.log(`ok   ${name}`);
  } catch (error) {
    console.log(`FAIL ${name}`);
    for (const [page, recent] of open_pages) {
      const banner = await page.locator('#banner').textContent({ timeout: QUIET_MS }).catch(() => '');
      console.log([`the page ${page.url()} says: ${banner}`, ...recent].join('\n  '));
    }
    throw error;
  }
}

export const consoleOf = (sandbox, route = '') => `${sandbox.control}/console${route && `#/${route}`}`;

export async function ladderReady(page) {
  await page.locator('.ladder-row.best-bid').waitFor();
  await page.locator('.ladder-row.best-ask').waitFor();
}
