// Money out and across, signed by wallets that are not ours: ethers signs the withdrawal and one side of the
// transfer, viem the other side.
import assert from 'node:assert/strict';
import { privateKeyToAccount } from 'viem/accounts';
import { structs } from './action_requests.mjs';
import { withSandbox } from './sandbox.mjs';
import { Trader, loginMessage } from './trader.mjs';

const usdx = '0x' + 'cc'.repeat(20);

await withSandbox(process.argv[2], async (sandbox) => {
  const [alice, bob] = sandbox.accounts.slice(0, 2).map((account) => new Trader(sandbox.url, account));
  const message = await loginMessage(sandbox.url);
  await alice.login(message);
  const { signing_domain, deployment } = await (await fetch(`${sandbox.url}/metadata`)).json();
  const domain = { name: signing_domain.name, version: '1', chainId: 20056 };

  const byEthers = (trader) => ({
    address: trader.wallet.address.toLowerCase(),
    sign: (type, fields) => trader.wallet.signTypedData(domain, { [type]: structs[type][type] }, fields),
  });
  const byViem = (account) => {
    const signer = privateKeyToAccount(account.private_key);
    return {
      address: signer.address.toLowerCase(),
      sign: (type, fields) =>
        signer.signTypedData({ domain, types: { [type]: structs[type][type] }, primaryType: type, message: fields }),
    };
  };
  const sender = byEthers(alice);
  const recipient = byViem(sandbox.accounts[1]);

  let nonce = Date.now();
  const call = async (owner, method, path, type, fields, { query = '', body } = {}) => {
    const write = method === 'POST';
    const signed = { account: owner.address, domain: deployment, ...fields, timestampMs: Date.now() };
    if (write) signed.nonce = ++nonce;
    const headers = { 'x-signature': await owner.sign(type, signed), 'x-timestamp': String(signed.timestampMs) };
    if (write) headers['x-nonce'] = String(signed.nonce);
    const answer = await fetch(`${sandbox.url}${path}${query}`, { method, headers, body: body && JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  };

  const named = (owner) => ({ account: owner.address, domain: deployment });
  for (const owner of [sender, recipient]) {
    const enrolled = await call(owner, 'POST', '/transfers/enroll', 'EnrollTransferAccount', {}, { body: named(owner) });
    assert.equal(enrolled.status, 200, JSON.stringify(enrolled.body));
    assert.equal(enrolled.body.enrolled, true);
  }
  const payment = { recipient: recipient.address, amount: '12.50', client_transfer_id: 'invoice 7 ✓' };
  const intent = { recipient: payment.recipient, amount: payment.amount, clientTransferId: payment.client_transfer_id };
  const pay = (body = payment, fields = intent) =>
    call(sender, 'POST', '/v1/transfers', 'TransferIntent', fields, { body: { ...named(sender), ...body } });
  const paid = await pay();
  assert.equal(paid.status, 200, JSON.stringify(paid.body));
  assert.deepEqual((await pay()).body, paid.body); // a fresh nonce, the same receipt
  assert.equal((await pay({ ...payment, amount: '13' }, { ...intent, amount: '13' })).status, 409);
  assert.equal((await pay({ ...payment, amount: '14' })).status, 401); // not what was signed

  const reader = (owner) => `?${new URLSearchParams(named(owner))}`;
  const read = await call(recipient, 'GET', `/transfers/${paid.body.id}`, 'ReadTransfer', { transferId: paid.body.id }, { query: reader(recipient) });
  assert.deepEqual(read.body, paid.body);
  const listed = await call(recipient, 'GET', '/transfers', 'ListTransfers', { limit: '5', cursor: '' }, { query: reader(recipient) + '&limit=5' });
  assert.deepEqual(listed.body, [paid.body]);

  const withdraw = async (owner, amount, units) => {
    const number = ++nonce;
    const signature = await owner.sign('WithdrawIntent', { amount: units, asset: usdx, nonce: number });
    const answer = await fetch(`${sandbox.url}/withdrawals`, {
      method: 'POST',
      body: JSON.stringify({ wallet: owner.address, amount, asset: usdx, nonce: number, signature }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const out = await withdraw(sender, '100.25', 100250000n);
  assert.equal(out.status, 200, JSON.stringify(out.body));
  assert.equal(out.body.status, 'pending');
  assert.equal((await withdraw(recipient, 7000000, 7000000n)).body.amount, '7'); // as older clients write it
  assert.equal((await withdraw(sender, '100.25', 100250001n)).status, 401);
  assert.deepEqual(await alice.signed('GET', '/withdrawals'), [out.body]);
  assert.equal(Number((await alice.signed('GET', '/account')).balance), 100000 - 12.5 - 100.25);
});
console.log('money: ok');
