// A table whose rows come again and again. Rows are found by their key and changed in place, so that the keyboard's
// focus and the reader's place stay where they are. Rows of one key are all shown.
//
// A column is {title, numeric?, hint?} and one of
//   text(row)     what the cell says; tone(row) may name a class of it
//   build(now)    nodes, made once per row; now() is the row as it is by then
import { el, setText } from './elements.mjs';

// `onOpen(row)` makes rows that open: by click, Enter or Space; arrow keys, Home and End go from row to row.
export function dataTable({ caption, columns, key, empty, onOpen = null }) {
  const body = el('tbody');
  const nothing = el('p.empty', {}, empty);
  const table = el(
    'table.data',
    {},
    el('caption', {}, caption),
    el(
      'thead',
      {},
      el('tr', {}, columns.map((column) =>
        el(column.numeric ? 'th.numeric' : 'th', { scope: 'col', title: column.hint ?? '' }, column.title))),
    ),
    body,
  );
  const element = el('div.table-scroll', { tabindex: '0', role: 'region', 'aria-label': caption }, table, nothing);
  const rows = new Map();

  function addRow(row) {
    const entry = { row, line: el('tr'), cells: [] };
    for (const column of columns) {
      const cell = el(column.numeric ? 'td.numeric' : 'td', { 'data-title': column.title });
      if (column.build) cell.append(...[column.build(() => entry.row)].flat());
      entry.cells.push(cell);
      entry.line.append(cell);
    }
    if (onOpen) {
      entry.line.className = 'opens';
      entry.line.tabIndex = rows.size === 0 ? 0 : -1;
      entry.line.addEventListener('click', () => onOpen(entry.row));
      entry.line.addEventListener('keydown', (event) => {
        if (event.target !== entry.line || (event.key !== 'Enter' && event.key !== ' ')) return;
        event.preventDefault();
        onOpen(entry.row);
      });
    }
    return entry;
  }

  if (onOpen) {
    body.addEventListener('keydown', (event) => {
      const line = event.target.closest('tr');
      const to = {
        ArrowDown: line?.nextElementSibling,
        ArrowUp: line?.previousElementSibling,
        Home: body.firstElementChild,
        End: body.lastElementChild,
      }[event.key];
      if (event.target !== line || !to) return;
      event.preventDefault();
      line.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    });
  }

  function fill(entry) {
    columns.forEach((column, at) => {
      const cell = entry.cells[at];
      if (column.text) setText(cell, column.text(entry.row) ?? '–');
      if (column.tone) {
        const tone = `${column.numeric ? 'numeric ' : ''}${column.tone(entry.row) ?? ''}`;
        if (cell.className !== tone) cell.className = tone;
      }
    });
  }

  return {
    element,
    // Shows exactly these rows, in this order.
    show(list) {
      const gone = new Set(rows.keys());
      let place = body.firstElementChild;
      const shown = new Set();
      for (const row of list) {
        let id = key(row);
        while (shown.has(id)) id += ' again';
        shown.add(id);
        gone.delete(id);
        let entry = rows.get(id);
        if (entry) entry.row = row;
        else rows.set(id, (entry = addRow(row)));
        fill(entry);
        if (entry.line === place) place = place.nextElementSibling;
        else body.insertBefore(entry.line, place);
      }
      for (const id of gone) {
        const { line } = rows.get(id);
        const next = line.nextElementSibling ?? line.previousElementSibling;
        if (line.tabIndex === 0 && onOpen && next) next.tabIndex = 0;
        if (line.contains(document.activeElement)) next?.focus();
        line.remove();
        rows.delete(id);
      }
      nothing.hidden = list.length > 0;
      table.hidden = list.length === 0;
    },
    mark(id) {
      for (const [each, { line }] of rows) {
        if (each === id) line.setAttribute('aria-current', 'true');
        else line.removeAttribute('aria-current');
      }
    },
    lineOf: (id) => rows.get(id)?.line ?? null,
  };
}
