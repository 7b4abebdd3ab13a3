// A trading session with a client that is nothing but the served interface description: openapi-typescript
// made its types, openapi-fetch sends what they allow, and the compiler has checked this file against them.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';

/** @typedef {import('exchange').paths} Paths */
/** @typedef {import('exchange').components['schemas']['OrderRequest']} OrderRequest */

const market = 'BTC-USDX-PERP';

/**
 * The order of a crossing limit or a resting one.
 * @param {'Buy' | 'Sell'} side
 * @param {string} quantity
 * @param {string} price
 * @returns {OrderRequest}
 */
const limit = (side, quantity, price) =>
  ({ market_id: market, side, order_type: 'Limit', quantity, price, time_in_force: 'GTC' });

/**
 * The data of an answer that must be a success.
 * @template T
 * @param {{ data?: T, error?: unknown, response: Response }} answer
 * @returns {T}
 */
function data({ data: body, error, response }) {
  assert.ok(response.ok && body !== undefined, `${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return body;
}

/**
 * @param {string} base
 * @param {(request: Request) => Promise<Record<string, string>>} sign
 */
const client = (base, sign) => {
  const made = /** @type {import('openapi-fetch').Client<Paths>} */ (createClient({ baseUrl: base }));
  made.use({
    async onRequest({ request }) {
      for (const [name, value] of Object.entries(await sign(request.clone()))) request.headers.set(name, value);
      return request;
    },
  });
  return made;
};

/**
 * Fund, place, match, cancel, read.
 * @param {string} url host root
 * @param {(request: Request) => Promise<Record<string, string>>} signMaker
 * @param {(request: Request) => Promise<Record<string, string>>} signTaker
 */
export async function tradingSession(url, signMaker, signTaker) {
  const maker = client(`${url}/v1`, signMaker);
  const taker = client(`${url}/v1`, signTaker);
  const takerAtRoot = client(url, signTaker);

  const listed = data(await maker.GET('/markets')).find((row) => row.market_id === market);
  assert.equal(listed?.quote_asset, 'USDX');

  const before = data(await taker.GET('/account'));
  const { balance } = data(await taker.POST('/account/deposit', { body: { amount: '250.5' } }));
  assert.equal(Number(balance), Number(before.balance) + 250.5);
  assert.equal(Number(data(await taker.POST('/faucet')).amount), 1000);
  assert.equal(data(await taker.GET('/deposits', { params: { query: { limit: 1 } } }))[0]?.kind, 'faucet');

  const resting = data(await maker.POST('/orders', { body: limit('Sell', '0.1', '60000') }));
  assert.equal(resting.order.status, 'Open');
  const [filled, refused] = data(await takerAtRoot.POST('/api/v1/orders/batch', {
    body: [limit('Buy', '0.04', '60000'), limit('Buy', '0.04', '60000.3')],
  }));
  assert.equal(filled?.outcome, 'ok');
  assert.equal(filled?.order?.status, 'Filled');
  assert.equal(refused?.error, 'InvalidTickSize');

  const book = data(await taker.GET('/markets/{market_id}/orderbook', { params: { path: { market_id: market } } }));
  assert.deepEqual(book.asks[0], [60000, 0.06]);

  const order_id = resting.order.id;
  const partly = data(await maker.GET('/orders/{order_id}', { params: { path: { order_id }, query: { market_id: market } } }));
  assert.equal(partly.filled_qty, '0.04');
  const amended = data(await maker.PATCH('/orders/{order_id}', {
    params: { path: { order_id }, query: { market_id: market } }, body: { price: '60100' },
  }));
  assert.notEqual(amended.id, order_id);
  const cancelled = data(await maker.DELETE('/orders/{order_id}', {
    params: { path: { order_id: amended.id }, query: { market_id: market } },
  }));
  assert.equal(cancelled.status, 'Cancelled');
  assert.equal(cancelled.cancellation_reason, 'User');

  const [fill] = data(await taker.GET('/fills', { params: { query: { limit: 1 } } }));
  assert.equal(fill?.side, 'buy');
  assert.equal(Number(fill?.fee), 1.2);
  const state = data(await taker.GET('/account/state'));
  assert.equal(state.positions[0]?.size, '0.04');
  assert.equal(state.summary.open_positions_count, 1);

  const missing = await taker.GET('/orders/{order_id}', { params: { path: { order_id }, query: { market_id: market } } });
  assert.equal(missing.response.status, 404);
  assert.equal(missing.error?.code, 'OrderNotFound');
}
