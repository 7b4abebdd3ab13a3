// Clients of this version and of later ones: what 0.9 added works for those who ask for it, and who knows
// more than this server is served all the same.
import assert from 'node:assert/strict';
import { Wallet, keccak256, toUtf8Bytes } from 'ethers';
import { structs } from './action_requests.mjs';
import { withSandbox } from './sandbox.mjs';
import { Trader, loginMessage } from './trader.mjs';

const market = 'BTC-USDX-PERP';
const limit = (fields) =>
  ({ market_id: market, side: 'Buy', order_type: 'Limit', price: '40000', quantity: '0.1', time_in_force: 'GTC', ...fields });

await withSandbox(process.argv[2], async (sandbox) => {
  const metadata = await (await fetch(`${sandbox.url}/metadata`)).json();
  assert.equal(metadata.api_version.current, metadata.current_api_version);
  assert.equal(metadata.api_version.header, 'x-svc-api-version');
  assert.equal(metadata.networks[metadata.network].rest_base, sandbox.url);
  assert.match(metadata.signing_domain.salt, /^0x[0-9a-f]{64}$/);

  const trader = new Trader(sandbox.url, sandbox.accounts[0]);
  await trader.login(await loginMessage(sandbox.url));

  // Whatever later version it names, it is served, and nothing tells it to go away.
  for (const version of ['0.9.0', 'v0.9.0', '0.9.7', '0.10.0', '1.4.2', 'v2.0.0-rc.1+build.5']) {
    const answer = await fetch(`${sandbox.url}/v1/markets`, { headers: { 'x-svc-api-version': version } });
    assert.equal(answer.status, 200, version);
    assert.equal(answer.headers.get('deprecation'), null);
  }

  // A client id makes an order safe to repeat.
  const order = limit({ client_id: 'mine-1' });
  const first = await trader.signed('POST', '/v1/orders', { body: order, expect: 201 });
  const again = await trader.signed('POST', '/v1/orders', { body: order, expect: 201 });
  assert.equal(again.order.id, first.order.id);
  assert.equal(first.order.client_id, 'mine-1');
  assert.equal((await trader.signed('GET', `/api/v1/orders/${first.order.id}`, { query: `market_id=${market}` })).client_id, 'mine-1');

  // Reads of 0.9 and members it added to older ones.
  const status = await trader.signed('GET', '/v1/account/rate-limit');
  assert.deepEqual(Object.keys(status.buckets).sort(), ['cancel', 'key', 'order', 'owner']);
  const fees = await trader.signed('GET', '/v1/account/fees', { query: `market_id=${market}` });
  assert.deepEqual(fees.markets.map((row) => row.market_id), [market]);
  assert.equal((await trader.signed('GET', '/v1/account/margin-mode', { query: `market_id=${market}` })).margin_mode, 'cross');
  const summary = await (await fetch(`${sandbox.url}/api/v1/markets/summary`)).json();
  assert.ok(summary.every((row) => typeof row.tick_size === 'string'));
  const candles = await fetch(`${sandbox.url}/v1/markets/${market}/candles?timeframe=5m&startTime=0&endTime=${Date.now()}`);
  assert.ok(Array.isArray(await candles.json()));

  // An agent registered under the published, salted domain trades by its action alone.
  const { name, version, chain_id: chainId, salt } = metadata.signing_domain;
  assert.equal(salt, keccak256(toUtf8Bytes(metadata.network)));
  const agent = Wallet.createRandom();
  const expires_at = Date.now() + 7 * 86_400_000;
  const signature = await trader.wallet.signTypedData({ name, version, chainId, salt },
    { RegisterAgent: structs.RegisterAgent.RegisterAgent },
    { agent: agent.address, expiresAt: expires_at, nonce: 1 });
  await trader.plain('POST', '/v1/agents/register',
    { wallet: trader.wallet.address, agent: agent.address, nonce: 1, signature, expires_at, chain_id: chainId });
  const timestampMs = Date.now();
  const cancel = {
    account: trader.wallet.address, domain: metadata.deployment, marketId: market, orderId: first.order.id, timestampMs, nonce: 7,
  };
  const action = await agent.signTypedData({ name, version, chainId }, { CancelOrder: structs.CancelOrder.CancelOrder }, cancel);
  const cancelled = await fetch(`${sandbox.url}/v1/orders/${first.order.id}?market_id=${market}`, {
    method: 'DELETE',
    headers: {
      'x-agent': agent.address.toLowerCase(), 'x-action-signature': action, 'x-action-timestamp': String(timestampMs),
      'x-action-nonce': '7',
    },
  });
  assert.equal((await cancelled.json()).status, 'Cancelled');

  // A field that this server does not know is refused by name: it could have been the one that mattered.
  const refused = await trader.signed('POST', '/v1/orders', { body: limit({ iceberg_qty: '0.01' }), expect: 400 });
  assert.match(refused.message, /iceberg_qty/);
  // Parameters it does not know are ignored, as on every server.
  await trader.signed('GET', '/v1/orders', { query: 'view=compact' });
});

// A server told to serve clients that are ahead of it ignores what it does not know.
await withSandbox(process.argv[2], async (sandbox) => {
  const trader = new Trader(sandbox.url, sandbox.accounts[0]);
  await trader.login(await loginMessage(sandbox.url));
  await trader.signed('POST', '/v1/orders', { body: limit({ iceberg_qty: '0.01' }), expect: 201, ahead: true });
}, { unknownFields: 'accept' });
console.log('newer client: ok');
