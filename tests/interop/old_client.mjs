// A client written against 0.8, unchanged: its headers, its paths, its names for things. It reads no member
// that 0.9 added and sends none that 0.9 asks for.
import assert from 'node:assert/strict';
import { withSandbox } from './sandbox.mjs';
import { Trader, loginMessage } from './trader.mjs';
import { recordAnswer } from './answer_record.mjs';

const market = 'BTC-USDX-PERP';
const version = { 'x-svc-api-version': 'v0.8.4' };
const type = { 'content-type': 'application/json' };

// Old clients know the code by either name, and by its letters alone.
const codeOf = (body) => String(body.error?.code ?? body.code ?? body.error).toLowerCase().replaceAll('_', '');

await withSandbox(process.argv[2], async (sandbox) => {
  const send = async (method, path, { body, headers = {}, expect = 200 } = {}) => {
    const text = body && JSON.stringify(body);
    const answer = await fetch(sandbox.url + path, { method, body: text, headers: { ...version, ...headers } });
    const bytes = await answer.text();
    recordAnswer(method, path, answer.status, text, bytes);
    assert.equal(answer.status, expect, `${method} ${path}: ${bytes}`);
    return { headers: answer.headers, body: JSON.parse(bytes) };
  };

  // It learns where to go from three members, and takes versions with a leading v.
  const { body: metadata } = await send('GET', '/metadata');
  assert.match(metadata.current_api_version, /^v?\d+\.\d+\.\d+$/);
  assert.match(metadata.min_api_version, /^v?0\.8\.0$/);
  assert.match(metadata.networks.local.ws_market_data_url, /^ws:\/\/.*\/stream$/);

  // Signs in with a signature whose v is 0 or 1, mints a key with no body and no content type.
  const maker = new Trader(sandbox.url, sandbox.accounts[0]);
  const message = await loginMessage(sandbox.url);
  const modern = await maker.wallet.signMessage(message);
  const signature = modern.slice(0, -2) + (modern.endsWith('1b') ? '00' : '01');
  const { body: session } = await send('POST', '/auth/login', { body: { message, signature }, headers: type });
  assert.match(session.token, /^[0-9a-f]{64}$/);
  const bearer = { authorization: `Bearer ${session.token}` };
  const { body: key } = await send('POST', '/keys', { headers: bearer });
  assert.deepEqual((await send('GET', '/keys', { headers: bearer })).body.map(({ key_id, tier }) => ({ key_id, tier })),
    [{ key_id: key.key_id, tier: 'Pro' }]);
  maker.keyId = key.key_id;
  maker.secret = Buffer.from(key.secret, 'hex');
  const signed = (method, path, options = {}) =>
    maker.signed(method, path, { ...options, headers: { ...version, ...type, ...options.headers } });

  // The session token mints a stream token as well, where that is switched on; the older mint takes the key.
  assert.match((await send('POST', '/ws/token', { headers: bearer })).body.token, /^[0-9a-f]{48}$/);
  assert.match((await signed('POST', '/ws-tokens')).token, /^[0-9a-f]{48}$/);

  // Reads that asked for a key in 0.8 are sent with one.
  assert.ok((await signed('GET', '/markets')).some((row) => row.market_id === market && row.tick_size === '0.5'));
  assert.ok(Array.isArray(await signed('GET', `/markets/${market}/adl-events`)));
  assert.ok(Array.isArray(await signed('GET', '/funding', { query: `market_id=${market}` })));

  // Deposits by both operations.
  assert.ok(Number((await signed('POST', '/account/deposit', { body: { amount: '10' } })).balance) > 0);
  assert.ok(Number((await signed('POST', '/deposits', { body: { amount: '10' } })).balance) > 0);

  // A stop with the name its trigger had; it shows up as an open order.
  const stop = await signed('POST', '/v1/orders', {
    body: { market_id: market, side: 'Sell', order_type: 'StopMarket', quantity: '0.1', stop_price: '50000', time_in_force: 'IOC' },
    expect: 201,
  });
  assert.equal(stop.order.status, 'Open');
  assert.equal(stop.order.price, '0');
  assert.ok('cancellation_reason' in stop.order);

  // Amends and cancels under /api/v1 without saying which market.
  const limit = { market_id: market, side: 'Buy', order_type: 'Limit', price: '40000', quantity: '0.1', time_in_force: 'GTC' };
  const { order } = await signed('POST', '/api/v1/orders', { body: limit, expect: 201 });
  const replaced = await signed('PATCH', `/api/v1/orders/${order.id}`, { body: { price: '41000' } });
  assert.notEqual(replaced.id, order.id);
  assert.equal((await signed('DELETE', `/api/v1/orders/${replaced.id}`)).status, 'Cancelled');
  // The doubled base is stripped once; what is signed is the rest.
  const doubled = maker.sign('GET', '/api/v1/orders', '', '');
  assert.equal((await send('GET', '/v1/api/v1/orders', { headers: doubled })).body.length, 1);
  await signed('DELETE', '/orders', { query: `market_id=${market}` });
  assert.deepEqual(await signed('GET', '/orders'), []);

  // Refusals are found by `error` as well as by `code`, and compared without case and underscores.
  const refused = await signed('POST', '/orders', { body: { ...limit, price: '40000.3' }, expect: 400 });
  assert.equal(codeOf({ error: refused.error }), 'invalidticksize');
  assert.equal(codeOf((await send('GET', '/orders', { expect: 401 })).body), 'unauthorized');
  const nested = await signed('GET', '/api/v1/bridge/deposits/nothing', { expect: 404 });
  assert.equal(codeOf(nested), 'depositnotfound');

  // Older than the floor: told what to do, here as in 0.8.
  const tooOld = await send('GET', '/markets', { headers: { 'x-svc-api-version': '0.7.9' }, expect: 426 });
  assert.equal(tooOld.headers.get('x-svc-api-min-version'), '0.8.0');
  assert.equal(tooOld.body.code, 'api_version_unsupported');
  assert.equal(tooOld.body.min_version, '0.8.0');
  assert.equal((await fetch(tooOld.body.spec_url, { headers: { 'x-svc-api-version': '0.7.9' } })).status, 200);

  // And one that says nothing at all is served.
  assert.equal((await fetch(`${sandbox.url}/markets`)).status, 200);
}, { sessionStreamTokens: true });

// On testnet it still goes through the gateway of old; the prefix is not signed.
await withSandbox(process.argv[2], async (sandbox) => {
  const trader = new Trader(sandbox.url, { private_key: `0x${'11'.repeat(32)}` }, '/indexer');
  await trader.login(await loginMessage(sandbox.url));
  assert.ok(Number((await trader.signed('POST', '/indexer/faucet')).amount) > 0);
  assert.ok(Number((await trader.signed('GET', '/indexer/account')).balance) > 0);
  assert.deepEqual(await trader.signed('GET', '/indexer/orders'), []);
  assert.equal((await fetch(`${sandbox.url}/orders`)).status, 404);
}, { as: 'testnet' });
console.log('old client: ok');
