// What a trade costs when a thousand read along: svc and a bare WebSocket server that broadcasts the same bytes to the
// same readers, in turns, in one run.
// usage: node streams.mjs SVC STREAM_READERS
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { withSandbox } from '../interop/sandbox.mjs';
import { Trader, loginMessage } from '../interop/trader.mjs';

const WebSocket = createRequire(new URL('../interop/', import.meta.url))('ws');
const [svc, readersBinary] = process.argv.slice(2);
const readers = 1000;
const frames = 1000; // of one turn, in one batch of orders: all at once
const turns = 5;
const market = 'BTC-USDX-PERP';
const order = (side) => ({
  market_id: market, side, order_type: 'Limit', quantity: '0.001', price: '60000', time_in_force: 'GTC',
});

// Connects the readers, lets `broadcast` happen, gives their figures.
async function turn(port, path, subscription, broadcast) {
  const child = spawn(readersBinary, [port, path, readers, frames, subscription].map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  if ((await lines.next()).value !== 'ready') throw new Error('the readers did not connect');
  await new Promise((resolve) => setTimeout(resolve, 200)); // subscriptions have arrived
  await broadcast();
  const figures = JSON.parse((await lines.next()).value);
  await once(child, 'exit');
  return figures;
}

async function bareServer(command, args) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = Number((await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()).value);
  return { child, port };
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

await withSandbox(svc, async (sandbox) => {
  const message = await loginMessage(sandbox.url);
  const [maker, taker] = sandbox.accounts.slice(0, 2).map((account) => new Trader(sandbox.url, account));
  await maker.login(message);
  await taker.login(message);
  const subscription = JSON.stringify({ subscribe: [`trades:${market}`] });
  const trades = async (count) => {
    await maker.signed('POST', '/v1/orders/batch', { body: Array.from({ length: count }, () => order('Sell')), expect: 201 });
    await taker.signed('POST', '/v1/orders/batch', { body: Array.from({ length: count }, () => order('Buy')), expect: 201 });
  };
  const url = new URL(sandbox.url);

  // The bytes that the others will broadcast.
  const sample = new WebSocket(`ws://${url.host}/v1/stream`);
  await once(sample, 'open');
  sample.send(subscription);
  await new Promise((resolve) => setTimeout(resolve, 200));
  const heard = once(sample, 'message');
  await trades(1);
  const text = String((await heard)[0]);
  sample.close();

  const contenders = [{ name: 'svc', port: url.port, path: '/v1/stream', subscription, go: () => trades(frames), figures: [] }];
  const { child, port } = await bareServer(process.execPath, [new URL('bare_ws_server.mjs', import.meta.url).pathname, text]);
  const go = async () => child.stdin.write(`${frames}\n`);
  contenders.push({ name: 'node ws 8.23.0', port, path: '/', subscription: '', go, child, figures: [] });
  for (let i = 0; i < turns; ++i)
    for (const one of contenders) one.figures.push(await turn(one.port, one.path, one.subscription, one.go));
  for (const one of contenders) one.child?.kill('SIGTERM');

  console.log(`${readers} readers, ${frames} frames of ${text.length} bytes each per turn, median of ${turns} turns in alternation`);
  console.log('| server | frames/s delivered | MB/s | against svc |\n|---|---|---|---|');
  const rate = (one) => median(one.figures.map((f) => f.frames / f.seconds));
  for (const one of contenders) {
    const bytes = median(one.figures.map((f) => f.bytes / f.seconds));
    console.log(`| ${one.name} | ${Math.round(rate(one)).toLocaleString('en')} | ${Math.round(bytes / 1e6)} | ${(rate(one) / rate(contenders[0])).toFixed(2)} |`);
  }
}, { limits: 'off', accounts: 2 });
