// A developer's test with the installed package.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { sandbox } from 'svc-sandbox';

const answers = (url) => fetch(`${url}/v1/markets`).then(() => true, () => false);

async function until(holds) {
  for (let looks = 0; !(await holds()); ++looks) {
    assert.ok(looks < 100);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('two sandboxes run beside each other, each with its clock', async () => {
  const [one, other] = await Promise.all([sandbox({ clock: 'manual', at: '2026-01-01T00:00:00Z' }), sandbox({ accounts: 2 })]);
  assert.notEqual(one.url, other.url);
  assert.equal(other.accounts.length, 2);
  const { now_ms: before } = await one.drive('GET', '/time');
  await one.drive('POST', '/time', { advance_ms: 1500 });
  assert.equal((await one.drive('GET', '/time')).now_ms, before + 1500);
  const markets = await (await fetch(`${one.url}/v1/markets`)).json();
  assert.ok(markets.some((market) => market.market_id === 'BTC-USDX-PERP'));
  await Promise.all([one.stop(), other.stop()]);
  assert.deepEqual(await one.ended, { code: 0, signal: null, expected: true });
  await assert.rejects(fetch(one.url));
});

test('a refusal of the control surface has its code', async () => {
  const exchange = await sandbox();
  await assert.rejects(exchange.drive('POST', '/markets/NOPE/halt', { reason: 'drill' }), { status: 404, code: 'UnknownMarket' });
  await exchange.stop();
});

test('an option that svc does not take ends the start with its words', async () => {
  await assert.rejects(sandbox({ flow: 'sideways' }), /before it was ready[\s\S]*sideways/);
  await assert.rejects(sandbox({ binary: '/nowhere/svc' }), { code: 'ENOENT' });
});

test('the log goes where the test wants it', async () => {
  let log = '';
  const exchange = await sandbox({ onLog: (text) => { log += text; } });
  await fetch(`${exchange.url}/v1/markets`);
  await exchange.stop();
  assert.match(log, /markets/);
});

test('a signal that ends the process ends its sandboxes', async () => {
  const program = `import { sandbox } from 'svc-sandbox';
    const both = await Promise.all([sandbox(), sandbox()]);
    console.log(both.map((one) => one.url).join(' '));
    setInterval(() => {}, 1000);`;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout, 'data');
    child.kill(signal);
    const [code, by] = await once(child, 'exit');
    assert.deepEqual([code, by], [null, signal]);
    for (const url of String(line).trim().split(' ')) await until(async () => !(await answers(url)));
  }
});

test('a sandbox that is never stopped ends with the process', async () => {
  const exchange = await sandbox();
  assert.ok(exchange.pid);
});
