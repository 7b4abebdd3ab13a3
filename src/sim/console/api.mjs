// Requests to the exchange's API, to the control surface, and to the API in the name of a development account.

// Where the API is; the page is always of the same origin.
export const API_BASE = '/v1';
export const CONTROL_BASE = '/_svc';

// Numbers of the API may be amounts. Each becomes its text, digit for digit, before JSON.parse could make it a float.
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

export function parseExact(text) {
  return JSON.parse(text.replace(TEXT_OR_NUMBER, (token) => (token[0] === '"' ? token : `"${token}"`)));
}

// A new name for an order, by which the exchange knows it when it comes twice.
export function newClientId() {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

// An answer that is not 2xx, or no answer at all (status 0). `message` can be shown as it is.
export class Refusal extends Error {
  constructor(status, body, headers = {}) {
    const code = body?.code ?? (status === 0 ? 'no_answer' : `status_${status}`);
    super(body?.message ?? (status === 0 ? 'The sandbox did not answer' : `Refused with ${status} (${code})`));
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.body = body;
    this.headers = headers;
  }

  // A write may have happened all the same: somebody in between answers like this too.
  get provesNothing() {
    return this.status === 0 || this.status >= 500;
  }
}

const RETRY_MS = 1_000;
const RETRY_MS_MAX = 30_000;

// Returns an object with
//   read()      calls `ask(isCurrent)`, and again, later each time, while it fails for a reason that may pass; a newer call
//               replaces it, and isCurrent() is false then. `failed(error)` hears of the first failure
//   close()
export function patientReader(ask, failed) {
  let turn = 0;
  let timer = null;
  async function attempt(mine, pause_ms) {
    try {
      await ask(() => mine === turn);
    } catch (error) {
      if (mine !== turn) return;
      if (pause_ms === RETRY_MS) failed(error);
      if (mine !== turn || !(error.provesNothing || error.status === 429)) return;
      timer = setTimeout(attempt, pause_ms, mine, Math.min(2 * pause_ms, RETRY_MS_MAX));
    }
  }
  return {
    read() {
      clearTimeout(timer);
      return attempt(++turn, RETRY_MS);
    },
    close() {
      turn += 1;
      clearTimeout(timer);
    },
  };
}

// The path with its query; parameters that are null are left out.
export function target(base, path, query) {
  const text = new URLSearchParams(
    Object.entries(query ?? {}).filter(([, value]) => value !== null && value !== undefined),
  ).toString();
  return `${base}${path}${text ? `?${text}` : ''}`;
}

async function answerOf(request, read) {
  let response;
  let text;
  try {
    response = await request;
    text = await response.text();
  } catch {
    throw new Refusal(0, null);
  }
  let body = null;
  try {
    body = text === '' ? null : read(text);
  } catch {
    body = { code: 'not_json', message: text.slice(0, 200) };
    if (response.ok) throw new Refusal(response.status, body);
  }
  if (!response.ok) throw new Refusal(response.status, body, Object.fromEntries(response.headers));
  return body;
}

// get(path, query)                            a public read of the API ("/markets"); every number in it is a text
// control(method, path, body?, query?)        the control surface ("/time"); numbers are numbers, amounts are texts
// asAccount(address, method, path, body?, query?)
//                                             the API, signed in the sandbox with the account's key; every number of
//                                             the answer is a text
// All of them return the body of the answer and throw a Refusal.
export function openApi(send = (...request) => fetch(...request)) {
  const json = (method, body) => ({
    method,
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });

  return {
    get: (path, query) => answerOf(send(target(API_BASE, path, query)), parseExact),

    control: (method, path, body, query) =>
      answerOf(send(target(CONTROL_BASE, path, query), json(method, body)), JSON.parse),

    async asAccount(address, method, path, body = null, query = null) {
      const request = { method, path };
      if (query) request.query = target('', '', query).slice(1);
      if (body !== null) request.body = body;
      const sent = send(`${CONTROL_BASE}/accounts/${address}/requests`, json('POST', request));
      const answer = await answerOf(sent, parseExact);
      const status = Number(answer.status);
      if (status < 200 || status > 299) throw new Refusal(status, answer.body, answer.headers ?? {});
      return answer.body;
    },
  };
}
