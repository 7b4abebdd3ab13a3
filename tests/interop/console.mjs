// The console in a real browser: what is done on the page happens on the exchange, and what happens there is shown.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { consoleOf, ladderReady, openPage, part, picture, screens, seriousFindings, until, withBrowser } from './browser.mjs';
import { withSandbox } from './sandbox.mjs';
import { Trader, loginMessage } from './trader.mjs';

const binary = process.argv[2];
const market = 'BTC-USDX-PERP';
const bytes_max = 300_000; // of the whole page, as transferred
const views = ['market', 'account', 'timeline', 'levers', 'coverage'];
const home = mkdtempSync(join(tmpdir(), 'svc-console-'));

// The command line as the account of this trader, or as a stranger.
function commandLine(sandbox, trader) {
  const env = {
    PATH: process.env.PATH, HOME: home, SVC_NETWORK: 'local', SVC_LOCAL_URL: sandbox.url,
    ...(trader ? { SVC_API_KEY: trader.keyId, SVC_API_SECRET: trader.secret.toString('hex'), SVC_ACCOUNT: trader.wallet.address } : {}),
  };
  return (...words) => execFileSync(binary, words, { env, encoding: 'utf8' });
}

// What the command line knows of the account.
const openOrders = (svc) => JSON.parse(svc('orders', 'list', '--json')).data;

await withBrowser(async (browser) => {
  await withSandbox(binary, async (sandbox) => {
    const account = sandbox.accounts[0];
    const trader = new Trader(sandbox.url, account);
    await trader.login(await loginMessage(sandbox.url));
    const svc = commandLine(sandbox, trader);

    await part('a browser that asks for / is sent to the console, other programs are not', async () => {
      const { page, close } = await openPage(browser, `${sandbox.url}/`);
      await ladderReady(page);
      assert.match(page.url(), /\/_svc\/console#\/market\/BTC-USDX-PERP$/);
      await close();
      const plain = await fetch(`${sandbox.url}/`, { redirect: 'manual' });
      assert.equal(plain.headers.get('location'), null);
    });

    await part('the page is small, complete, without cookies, and loads nothing from elsewhere', async () => {
      const context = await browser.newContext(screens.desktop);
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      await session.send('Network.enable');
      let bytes = 0;
      const hosts = new Set();
      session.on('Network.loadingFinished', ({ encodedDataLength }) => { bytes += encodedDataLength; });
      page.on('request', (request) => hosts.add(new URL(request.url()).host));
      await page.goto(consoleOf(sandbox));
      await ladderReady(page);
      await page.locator('canvas').first().waitFor();
      for (const view of views) await page.evaluate((name) => import(`/_svc/console/${name}.mjs`), view);
      assert.ok(bytes > 10_000 && bytes <= bytes_max, `${bytes} bytes`);
      assert.deepEqual([...hosts], [new URL(sandbox.url).host]);
      assert.deepEqual(await context.cookies(), []);
      await context.close();
    });

    await part('an order placed by a click rests on the exchange, moves with the keyboard, and is cancelled by a click', async () => {
      const { page, complaints, close } = await openPage(browser, consoleOf(sandbox, `market/${market}`));
      await ladderReady(page);
      await page.locator('.ladder-tools input').fill('0.01');
      // Far below the best bid, so that it rests whatever the bots do.
      await page.locator('.ladder-row').last().locator('.bid-size').click();
      await page.locator('.chip.buy').waitFor();
      const [placed] = await until(() => openOrders(svc), 'the order is open');
      assert.equal(placed.side, 'Buy');
      assert.equal(placed.quantity, '0.01');
      assert.equal(placed.market_id, market);

      await page.locator('.ladder').press('m');
      await page.locator('.ladder').press('ArrowUp');
      await page.locator('.ladder').press('Enter');
      const [moved] = await until(() => {
        const open = openOrders(svc);
        return open.length === 1 && open[0].price !== placed.price && open;
      }, 'the order has moved');
      assert.ok(Number(moved.price) > Number(placed.price));

      await page.locator('.chip.buy').click();
      await until(() => openOrders(svc).length === 0, 'the order is cancelled');
      await page.locator('.chip.buy').waitFor({ state: 'detached' });
      assert.deepEqual(complaints, []);
      await close();
    });

    await part('the keyboard alone trades', async () => {
      const { page, close } = await openPage(browser, consoleOf(sandbox, 'timeline'));
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
      await page.keyboard.press('1');
      await ladderReady(page);
      for (let tabs = 0; !await page.evaluate(() => document.activeElement.classList.contains('ladder')); ++tabs) {
        assert.ok(tabs < 60, 'the ladder is reached by Tab');
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('PageDown');
      await page.keyboard.press('PageDown');
      await page.keyboard.press('b');
      await until(() => openOrders(svc).length === 1, 'the keyboard placed an order');
      await page.keyboard.press('Delete');
      await until(() => openOrders(svc).length === 0, 'the keyboard cancelled it');
      await close();
    });

    await part('an order that is cancelled before its answer comes does not stay', async () => {
      const { page, close } = await openPage(browser, consoleOf(sandbox, `market/${market}`));
      await ladderReady(page);
      const requests = '**/accounts/*/requests';
      let letGo;
      const held = new Promise((resolve) => (letGo = resolve));
      const asked = page.waitForRequest(requests);
      await page.route(requests, async (route) => {
        await held;
        await route.continue();
      });
      await page.locator('.ladder').focus();
      await page.keyboard.press('PageDown');
      await page.keyboard.press('b');
      await asked;
      await page.keyboard.press('Delete');
      letGo();
      await page.getByText(/^Cancelled buy/).first().waitFor();
      await until(() => openOrders(svc).length === 0, 'the order is cancelled');
      await close();
    });

    await part('the ticket places a trigger order, and the account shows it in two browsers', async () => {
      const one = await openPage(browser, consoleOf(sandbox, `account/${account.address}`));
      const other = await openPage(browser, consoleOf(sandbox, `account/${account.address}`));
      const form = one.page.locator('form.ticket');
      await form.getByLabel('Type').selectOption('StopLimit');
      await form.locator('input[name=price]').fill('30000');
      await form.locator('input[name=quantity]').fill('0.02');
      await form.locator('input[name=trigger]').fill('31000');
      await form.locator('label.sell').click();
      await form.locator('button[type=submit]').click();
      for (const { page } of [one, other]) await page.getByRole('table', { name: /^Open orders/ }).getByText('31,000').waitFor();
      svc('orders', 'cancel-all', '--yes');
      for (const { page } of [one, other]) await page.getByRole('table', { name: /^Open orders/ }).getByText('31,000').waitFor({ state: 'detached' });
      assert.deepEqual([...one.complaints, ...other.complaints], []);
      await one.close();
      await other.close();
    });

    await part('a refusal stands in the timeline with its rule, the text that was expected, and the answer', async () => {
      const { page, complaints, close } = await openPage(browser, consoleOf(sandbox, 'timeline'));
      await page.getByRole('heading', { name: 'Timeline' }).waitFor();
      const bytes = JSON.stringify({ market_id: market, side: 'Buy', order_type: 'Limit', quantity: '0.01', price: '30000', time_in_force: 'GTC' });
      const headers = trader.sign('POST', '/v1/orders', '', bytes);
      headers['x-signature'] = headers['x-signature'].replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
      const answer = await fetch(`${sandbox.url}/v1/orders`, { method: 'POST', headers, body: bytes });
      assert.equal(answer.status, 401);
      const row = page.getByRole('row').filter({ hasText: 'signature_mismatch' }).first();
      await row.waitFor();
      await row.click();
      const detail = page.getByRole('region', { name: 'The entry' });
      await detail.getByText('The text that the server expected').waitFor();
      await detail.getByText('"quantity":"0.01"').first().waitFor();
      const text = await detail.textContent();
      assert.ok(!text.includes(trader.secret.toString('hex')), 'no secret is shown');
      await page.getByLabel('Status', { exact: true }).fill('4xx');
      await page.locator('td.status-2').first().waitFor({ state: 'detached' });
      assert.deepEqual(complaints, []);
      await close();
    });

    await part('no view asks twice: what changes comes by itself', async () => {
      const ask = (method, path, body) => sandbox.drive('POST', `/accounts/${account.address}/requests`, { method, path, body });
      const buy = (market_id, quantity) => ask('POST', '/orders', { market_id, side: 'Buy', order_type: 'Market', quantity, time_in_force: 'IOC' });
      // Two positions, because what one loses moves the liquidation price of the other.
      await buy(market, '0.02');
      await buy('ETH-USDX-PERP', '0.2');
      const looks = {
        market: () => document.querySelector('.figures dd').textContent + document.querySelector('.tape').textContent,
        account: () => document.querySelector('.tiles dd').textContent + document.querySelector('[role=tabpanel]:not([hidden])').textContent,
        timeline: () => document.querySelector('tbody td').textContent,
        levers: () => document.querySelector('.price-handle').textContent,
        coverage: () => document.querySelector('.meters').textContent + document.querySelector('table.grid').textContent,
      };

      // What a view asks for in four minutes of the sandbox, and whether one of its streams was cut or had a gap. Then it
      // reads again, as it should. A slow browser is given ten seconds at a time, and the next when it has answered.
      async function watched(route) {
        // Contexts of their own share the ceiling of an address; pages that are closed do not.
        const { page, close, complaints, settled, interruptions } = await openPage(browser, consoleOf(sandbox, route));
        const look = () => page.evaluate(looks[route.split('/')[0]]);
        await page.locator('h1').waitFor();
        if (route.startsWith('account')) await page.getByRole('tab', { name: 'Activity' }).click();
        await settled();
        const [before, interrupted] = [await look(), interruptions()];
        const asked = [];
        page.on('request', (request) => asked.push(`${route}: ${request.method()} ${request.url()} ${request.postData() ?? ''}`));
        for (let minute = 0; minute < 4; ++minute) {
          for (let piece = 0; piece < 6; ++piece) {
            await sandbox.drive('POST', '/time', { advance_ms: 10_000 });
            await look();
          }
          await ask('GET', '/orders');
          await buy(market, '0.001');
        }
        await until(async () => (await look()) !== before, `${route} shows what changed`);
        assert.deepEqual(complaints, []);
        await close();
        return { asked, missed: interruptions() !== interrupted };
      }

      const TRIES = 5;
      for (const route of [`market/${market}`, `account/${account.address}`, 'timeline', 'levers', 'coverage']) {
        let seen = await watched(route);
        for (let tries = 1; seen.missed && tries < TRIES; ++tries) seen = await watched(route);
        assert.deepEqual(seen, { asked: [], missed: false });
      }
      await ask('DELETE', '/orders');
    });

    await part('levers work, and each command beside them does the same', async () => {
      const { page, complaints, close } = await openPage(browser, consoleOf(sandbox, 'levers'));
      const lever = (name) => page.getByRole('button', { name, exact: true });
      const time = () => sandbox.drive('GET', '/time');
      // First, or an hour would be an hour of their quotes.
      await lever('Bots off').click();
      await until(async () => !(await sandbox.drive('GET', '/flow')).bots, 'the bots stop');
      await lever('Pause').click();
      await until(async () => (await time()).mode === 'manual', 'the clock is stopped');
      await page.locator('button[aria-pressed=true]', { hasText: 'Pause' }).waitFor();
      const before = (await time()).now_ms;
      await lever('+1h').click();
      await until(async () => (await time()).now_ms === before + 3_600_000, 'an hour has passed');
      await lever('10×').click();
      await until(async () => (await time()).mode === 'scaled', 'the clock is fast');
      await lever('1×').click();
      await until(async () => (await time()).mode === 'real', 'the clock runs');

      // What another program does is shown without asking.
      const stranger = commandLine(sandbox);
      stranger('local', 'flow', 'bots');
      await page.locator('button[aria-pressed=true]', { hasText: 'Bots on' }).waitFor();

      // Every command on the page that is complete is one that svc knows.
      const commands = await page.locator('.lever code.command').allTextContents();
      const shown = commands.filter((text) => text !== '');
      assert.ok(shown.length >= 30, `${shown.length} commands`);
      for (const text of new Set(shown)) {
        assert.match(text, /^svc local [a-z]/);
        const words = text.split(' ').slice(1).filter((word) => /^[a-z-]+$/.test(word)).slice(0, 3);
        for (let depth = words.length; ; --depth) {
          assert.ok(depth >= 2, `svc has no such command: ${text}`);
          try {
            stranger(...words.slice(0, depth), '--help');
            break;
          } catch {
            // The last word is an argument.
          }
        }
      }
      for (const text of shown.filter((each) => /^svc local (time (pause|run|advance 1s)|flow (bots|none)|invariants|fund )/.test(each))) {
        stranger(...text.split(' ').slice(1));
      }
      stranger('local', 'time', 'run');
      assert.deepEqual(complaints, []);
      await close();
    });

    await part('other origins cannot use the console, the control surface or its stream', async () => {
      const other = createServer((request, response) => {
        response.setHeader('Content-Type', 'text/html');
        response.end(`<!doctype html><title>elsewhere</title><form method="post" enctype="text/plain" action="${sandbox.control}/fund"><input name='{"account":"${account.address}","amount":"1","x":"' value='"}'></form>`);
      });
      await new Promise((resolve) => other.listen(0, 'localhost', resolve));
      const origin = `http://localhost:${other.address().port}`;
      const balance = async () => JSON.parse(svc('account', 'show', '--json')).data.balance;
      const state = async () => [(await sandbox.drive('GET', '/snapshots')).snapshots.length, await balance()];
      const kept = await state();
      assert.equal(kept[0], 0);
      const { page, close } = await openPage(browser, origin);
      const tried = await page.evaluate(async ({ control, ws, address }) => {
        const attempt = (path, terms) => fetch(control + path, terms).then((answer) => answer.status, () => 'unreadable');
        const socket = (target) => new Promise((resolve) => {
          const link = new WebSocket(target);
          link.onopen = () => resolve('open');
          link.onerror = () => resolve('refused');
        });
        return {
          read: await attempt('/status'),
          post: await attempt('/snapshots', { method: 'POST', mode: 'no-cors', body: '{"name":"elsewhere"}' }),
          order: await attempt(`/accounts/${address}/requests`, { method: 'POST', body: '{"method":"GET","path":"/orders"}' }),
          socket: await socket(`${ws}/_svc/stream`),
          frame: await new Promise((resolve) => {
            const frame = document.createElement('iframe');
            frame.onload = () => {
              try {
                resolve(frame.contentDocument?.title ?? 'closed');
              } catch {
                resolve('closed');
              }
            };
            frame.src = `${control}/console`;
            document.body.append(frame);
          }),
        };
      }, { control: sandbox.control, ws: sandbox.ws, address: account.address });
      assert.equal(tried.read, 'unreadable');
      assert.equal(tried.order, 'unreadable');
      assert.equal(tried.socket, 'refused');
      assert.equal(tried.frame, 'closed');
      await Promise.all([page.waitForNavigation(), page.evaluate(() => document.forms[0].submit())]);
      assert.match(await page.textContent('body'), /forbidden/);
      assert.deepEqual(await state(), kept, 'nothing was done');
      await close();
      other.close();
    });

    await part('a name that was re-pointed to this machine is refused', async () => {
      const { page, close } = await openPage(browser, consoleOf(sandbox).replace(/\/\/[^:]+/, '//rebound.test'));
      assert.match(await page.textContent('body'), /forbidden/);
      await close();
    });
  }, { flow: 'bots' });

  await withSandbox(binary, async (sandbox) => {
    const [account] = sandbox.accounts;
    const trader = new Trader(sandbox.url, account);
    await trader.login(await loginMessage(sandbox.url));
    const svc = commandLine(sandbox, trader);
    svc('local', 'wait');
    const routes = { market: `market/${market}`, account: `account/${account.address}`, timeline: 'timeline', levers: 'levers', coverage: 'coverage' };
    // Something to look at: a position, an order, a few fills.
    svc('buy', '0.05', market, '--yes');
    svc('sell', '0.05', market, '@', '90000', '--yes');
    for (const screen of Object.keys(screens)) {
      await part(`every view on a ${screen}, light and dark: no serious finding, nothing wider than the screen`, async () => {
        const { page, complaints, settled, close } = await openPage(browser, consoleOf(sandbox, routes.market), { screen });
        for (const [name, route] of Object.entries(routes)) {
          await page.goto(consoleOf(sandbox, route));
          await page.locator(`.view.${name} h1`).waitFor();
          if (name === 'market') {
            await ladderReady(page);
            await page.locator('canvas').first().waitFor();
          }
          await settled();
          for (const scheme of ['light', 'dark']) {
            await page.emulateMedia({ colorScheme: scheme });
            assert.deepEqual(await seriousFindings(page), [], `${name}, ${scheme}`);
            const [wide, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
            assert.ok(wide <= width, `${name} is ${wide} wide on a screen of ${width}`);
            await picture(page, `${name}-${screen}-${scheme}`);
          }
        }
        assert.deepEqual(complaints, []);
        await close();
      });
    }
  }, { flow: 'bots' });

  await part('a sandbox that is killed is said to be away, and the page goes on when it is back', async () => {
    const state = join(home, 'state');
    const port = await new Promise((resolve) => {
      const probe = createServer().listen(0, 'localhost', () => {
        const { port: free } = probe.address();
        probe.close(() => resolve(free));
      });
    });
    let opened;
    let told;  // goes on after the sandbox has ended
    await withSandbox(binary, (sandbox) => {
      told = (async () => {
        opened = await openPage(browser, consoleOf(sandbox, `market/${market}`));
        await ladderReady(opened.page);
        process.kill(sandbox.pid, 'SIGKILL');
        await opened.page.locator('body.stale #banner', { hasText: 'Cut off since' }).waitFor();
        await picture(opened.page, 'cut-off');
      })();
      return told;
    }, { flow: 'bots', state, port }).catch((error) => assert.match(error.message, /SIGKILL/));
    await told;
    await withSandbox(binary, async () => {
      await opened.page.locator('#banner').waitFor({ state: 'hidden' });
      await ladderReady(opened.page);
    }, { flow: 'bots', state, port });
    await opened.close();
  });

  await part('a network other than local is only looked at', () => withSandbox(binary, async (sandbox) => {
    const { page, close } = await openPage(browser, consoleOf(sandbox, `market/${market}`));
    await page.getByText('the page only looks').first().waitFor();
    await close();
  }, { as: 'testnet', flow: 'bots' }));
});

rmSync(home, { recursive: true, force: true });
