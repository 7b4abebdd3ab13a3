// Signers outside: a JSON-RPC wallet made of ethers, and a program that has viem sign (docs/signers.md), sign for the
// command line what the sandbox accepts.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Wallet, toUtf8String } from 'ethers';
import { privateKeyToAccount } from 'viem/accounts';
import { withSandbox } from './sandbox.mjs';

const wallet = Wallet.createRandom();
const asked = [];

async function answer({ method, params }) {
  asked.push(method);
  if (method === 'eth_accounts') return [wallet.address];
  if (method === 'personal_sign') {
    assert.equal(params[1].toLowerCase(), wallet.address.toLowerCase());
    return wallet.signMessage(toUtf8String(params[0]));
  }
  if (method === 'eth_signTypedData_v4') {
    const { domain, types: { EIP712Domain, ...types }, message } = JSON.parse(params[1]);
    return wallet.signTypedData(domain, types, message);
  }
  throw new Error(`no method ${method}`);
}

async function answerAsRpc(question) {
  const reply = await answer(question).then((result) => ({ result }), (error) => ({ error: { code: -32000, message: error.message } }));
  return { jsonrpc: '2.0', id: question.id, ...reply };
}

// The program is curl, which hands its one question on to here: starting node and loading viem takes much longer.
const account = privateKeyToAccount(`0x${'5'.repeat(64)}`);
async function answerAsProgram({ method, message, typed_data }) {
  if (method === 'address') return { address: account.address };
  if (method === 'sign_message') return { signature: await account.signMessage({ message }) };
  if (method === 'sign_typed_data') return { signature: await account.signTypedData(typed_data) };
  return { error: `no method ${method}` };
}

const server = createServer(async (request, response) => {
  let text = '';
  for await (const part of request) text += part;
  const reply = await (request.url === '/program' ? answerAsProgram : answerAsRpc)(JSON.parse(text));
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify(reply));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const home = mkdtempSync(join(tmpdir(), 'svc-signers-'));
const binary = process.argv[2];

try {
  await withSandbox(binary, async (sandbox) => {
    const env = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home, SVC_NETWORK: 'local', SVC_LOCAL_URL: sandbox.url };
    const svc = (signer, ...words) => new Promise((resolve, reject) => {
      execFile(binary, ['--json', '--signer', signer, ...words], { env }, (error, stdout, stderr) => {
        if (error) reject(new Error(`${words.join(' ')}: ${stdout}${stderr}`));
        else resolve(JSON.parse(stdout).data);
      });
    });
    const writes = () => [
      ['login'],
      ['keys', 'create'],
      ['deposits', 'submit', '--amount', '1000'],
      ['buy', '0.1', 'BTC-USDX-PERP', '@', '30000', '--action', 'sign'],
      ['orders', 'cancel-all', '--action', 'sign'],
      ['transfers', 'enroll'],
      ['withdrawals', 'submit', '5'],
      ['agents', 'register', Wallet.createRandom().address],
    ];
    const url = `http://127.0.0.1:${server.address().port}`;
    for (const words of writes()) await svc(url, ...words);
    assert.deepEqual([...new Set(asked)].sort(), ['eth_accounts', 'eth_signTypedData_v4', 'personal_sign']);

    const program = `exec:curl -sS --data-binary @- ${url}/program`;
    for (const words of writes()) await svc(program, ...words);
  });
} finally {
  server.close();
  rmSync(home, { recursive: true, force: true });
}
