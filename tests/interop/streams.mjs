// The npm package `ws` on both streams, following docs/streams.md: what is told, resuming, and a reader that stops reading.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import WebSocket from 'ws';
import { withSandbox } from './sandbox.mjs';
import { Trader, loginMessage } from './trader.mjs';

const market = 'BTC-USDX-PERP';
const order = (side, quantity, price) => ({
  market_id: market, side, order_type: 'Limit', quantity, price, time_in_force: 'GTC',
});

// Frames in the order they come; `until` waits for the next that fits.
class Reader {
  frames = [];
  #read = 0;
  #wake = () => {};

  constructor(url) {
    this.socket = new WebSocket(url);
    this.socket.on('message', (data) => {
      this.frames.push(JSON.parse(data));
      this.#wake();
    });
    this.closed = once(this.socket, 'close');
    this.closed.then(() => this.#wake(), () => {});
  }
  static async open(url) {
    const reader = new Reader(url);
    await once(reader.socket, 'open');
    return reader;
  }
  say(frame) {
    this.socket.send(JSON.stringify(frame));
  }
  async until(fits) {
    for (;;) {
      while (this.#read < this.frames.length) {
        const frame = this.frames[this.#read++];
        if (fits(frame)) return frame;
      }
      assert.notEqual(this.socket.readyState, WebSocket.CLOSED, 'the stream ended');
      await new Promise((resolve) => (this.#wake = resolve));
    }
  }
}

const event = (channel) => (frame) => frame.op === 'event' && frame.channel === channel;

await withSandbox(process.argv[2], async (sandbox) => {
  const message = await loginMessage(sandbox.url);
  const [maker, taker] = sandbox.accounts.slice(0, 2).map((account) => new Trader(sandbox.url, account));
  await maker.login(message);
  await taker.login(message);
  const ws = sandbox.url.replace(/^http/, 'ws');
  const accountStream = async () => {
    const { token } = await maker.signed('POST', '/v1/ws/token');
    assert.match(token, /^[0-9a-f]{48}$/);
    return Reader.open(`${ws}/v1/ws?token=${token}`);
  };
  const trade = async (quantity) => {
    await maker.signed('POST', '/v1/orders', { body: order('Sell', quantity, '60000'), expect: 201 });
    await taker.signed('POST', '/v1/orders', { body: order('Buy', quantity, '60000'), expect: 201 });
  };

  const mine = await accountStream();
  for (const channel of ['fills', 'orders', 'balances', 'positions']) mine.say({ op: 'subscribe', channel });
  for (const channel of ['trades', 'book']) mine.say({ op: 'subscribe', channel, market });
  const joined = await mine.until((frame) => frame.op === 'subscribed' && frame.channel === 'fills');
  await mine.until((frame) => frame.channel === 'book' && frame.snapshot);

  const open = await Reader.open(`${ws}/v1/stream`);
  open.say({ subscribe: [`trades:${market}`, 'book:*', 'stats'] });
  await open.until((frame) => frame.type === 'Stats');

  await trade('0.1');
  const fill = await mine.until(event('fills'));
  assert.equal(fill.seq, joined.seq_at_join + 1);
  assert.equal(fill.payload.size, '0.1');
  assert.equal(Number((await open.until((frame) => frame.type === 'Trade')).trade.amount), 0.1);

  // A second connection goes on where the first one was.
  mine.socket.terminate();
  await mine.closed;
  await trade('0.2');
  const again = await accountStream();
  again.say({ op: 'subscribe', channel: 'fills', since: fill.seq });
  const missed = await again.until(event('fills'));
  assert.equal(missed.seq, fill.seq + 1);
  assert.equal(missed.payload.size, '0.2');

  // A token is good once; and one of the older kind only for what is public.
  const { token } = await maker.signed('POST', '/v1/ws-tokens');
  const old = await Reader.open(`${ws}/v1/ws?token=${token}`);
  old.say({ op: 'subscribe', channel: 'fills' });
  assert.equal((await old.until((frame) => frame.op === 'error')).code, 'public_token');
  const refused = new WebSocket(`${ws}/v1/ws?token=${token}`);
  const [error] = await once(refused, 'error');
  assert.match(error.message, /401/);

  // Who stops reading costs no more than the bound, is told where he stands, and holds up nobody.
  const slow = await accountStream();
  for (const channel of ['orders', 'fills']) slow.say({ op: 'subscribe', channel });
  slow.say({ op: 'subscribe', channel: 'trades', market });
  await slow.until((frame) => frame.op === 'subscribed' && frame.channel === 'trades');
  again.say({ op: 'subscribe', channel: 'trades', market });
  const start = await again.until((frame) => frame.op === 'subscribed' && frame.channel === 'trades');
  const each = 500;
  const batch = (side) => Array.from({ length: each }, () => order(side, '0.001', '60000'));
  let trades = 0;
  let cut;
  // The system buffers some frames; how many is not known. So the load doubles until the reader falls behind.
  for (let batches = 12; !cut; batches *= 2) {
    assert.ok(batches < 400, 'a reader that stops reading is cut off');
    slow.socket.pause();
    for (let i = 0; i < batches; ++i) {
      await maker.signed('POST', '/v1/orders/batch', { body: batch('Sell'), expect: 201 });
      await taker.signed('POST', '/v1/orders/batch', { body: batch('Buy'), expect: 201 });
    }
    trades += batches * each;
    const last = (frame) => event('trades')(frame) && frame.seq === start.seq_at_join + trades;
    await again.until(last);
    slow.socket.resume();
    const end = await slow.until((frame) => frame.op === 'out_of_sync' || last(frame));
    if (end.op === 'out_of_sync') cut = end;
  }
  const told = slow.frames.filter(event(cut.channel)).map((frame) => frame.seq);
  told.forEach((seq, i) => assert.equal(seq, told[0] + i, 'no hole before the end'));
  // An order is told of twice: it rests, and it is filled.
  assert.ok(told.length < trades * (cut.channel === 'orders' ? 2 : 1), 'it did not get everything');

  open.socket.close();
  await open.closed;
  for (const reader of [again, old, slow]) reader.socket.terminate();
}, { limits: 'off' });
console.log('streams: ok');
