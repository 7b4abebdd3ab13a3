// Agent keys registered by other people's signers: ethers under the salted domain, viem under the old one.
import assert from 'node:assert/strict';
import { Wallet, getBytes, keccak256, toUtf8Bytes, SigningKey } from 'ethers';
import { privateKeyToAccount } from 'viem/accounts';
import { createHash } from 'node:crypto';
import { withSandbox } from './sandbox.mjs';
import { Trader, loginMessage } from './trader.mjs';

const types = {
  RegisterAgent: [
    { name: 'agent', type: 'address' },
    { name: 'expiresAt', type: 'uint64' },
    { name: 'nonce', type: 'uint64' },
  ],
};
const order = {
  market_id: 'BTC-USDX-PERP', side: 'Buy', order_type: 'Limit', quantity: '0.1', price: '59000', time_in_force: 'GTC',
};

await withSandbox(process.argv[2], async (sandbox) => {
  const metadata = await (await fetch(`${sandbox.url}/metadata`)).json();
  const { name, version, chain_id: chainId } = metadata.signing_domain;
  const trader = new Trader(sandbox.url, sandbox.accounts[0]);
  await trader.login(await loginMessage(sandbox.url));
  const expires_at = Date.now() + 7 * 86_400_000;

  const register = async (agent, nonce, signature, extra = {}) => {
    const body = { wallet: trader.wallet.address, agent: agent.address, nonce, signature, expires_at, ...extra };
    const answer = await fetch(`${sandbox.url}/v1/agents/register`, { method: 'POST', body: JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  };

  // ethers, the domain that /metadata publishes.
  const agent = Wallet.createRandom();
  const salt = keccak256(toUtf8Bytes(metadata.network));
  const salted = { name, version, chainId, salt };
  const value = { agent: agent.address, expiresAt: expires_at, nonce: 1 };
  const first = await register(agent, 1, await trader.wallet.signTypedData(salted, types, value), { label: 'ethers' });
  assert.deepEqual(first, { status: 200, body: { agent_address: agent.address.toLowerCase(), expires_at } });

  // viem, the domain of older clients.
  const second = Wallet.createRandom();
  const account = privateKeyToAccount(trader.wallet.privateKey);
  const signature = await account.signTypedData({
    domain: { name, version, chainId },
    types,
    primaryType: 'RegisterAgent',
    message: { agent: second.address, expiresAt: BigInt(expires_at), nonce: 2n },
  });
  assert.equal((await register(second, 2, signature, { chain_id: chainId })).status, 200);

  // Another network's salt verifies nowhere else.
  const foreign = await trader.wallet.signTypedData(
    { ...salted, salt: keccak256(toUtf8Bytes('mainnet')) }, types, { ...value, nonce: 3 });
  assert.deepEqual(await register(agent, 3, foreign), { status: 401, body: { code: 'unauthorized' } });

  const listed = await trader.signed('GET', '/v1/agents');
  assert.deepEqual(listed.map((one) => one.address).sort(),
    [agent.address.toLowerCase(), second.address.toLowerCase()].sort());

  // The agent trades with requests that it signs itself.
  const asAgent = async (method, path, body, nonce) => {
    const bytes = body === undefined ? '' : JSON.stringify(body);
    const timestamp = Date.now();
    const hash = createHash('sha256').update(bytes).digest('hex');
    const canonical = [method, path, '', hash, timestamp, nonce].join('\n');
    const digest = keccak256(toUtf8Bytes(canonical));
    const answer = await fetch(`${sandbox.url}/v1${path}`, {
      method,
      body: bytes || undefined,
      headers: {
        'x-agent': agent.address.toLowerCase(), 'x-timestamp': String(timestamp), 'x-nonce': String(nonce),
        'x-signature': new SigningKey(agent.privateKey).sign(getBytes(digest)).serialized,
      },
    });
    return { status: answer.status, body: await answer.json() };
  };
  assert.equal((await asAgent('POST', '/orders', order, 1)).status, 201);
  assert.equal((await asAgent('POST', '/orders', order, 1)).status, 401); // the nonce is spent
  assert.equal((await asAgent('GET', '/orders', undefined, 1)).body.length, 1);
  assert.equal((await asAgent('POST', '/account/deposit', { amount: '1' }, 2)).status, 401); // trade-only
  assert.equal((await asAgent('GET', '/agents', undefined, 3)).status, 401);

  await trader.signed('DELETE', `/v1/agents/${agent.address}`);
  assert.equal((await asAgent('GET', '/orders', undefined, 4)).status, 401);
});
console.log('agents: ok');
