// Random trading requests, each with the struct that its author must sign. Written from the rules for
// authors of clients, not from our source.
const members = (text) => text.split(',').map((pair) => ({ type: pair.split(' ')[0], name: pair.split(' ')[1] }));
const struct = (name, text) => ({ [name]: members(text) });
const tradeStruct = (name, text) => struct(name, `address account,string domain,${text},uint64 timestampMs,uint64 nonce`);

const orderParams = struct('OrderParams',
  'string marketId,string side,string orderType,string price,string quantity,string timeInForce,bool reduceOnly,' +
  'string stopPrice,string triggerPrice,string trailingOffsetBps,string limitOffsetBps,string stp,string clientId,' +
  'string maxSlippageBps');

export const structs = {
  PlaceOrder: { ...tradeStruct('PlaceOrder', 'OrderParams order'), ...orderParams },
  PlaceOrders: { ...tradeStruct('PlaceOrders', 'OrderParams[] orders'), ...orderParams },
  AmendOrder: tradeStruct('AmendOrder', 'string marketId,string orderId,string price,string size'),
  CancelOrder: tradeStruct('CancelOrder', 'string marketId,string orderId'),
  CancelAllOrders: tradeStruct('CancelAllOrders', 'string marketId'),
  AdjustMargin: tradeStruct('AdjustMargin', 'string marketId,string amount,string direction'),
  SetMarginMode: tradeStruct('SetMarginMode', 'string marketId,string marginMode'),
  SetLeverage: tradeStruct('SetLeverage', 'string marketId,uint32 leverage'),
  RegisterAgent: struct('RegisterAgent', 'address agent,uint64 expiresAt,uint64 nonce'),
  WithdrawIntent: struct('WithdrawIntent', 'uint256 amount,address asset,uint64 nonce'),
  EnrollTransferAccount: struct('EnrollTransferAccount', 'address account,string domain,uint64 timestampMs,uint64 nonce'),
  TransferIntent: tradeStruct('TransferIntent', 'address recipient,string amount,string clientTransferId'),
  ListTransfers: struct('ListTransfers', 'address account,string domain,string limit,string cursor,uint64 timestampMs'),
  ReadTransfer: struct('ReadTransfer', 'address account,string domain,string transferId,uint64 timestampMs'),
};

// [member of the body, field of the struct]; bps are integers in the body.
const requiredTexts = [['market_id', 'marketId'], ['side', 'side'], ['order_type', 'orderType'], ['quantity', 'quantity'], ['time_in_force', 'timeInForce']];
const optionalTexts = [['price', 'price'], ['stop_price', 'stopPrice'], ['trigger_price', 'triggerPrice'], ['stp', 'stp'], ['client_id', 'clientId']];
const optionalBps = [['trailing_offset_bps', 'trailingOffsetBps'], ['limit_offset_bps', 'limitOffsetBps'], ['max_slippage_bps', 'maxSlippageBps']];

const randomOrder = (random) => {
  const body = {};
  const fields = { reduceOnly: false };
  for (const [name, field] of requiredTexts) fields[field] = body[name] = random.chance(2) ? random.text() : random.decimal();
  for (const [name, field] of optionalTexts) {
    fields[field] = '';
    if (random.chance(3)) fields[field] = body[name] = random.text();
    else if (random.chance(3)) body[name] = null;
  }
  for (const [name, field] of optionalBps) {
    fields[field] = '';
    if (random.chance(2)) {
      body[name] = Number(random.uint(32));
      fields[field] = String(body[name]);
    }
  }
  if (random.chance(2)) fields.reduceOnly = body.reduce_only = random.chance(2);
  return { body, fields };
};

const base = (random) => random.pick(['', '/api/v1', '/v1', '/indexer']);

// A market of the query in the struct: the first occurrence, decoded, '+' a space.
const marketQuery = (random) => {
  if (random.chance(3)) return { query: '', marketId: '' };
  const marketId = random.pick(['BTC-USDX-PERP', random.text()]);
  const encoded = random.chance(2) ? new URLSearchParams({ market_id: marketId }).toString() : `market_id=${encodeURIComponent(marketId)}`;
  return { query: random.pick(['', 'limit=1&']) + encoded + random.pick(['', '&market_id=other']), marketId };
};

const request = (method, path, body = '', query = '') => ({ method, path, query, body: body === '' ? '' : JSON.stringify(body) });

const entry = (primaryType, make) => (random, context) => {
  const { request: made, fields } = make(random);
  return { request: made, primaryType, types: structs[primaryType], message: { ...context, ...fields } };
};

export const actionRequests = [
  entry('PlaceOrder', (random) => {
    const order = randomOrder(random);
    return { request: request('POST', base(random) + '/orders', order.body), fields: { order: order.fields } };
  }),
  entry('PlaceOrders', (random) => {
    const orders = Array.from({ length: random.pick([0, 1, 2, 39, 40, 50, random.below(51)]) }, () => randomOrder(random));
    return {
      request: request('POST', base(random) + '/orders/batch', orders.map(({ body }) => body)),
      fields: { orders: orders.map(({ fields }) => fields) },
    };
  }),
  entry('AmendOrder', (random) => {
    const { query, marketId } = marketQuery(random);
    const orderId = random.pick(['00000000-0000-4000-8000-000000000001', random.text()]);
    const fields = { marketId, orderId, price: '', size: '' };
    const body = {};
    for (const name of ['price', 'size']) if (random.chance(2)) fields[name] = body[name] = random.decimal();
    return { request: request('PATCH', `${base(random)}/orders/${encodeURIComponent(orderId)}`, body, query), fields };
  }),
  entry('CancelOrder', (random) => {
    const { query, marketId } = marketQuery(random);
    const orderId = random.pick(['00000000-0000-4000-8000-000000000001', random.text()]);
    return { request: request('DELETE', `${base(random)}/orders/${encodeURIComponent(orderId)}`, '', query), fields: { marketId, orderId } };
  }),
  entry('CancelAllOrders', (random) => {
    const { query, marketId } = marketQuery(random);
    return { request: request('DELETE', base(random) + '/orders', '', query), fields: { marketId } };
  }),
  entry('AdjustMargin', (random) => {
    const fields = { marketId: random.text(), amount: random.decimal(), direction: random.pick(['add', 'remove']) };
    const body = { market_id: fields.marketId, amount: fields.amount, direction: fields.direction };
    return { request: request('POST', base(random) + '/account/margin', body), fields };
  }),
  entry('SetMarginMode', (random) => {
    const fields = { marketId: random.text(), marginMode: random.pick(['cross', 'isolated']) };
    return { request: request('POST', base(random) + '/account/margin-mode', { market_id: fields.marketId, margin_mode: fields.marginMode }), fields };
  }),
  entry('SetLeverage', (random) => {
    const fields = { marketId: random.text(), leverage: Number(random.uint(32)) };
    return { request: request('POST', base(random) + '/leverage', { market_id: fields.marketId, leverage: fields.leverage }), fields };
  }),
];
