// Signed orders, matched and answered: node tests/bench/orders.mjs SVC ORDER_LOAD COUNT
// The sandbox runs on one core and the load on the other.
import { spawnSync } from 'node:child_process';
import { withSandbox } from '../interop/sandbox.mjs';
import { Trader, loginMessage } from '../interop/trader.mjs';

const [svc, load, count] = process.argv.slice(2);
await withSandbox(svc, async (sandbox) => {
  spawnSync('taskset', ['-acp', '0', String(sandbox.pid)]);
  const message = await loginMessage(sandbox.url);
  let keys = '';
  for (const account of sandbox.accounts.slice(0, 2)) {
    const trader = new Trader(sandbox.url, account);
    await trader.login(message);
    keys += `${trader.keyId} ${trader.secret.toString('hex')}\n`;
  }
  const run = spawnSync('taskset', ['-c', '1', load, new URL(sandbox.url).port, '/orders', count], { input: keys });
  process.stderr.write(run.stderr);
  process.stdout.write(run.stdout);
  process.exitCode = run.status;
}, { limits: 'off' });
