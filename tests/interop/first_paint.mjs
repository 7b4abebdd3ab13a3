// How long the console takes until its first paint: `node first_paint.mjs SVC [CONTEXTS]`, in a release build and on a
// quiet machine. Each sample is a browser context of its own, so nothing is in its cache. A measurement, not a test.
import { openPage, withBrowser } from './browser.mjs';
import { withSandbox } from './sandbox.mjs';

const [binary, count = '20'] = process.argv.slice(2);
const views = ['market/BTC-USDX-PERP', 'account', 'timeline', 'levers', 'coverage'];

await withSandbox(binary, (sandbox) => withBrowser(async (browser) => {
  for (const view of views) {
    const samples = [];
    for (let i = 0; i <= Number(count); ++i) {
      const { page } = await openPage(browser, `${sandbox.control}/console#/${view}`);
      const paint = await page.waitForFunction(() => {
        const entry = performance.getEntriesByName('first-contentful-paint')[0];
        return entry && performance.getEntriesByName('first-paint')[0].startTime;
      });
      if (i > 0) samples.push(await paint.jsonValue()); // the first warms up the browser itself
      await page.locator('h1').waitFor();
      await page.context().close();
    }
    samples.sort((a, b) => a - b);
    const at = (share) => Math.round(samples[Math.min(samples.length - 1, Math.floor(share * samples.length))]);
    console.log(`${view.split('/')[0].padEnd(9)} ${samples.length} samples: least ${at(0)}, median ${at(0.5)}, nine in ten ${at(0.9)}, most ${at(1)} ms`);
  }
}), { flow: 'bots' });
