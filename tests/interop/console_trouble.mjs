// The console in a real browser: what is seldom done, and what goes wrong.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import WebSocket from 'ws';
import { consoleOf, ladderReady, openPage, part, picture, until, withBrowser } from './browser.mjs';
import { withSandbox } from './sandbox.mjs';

const binary = process.argv[2];
const market = 'BTC-USDX-PERP';

const askAs = (sandbox, { address }) => async (method, path, body, query) => {
  const { status, body: answer } = await sandbox.drive('POST', `/accounts/${address}/requests`, { method, path, body, query });
  assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  return answer;
};

await withBrowser(async (browser) => {
  await withSandbox(binary, async (sandbox) => {
    const [account, other] = sandbox.accounts;
    const ask = askAs(sandbox, account);
    await until(async () => (await (await fetch(`${sandbox.url}/v1/markets/${market}/orderbook`)).json()).asks.length > 0, 'the bots quote');

    await part('margin is added to an isolated position and taken back', async () => {
      await ask('POST', '/account/margin-mode', { market_id: market, margin_mode: 'isolated' });
      await ask('POST', '/leverage', { market_id: market, leverage: 20 });
      await ask('POST', '/orders', { market_id: market, side: 'Buy', order_type: 'Market', quantity: '0.1', time_in_force: 'IOC' });
      const { page, complaints, close } = await openPage(browser, consoleOf(sandbox, `account/${account.address}`));
      const allocated = async () => Number((await ask('GET', '/account')).positions[0].allocated_margin);
      const before = await allocated();
      await page.getByLabel('Amount, USDX').fill('500');
      await page.getByRole('button', { name: 'Add margin' }).click();
      await until(async () => Math.abs((await allocated()) - before - 500) < 0.01, 'the position has 500 USDX more');
      await page.getByText('USDX of its own now').waitFor();
      await page.getByLabel('Amount, USDX').fill('100');
      await page.getByRole('button', { name: 'Remove margin' }).click(); // what is left is above a tenth of the value
      await until(async () => Math.abs((await allocated()) - before - 400) < 0.01, '100 of them are gone again');
      await page.getByLabel('Amount, USDX').fill('1000000');
      await page.getByRole('button', { name: 'Add margin' }).click();
      await page.locator('.margin-form .outcome.failed').waitFor();
      assert.deepEqual(complaints, []);
      await close();
    });

    await part('a liquidation is announced before it happens, and when it has happened', async () => {
      await sandbox.drive('POST', '/flow', { bots: false });
      const { page, complaints, close } = await openPage(browser, consoleOf(sandbox, `account/${account.address}`));
      await page.getByRole('cell', { name: market }).first().waitFor();
      const [position] = (await ask('GET', '/account')).positions;
      const liquidation = Number(position.liquidation_price);
      // Prices go on until equity is near the maintenance margin.
      const near = (Math.round(liquidation * 1.002 * 2) / 2).toFixed(1);
      await sandbox.drive('POST', '/prices', { [market]: near });
      await page.locator('.alert', { hasText: 'of maintenance margin' }).waitFor();
      await picture(page, 'liquidation-near');
      await sandbox.drive('POST', '/flow', { bots: true }); // somebody has to buy
      await sandbox.drive('POST', `/accounts/${account.address}/liquidate`, {});
      await page.locator('.alert', { hasText: 'Liquidated' }).waitFor();
      await page.getByText('No open positions.').waitFor();
      assert.deepEqual(complaints, []);
      await close();
    });

    await part('a price is dragged with a finger', async () => {
      const { page, complaints, close } = await openPage(browser, consoleOf(sandbox, 'levers'), { screen: 'phone' });
      const field = page.locator('.price-field');
      await page.locator('.price-handle span', { hasText: /\d/ }).waitFor();
      await field.scrollIntoViewIfNeeded();
      const box = await field.boundingBox();
      const mark = async () => Number((await (await fetch(`${sandbox.url}/v1/markets/${market}/ticker`)).json()).markPrice);
      const before = await mark();
      const session = await page.context().newCDPSession(page);
      const touch = (type, share) => session.send('Input.dispatchTouchEvent', {
        type, touchPoints: share === null ? [] : [{ x: box.x + box.width / 2, y: box.y + box.height * share }],
      });
      const scrolled = await page.evaluate(() => scrollY);
      await touch('touchStart', 0.5);
      for (const share of [0.45, 0.4, 0.3, 0.25]) await touch('touchMove', share);
      await touch('touchEnd', null);
      await until(async () => (await mark()) > before, 'the price has moved up');
      assert.equal(await page.evaluate(() => scrollY), scrolled, 'the page did not scroll');
      await page.getByText('Index and mark price are').first().waitFor();
      assert.deepEqual(complaints, []);
      await close();
    });

    await part('older entries of the timeline come when they are asked for', async () => {
      for (let i = 0; i < 130; ++i) await fetch(`${sandbox.url}/v1/nowhere/${i}`);
      const { page, complaints, close } = await openPage(browser, consoleOf(sandbox, 'timeline'));
      const rows = page.locator('tbody tr');
      await until(async () => (await rows.count()) >= 100, 'a page of entries is shown');
      const count = await rows.count();
      await page.getByRole('button', { name: 'Older' }).click();
      await until(async () => (await rows.count()) > count, 'there are more rows');
      const numbers = (await page.locator('tbody td:first-child').allTextContents()).map(Number);
      assert.deepEqual(numbers, [...numbers].sort((a, b) => b - a), 'newest first');
      assert.equal(new Set(numbers).size, numbers.length, 'none twice');
      assert.deepEqual(complaints, []);
      await close();
    });

    await part('entries that were lost are told, and loading the list again gives those that are kept', async () => {
      let page_side;
      const { page, complaints, settled, close } = await openPage(browser, consoleOf(sandbox, 'timeline'), {
        prepare: (its) => its.routeWebSocket(/_svc\/stream/, (socket) => {
          page_side = socket;
          socket.connectToServer();
        }),
      });
      await page.locator('tbody tr').first().waitFor();
      await settled();
      page_side.send(JSON.stringify({ type: 'gap', lost: 12 }));
      await page.getByText('12 entries were too many to follow').waitFor();
      assert.deepEqual(complaints, []);
      await close();
    });

    await part('streams that the exchange refuses are named, with what helps', async () => {
      const tabs = [];
      for (let i = 0; i < 3; ++i) tabs.push(await openPage(browser, consoleOf(sandbox, `market/${market}`)));
      const banner = tabs[2].page.locator('#banner');
      await banner.filter({ hasText: 'allows no more connections' }).waitFor();
      await picture(tabs[2].page, 'refused');
      await tabs[0].close();
      await banner.waitFor({ state: 'hidden' });
      for (const tab of tabs.slice(1)) await tab.close();

      // Two clients of an account that leave two of its fifty subscriptions to the page, which needs three.
      const theirs = askAs(sandbox, other);
      const markets = (await (await fetch(`${sandbox.url}/v1/markets`)).json()).map(({ market_id }) => market_id);
      const kinds = [['trades'], ['book'], ['ticker'], ...['1s', '1m', '5m', '1h'].map((interval) => ['candles', interval])];
      const wanted = [
        ...['orders', 'fills', 'positions'].map((channel) => ({ channel })),
        ...markets.flatMap((id) => kinds.map(([channel, interval]) => ({ channel, interval, market: id }))),
      ].slice(0, 24);
      const clients = [];
      let taken = 0;
      for (let i = 0; i < 2; ++i) {
        const { token } = await theirs('POST', '/ws/token');
        const client = new WebSocket(`${sandbox.ws}/ws?token=${token}`);
        clients.push(client);
        await once(client, 'open');
        client.on('message', (data) => { taken += JSON.parse(data).op === 'subscribed' ? 1 : 0; });
        for (const terms of wanted) {
          client.send(JSON.stringify({ op: 'subscribe', ...terms }));
          await new Promise((resolve) => setTimeout(resolve, 100)); // the account's ten frames a second
        }
      }
      await until(() => taken === 2 * wanted.length, 'the clients have their subscriptions');
      const full = await openPage(browser, consoleOf(sandbox, `account/${other.address}`));
      await full.page.locator('#banner', { hasText: 'allows no more subscriptions' }).waitFor();
      await full.close();
      for (const client of clients) client.close();
    });
  }, { flow: 'bots' });

  await part('beyond this machine the browser asks for the token, and everything works with it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-token-'));
    const file = join(folder, 'token');
    writeFileSync(file, 'open sesame, please\n', { mode: 0o600 });
    await withSandbox(binary, async (sandbox) => {
      const address = consoleOf(sandbox, `market/${market}`).replace(/\/\/[^:]+/, '//sandbox.test');
      const without = await openPage(browser, address).catch((error) => error);
      if (without instanceof Error) assert.match(without.message, /ERR_INVALID_AUTH_CREDENTIALS|401/);
      else {
        assert.equal(await without.page.locator('.brand').count(), 0);
        await without.close();
      }
      const { page, complaints, close } = await openPage(browser, address, { password: 'open sesame, please' });
      await ladderReady(page);
      await page.locator('.ladder-row').last().locator('.bid-size').click();
      await page.locator('.chip.buy').waitFor();
      await page.locator('.strip .price', { hasText: /\d/ }).first().waitFor();
      await page.locator('#banner').waitFor({ state: 'hidden' });
      assert.deepEqual(complaints.filter((each) => !/401/.test(each)), []);
      await close();
    }, { flow: 'bots', controlTokenFile: file });
    rmSync(folder, { recursive: true });
  });
});
