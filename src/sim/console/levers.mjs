// The levers: what a developer does to the sandbox outside the API. Each button shows the command that does the same.
import { dataTable } from './data_table.mjs';
import { durationText, parseDuration } from './durations.mjs';
import { el, isForPage, labelledField, options, setText } from './elements.mjs';
import { lever, shellWord } from './lever.mjs';
import { priceLever } from './price_lever.mjs';
import { dateTime, grouped, money } from './format.mjs';

const SPEEDS = ['1', '2', '10', '60'];
const STEPS = ['1s', '1m', '1h', '1d'];
const CLOCK_REDRAW_MS = 200;
const HOUR_MS = 3_600_000;  // funding is paid at every full one
const DECIMAL = /^\d+(\.\d+)?$/;

export function view(root, params, context) {
  const { api, control } = context;
  const call = api.control;
  const ends = [];
  const levers = [];
  const make = (terms) => {
    const made = lever({ context, ...terms });
    levers.push(made);
    return made;
  };
  // Its command depends on no field.
  const inRow = (terms) => lever({ context, ...terms }).element;
  const row = (...made) => el('div.levers', {}, made.map((each) => each.element));
  const refreshAll = () => levers.forEach((each) => each.refresh());
  const input = (properties) => el('input', { type: 'text', autocomplete: 'off', spellcheck: false, oninput: refreshAll, ...properties });
  const select = (values, chosen) => el('select', { onchange: refreshAll }, options(values, chosen));
  const card = (title, ...children) => el('section.card', { 'aria-label': title }, el('h2', {}, title), ...children);
  const value = (field, pattern = /\S/) => (pattern.test(field.value.trim()) ? field.value.trim() : null);

  const accountChoice = () => select(context.store.accounts.map((each) => [each.address, `${each.index}  ${each.address}`]));
  const marketChoice = () => select(context.store.markets.map((each) => each.market_id));

  const page = el('div.levers-page', {}, el('h1', {}, 'Levers'));
  const { name } = context.store;
  if (name && name !== 'default') {
    page.append(el('p.note', {}, 'Where several sandboxes run, begin a shell with ', el('code', {}, `eval "$(svc local env --name ${name})"`), '.'));
  }
  const grid = el('div.cards');
  page.append(grid);
  root.append(page);

  grid.append(
    el('div', {}, clockCard(), priceCard()),
    el('div', {}, flowCard(), faultsCard(), snapshotsCard()),
    el('div', {}, marketsCard(), moneyCard(), distressCard(), servicesCard(), endCard()),
  );

  // The clock.

  function clockCard() {
    const now = el('output.clock-now');
    const pace = el('p.clock-pace');
    const funding = el('p.clock-pace');
    let status = null;
    const move = async (body) => { await call('POST', '/time', body); return ''; };

    const draw = () => {
      if (!status) return;
      const at = context.store.now();
      setText(now, dateTime(at));
      setText(pace, status.mode === 'manual' ? 'stopped' : status.mode === 'real' ? 'as fast as real time' : `${status.rate} times as fast as real time`);
      setText(funding, `next funding in ${durationText(HOUR_MS - (at % HOUR_MS))}`);
    };
    ends.push(control.onStatus((frame) => {
      status = frame;
      draw();
      refreshAll();
    }));
    const redraw = setInterval(draw, CLOCK_REDRAW_MS);
    ends.push(() => clearInterval(redraw));

    const advance = (text) => make({
      label: `+${text}`,
      command: () => `svc local time advance ${text}`,
      run: () => move({ advance_ms: parseDuration(text) }),
      repeats: true,
    });
    const custom = input({ value: '15m', inputMode: 'text', 'aria-label': 'How far to advance' });
    const to = (what, member) => make({
      label: `To ${what.replace('-', ' ')}`,
      command: () => `svc local time advance --to ${what}`,
      run: async () => {
        const time = await call('GET', '/time');
        if (time[member] === null) throw new Error('Nothing expires next');
        return move({ set_ms: time[member] });
      },
    });
    const pause = make({
      label: 'Pause',
      command: () => 'svc local time pause',
      run: () => move({ mode: 'manual' }),
      pressed: () => status?.mode === 'manual',
    });
    const speeds = SPEEDS.map((speed) => make({
      label: `${speed}×`,
      command: () => (speed === '1' ? 'svc local time run' : `svc local time run x${speed}`),
      run: () => move(speed === '1' ? { mode: 'real' } : { mode: 'scaled', rate: speed }),
      pressed: () => (speed === '1' ? status?.mode === 'real' : status?.mode === 'scaled' && String(status.rate) === speed),
    }));
    const step = advance(STEPS[0]);
    const onKey = (event) => {
      if (event.repeat || !isForPage(event)) return;
      if (event.key === 'p') (status?.mode === 'manual' ? speeds[0] : pause).pull();
      else if (event.key === '.') step.pull();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    ends.push(() => removeEventListener('keydown', onKey));
    context.keys([['p', 'Pause the clock, or let it run'], ['.', `Step: advance by ${STEPS[0]}`], ['↑ ↓', 'On the price line: move it; Enter sets, Esc goes back']]);

    return card(
      'Clock',
      el('div.clock', {}, now, el('div', {}, pace, funding)),
      row(pause, ...speeds),
      el('h3', {}, 'Advance'),
      row(step, ...STEPS.slice(1).map(advance), to('next-funding', 'next_funding_ms'), to('next-expiry', 'next_expiry_ms')),
      el('div.inline', {}, labelledField('How far', custom), make({
        label: 'Advance',
        command: () => (parseDuration(custom.value) === null ? null : `svc local time advance ${custom.value.trim()}`),
        run: () => move({ advance_ms: parseDuration(custom.value) }),
      }).element),
    );
  }

  // Prices.

  function priceCard() {
    const market = marketChoice();
    const place = el('div');
    let shown = null;
    const show = () => {
      shown?.close();
      const terms = context.store.markets.find((each) => each.market_id === market.value);
      if (!terms) return;
      shown = priceLever(place, {
        market: terms,
        make,
        onMark(id, listener) {
          const known = context.feed.tickers.get(id)?.markPrice;
          for (const { mark, at_ms } of context.feed.marks(id)) listener(mark, at_ms);
          if (known) listener(known, context.store.now());
          return context.feed.on('ticker', (which, ticker) => {
            if (which === id && ticker.markPrice !== null) listener(ticker.markPrice, Number(ticker.timestamp));
          });
        },
        async set(id, price) {
          const { prices } = await call('POST', '/prices', { [id]: price });
          return `Index and mark price are ${grouped(prices[id])}`;
        },
        async walk(id, how) {
          const walked = await call('POST', `/prices/${encodeURIComponent(id)}/walk`, how);
          return `From ${grouped(walked.from)} to ${grouped(walked.to)}, until ${dateTime(walked.end_ms)}`;
        },
      });
    };
    market.addEventListener('change', show);
    show();
    ends.push(() => shown?.close());
    return card('Price', labelledField('Market', market), place);
  }

  // Bots and drills.

  function flowCard() {
    const list = el('div.drills');
    const under = el('p.note', { role: 'status' });
    let flow = null;
    const turn = (body) => async () => { update(await call('POST', '/flow', body)); return ''; };
    const update = (state) => {
      const known = flow?.drills !== undefined;
      flow = { ...flow, ...state };
      setText(under, flow.drill ? `${flow.drill} is under way${flow.drill_ends_ms ? ` until ${dateTime(flow.drill_ends_ms)}` : ''}` : 'No drill is under way.');
      if (!known && flow.drills) {
        list.replaceChildren(...flow.drills.map((drill) => el(
          'div.drill', {},
          make({ label: drill.name, command: () => `svc local flow ${drill.name}`, run: turn({ drill: drill.name }), pressed: () => flow.drill === drill.name }).element,
          el('p', {}, drill.summary),
        )));
      }
      refreshAll();
    };
    ends.push(control.watch('/flow', update));
    return card(
      'Bots and drills',
      row(
        make({ label: 'Bots on', command: () => 'svc local flow bots', run: turn({ bots: true }), pressed: () => flow?.bots === true }),
        make({ label: 'Bots off', command: () => 'svc local flow none', run: turn({ bots: false }), pressed: () => flow?.bots === false }),
      ),
      under,
      list,
    );
  }

  // Faults.

  function faultsCard() {
    const operations = el('datalist', { id: 'fault-operations' });
    const codes = el('datalist', { id: 'fault-codes' });
    let coverage = [];
    const operation = input({ placeholder: 'all', list: 'fault-operations' });
    const route = input({ placeholder: '/orders*' });
    const method = select([['', 'all'], 'GET', 'POST', 'PUT', 'PATCH', 'DELETE'], '');
    const account = select([['', 'all'], ...context.store.accounts.map((each) => [each.address, `${each.index}  ${each.address}`])], '');
    const when = input({ placeholder: 'body.side=Sell && body.price>=70000' });
    const effect = select([
      ['code', 'answer with an error'], ['status', 'answer with a status'], ['latency_ms', 'hold the answer back'],
      ['drop_before', 'lose the request'], ['drop_after_send', 'handle it, lose the answer'], ['skew_ms', 'skew the server\'s clock'],
      ['ws', 'disturb a stream'],
    ], 'code');
    const code = input({ list: 'fault-codes', placeholder: 'service_unavailable' });
    const status = input({ inputMode: 'numeric', value: '503' });
    const ms = input({ inputMode: 'numeric', value: '2000' });
    const ws = select(['gap', 'drop', 'dup', 'reorder'], 'gap');
    const rate = input({ placeholder: 'all', inputMode: 'decimal' });
    const count = input({ placeholder: 'no end', inputMode: 'numeric' });
    const detail = {
      code: labelledField('Error code', code),
      status: labelledField('Status', status),
      ms: labelledField('Milliseconds', ms),
      ws: labelledField('What happens', ws),
    };
    const detailOf = { latency_ms: 'ms', skew_ms: 'ms', code: 'code', status: 'status', ws: 'ws' };
    const showDetail = () => {
      for (const [key, field] of Object.entries(detail)) field.hidden = detailOf[effect.value] !== key;
    };
    effect.addEventListener('change', showDetail);
    showDetail();

    operation.addEventListener('input', () => {
      const known = coverage.find((each) => each.operation === operation.value);
      codes.replaceChildren(...options([...new Set(known
        ? [...known.codes_met, ...known.codes_missing]
        : coverage.flatMap((each) => [...each.codes_met, ...each.codes_missing]))].sort()));
    });
    call('GET', '/coverage').then((report) => {
      coverage = report.operations;
      operations.replaceChildren(...options([...new Set(coverage.map((each) => each.operation))].sort()));
      operation.dispatchEvent(new Event('input'));
    }, (error) => context.say(error.message));

    // The rule as the form has it; null while its effect is incomplete.
    function rule() {
      const terms = {};
      for (const [member, field] of Object.entries({ operation, route, method, account, when })) {
        if (value(field)) terms[member] = value(field);
      }
      if (value(rate)) terms.rate = value(rate);
      if (value(count)) {
        if (!value(count, /^\d+$/)) return null;
        terms.count = Number(value(count));
      }
      const kind = effect.value;
      if (kind === 'drop_before' || kind === 'drop_after_send') terms[kind] = true;
      else if (kind === 'ws') terms.ws = ws.value;
      else if (kind === 'code') {
        if (!value(code)) return null;
        terms.code = value(code);
      } else {
        const field = kind === 'status' ? status : ms;
        if (!value(field, /^-?\d+$/)) return null;
        terms[kind] = Number(value(field));
      }
      return terms;
    }
    const flags = {
      route: '--route', operation: '--operation', method: '--method', account: '--account', when: '--when', rate: '--rate', count: '--count',
      code: '--code', status: '--status', latency_ms: '--latency', drop_before: '--drop-before', drop_after_send: '--drop-after-send',
      skew_ms: '--skew', ws: '--ws',
    };
    const commandOf = (terms) => {
      const words = Object.entries(terms).map(([member, given]) =>
        (given === true ? flags[member] : `${flags[member]} ${shellWord(String(given))}`));
      return ['svc local fault add', ...words].join(' ');
    };
    const describe = (fault) => Object.entries(fault)
      .filter(([member]) => !['id', 'hits'].includes(member))
      .map(([member, given]) => (given === true ? member : `${member} ${given}`)).join(', ');

    const table = dataTable({
      caption: 'Faults that are set',
      key: (fault) => fault.id,
      empty: 'No faults are set.',
      columns: [
        { title: 'Rule', numeric: true, text: (fault) => String(fault.id) },
        { title: 'What it does', text: describe },
        { title: 'Hits', numeric: true, text: (fault) => String(fault.hits) },
        {
          title: 'Lift',
          build: (now) => inRow({
            label: 'Lift',
            command: () => `svc local fault clear ${now().id}`,
            run: async () => { await call('DELETE', `/faults/${now().id}`); return ''; },
          }),
        },
      ],
    });
    ends.push(control.onStatus((frame) => table.show(frame.faults)));

    return card(
      'Faults',
      operations, codes,
      el('div.form', {},
        labelledField('Operation', operation), labelledField('Route', route), labelledField('Method', method),
        labelledField('Account', account), labelledField('When', when),
        labelledField('Effect', effect), ...Object.values(detail), labelledField('Share', rate, el('small', {}, '0.1: one in ten')),
        labelledField('Count', count)),
      row(
        make({
          label: 'Set the fault',
          command: () => { const terms = rule(); return terms && commandOf(terms); },
          run: async () => { const set = await call('POST', '/faults', rule()); return `Rule ${set.id} is set`; },
        }),
        make({
          label: 'Lift all',
          command: () => 'svc local fault clear',
          run: async () => { const { removed } = await call('DELETE', '/faults'); return `${removed} lifted`; },
        }),
      ),
      table.element,
    );
  }

  // Snapshots.

  function snapshotsCard() {
    const called = input({ value: 'before' });
    const table = dataTable({
      caption: 'Snapshots that are kept',
      key: (snapshot) => snapshot.name,
      empty: 'There are no snapshots.',
      columns: [
        { title: 'Name', text: (snapshot) => snapshot.name },
        { title: 'Taken', text: (snapshot) => snapshot.problem ?? dateTime(snapshot.now_ms) },
        { title: 'Bytes', numeric: true, text: (snapshot) => (snapshot.bytes === undefined ? '–' : grouped(String(snapshot.bytes))) },
        {
          title: 'Go back, or drop',
          build: (now) => [
            inRow({
              label: 'Revert',
              danger: 'Everything since then is lost.',
              command: () => `svc local revert ${shellWord(now().name)}`,
              run: async () => {
                const back = await call('POST', `/snapshots/${encodeURIComponent(now().name)}/revert`, {});
                return `As it was at ${dateTime(back.now_ms)}`;
              },
            }),
            inRow({
              label: 'Drop',
              danger: 'The snapshot is lost.',
              command: () => `svc local snapshots --delete ${shellWord(now().name)}`,
              run: async () => { await call('DELETE', `/snapshots/${encodeURIComponent(now().name)}`); return ''; },
            }),
          ],
        },
      ],
    });
    ends.push(control.watch('/snapshots', ({ snapshots }) => table.show(snapshots)));
    return card(
      'Snapshots',
      el('div.inline', {}, labelledField('Name', called), make({
        label: 'Take a snapshot',
        command: () => value(called) && `svc local snapshot ${shellWord(value(called))}`,
        run: async () => { const { name: taken } = await call('POST', '/snapshots', { name: value(called) }); return `${taken} is kept`; },
      }).element),
      table.element,
    );
  }

  // Markets.

  function marketsCard() {
    const market = marketChoice();
    const state = el('p.note', { role: 'status' });
    const showState = () => {
      const known = control.status?.markets.find((each) => each.market_id === market.value);
      setText(state, known ? `${known.market_id} is ${known.status}${known.by_hand ? '; its price moves by hand only' : ''}.` : '');
    };
    market.addEventListener('change', showState);
    ends.push(control.onStatus(showState));
    const reason = input({ value: 'maintenance' });
    const inject = input({ placeholder: 'nothing', inputMode: 'decimal' });
    const settlement = input({ placeholder: 'price', inputMode: 'decimal' });
    const quantity = input({ value: '1', inputMode: 'decimal' });
    const price = input({ placeholder: 'mark', inputMode: 'decimal' });
    const side = select([['Buy', 'buys'], ['Sell', 'sells']], 'Buy');
    const path = (what) => `/markets/${encodeURIComponent(market.value)}/${what}`;
    const moved = (answer) => `${answer.market_id} is ${answer.status}`;
    return card(
      'Markets',
      labelledField('Market', market),
      state,
      el('h3', {}, 'Halt and resume'),
      el('div.inline', {}, labelledField('Reason', reason), make({
        label: 'Halt',
        command: () => value(reason) && `svc local halt ${market.value} --reason ${shellWord(value(reason))}`,
        run: async () => moved(await call('POST', path('halt'), { reason: value(reason) })),
      }).element),
      el('div.inline', {}, labelledField('Into the fund, USDX', inject), make({
        label: 'Resume',
        command: () => (value(inject) && !value(inject, DECIMAL) ? null : `svc local resume ${market.value}${value(inject) ? ` --inject ${value(inject)}` : ''}`),
        run: async () => moved(await call('POST', path('resume'), value(inject) ? { inject: value(inject) } : {})),
      }).element),
      el('div.inline', {}, labelledField('Settlement price', settlement), make({
        label: 'Settle',
        danger: 'Closes every position of a halted market and delists it.',
        command: () => value(settlement, DECIMAL) && `svc local settle ${market.value} ${value(settlement)}`,
        run: async () => moved(await call('POST', path('settle'), { price: value(settlement) })),
      }).element),
      el('h3', {}, 'A print by the house'),
      el('div.inline', {}, labelledField('Taker', side), labelledField('Size', quantity), labelledField('Price', price), make({
        label: 'Trade',
        command: () => value(quantity, DECIMAL) && (!value(price) || value(price, DECIMAL))
          && `svc local trade ${market.value} ${value(quantity)}${value(price) ? ` --price ${value(price)}` : ''}${side.value === 'Sell' ? ' --side sell' : ''}` || null,
        run: async () => {
          const staged = await call('POST', path('trade'), { quantity: value(quantity), side: side.value, ...(value(price) ? { price: value(price) } : {}) });
          return `${staged.trades} trades`;
        },
      }).element),
    );
  }

  // Play money, and what may leave an account.

  function moneyCard() {
    const account = accountChoice();
    const other = input({ placeholder: '0x…, instead of the account above' });
    const amount = input({ value: '1000', inputMode: 'decimal' });
    const address = () => (value(other) ? value(other, /^0x[0-9a-fA-F]{40}$/) : account.value || null);
    const sum = () => value(amount, DECIMAL);
    const both = (f) => () => (address() && sum() ? f(address(), sum()) : null);
    return card(
      'Money',
      labelledField('Account', account), labelledField('Any other', other), labelledField('Amount, USDX', amount),
      row(
        make({
          label: 'Fund',
          command: both((to, much) => `svc local fund ${to} ${much}`),
          run: async () => { const granted = await call('POST', '/fund', { account: address(), amount: sum() }); return `It has ${money(granted.balance)} USDX now`; },
        }),
        make({
          label: 'Pay over the chain',
          command: both((to, much) => `svc local bridge deposit ${to} ${much}`),
          run: async () => { const paid = await call('POST', '/bridge/deposits', { account: address(), amount: sum() }); return `${paid.id} is credited at ${dateTime(paid.final_ms)}`; },
        }),
        make({
          label: 'Into the insurance fund',
          command: () => sum() && `svc local insurance ${sum()}`,
          run: async () => { const granted = await call('POST', '/insurance', { amount: sum() }); return `The fund has ${money(granted.insurance_fund)} USDX now`; },
        }),
        make({
          label: 'Freeze',
          command: () => address() && `svc local freeze ${address()}`,
          run: async () => { await call('POST', `/accounts/${address()}/freeze`, {}); return 'Nothing leaves it any more'; },
        }),
        make({
          label: 'Unfreeze',
          command: () => address() && `svc local unfreeze ${address()}`,
          run: async () => { await call('POST', `/accounts/${address()}/unfreeze`, {}); return 'Money may leave it again'; },
        }),
      ),
    );
  }

  function distressCard() {
    const account = accountChoice();
    const market = select([['', 'its only position'], ...context.store.markets.map((each) => each.market_id)], '');
    const distress = (label, what, word, danger) => make({
      label,
      danger,
      command: () => account.value && `svc local ${word} ${account.value}${market.value ? ` --market ${market.value}` : ''}`,
      run: async () => {
        const staged = await call('POST', `/accounts/${account.value}/${what}`, market.value ? { market_id: market.value } : {});
        return `${staged.market_id}: ${staged.event}, ${staged.trades} trades, ${staged.deleveragings} deleveragings`;
      },
    });
    return card(
      'Liquidation and deleveraging',
      el('p.note', {}, 'The mark price moves to where it happens.'),
      labelledField('Account', account), labelledField('Position', market),
      row(
        distress('Liquidate', 'liquidate', 'liquidate', 'The account loses its position.'),
        distress('Deleverage', 'deleverage', 'adl', 'The book is emptied, and others lose their positions.'),
      ),
    );
  }

  function servicesCard() {
    const list = el('div.levers');
    let services = {};
    const update = (state) => {
      const known = Object.keys(services).length > 0;
      services = state;
      if (!known) {
        list.replaceChildren(...Object.keys(services).map((service) => make({
          label: service.replaceAll('_', ' '),
          command: () => `svc local switch ${service} ${services[service] ? 'off' : 'on'}`,
          run: async () => {
            update(await call('POST', '/switches', { [service]: !services[service] }));
            return services[service] ? 'on' : 'off';
          },
          pressed: () => services[service],
        }).element));
      }
      refreshAll();
    };
    ends.push(control.onStatus((frame) => update(frame.switches)));
    return card('Services', el('p.note', {}, 'Pressed is on.'), list);
  }

  function endCard() {
    return card(
      'Check and reset',
      row(
        make({
          label: 'Check the invariants',
          command: () => 'svc local invariants',
          run: async () => {
            const { violations, sequence } = await call('GET', '/invariants');
            if (violations.length > 0) throw new Error(violations.join('; '));
            return `All hold after command ${grouped(String(sequence))}`;
          },
        }),
        make({
          label: 'Reset, keep prices',
          danger: 'Orders, positions and histories are lost.',
          command: () => 'svc local reset --keep-markets',
          run: async () => { await call('POST', '/reset', { keep_prices: true }); return 'Everything is as at the start, but for the prices'; },
        }),
        make({
          label: 'Reset',
          danger: 'Orders, positions, histories and prices are lost.',
          command: () => 'svc local reset',
          run: async () => { await call('POST', '/reset', {}); return 'Everything is as at the start'; },
        }),
      ),
    );
  }

  return {
    close() {
      ends.forEach((end) => end());
    },
  };
}
