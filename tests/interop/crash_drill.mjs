// A sandbox with a state folder is flooded with writes and killed in the middle of them, again and again.
// After each restart: whatever was acknowledged is there, under the id that was told; nothing is there
// that was not sent, or that was refused; every invariant holds; and the same folder, opened a second
// time elsewhere, gives the same state.
//
//   node crash_drill.mjs SVC [ROUNDS] [SEED]
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loginMessage, Trader } from './trader.mjs';

const [binary, rounds = '5', seed = '1'] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'svc-drill-'));
const state = join(folder, 'state');
process.setMaxListeners(0);
const traderCount = 8;
const writersEach = 6;

// Where the kills fall; printed, so that a failure can be looked for again.
let random = BigInt(seed) * 0x9e3779b97f4a7c15n;
function below(bound) {
  random = (random * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number((random >> 33n) % BigInt(bound));
}

async function start(dir) {
  const flags = ['--port', '0', '--flow', 'none', '--log', 'none', '--limits', 'off', '--clock', 'manual', '--faucet'];
  const child = spawn(binary, ['serve', '--local', ...flags, '--state', dir, '--name', 'drill'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  process.on('exit', () => child.kill('SIGKILL'));
  const ready = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (bytes) => {
      text += bytes;
      if (text.includes('\n')) resolve(JSON.parse(text));
    });
    ended.then((code) => reject(new Error(`the sandbox ended with ${code} before it was ready`)));
  });
  return { child, ended, ready, url: ready.url };
}

async function control(url, path, body) {
  const answer = await fetch(`${url}/_svc${path}`, body && { method: 'POST', body: JSON.stringify(body) });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  return answer.json();
}

// undefined: nobody answered, and nobody knows what became of it.
async function ask(trader, method, path, body, nowMs) {
  const bytes = body === undefined ? '' : JSON.stringify(body);
  try {
    const answer = await fetch(trader.url + path, {
      method,
      headers: trader.sign(method, path, '', bytes, nowMs),
      body: bytes || undefined,
    });
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : null };
  } catch {
    return undefined;
  }
}

async function get(trader, path, nowMs) {
  const answer = await ask(trader, 'GET', path, undefined, nowMs);
  assert.equal(answer?.status, 200, `${path}: ${JSON.stringify(answer)}`);
  return answer.body;
}

const traders = [];
const acknowledged = new Map(); // client id -> order id
const refused = new Set();
const sent = new Set();
const credits = new Map(); // trader -> [acknowledged, sent at most], in cents
const keys = new Map(); // trader -> { minted, deleted, deletionSent }
let orders = 0;
let unanswered = 0;

async function flood(trader, round, writer, nowMs, isOver) {
  for (let i = 0; !isOver(); ++i) {
    const clientId = `r${round}-${traders.indexOf(trader)}-${writer}-${i}`;
    sent.add(clientId);
    const buy = { market_id: 'BTC-USDX-PERP', side: 'Buy', order_type: 'Limit', quantity: '0.001', time_in_force: 'GTC' };
    const answer = await ask(trader, 'POST', '/orders', { ...buy, price: String(57000 + (i % 500)), client_id: clientId }, nowMs);
    if (answer === undefined) unanswered += 1;
    else if (answer.status === 201) acknowledged.set(clientId, answer.body.order.id);
    else refused.add(clientId);
    if (i % 7 === 3) {
      const total = credits.get(trader);
      total[1] += 1;
      const credit = await ask(trader, 'POST', '/account/credit', { amount: '0.01' }, nowMs);
      if (credit?.status === 200) total[0] = Math.max(total[0], Math.round(Number(credit.body.credited_today) * 100));
    }
    if (writer === 0 && i === 2) {
      const session = { authorization: `Bearer ${trader.session}` };
      const own = keys.get(trader);
      try {
        const minted = await fetch(`${trader.url}/keys`, { method: 'POST', headers: session });
        if (minted.ok) own.minted.push((await minted.json()).key_id);
        if (own.minted.length > 3) {
          const gone = own.minted.shift();
          own.deletionSent.push(gone);
          const deleted = await fetch(`${trader.url}/keys/${gone}`, { method: 'DELETE', headers: session });
          if (deleted.ok) own.deleted.push(gone);
        }
      } catch {
        unanswered += 1;
      }
    }
  }
}

async function check(nowMs) {
  for (const trader of traders) {
    const open = await get(trader, '/orders', nowMs);
    const present = new Map(open.map((order) => [order.client_id, order.id]));
    for (const clientId of present.keys()) {
      assert.ok(sent.has(clientId), `${clientId} was never sent`);
      assert.ok(!refused.has(clientId), `${clientId} was refused`);
    }
    for (const [clientId, id] of acknowledged)
      if (clientId.split('-')[1] === String(traders.indexOf(trader)))
        assert.equal(present.get(clientId), id, `${clientId} was acknowledged`);
    const listed = await (
      await fetch(`${trader.url}/keys`, { headers: { authorization: `Bearer ${trader.session}` } })
    ).json();
    const ids = new Set(listed.map((key) => key.key_id));
    const own = keys.get(trader);
    for (const id of own.minted) assert.ok(ids.has(id), `key ${id} was handed out`);
    for (const id of own.deleted) assert.ok(!ids.has(id), `key ${id} was deleted`);
    const claim = await ask(trader, 'POST', '/account/credit', { amount: '0.01' }, nowMs);
    const [least, most] = credits.get(trader);
    const taken = Math.round(Number(claim.body.credited_today) * 100) - 1;
    assert.ok(least <= taken && taken <= most, `credit: ${taken} is not between ${least} and ${most}`);
    credits.set(trader, [taken + 1, most + 1]);
  }
}

try {
  for (let round = 1; round <= Number(rounds); ++round) {
    const sandbox = await start(state);
    const { now_ms: nowMs } = await control(sandbox.url, '/time');
    if (round === 1) {
      const message = await loginMessage(sandbox.url);
      for (let i = 0; i < traderCount; ++i) {
        const trader = new Trader(sandbox.url, sandbox.ready.accounts[i]);
        const signature = await trader.wallet.signMessage(message);
        trader.session = (await trader.plain('POST', '/auth/login', { message, signature })).token;
        const key = await trader.plain('POST', '/keys', undefined, { authorization: `Bearer ${trader.session}` });
        trader.keyId = key.key_id;
        trader.secret = Buffer.from(key.secret, 'hex');
        traders.push(trader);
        credits.set(trader, [0, 0]);
        keys.set(trader, { minted: [key.key_id], deleted: [], deletionSent: [] });
        keys.get(trader).minted = [];
      }
    }
    for (const trader of traders) trader.url = sandbox.url;
    await check(nowMs);
    assert.deepEqual((await control(sandbox.url, '/invariants')).violations, []);
    // The book stays small: what was found is cancelled, by a write that is acknowledged like any other.
    for (const trader of traders) {
      const cancelled = await ask(trader, 'DELETE', '/orders', undefined, nowMs);
      assert.equal(cancelled?.status, 200);
    }
    acknowledged.clear();

    let over = false;
    const writers = traders.flatMap((trader) =>
      Array.from({ length: writersEach }, (_, writer) => flood(trader, round, writer, nowMs, () => over)),
    );
    await new Promise((resolve) => setTimeout(resolve, 50 + below(1200)));
    sandbox.child.kill('SIGKILL');
    over = true;
    await Promise.all(writers);
    await sandbox.ended;
    orders += acknowledged.size;

    // The same folder, replayed elsewhere and here.
    const copy = join(folder, 'copy');
    await cp(state, copy, { recursive: true });
    const here = await start(state);
    const there = await start(copy);
    const [one, other] = [await control(here.url, '/status'), await control(there.url, '/status')];
    assert.equal(one.state_hash, other.state_hash);
    assert.equal(one.sequence, other.sequence);
    for (const each of [here, there]) each.child.kill('SIGKILL');
    await Promise.all([here.ended, there.ended]);
    await rm(copy, { recursive: true });
  }
  const last = await start(state);
  for (const trader of traders) trader.url = last.url;
  await check((await control(last.url, '/time')).now_ms);
  last.child.kill('SIGTERM');
  assert.equal(await last.ended, 0);
  console.log(
    `${rounds} rounds (seed ${seed}): ${orders} acknowledged orders were all there, ${unanswered} requests were cut off, ` +
      `${refused.size} were refused and none of those was there`,
  );
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit();
