// The first trade by a program that is not ours.
import assert from 'node:assert/strict';
import { withSandbox } from './sandbox.mjs';
import { Trader, loginMessage } from './trader.mjs';

const market = 'BTC-USDX-PERP';
const order = (side, quantity, price, time_in_force = 'GTC') => ({
  market_id: market, side, order_type: 'Limit', quantity, price, time_in_force,
});

await withSandbox(process.argv[2], async (sandbox) => {
  const message = await loginMessage(sandbox.url);
  const [maker, taker] = sandbox.accounts.slice(0, 2).map((account) => new Trader(sandbox.url, account));
  await maker.login(message);
  await taker.login(message);

  const resting = await maker.signed('POST', '/v1/orders', { body: order('Sell', '0.1', '60000'), expect: 201 });
  assert.equal(resting.order.status, 'Open');
  assert.deepEqual(resting.fills, []);

  const taken = await taker.signed('POST', '/api/v1/orders', { body: order('Buy', '0.04', '60000', 'IOC'), expect: 201 });
  assert.equal(taken.order.status, 'Filled');
  assert.equal(Number(taken.fills[0].price), 60000);
  assert.equal(Number(taken.fills[0].fee), 1.2); // 2400 USDX at 5 bps

  const [open] = await maker.signed('GET', '/orders');
  assert.equal(open.status, 'PartiallyFilled');
  assert.equal(Number(open.filled_qty), 0.04);

  const [position] = await taker.signed('GET', '/v1/positions');
  assert.equal(position.side, 'Long');
  assert.equal(Number(position.size), 0.04);

  const [makerFill] = await maker.signed('GET', '/fills', { query: 'limit=1' });
  assert.equal(Number(makerFill.fee), -0.48); // a rebate of 2 bps
  assert.equal(Number((await taker.signed('GET', '/account')).balance), 99998.8);

  const cancelled = await maker.signed('DELETE', `/orders/${open.id}`, { query: `market_id=${market}` });
  assert.equal(cancelled.status, 'Cancelled');
  assert.deepEqual(await maker.signed('GET', '/orders'), []);
});
console.log('first trade: ok');
