// Bad input at every stage, sent as a stranger would: each gets a clear error, changes nothing, leaks
// nothing, and the sandbox goes on.
import assert from 'node:assert/strict';
import net from 'node:net';
import { withSandbox } from './sandbox.mjs';
import { Trader, loginMessage } from './trader.mjs';

const good = { market_id: 'BTC-USDX-PERP', side: 'Buy', order_type: 'Limit', quantity: '0.1', price: '50000', time_in_force: 'GTC' };

// Bodies of POST /orders and the code each must be refused with.
const bodies = [
  ['cut off', '{"market_id":', 'invalid_json'],
  ['empty', '', 'invalid_json'],
  ['not an object', '[]', 'invalid_json'],
  ['a string', '"hello"', 'invalid_json'],
  ['trailing bytes', JSON.stringify(good) + 'x', 'invalid_json'],
  ['invalid UTF-8 escape', '{"market_id":"\\ud800"}', 'invalid_json'],
  ['nested too deep', '['.repeat(5000) + ']'.repeat(5000), 'invalid_json'],
  ['unknown field', { ...good, quantty: '1' }, 'invalid_json'],
  ['duplicate field', '{"side":"Sell",' + JSON.stringify(good).slice(1), 'invalid_json'],
  ['missing field', (({ quantity, ...rest }) => rest)(good), 'invalid_json'],
  ['number for a decimal', { ...good, price: 50000 }, 'invalid_json'],
  ['exponent', { ...good, price: '5e4' }, 'invalid_json'],
  ['boolean for text', { ...good, side: true }, 'invalid_json'],
  ['unknown side', { ...good, side: 'Long' }, 'invalid_json'],
  ['off the tick', { ...good, price: '50000.3' }, 'InvalidTickSize'],
  ['off the lot', { ...good, quantity: '0.10005' }, 'InvalidLotSize'],
  ['zero', { ...good, quantity: '0' }, 'InvalidQuantity'],
  ['negative', { ...good, quantity: '-1' }, 'InvalidQuantity'],
  ['huge', { ...good, quantity: '9'.repeat(29) }, null],
  ['above the maximum', { ...good, quantity: '100.001' }, 'InvalidQuantity'],
  ['malformed market', { ...good, market_id: 'btc' }, 'INVALID_MARKET_ID'],
];

// Whole requests, byte for byte, and the statuses that may answer (0: closed without one).
const crlf = '\r\n';
const raw = [
  ['garbage', 'hello' + crlf + crlf, [400]],
  ['TLS hello', Buffer.from('16030100c8010000c40303', 'hex'), [400, 0]],
  ['bad version', `GET / HTTP/9.9${crlf}${crlf}`, [400, 505]],
  ['header flood', `GET /status HTTP/1.1${crlf}Host: x${crlf}` + `a: ${'b'.repeat(100)}${crlf}`.repeat(5000) + crlf, [431]],
  ['long target', `GET /${'a'.repeat(100_000)} HTTP/1.1${crlf}Host: x${crlf}${crlf}`, [414, 431]],
  ['large body announced', `POST /orders HTTP/1.1${crlf}Host: x${crlf}Content-Length: 999999999${crlf}${crlf}`, [413]],
  ['bad length', `POST /orders HTTP/1.1${crlf}Host: x${crlf}Content-Length: -5${crlf}${crlf}`, [400]],
  ['two lengths', `POST /orders HTTP/1.1${crlf}Host: x${crlf}Content-Length: 5${crlf}Content-Length: 6${crlf}${crlf}hello!`, [400]],
  ['bad chunk', `POST /orders HTTP/1.1${crlf}Host: x${crlf}Transfer-Encoding: chunked${crlf}${crlf}zz${crlf}`, [400]],
  ['half a request, then closed', `POST /orders HTTP/1.1${crlf}Host: x${crlf}Content-Length: 100${crlf}${crlf}{"a"`, [400, 0]],
  ['wrong method', `PUT /orders HTTP/1.1${crlf}Host: x${crlf}Content-Length: 0${crlf}${crlf}`, [405]],
  ['unknown path', `GET /nope HTTP/1.1${crlf}Host: x${crlf}${crlf}`, [404]],
  ['dot segments', `GET /../../etc/passwd HTTP/1.1${crlf}Host: x${crlf}${crlf}`, [400, 404]],
  ['NUL in target', `GET /mar\0kets HTTP/1.1${crlf}Host: x${crlf}${crlf}`, [400, 404]],
];

function exchange(port, bytes) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (part) => {
      text += part.toString('latin1');
      if (/^HTTP\/1\.\d \d{3}/.test(text) && text.includes('\r\n\r\n')) socket.end();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', () => {});
    socket.write(bytes);
    socket.end();
  });
}

await withSandbox(process.argv[2], async (sandbox) => {
  const port = Number(new URL(sandbox.url).port);
  const trader = new Trader(sandbox.url, sandbox.accounts[0]);
  await trader.login(await loginMessage(sandbox.url));
  await trader.signed('POST', '/orders', { body: good, expect: 201 });
  // All that the account can see of itself.
  const state = async () =>
    Promise.all(['/account', '/orders', '/orders/history', '/fills', '/positions'].map((path) => trader.signed('GET', path)));
  const before = await state();

  for (const [what, body, code] of bodies) {
    const refusal = await trader.signed('POST', '/orders', {
      raw: typeof body === 'string' ? body : JSON.stringify(body), expect: 400,
    });
    assert.ok(refusal.code && refusal.message, `${what}: ${JSON.stringify(refusal)}`);
    if (code) assert.equal(refusal.code, code, `${what}: ${JSON.stringify(refusal)}`);
  }
  for (const [what, bytes, statuses] of raw) {
    const answer = await exchange(port, bytes);
    const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(answer)?.[1] ?? 0);
    assert.ok(statuses.includes(status), `${what}: ${answer.slice(0, 300)}`);
    if (status) assert.match(answer, /"code":"[^"]+"/, `${what}: ${answer.slice(0, 300)}`);
  }
  // A stranger learns nothing from a refused credential: the body is always the same.
  const causes = [
    {}, { 'x-api-key': 'svc_0000000000000000' },
    { ...trader.sign('GET', '/account', '', ''), 'x-signature': '0'.repeat(64) },
    trader.sign('GET', '/account', '', '', Date.now() - 31_000),
    trader.sign('GET', '/orders', '', ''),
    { authorization: 'Bearer ' + '0'.repeat(64) },
  ];
  for (const headers of causes) {
    const answer = await fetch(`${sandbox.url}/account`, { headers });
    assert.equal(answer.status, 401);
    assert.equal(await answer.text(), '{"code":"unauthorized"}');
  }
  assert.deepEqual(await state(), before, 'bad input changed the state');
  const { violations } = await (await fetch(`${sandbox.control}/invariants`)).json();
  assert.deepEqual(violations, []);
}, { limits: 'off' });
console.log('bad input: ok');
