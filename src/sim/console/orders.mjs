// The open orders of the account that the page acts as, and what can be done to them. Each act shows its command line.
import { newClientId, patientReader } from './api.mjs';
import { add, compare, subtract, trimmed } from './format.mjs';

const LIVE = new Set(['Untriggered', 'Open', 'PartiallyFilled']);

// The command lines that do the same, one after another. Development accounts are on this network only.
export const commandOf = (account, ...words) => words.map((each) => `svc -n local -a ${account} ${each}`).join(' && ');

// What makes the account one that svc can act as; the key comes from the sandbox, and not from this page.
export const loginCommand = ({ index }, name) =>
  `svc local status${name === 'default' ? '' : ` --name ${name}`} --jq '.data.accounts[${index}].private_key' | svc -n local keystore import dev${index} --from - && ` +
  `svc -n local login --wallet dev${index} && svc -n local keys create`;

// Returns an object with
//   open(market)                  its open orders that have a price in the book, oldest first
//   place({market_id, side, quantity, price})     a limit order that stays until it is cancelled
//   amend(orders, price)          moves them
//   cancel(orders)
//   cancelSent(market, price)     cancels, once they rest, the orders of that price that were sent and not answered yet;
//                                 gives whether there were any
//   cancelAll(market)             those that were not answered yet as well
//   close()
// The acts say what came of them and never throw. `changed` is called whenever the open orders are others.
export function openOrders(context, changed) {
  const { api, feed, store } = context;
  let orders = new Map();
  let meanwhile = null; // orders told while REST was read; its answer may be older
  const sent = new Map(); // client id -> { market_id, price, is_unwanted } of each order that nothing is known of yet

  function settle(order, account) {
    const placed = sent.get(order.client_id);
    sent.delete(order.client_id);
    if (placed?.is_unwanted && LIVE.has(order.status)) cancel([order], account);
  }

  function keep(order) {
    settle(order, store.account);
    meanwhile?.push(order);
    const before = orders.get(order.id);
    if (before && Number(before.updated_at) > Number(order.updated_at)) return;
    if (LIVE.has(order.status)) orders.set(order.id, order);
    else orders.delete(order.id);
    changed();
  }

  const reader = patientReader(
    async (isCurrent) => {
      const account = store.account;
      if (account === null) return;
      meanwhile = [];
      try {
        const rows = await api.asAccount(account, 'GET', '/orders');
        if (!isCurrent()) return;
        orders = new Map(rows.map((order) => [order.id, order]));
        for (const order of rows) settle(order, account);
        meanwhile.splice(0).forEach(keep);
        changed();
      } finally {
        if (isCurrent()) meanwhile = null;
      }
    },
    (error) => error.status !== 0 && context.notice(`Open orders could not be read: ${error.message}`, true),
  );
  const { read } = reader;

  async function act(account, request, outcome) {
    try {
      const answer = await request();
      if (account === store.account) outcome(answer);
    } catch (error) {
      context.notice(`${error.message} (${error.code})`, true);
      // What was lost on the way may have happened all the same.
      if (error.provesNothing || error.status === 404 || error.status === 409) read();
    }
  }

  function cancel(cancelled, account = store.account) {
    context.command(commandOf(account, ...cancelled.map(({ id }) => `orders cancel ${id}`)));
    for (const order of cancelled)
      act(
        account,
        () => api.asAccount(account, 'DELETE', `/orders/${order.id}`, null, { market_id: order.market_id }),
        () => {
          if (orders.delete(order.id)) changed();
          context.notice(
            `Cancelled ${order.side.toLowerCase()} ${subtract(order.quantity, order.filled_qty)} at ${trimmed(order.price)}`,
          );
        },
      );
  }

  function cancelSent(market, price = null) {
    const unwanted = [...sent.values()].filter(
      (order) => order.market_id === market && (price === null || compare(order.price, price) === 0),
    );
    for (const order of unwanted) order.is_unwanted = true;
    return unwanted.length > 0;
  }

  const stops = [
    store.onAccount(() => {
      orders = new Map();
      changed();
      read();
    }),
    feed.on('account_resync', read),
    feed.on('account', (channel, payload) => channel === 'orders' && keep(payload.OrderUpdate.order)),
  ];
  read();

  return {
    open: (market) =>
      [...orders.values()].filter(
        (order) => order.market_id === market && order.status !== 'Untriggered' && order.order_type.endsWith('Limit'),
      ),

    place({ market_id, side, quantity, price }) {
      const account = store.account;
      const client_id = newClientId();
      sent.set(client_id, { market_id, price, is_unwanted: false });
      context.command(commandOf(account, `${side.toLowerCase()} ${trimmed(quantity)} ${market_id} @ ${trimmed(price)}`));
      return act(
        account,
        async () => {
          try {
            const answer = await api.asAccount(account, 'POST', '/orders', {
              market_id,
              side,
              order_type: 'Limit',
              quantity,
              price,
              time_in_force: 'GTC',
              client_id,
            });
            settle(answer.order, account);
            return answer;
          } catch (error) {
            if (!error.provesNothing) sent.delete(client_id);
            throw error;
          }
        },
        ({ order, fills }) => {
          keep(order);
          const filled = fills.reduce((sum, fill) => add(sum, fill.size), '0');
          const what = `${side} ${trimmed(quantity)} at ${trimmed(price)}`;
          if (compare(filled, '0') === 0)
            context.notice(`${what}: ${LIVE.has(order.status) ? 'rests' : order.status.toLowerCase()}`);
          else
            context.notice(
              `${what}: ${filled} filled at once${compare(filled, quantity) < 0 ? `, ${subtract(quantity, filled)} left` : ''}`,
            );
        },
      );
    },

    amend(moved, price) {
      const account = store.account;
      context.command(commandOf(account, ...moved.map(({ id }) => `orders amend ${id} --price ${trimmed(price)}`)));
      for (const order of moved)
        act(
          account,
          () => api.asAccount(account, 'PATCH', `/orders/${order.id}`, { price }, { market_id: order.market_id }),
          (now) => {
            if (now.id !== order.id) orders.delete(order.id); // an amended order may be a new one
            keep(now);
            context.notice(`Moved to ${trimmed(price)}`);
          },
        );
    },

    cancel,
    cancelSent,

    cancelAll(market) {
      const account = store.account;
      cancelSent(market);
      context.command(commandOf(account, `orders cancel-all --market ${market}`));
      return act(
        account,
        () => api.asAccount(account, 'DELETE', '/orders', null, { market_id: market }),
        () => {
          read();
          context.notice(`Cancelled all orders on ${market}`);
        },
      );
    },

    close() {
      reader.close();
      for (const stop of stops) stop();
    },
  };
}
