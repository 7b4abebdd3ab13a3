// The pictures of the README: the console and the shell, of a market that is alive. Without a folder it only shows that they
// can be made; `node pictures.mjs SVC docs/pictures` makes them anew.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPage, withBrowser } from './browser.mjs';
import { withSandbox } from './sandbox.mjs';
import { Trader, loginMessage } from './trader.mjs';

const [binary, folder = ''] = process.argv.slice(2);
const market = 'BTC-USDX-PERP';
const history_ms = folder ? 45 * 60_000 : 60_000; // that the candles show
const columns = 110;
const rows = 26;
const home = mkdtempSync(join(tmpdir(), 'svc-pictures-'));
const find = createRequire(import.meta.url).resolve;

async function keep(target, name) {
  const path = folder ? join(folder, `${name}.png`) : undefined;
  if (path) mkdirSync(folder, { recursive: true });
  const bytes = await target.screenshot({ path });
  assert.ok(bytes.length > 10_000, `${name} is empty`);
}

// What the shell wrote on a terminal of this size. A line is typed when the prompt of the one before it has come.
function shellSession(env, lines) {
  return new Promise((resolve, reject) => {
    const command = `stty cols ${columns} rows ${rows}; exec ${binary} shell -n local`;
    const child = spawn('script', ['-qfec', command, '/dev/null'], { env: { ...env, TERM: 'xterm-256color' }, stdio: ['pipe', 'pipe', 'inherit'] });
    const left = [...lines];
    let screen = '';
    let seen = 0;
    child.stdout.setEncoding('utf8').on('data', (text) => {
      screen += text;
      if (!/BTC> |local [^\n]*> /.test(screen.slice(seen))) return;
      seen = screen.length;
      if (left.length > 0) child.stdin.write(`${left.shift()}\r`);
      else setTimeout(() => child.kill('SIGTERM'), folder ? 3000 : 300); // until the bottom line says it as well
    });
    child.on('error', reject);
    child.on('close', () => (left.length === 0 ? resolve(screen) : reject(new Error(`the shell ended before ${left[0]}\n${screen}`))));
  });
}

await withSandbox(binary, async (sandbox) => {
  const trader = new Trader(sandbox.url, sandbox.accounts[0]);
  await trader.login(await loginMessage(sandbox.url));
  // The market has lived for a while when the pictures begin.
  await sandbox.drive('POST', '/time', { advance_ms: history_ms });
  const now = async () => (await sandbox.drive('GET', '/time')).now_ms;
  const order = async (side, quantity, price) => {
    const bytes = JSON.stringify({ market_id: market, side, order_type: 'Limit', quantity, price, time_in_force: 'GTC' });
    const answer = await fetch(`${sandbox.url}/v1/orders`, {
      method: 'POST', body: bytes, headers: trader.sign('POST', '/v1/orders', '', bytes, await now()),
    });
    assert.equal(answer.status, 201, await answer.text());
  };
  const book = await (await fetch(`${sandbox.url}/v1/markets/${market}/orderbook`)).json();
  const mid = Math.round(Number(book.asks[0].price ?? book.asks[0][0]));
  await order('Buy', '0.05', String(mid + 20));
  await order('Buy', '0.02', String(mid - 60));
  await order('Sell', '0.05', String(mid + 90));

  await withBrowser(async (browser) => {
    const shown = await openPage(browser, `${sandbox.control}/console#/market/${market}`, { scheme: 'dark' });
    await shown.page.locator('.chip').first().waitFor();
    await shown.page.locator('canvas').first().waitFor();
    await sandbox.drive('POST', '/time', { advance_ms: 20_000 });
    await shown.settled();
    await keep(shown.page, 'console');
    await shown.close();

    // A user who has logged in with a wallet and has an API key.
    const password = join(home, 'password');
    writeFileSync(password, 'for this picture only\n', { mode: 0o600 });
    const env = { PATH: process.env.PATH, HOME: home, SVC_LOCAL_URL: sandbox.url, LANG: 'C.UTF-8', SVC_PASSWORD_FILE: password };
    const svc = (words, input) => execFileSync(binary, ['-n', 'local', ...words], { env, input, stdio: ['pipe', 'ignore', 'inherit'] });
    svc(['keystore', 'import', 'alice', '--from', '-'], sandbox.accounts[0].private_key);
    svc(['login', '--wallet', 'alice']);
    svc(['keys', 'create']);
    const screen = await shellSession(env, [`use ${market}`, 'markets book --depth 4', `sell 0.02 @ ${mid + 120}`, 'orders list', 'positions list']);
    const terminal = await openPage(browser, 'about:blank');
    await terminal.page.setContent('<style>body{margin:0;background:#16181d}#screen{display:inline-block;padding:12px}</style><div id="screen"></div>');
    await terminal.page.addStyleTag({ path: find('@xterm/xterm/css/xterm.css') });
    await terminal.page.addScriptTag({ content: readFileSync(find('@xterm/xterm/lib/xterm.js'), 'utf8') });
    await terminal.page.evaluate(({ text, size }) => new Promise((resolve) => {
      const view = new globalThis.Terminal({ ...size, fontSize: 13, fontFamily: 'monospace', theme: { background: '#16181d' } });
      view.open(document.getElementById('screen'));
      view.write(text, resolve);
    }), { text: screen, size: { cols: columns, rows } });
    await keep(terminal.page.locator('#screen'), 'shell');
  });
}, { flow: 'bots', clock: 'manual' });
rmSync(home, { recursive: true, force: true });
