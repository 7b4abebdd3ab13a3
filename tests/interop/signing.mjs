// Our signing against ethers and viem, over random inputs: node signing.mjs PROBE [SEED]
// All three must give the same hashes, signatures and addresses, and open each other's files.
import assert from 'node:assert/strict';
import { createCipheriv, createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import * as ethers from 'ethers';
import * as viem from 'viem';
import { mnemonicToAccount, privateKeyToAccount, sign as viemSign } from 'viem/accounts';
import { actionRequests, structs } from './action_requests.mjs';
import { Probe } from './probe.mjs';
import { Random } from './random.mjs';
import { randomDocument } from './typed_documents.mjs';

const [binary, seed = '1'] = process.argv.slice(2);
const probe = new Probe(binary);
const groupOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const hex32 = (value) => '0x' + value.toString(16).padStart(64, '0');

const randomKey = (random) =>
  hex32(random.pick([1n, groupOrder - 1n, ...Array(8).fill(BigInt(random.hex(32)) % (groupOrder - 1n) + 1n)]));

// All three sign the digest alike, and each recovers the others' signer.
const agreeOnDigest = async (random, digest) => {
  const key = randomKey(random);
  const ours = await probe.ask('sign', { key, digest });
  const address = ethers.computeAddress(key).toLowerCase();
  assert.equal(ours.address, address);
  assert.equal(privateKeyToAccount(key).address.toLowerCase(), address);
  assert.equal(ours.signature, new ethers.SigningKey(key).sign(digest).serialized);
  assert.equal(ours.signature, await viemSign({ hash: digest, privateKey: key, to: 'hex' }));
  assert.equal(ethers.recoverAddress(digest, ours.signature).toLowerCase(), address);
  assert.equal((await viem.recoverAddress({ hash: digest, signature: ours.signature })).toLowerCase(), address);
  for (const text of [ours.signature, ours.signature.slice(2), withV(ours.signature, vOf(ours.signature) - 27)])
    assert.deepEqual(await probe.ask('recover', { digest, signature: text }), { address });
  return { key, ...ours };
};

const vOf = (signature) => parseInt(signature.slice(130), 16);
const withV = (signature, v) => signature.slice(0, 130) + v.toString(16).padStart(2, '0');

// Struct hash, separator and digest alike by all three, and then the signature.
const agreeOnStruct = async (random, ours, { domain, types, primaryType, message, domainType }) => {
  const allTypes = { ...types, EIP712Domain: domainType };
  assert.equal(ours.error, undefined);
  assert.equal(ours.type, ethers.TypedDataEncoder.from(types).encodeType(primaryType));
  assert.equal(ours.domain_separator, ethers.TypedDataEncoder.hashDomain(domain));
  assert.equal(ours.domain_separator, viem.hashStruct({ data: domain, primaryType: 'EIP712Domain', types: allTypes }));
  assert.equal(ours.struct_hash, ethers.TypedDataEncoder.hashStruct(primaryType, types, message));
  assert.equal(ours.struct_hash, viem.hashStruct({ data: message, primaryType, types }));
  assert.equal(ours.digest, ethers.TypedDataEncoder.hash(domain, types, message));
  assert.equal(ours.digest, viem.hashTypedData({ domain, types: allTypes, primaryType, message }));
  const { key, signature } = await agreeOnDigest(random, ours.digest);
  if (random.chance(4)) {
    assert.equal(signature, await new ethers.Wallet(key).signTypedData(domain, types, message));
    assert.equal(signature, await privateKeyToAccount(key).signTypedData({ domain, types: allTypes, primaryType, message }));
  }
};

const fullDomainType = (domain) =>
  [['name', 'string'], ['version', 'string'], ['chainId', 'uint256'], ['salt', 'bytes32']]
    .filter(([name]) => domain[name] !== undefined)
    .map(([name, type]) => ({ name, type }));

// The unsalted or salted domain: as asked of the probe, and as the libraries take it.
const randomDomain = (random, salted) => {
  const name = random.textOrNone();
  const chainId = random.uint(64);
  const network = random.pick(['testnet', 'mainnet', 'local']);
  const domain = { name, version: '1', chainId };
  if (salted) domain.salt = ethers.id(network);
  return { question: { name, chain_id: chainId.toString(), ...(salted ? { network } : {}) }, domain, domainType: fullDomainType(domain) };
};

const facts = {
  async 'digests of bytes'(random) {
    const bytes = random.bytes(random.pick([0, 1, 64, 135, 136, 137, 271, 272, 273, random.below(1000)]));
    const ours = await probe.ask('digests', { bytes: bytes.toString('hex') });
    assert.equal(ours.keccak256, ethers.keccak256(bytes));
    assert.equal(ours.keccak256, viem.keccak256(bytes));
    assert.equal(ours.sha256, '0x' + createHash('sha256').update(bytes).digest('hex'));
  },

  async 'checksums of addresses'(random) {
    const address = random.address();
    const ours = await probe.ask('checksum', { address });
    assert.equal(ours.address, ethers.getAddress(address));
    assert.equal(ours.address, viem.getAddress(address));
  },

  async 'signatures of digests'(random) {
    const digest = random.pick([random.hex(32), random.hex(32), hex32(0n), '0x' + 'ff'.repeat(32)]);
    const { signature } = await agreeOnDigest(random, digest);
    // The same signature in its other form, which none of the three may make and ours must not take.
    const s = BigInt('0x' + signature.slice(66, 130));
    const high = signature.slice(0, 66) + hex32(groupOrder - s).slice(2) + (55 - vOf(signature)).toString(16);
    assert.deepEqual(await probe.ask('recover', { digest, signature: high }), { error: 'not a signature' });
  },

  async 'wallet messages'(random) {
    const text = random.textOrNone();
    const ours = await probe.ask('message', { text });
    assert.equal(ours.digest, ethers.hashMessage(text));
    assert.equal(ours.digest, viem.hashMessage(text));
    const { key, signature } = await agreeOnDigest(random, ours.digest);
    assert.equal(signature, await new ethers.Wallet(key).signMessage(text));
    assert.equal(signature, await privateKeyToAccount(key).signMessage({ message: text }));
  },

  async 'trading actions of HTTP requests'(random) {
    const { question, domain, domainType } = randomDomain(random, false);
    const context = { account: random.address(), domain: random.textOrNone(), timestampMs: random.uint(64), nonce: random.uint(64) };
    const { request, primaryType, types, message } = random.pick(actionRequests)(random, context);
    const ours = await probe.ask('action', {
      ...question, ...request, account: context.account, deployment: context.domain,
      timestamp_ms: context.timestampMs.toString(), nonce: context.nonce.toString(),
    });
    await agreeOnStruct(random, ours, { domain, types, primaryType, message, domainType });
  },

  async 'agent registrations'(random) {
    const { question, domain, domainType } = randomDomain(random, random.chance(2));
    const message = { agent: random.address(), expiresAt: random.uint(64), nonce: random.uint(64) };
    const ours = await probe.ask('register_agent', {
      ...question, agent: message.agent, expires_at_ms: message.expiresAt.toString(), nonce: message.nonce.toString(),
    });
    await agreeOnStruct(random, ours, { domain, types: structs.RegisterAgent, primaryType: 'RegisterAgent', message, domainType });
  },

  async withdrawals(random) {
    const { question, domain, domainType } = randomDomain(random, false);
    const message = { amount: random.uint(256), asset: random.address(), nonce: random.uint(64) };
    const amount = random.chance(2) ? message.amount.toString() : '0x' + message.amount.toString(16);
    const ours = await probe.ask('withdraw', { ...question, amount, asset: message.asset, nonce: message.nonce.toString() });
    await agreeOnStruct(random, ours, { domain, types: structs.WithdrawIntent, primaryType: 'WithdrawIntent', message, domainType });
  },

  async transfers(random) {
    const { question, domain, domainType } = randomDomain(random, false);
    const account = random.address();
    const deployment = random.textOrNone();
    const timestampMs = random.uint(64);
    const common = { ...question, account, deployment, timestamp_ms: timestampMs.toString() };
    const shared = { account, domain: deployment, timestampMs };
    const nonce = random.uint(64);
    const [op, primaryType, extra, fields] = random.pick([
      ['enroll', 'EnrollTransferAccount', { nonce: nonce.toString() }, { nonce }],
      ['transfer', 'TransferIntent', ...(() => {
        const recipient = random.address(), amount = random.decimal(), id = random.textOrNone();
        return [{ recipient, amount, client_transfer_id: id, nonce: nonce.toString() }, { recipient, amount, clientTransferId: id, nonce }];
      })()],
      ['list_transfers', 'ListTransfers', ...(() => {
        const limit = random.pick(['', '1', '100']), cursor = random.textOrNone();
        return [{ limit, cursor }, { limit, cursor }];
      })()],
      ['read_transfer', 'ReadTransfer', ...(() => {
        const id = random.text();
        return [{ transfer_id: id }, { transferId: id }];
      })()],
    ]);
    const ours = await probe.ask(op, { ...common, ...extra });
    await agreeOnStruct(random, ours, { domain, types: structs[primaryType], primaryType, message: { ...shared, ...fields }, domainType });
  },

  async 'typed-data documents'(random) {
    const { document, types, typesWithDomain, primaryType, domain, message } = randomDocument(random);
    const ours = await probe.ask('typed', { document: JSON.stringify(document, null, random.below(3)) });
    await agreeOnStruct(random, ours, { domain, types, primaryType, message, domainType: typesWithDomain.EIP712Domain });
  },

  async 'canonical requests'(random) {
    const parts = {
      method: random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
      path: random.pick(['/orders', '/api/v1/orders', '/account/summary', '/orders/1', '/']),
      query: random.pick(['', 'market_id=BTC-USDX-PERP', 'cursor=a%2Fb%2B%3D&limit=5', 'x=a+b']),
      body: random.textOrNone(),
    };
    const time = random.uint(62).toString();
    const nonce = random.uint(64).toString();
    const secret = random.bytes(random.pick([1, 32, 63, 64, 65, 200])).toString('hex');
    const bodyHash = createHash('sha256').update(parts.body).digest('hex');
    const byHmac = await probe.ask('hmac_request', { ...parts, timestamp_ms: time, secret });
    assert.equal(byHmac.canonical, [time, parts.method, parts.path, parts.query, bodyHash].join('\n'));
    assert.equal(byHmac.signature, createHmac('sha256', Buffer.from(secret, 'hex')).update(byHmac.canonical).digest('hex'));
    const byAgent = await probe.ask('agent_request', { ...parts, timestamp_ms: time, nonce });
    assert.equal(byAgent.canonical, [parts.method, parts.path, parts.query, bodyHash, time, nonce].join('\n'));
    assert.equal(byAgent.digest, ethers.id(byAgent.canonical));
    await agreeOnDigest(random, byAgent.digest);
  },
};

// Slow on purpose, as key derivation is: fewer rounds.
const slowFacts = {
  async 'scrypt keystores, both ways'(random) {
    const key = randomKey(random);
    const address = ethers.computeAddress(key);
    const password = random.textOrNone().normalize('NFKC');
    const n = random.pick([2, 16, 1024]);
    const ours = await probe.ask('seal_key', { key, password, n: String(n), entropy: random.hex(64) });
    const opened = ethers.decryptKeystoreJsonSync(ours.file, password);
    assert.equal(opened.privateKey, key);
    assert.equal(opened.address, address);
    const theirs = ethers.encryptKeystoreJsonSync({ address, privateKey: key }, password, {
      scrypt: { N: n, r: 8, p: random.pick([1, 2]) }, salt: random.bytes(32), iv: random.bytes(16), uuid: random.bytes(16),
    });
    assert.deepEqual(await probe.ask('open_key', { file: theirs, password }), { key });
    const refusal = await probe.ask('open_key', { file: theirs, password: password + '!' });
    assert.deepEqual(refusal, { error: 'wrong password, or a damaged file' });
  },

  async 'pbkdf2 keystores made by hand'(random) {
    const key = randomKey(random);
    const password = random.text().normalize('NFKC');
    const salt = random.bytes(random.pick([8, 16, 32]));
    const iv = random.bytes(16);
    const c = random.pick([1, 2, 1000]);
    const derived = pbkdf2Sync(password, salt, c, 32, 'sha256');
    const ciphertext = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv).update(Buffer.from(key.slice(2), 'hex'));
    const file = JSON.stringify({
      version: 3, id: '3198bc9c-6672-5ab3-d995-4942343ae5b6', address: ethers.computeAddress(key).slice(2),
      [random.pick(['crypto', 'Crypto'])]: {
        cipher: 'aes-128-ctr', cipherparams: { iv: iv.toString('hex') }, ciphertext: ciphertext.toString('hex'),
        kdf: 'pbkdf2', kdfparams: { c, dklen: 32, prf: 'hmac-sha256', salt: salt.toString('hex') },
        mac: ethers.keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])).slice(2),
      },
    });
    assert.equal(ethers.decryptKeystoreJsonSync(file, password).privateKey, key);
    assert.deepEqual(await probe.ask('open_key', { file, password }), { key });
  },

  async mnemonics(random) {
    const entropy = random.hex(random.pick([16, 20, 24, 28, 32]));
    const { phrase } = await probe.ask('phrase_of', { entropy });
    assert.equal(phrase, ethers.Mnemonic.fromEntropy(entropy).phrase);
    const index = random.pick([0, 1, 2, 2 ** 31 - 1, random.below(1000)]);
    const passphrase = random.chance(2) ? '' : random.pick(['TREZOR', 'correct horse', '~!@#']);
    const ours = await probe.ask('derive', { phrase, passphrase, index: String(index) });
    const theirs = ethers.HDNodeWallet.fromPhrase(phrase, passphrase, `m/44'/60'/0'/0/${index}`);
    assert.deepEqual(ours, { key: theirs.privateKey, address: theirs.address.toLowerCase() });
    // viem 2.31 takes no passphrase.
    if (passphrase === '') assert.equal(ours.address, mnemonicToAccount(phrase, { addressIndex: index }).address.toLowerCase());
    // A phrase that one of us refuses, all refuse.
    const words = phrase.split(' ');
    words[random.below(words.length)] = random.pick(['abandon', 'zoo', 'abando', 'test']);
    const other = await probe.ask('derive', { phrase: words.join(' '), passphrase, index: '0' });
    assert.equal(other.error === undefined, ethers.Mnemonic.isValidMnemonic(words.join(' ')));
  },
};

const run = async (group, rounds) => {
  for (const [fact, check] of Object.entries(group)) {
    for (let round = 0; round < rounds; ++round) {
      // Each round has its own stream, so that a failing one can be run alone.
      const random = new Random(BigInt(seed) * 1000003n + BigInt(round));
      try {
        await check(random);
      } catch (error) {
        console.error(`${fact}: differs in round ${round} of seed ${seed}`);
        throw error;
      }
    }
    console.log(`${fact}: ${rounds} agree`);
  }
};

console.log(`seed ${seed}`);
await run(facts, 100);
await run(slowFacts, 12);
probe.close();
