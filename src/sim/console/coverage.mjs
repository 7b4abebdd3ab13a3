// The coverage: what the clients of this sandbox have met so far, operation by operation: a square for every status
// that an operation declares, filled when it was met, and how many of its error codes were.
import { el, labelledField, options, setText } from './elements.mjs';
import { grouped, short } from './format.mjs';
import { lever, shellWord } from './lever.mjs';

const LOUD = 10_000;  // from there on a count is shortened

// The statuses that each route declares, by method and path. Read once for each visit: it is the API's own description,
// and reading it is itself a request that the coverage counts.
let described = null;

async function describe(api) {
  if (described) return described;
  const document = await api.get('/openapi.json');
  const routes = new Map();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.responses) routes.set(`${method.toUpperCase()} ${path}`, { area: operation.tags?.[0] ?? 'other', statuses: Object.keys(operation.responses) });
    }
  }
  return { routes, areas: document.tags.map(({ name }) => name) };
}

export function view(root, params, context) {
  const { api, control } = context;
  const twins = el('input', { type: 'checkbox' });
  const lacking = el('input', { type: 'checkbox' });
  const wanted = el('input', { type: 'search', placeholder: 'operation, path or code', autocomplete: 'off', spellcheck: false });
  const known_tags = el('datalist', { id: 'coverage-tags' });
  const from = el('input', { type: 'text', placeholder: 'the start', autocomplete: 'off', spellcheck: false, list: 'coverage-tags' });
  const tag = el('input', { type: 'text', value: 'suite', autocomplete: 'off', spellcheck: false });
  const problem = el('p.outcome.failed', { role: 'alert' });
  const meters = el('div.meters');
  const grid = el('div.table-scroll.coverage-grid', { tabindex: '0', role: 'region', 'aria-label': 'Operations and statuses' });
  const never = el('details.card.wide', {}, el('summary', {}, 'Codes that nobody has met'));
  const never_list = el('p.codes');
  never.append(never_list);

  let report = null;
  let since = '';
  let tags = [];
  const opened = new Set();  // routes whose codes are shown

  const show_since = lever({
    context,
    label: 'Show since then',
    command: () => (from.value.trim() ? `svc local coverage --from ${shellWord(from.value.trim())}` : 'svc local coverage'),
    run: watch,
  });
  const set_tag = lever({
    context,
    label: 'Name this moment',
    command: () => (tag.value.trim() ? `svc local coverage --tag ${shellWord(tag.value.trim())}` : null),
    run: async () => {
      const set = await api.control('POST', '/coverage', { tag: tag.value.trim() });
      tags = [...new Set([...tags, set.tag])];
      known_tags.replaceChildren(...options(tags));
      return `From now on "${set.tag}" is this moment`;
    },
  });
  from.addEventListener('input', show_since.refresh);
  from.addEventListener('keydown', (event) => { if (event.key === 'Enter') show_since.pull(); });
  tag.addEventListener('input', set_tag.refresh);

  root.append(el(
    'div.coverage-page', {},
    el('h1', {}, 'Coverage'),
    meters, problem,
    el('div.coverage-tools', {},
      el('div.inline', {}, labelledField('Find', wanted), el('label.check', {}, lacking, ' only what lacks something'), el('label.check', { title: 'The same operations under /api/v1' }, twins, ' with twins')),
      el('div.inline', {}, labelledField('Since', from), known_tags, show_since.element),
      el('div.inline', {}, labelledField('Tag', tag), set_tag.element)),
    el('p.legend-line', {}, square('met-2', '12'), ' met so often ', square('due', ''), ' declared, never met ', el('span.note', {}, 'A row opens to its error codes.')),
    grid, never,
  ));

  function square(tone, text) {
    return el(`span.square.${tone}`, {}, text);
  }

  const sum = (row) => row.codes_met.length + row.codes_missing.length;
  const statusesOf = (row) => {
    const declared = described?.routes.get(`${row.method} ${row.path}`)?.statuses ?? [String(row.success)];
    return { declared: new Set(declared), all: new Set([...declared, ...Object.keys(row.statuses)]) };
  };
  const isWhole = (row) => row.met && row.codes_missing.length === 0;
  const areaOf = (row) => described?.routes.get(`${row.method} ${row.path}`)?.area ?? 'operations';
  const keyOf = (row) => `${row.method} ${row.path}`;

  function draw() {
    if (report === null) return;
    drawMeters();
    const text = wanted.value.trim().toLowerCase();
    const rows = report.operations.filter((row) => (twins.checked || !row.twin) && (!lacking.checked || !isWhole(row))
      && (text === '' || `${row.operation} ${row.path} ${[...row.codes_met, ...row.codes_missing].join(' ')}`.toLowerCase().includes(text)));
    const columns = [...new Set(rows.flatMap((row) => [...statusesOf(row).all]))].sort();
    const areas = [...new Set([...(described?.areas ?? []), ...rows.map(areaOf)])].filter((area) => rows.some((row) => areaOf(row) === area));

    const focused = document.activeElement?.dataset?.route ?? null;
    const head = el('thead', {}, el('tr', {},
      el('th', { scope: 'col' }, 'Operation'), el('th.path', { scope: 'col' }, 'Request'),
      columns.map((status) => el('th.status', { scope: 'col' }, status)), el('th.codes-head', { scope: 'col' }, 'Error codes')));
    const bodies = areas.map((area) => el('tbody', {},
      el('tr.area', {}, el('th', { scope: 'rowgroup', colspan: String(columns.length + 3) }, area)),
      rows.filter((row) => areaOf(row) === area).flatMap((row) => lines(row, columns))));
    grid.replaceChildren(rows.length > 0
      ? el('table.data.grid', {}, el('caption', {}, `Operations and the statuses that they were answered with${since ? `, since ${since}` : ''}`), head, ...bodies)
      : el('p.empty', {}, 'No operation is like that.'));
    if (focused) grid.querySelector(`button[data-route="${CSS.escape(focused)}"]`)?.focus();

    never.querySelector('summary').textContent = `Codes that nobody has met: ${report.codes_never_met.length}`;
    never_list.replaceChildren(...report.codes_never_met.flatMap((code) => [el('code.code.due', {}, code), ' ']));
  }

  function lines(row, columns) {
    const { declared, all } = statusesOf(row);
    const key = keyOf(row);
    const open = opened.has(key);
    const toggle = el('button.disclose', {
      type: 'button', 'aria-expanded': String(open), 'data-route': key,
      onclick: () => {
        if (!opened.delete(key)) opened.add(key);
        draw();
      },
    }, row.operation);
    const cells = columns.map((status) => {
      const count = row.statuses[status];
      if (count) {
        const tone = status === String(row.success) ? 'met-2' : `met-${status[0]}`;
        return el('td.status', {}, el(`span.square.${tone}`, { title: `${status}: ${grouped(String(count))} times${declared.has(status) ? '' : ', though not declared'}` }, count < LOUD ? String(count) : short(String(count))));
      }
      return all.has(status)
        ? el('td.status', {}, el('span.square.due', { title: `${status} is declared and was never met` }, el('span.unseen', {}, 'never met')))
        : el('td.status', {}, el('span.unseen', {}, 'not declared'));
    });
    const codes = sum(row);
    const bar = el('span.bar', { 'aria-hidden': 'true' }, el('span'));
    bar.firstChild.style.width = codes === 0 ? '0' : `${(100 * row.codes_met.length) / codes}%`;
    const line = el(row.requests > 0 ? 'tr' : 'tr.untouched', {},
      el('th', { scope: 'row' }, toggle), el('td.path', {}, el(`span.method.method-${row.method.toLowerCase()}`, {}, row.method), ` ${row.path}`),
      cells, el('td.codes-cell', {}, codes === 0 ? '–' : [bar, `${row.codes_met.length} of ${codes}`]));
    if (!open) return [line];
    return [line, el('tr.codes-row', {}, el('td', { colspan: String(columns.length + 3) },
      el('p.codes', {},
        row.codes_met.flatMap((code) => [el('code.code.met', {}, code), ' ']),
        row.codes_missing.flatMap((code) => [el('code.code.due', {}, code), ' ']),
        codes === 0 ? 'It declares no error codes.' : null),
      row.codes_missing.length > 0
        ? el('p.note', {}, 'To meet one: ', el('code', {}, `svc local fault add --operation ${row.operation} --code ${row.codes_missing[0]} --count 1`))
        : null))];
  }

  function drawMeters() {
    const rows = [['Operations met', 'operations'], ['Answered with success', 'successes'], ['Declared errors met', 'errors'], ['Codes of the catalogue', 'codes']];
    meters.replaceChildren(...rows.map(([label, member]) => {
      const [met, of] = [report.met[member], report.of[member]];
      return el('div.meter-box', {},
        el('span.meter-label', {}, label), el('strong', {}, `${met}`, el('span.soft', {}, ` of ${grouped(String(of))}`)),
        el('meter', { min: 0, max: of, value: met, 'aria-label': `${label}: ${met} of ${of}` }));
    }));
  }

  let closed = false;
  let end = () => {};
  // The moment that was asked for, and not what is being typed.
  function watch() {
    const wanted = from.value.trim();
    end();
    end = control.watch('/coverage', (now) => {
      since = wanted;
      report = now;
      setText(problem, '');
      draw();
    }, { query: { from: wanted || null }, failed: (error) => setText(problem, error.message) });
    return '';
  }
  describe(api).then((found) => { described = found; if (!closed) draw(); }, () => {});  // without it, areas are missing
  watch();
  for (const control_of of [twins, lacking]) control_of.addEventListener('change', draw);
  wanted.addEventListener('input', draw);

  return {
    close() {
      closed = true;
      end();
    },
  };
}
