// The open orders of the account that the page acts as, and what can be done to them. Each act shows its command line.
import { newClientId } from './api.mjs';
import { add, compare, subtract, trimmed } from './format.mjs';

const LIVE = new Set(['Untriggered', 'Open', 'PartiallyFilled']);

const lineOf = (words, account) => `svc -n local -a ${account} ${words}`;

// Returns an object with
//   open(market)                  its open orders that have a price in the book, oldest first
//   place({market_id, side, quantity, price})     a limit order that stays until it is cancelled
//   amend(order, price)           moves it
//   cancel(order)
//   cancelAll(market)
//   close()
// The acts say what came of them and never throw. `changed` is called whenever the open orders are others.
export function openOrders(context, changed) {
  const { api, feed, store } = context;
  let orders = new Map();
  let turn = 0;
  let meanwhile = null; // orders told while REST was read; its answer may be older

  function keep(order) {
    meanwhile?.push(order);
    const before = orders.get(order.id);
    if (before && Number(before.updated_at) > Number(order.updated_at)) return;
    if (LIVE.has(order.status)) orders.set(order.id, order);
    else orders.delete(order.id);
    changed();
  }

  async function read() {
    const mine = ++turn;
    const account = store.account;
    if (account === null) return;
    meanwhile = [];
    try {
      const rows = await api.asAccount(account, 'GET', '/orders');
      if (mine !== turn) return;
      orders = new Map(rows.map((order) => [order.id, order]));
      const since = meanwhile;
      meanwhile = null;
      since.forEach(keep);
      changed();
    } catch (error) {
      if (mine === turn) meanwhile = null;
      if (mine === turn && error.status !== 0) context.notice(`Open orders could not be read: ${error.message}`, true);
    }
  }

  async function act(words, account, request, outcome) {
    context.command(lineOf(words, account));
    try {
      const answer = await request();
      if (account === store.account) outcome(answer);
    } catch (error) {
      context.notice(`${error.message} (${error.code})`, true);
      // What was lost on the way may have happened all the same.
      if (error.status === 0 || error.status === 404 || error.status === 409) read();
    }
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
      return act(
        `${side.toLowerCase()} ${trimmed(quantity)} ${market_id} @ ${trimmed(price)}`,
        account,
        () =>
          api.asAccount(account, 'POST', '/orders', {
            market_id,
            side,
            order_type: 'Limit',
            quantity,
            price,
            time_in_force: 'GTC',
            client_id: newClientId(),
          }),
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

    amend(order, price) {
      const account = store.account;
      return act(
        `orders amend ${order.id} --price ${trimmed(price)}`,
        account,
        () => api.asAccount(account, 'PATCH', `/orders/${order.id}`, { price }, { market_id: order.market_id }),
        (moved) => {
          if (moved.id !== order.id) orders.delete(order.id); // an amended order may be a new one
          keep(moved);
          context.notice(`Moved to ${trimmed(price)}`);
        },
      );
    },

    cancel(order) {
      const account = store.account;
      return act(
        `orders cancel ${order.id}`,
        account,
        () => api.asAccount(account, 'DELETE', `/orders/${order.id}`, null, { market_id: order.market_id }),
        () => {
          if (orders.delete(order.id)) changed();
          context.notice(
            `Cancelled ${order.side.toLowerCase()} ${subtract(order.quantity, order.filled_qty)} at ${trimmed(order.price)}`,
          );
        },
      );
    },

    cancelAll(market) {
      const account = store.account;
      return act(
        `orders cancel-all --market ${market}`,
        account,
        () => api.asAccount(account, 'DELETE', '/orders', null, { market_id: market }),
        () => {
          read();
          context.notice(`Cancelled all orders on ${market}`);
        },
      );
    },

    close() {
      turn += 1;
      for (const stop of stops) stop();
    },
  };
}
