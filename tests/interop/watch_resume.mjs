// `svc watch fills` is killed again and again under load, with events that get lost on the way, and goes on from the cursor of
// the last line that was read: every fill is told once. By hand more rounds: node watch_resume.mjs SVC 50.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withSandbox } from './sandbox.mjs';
import { Trader, loginMessage } from './trader.mjs';

const binary = process.argv[2];
const rounds = Number(process.argv[3] ?? 6);
const market = 'BTC-USDX-PERP';
const order = (side) => ({
  market_id: market, side, order_type: 'Limit', quantity: '0.001', price: '60000', time_in_force: 'GTC',
});
const home = mkdtempSync(join(tmpdir(), 'svc-watch-'));

await withSandbox(binary, async (sandbox) => {
  const message = await loginMessage(sandbox.url);
  const [maker, taker] = sandbox.accounts.slice(0, 2).map((account) => new Trader(sandbox.url, account));
  await maker.login(message);
  await taker.login(message);
  const env = {
    PATH: process.env.PATH, HOME: home, SVC_NETWORK: 'local', SVC_LOCAL_URL: sandbox.url,
    SVC_API_KEY: maker.keyId, SVC_API_SECRET: maker.secret.toString('hex'), SVC_ACCOUNT: maker.wallet.address,
  };
  execFileSync(binary, ['local', 'fault', 'add', '--route', '/ws', '--ws', 'gap', '--rate', '0.05'], { env });

  const told = [];
  let cursor;
  let gaps = 0;
  // Runs the watch until `enough` says so, then kills it; what was read by then counts.
  const watch = (args, enough) => new Promise((resolve, reject) => {
    const child = spawn(binary, ['watch', 'fills', ...(cursor ? ['--from', cursor] : []), ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    let events = 0;
    child.stdout.on('data', (bytes) => {
      text += bytes;
      for (let end; (end = text.indexOf('\n')) >= 0; text = text.slice(end + 1)) {
        if (child.killed) return;
        const line = JSON.parse(text.slice(0, end));
        if (line.type === 'error') reject(new Error(JSON.stringify(line)));
        if (line.type === 'event') told.push(line.payload.id), ++events;
        if (line.type === 'gap') ++gaps;
        cursor = line.cursor ?? cursor;
        if (enough(events, line)) child.kill('SIGKILL');
      }
    });
    child.on('exit', resolve);
  });

  await watch([], (_, line) => line.state === 'subscribed');
  let trading = true;
  let made = 0;
  const load = (async () => {
    while (trading) {
      const batch = (side) => Array.from({ length: 5 }, () => order(side));
      await maker.signed('POST', '/v1/orders/batch', { body: batch('Sell'), expect: 201 });
      await taker.signed('POST', '/v1/orders/batch', { body: batch('Buy'), expect: 201 });
      made += 5;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  // 7, 20, 33 ... events into each run.
  for (let i = 0; i < rounds; ++i) {
    // Once the server forgets what was missed (it keeps 256), and REST has to tell it.
    const until = told.length + 400;
    if (i === 1) while (made < until) await new Promise((resolve) => setTimeout(resolve, 10));
    await watch([], (events) => events >= 7 + ((i * 13) % 40));
  }
  trading = false;
  await load;

  const fills = [];
  for (let page = ''; page !== null; ) {
    const path = '/v1/fills';
    const query = `limit=1000${page && '&cursor=' + page}`;
    const answer = await fetch(`${sandbox.url}${path}?${query}`, { headers: maker.sign('GET', path, query, '') });
    fills.push(...(await answer.json()));
    page = answer.headers.get('x-next-cursor');
  }
  fills.reverse();
  if (told.at(-1) !== fills.at(-1).id) await watch(['--until', `payload.id=${fills.at(-1).id}`], (_, line) => line.type === 'end');
  assert.deepEqual(told, fills.map((fill) => fill.id));
  console.log(`watch resume: ok, ${fills.length} fills over ${rounds} kills and ${gaps} gaps`);
}, { limits: 'off' });
rmSync(home, { recursive: true });
