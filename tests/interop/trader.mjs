// A client that knows nothing of svc but docs/http_guide.md: fetch and node:crypto, and ethers for
// the wallet signature.
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { Wallet } from 'ethers';
import { recordAnswer } from './answer_record.mjs';

export class Trader {
  // `base` comes before the paths of the sign-in.
  constructor(url, account, base = '') {
    this.url = url;
    this.base = base;
    this.wallet = new Wallet(account.private_key);
  }

  async login(message) {
    const signature = await this.wallet.signMessage(message);
    const session = await this.plain('POST', `${this.base}/auth/login`, { message, signature });
    assert.equal(session.address.toLowerCase(), this.wallet.address.toLowerCase());
    const key = await this.plain('POST', `${this.base}/keys`, undefined, { authorization: `Bearer ${session.token}` });
    this.keyId = key.key_id;
    this.secret = Buffer.from(key.secret, 'hex');
    assert.equal(this.secret.length, 32);
  }

  async plain(method, path, body, headers = {}) {
    const answer = await fetch(this.url + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    recordAnswer(method, path, answer.status, body && JSON.stringify(body), text);
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }

  // The headers of a signed request over these exact bytes.
  sign(method, path, query, bytes, timestamp = Date.now()) {
    const hash = createHash('sha256').update(bytes).digest('hex');
    const logical = path.replace(/^\/(v1|indexer)(?=\/)/, '');
    const canonical = [timestamp, method, logical, query, hash].join('\n');
    const signature = createHmac('sha256', this.secret).update(canonical).digest('hex');
    return { 'x-api-key': this.keyId, 'x-timestamp': String(timestamp), 'x-signature': signature };
  }

  // Sends the text of `raw`, or `body` as JSON, and checks the status. A body that is `ahead` says more than
  // the description declares.
  async signed(method, path, { query = '', body, raw, expect = 200, headers = {}, ahead = false } = {}) {
    const bytes = raw ?? (body === undefined ? '' : JSON.stringify(body));
    const answer = await fetch(`${this.url}${path}${query && '?' + query}`, {
      method,
      headers: { ...this.sign(method, path, query, bytes), ...headers },
      body: bytes || undefined,
    });
    const text = await answer.text();
    recordAnswer(method, path, answer.status, ahead ? '' : bytes, text);
    assert.equal(answer.status, expect, `${method} ${path}: ${text}`);
    return text ? JSON.parse(text) : null;
  }
}

export async function loginMessage(url) {
  const metadata = await (await fetch(`${url}/metadata`)).json();
  return `Sign in to ${metadata.signing_domain.name}`;
}
