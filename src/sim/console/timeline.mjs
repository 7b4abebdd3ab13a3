// The timeline: everything that happened in the sandbox, newest first. A row opens to the request as it was sent, the
// text that the server expected to be signed, and the answer.
import { dataTable } from './data_table.mjs';
import { copied, el, isForPage, labelledField, options, setText } from './elements.mjs';
import { onFrame } from './frame.mjs';
import { shortAddress } from './format.mjs';

const KINDS = ['request', 'fill', 'liquidation', 'funding', 'deleveraging', 'fault', 'snapshot', 'lever'];
const PAGE = 100;
const ROWS_MAX = 400;  // on the page; older ones come by the button
const TYPING_PAUSE_MS = 250;

export function view(root, params, context) {
  const { api, control } = context;
  const accounts = context.store.accounts;
  const nameOf = (address) => {
    if (!address) return '–';
    const known = accounts.find((each) => each.address === address);
    return known ? `account ${known.index}` : shortAddress(address);
  };

  const kind = el('select', {}, options([['', 'all'], ...KINDS], ''));
  const account = el('select', {}, options([['', 'all'], ...accounts.map((each) => [each.address, `${each.index}  ${shortAddress(each.address)}`])], params[0]?.toLowerCase() ?? ''));
  const operation = el('input', { type: 'text', placeholder: 'all', autocomplete: 'off', spellcheck: false, list: 'timeline-operations' });
  const names = el('datalist', { id: 'timeline-operations' });
  const status = el('input', { type: 'text', placeholder: 'all, 409 or 4xx', autocomplete: 'off', spellcheck: false });
  const hold = el('button', { type: 'button', 'aria-pressed': 'false', title: 'Hold the list still (h)' }, 'Hold');
  const held = el('span.note', { role: 'status' });
  const older = el('button', { type: 'button' }, 'Older');
  const problem = el('p.outcome.failed', { role: 'alert' });

  const table = dataTable({
    caption: 'What happened, newest first',
    key: (entry) => entry.number,
    empty: 'Nothing of that kind has happened yet.',
    onOpen: open,
    columns: [
      { title: 'No.', numeric: true, text: (entry) => String(entry.number) },
      { title: 'Time', hint: 'On the sandbox\'s clock, UTC', text: (entry) => new Date(entry.at_ms).toISOString().slice(11, 23) },
      { title: 'Kind', text: (entry) => entry.kind, tone: (entry) => `kind kind-${entry.kind}` },
      { title: 'Account', text: (entry) => nameOf(entry.account), tone: () => 'account' },
      { title: 'Operation', text: (entry) => entry.operation, tone: () => 'operation' },
      { title: 'Status', numeric: true, text: (entry) => statusText(entry.status), tone: (entry) => statusTone(entry.status) },
      { title: 'Refused by', hint: 'The rule that refused it, else the code of the error', text: refusalText, tone: (entry) => (entry.rule || entry.code ? 'refusal' : '') },
      { title: 'What', text: (entry) => entry.text, tone: () => 'what' },
    ],
  });

  const detail = el('section.detail', { 'aria-label': 'The entry', tabindex: '-1', hidden: true });
  const page = el(
    'div.timeline-page', {},
    el('h1', {}, 'Timeline'),
    el('form.filters', { onsubmit: (event) => event.preventDefault(), role: 'search' },
      labelledField('Kind', kind), labelledField('Account', account), labelledField('Operation', operation), names,
      labelledField('Status', status), el('div.field.end', {}, hold, held)),
    problem,
    el('div.split', {}, el('div.list', {}, table.element, older), detail),
  );
  root.append(page);

  let entries = [];     // as shown, newest first
  let waiting = [];     // came while the list was held, oldest first
  let missing = 0;      // lost while the list was held
  let holding = false;
  let asked = 0;        // the number of the latest question; answers to earlier ones are dropped
  let opened = null;

  const filter = () => ({
    kind: kind.value || null,
    account: account.value || null,
    operation: operation.value.trim() || null,
    status: status.value.trim().toLowerCase() || null,
  });
  function fits(entry) {
    const wanted = filter();
    if (wanted.kind && entry.kind !== wanted.kind) return false;
    if (wanted.account && entry.account !== wanted.account) return false;
    if (wanted.operation && entry.operation !== wanted.operation) return false;
    if (!wanted.status) return true;
    if (entry.status === null) return false;
    return /^\dxx$/.test(wanted.status) ? Math.floor(entry.status / 100) === Number(wanted.status[0]) : String(entry.status) === wanted.status;
  }

  const draw = onFrame(() => {
    table.show(entries);
    table.mark(opened);
    setText(held, holding ? `${waiting.length} new` : '');
  });

  function take(fresh, lost) {
    if (lost > 0) fresh = [{ number: `lost after ${entries[0]?.number ?? 0}`, at_ms: entries[0]?.at_ms ?? 0, kind: 'gap', account: null, operation: null, status: null, code: null, rule: null, text: `${lost} entries were too many to follow; reload the filter to see those that are kept` }, ...fresh];
    const newest = entries.find((entry) => typeof entry.number === 'number')?.number ?? 0;
    const all = [...fresh.filter((entry) => typeof entry.number !== 'number' || entry.number > newest).reverse(), ...entries];
    if (all.length > ROWS_MAX) older.hidden = false;
    entries = all.slice(0, ROWS_MAX);
    draw();
  }

  const end = control.onEntries((fresh, lost) => {
    const wanted = fresh.filter(fits);
    if (holding) {
      waiting = [...waiting, ...wanted].slice(-ROWS_MAX);
      missing += lost;
      draw();
    } else if (wanted.length > 0 || lost > 0) {
      take(wanted, lost);
    }
  });

  async function load() {
    const question = ++asked;
    try {
      const answer = await api.control('GET', '/timeline', undefined, { ...filter(), limit: PAGE });
      if (question !== asked) return;
      setText(problem, '');
      const later = entries.filter((entry) => entry.number > answer.last && fits(entry));  // came during the read
      entries = [...later, ...answer.entries.reverse()];
      waiting = waiting.filter((entry) => entry.number > answer.last && fits(entry));  // likewise, while the list is held
      older.hidden = answer.entries.length < PAGE;
      draw();
    } catch (error) {
      if (question === asked) setText(problem, error.message);
    }
  }

  older.addEventListener('click', async () => {
    const question = asked;
    try {
      const answer = await api.control('GET', '/timeline', undefined, { ...filter(), limit: PAGE, before: entries.at(-1)?.number });
      if (question !== asked) return;
      setHolding(true);  // or the next entries would push these out again
      entries = [...entries, ...answer.entries.reverse()];
      older.hidden = answer.entries.length < PAGE;
      draw();
    } catch (error) {
      setText(problem, error.message);
    }
  });

  function setHolding(on) {
    if (holding === on) return;
    holding = on;
    hold.setAttribute('aria-pressed', String(on));
    setText(hold, on ? 'Go on' : 'Hold');
    if (!on) {
      take(waiting, missing);
      waiting = [];
      missing = 0;
    }
    draw();
  }
  hold.addEventListener('click', () => setHolding(!holding));
  const onKey = (event) => {
    if (!isForPage(event)) return;
    if (event.key === 'h') setHolding(!holding);
    else if (event.key === 'Escape' && opened !== null) closeDetail();
    else if (event.key === 'f') kind.focus();
    else return;
    event.preventDefault();
  };
  addEventListener('keydown', onKey);
  context.keys([['↑ ↓', 'From row to row'], ['Enter', 'Open the entry'], ['Esc', 'Close the entry'], ['h', 'Hold the list, or let it go on'], ['f', 'To the filter']]);

  let typing = null;
  const change = () => {
    clearTimeout(typing);
    typing = setTimeout(load, TYPING_PAUSE_MS);
  };
  kind.addEventListener('change', load);
  account.addEventListener('change', load);
  operation.addEventListener('input', change);
  status.addEventListener('input', change);

  // The entry, whole.

  async function open(entry) {
    if (typeof entry.number !== 'number') return;
    opened = entry.number;
    table.mark(opened);
    detail.hidden = false;
    page.classList.add('opened');
    let whole;
    try {
      whole = await api.control('GET', `/timeline/${entry.number}`);
    } catch (error) {
      whole = { ...entry, problem: error.message };
    }
    if (opened !== entry.number) return;
    showDetail(whole);
    detail.focus({ preventScroll: true });
  }

  function closeDetail() {
    const line = table.lineOf(opened);
    opened = null;
    detail.hidden = true;
    page.classList.remove('opened');
    table.mark(null);
    line?.focus();
  }

  function showDetail(whole) {
    const facts = [
      ['Time', `${new Date(whole.at_ms).toISOString().replace('T', ' ').slice(0, 23)} UTC`], ['Account', linked('account', whole.account, accounts.some((each) => each.address === whole.account))], ['Market', linked('market', whole.market_id, true)], ['Operation', whole.operation],
      ['Status', whole.status === null ? null : statusText(whole.status)], ['Code', whole.code], ['Rule', whole.rule],
    ].filter(([, text]) => text);
    detail.replaceChildren(
      el('header', {},
        el('h2', {}, el('span', { class: `kind kind-${whole.kind}` }, whole.kind), ` ${whole.number}`),
        el('button', { type: 'button', 'aria-label': 'Close the entry', title: 'Escape', onclick: closeDetail }, '×')),
      el('p', {}, whole.text),
      el('dl.facts', {}, facts.flatMap(([term, text]) => [el('dt', {}, term), el('dd', {}, text)])),
      ...[
        whole.problem && el('p.outcome.failed', {}, whole.problem),
        whole.request && part('The request as sent', `${whole.request.method} ${whole.request.target}`, whole.request, whole.request.body),
        whole.expected && block('The text that the server expected to be signed', visibleLines(whole.expected), el('p.note', {}, 'Each line ends where ⏎ stands. What the client signed differs from this if the signature was refused.')),
        whole.answer && part('The answer', statusText(whole.answer.status), whole.answer, indented(whole.answer.body)),
        whole.kind === 'request' && !whole.request && !whole.problem
          && el('p.note', {}, 'The request itself is not kept: it was too long ago, or a successful read before a console was open.'),
      ].filter(Boolean),
    );
  }

  function part(title, line, message, text) {
    const headers = message.headers.map((header) => `${header.name}: ${header.value}`).join('\n');
    const cut = message.cut_bytes > 0 ? `\n… ${message.cut_bytes} more bytes are not kept` : '';
    const body = text ? `\n\n${text}${cut}` : '';
    return block(title, `${line}\n${headers}${body}`);
  }

  function block(title, text, after = null) {
    const button = el('button.copy', { type: 'button', onclick: () => copy(text) }, 'Copy');
    return el('section.block', { 'aria-label': title }, el('h3', {}, title, ' ', button), el('pre', { tabindex: '0' }, text), after);
  }
  async function copy(text) {
    context.say((await copied(text.replaceAll('⏎', ''))) ? 'Copied' : 'The browser did not let the page copy');
  }

  api.control('GET', '/coverage').then((report) => {
    names.replaceChildren(...options([...new Set(report.operations.map((each) => each.operation))].sort()));
  }, () => {});  // only suggestions
  load();
  // Numbers continue after a cut of the stream, but those in between may be gone: read again.
  let cut = false;
  const endConnection = control.onConnection((connection) => {
    if (!connection.live) cut = true;
    else if (cut) {
      cut = false;
      if (!holding) load();
    }
  });
  return {
    close() {
      end();
      endConnection();
      removeEventListener('keydown', onKey);
      clearTimeout(typing);
    },
  };
}

// The operation itself refused: its code says why.
function refusalText(entry) {
  return entry.rule && entry.rule !== 'operation' ? entry.rule : entry.code;
}

function linked(view, name, exists) {
  return name && exists ? el('a', { href: `#/${view}/${name}` }, name) : name;
}

function statusText(status) {
  if (status === null || status === undefined) return '–';
  return status === 0 ? 'lost' : String(status);
}

function statusTone(status) {
  if (status === null || status === undefined) return '';
  return status === 0 || status >= 500 ? 'status-5' : status >= 400 ? 'status-4' : 'status-2';
}

// JSON is indented without being read: its numbers stay as they were sent.
function indented(text) {
  let depth = 0;
  let out = '';
  for (const token of text.match(/"(?:[^"\\]|\\.)*"|[^"]/gs) ?? []) {
    if (token === '{' || token === '[') out += `${token}\n${'  '.repeat(++depth)}`;
    else if (token === '}' || token === ']') out += `\n${'  '.repeat((depth = Math.max(0, depth - 1)))}${token}`;
    else if (token === ',') out += `,\n${'  '.repeat(depth)}`;
    else if (token === ':') out += ': ';
    else if (token.trim() !== '') out += token;
  }
  return /^\s*[[{]/.test(text) ? out.replace(/([{[])\s+([}\]])/g, '$1$2') : text;
}

function visibleLines(text) {
  return text.split('\n').map((line, at, lines) => (at < lines.length - 1 ? `${line}⏎` : line)).join('\n');
}
