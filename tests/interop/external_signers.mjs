// Signers outside: a JSON-RPC wallet made of ethers, and a program made of viem, sign for the command line what the
// sandbox accepts.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Wallet, toUtf8String } from 'ethers';
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

const server = createServer(async (request, response) => {
  let text = '';
  for await (const part of request) text += part;
  const question = JSON.parse(text);
  const reply = await answer(question).then((result) => ({ result }), (error) => ({ error: { code: -32000, message: error.message } }));
  response.setHeader('Content-Type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id: question.id, ...reply }));
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

    const program = `exec:${process.execPath} ${new URL('viem_signer.mjs', import.meta.url).pathname}`;
    for (const words of writes()) await svc(program, ...words);
  });
} finally {
  server.close();
  rmSync(home, { recursive: true, force: true });
}
