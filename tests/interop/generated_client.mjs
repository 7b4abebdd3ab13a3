// A client generated from the served interface description trades with the sandbox that served it, of one node and of three.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { tradingSession } from './generated_scenario.mjs';
import { withSandbox } from './sandbox.mjs';
import { Trader, loginMessage } from './trader.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));

// The scenario must fit the generated types, or the description says something else than the exchange does.
function check(folder) {
  const config = path.join(folder, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({
    compilerOptions: {
      target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext', strict: true, noUncheckedIndexedAccess: true,
      checkJs: true, allowJs: true, noEmit: true, skipLibCheck: true, lib: ['es2022', 'dom', 'dom.iterable'], types: [],
      typeRoots: [], paths: { exchange: [path.join(folder, 'exchange.d.ts')], 'node:assert/strict': [path.join(folder, 'assert.d.ts')] },
    },
    files: [path.join(here, 'generated_scenario.mjs')],
  }));
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(path.join(folder, 'assert.d.ts'),
    'declare const assert: { ok(v: unknown, m?: string): asserts v; equal(a: unknown, b: unknown): void;' +
    ' notEqual(a: unknown, b: unknown): void; deepEqual(a: unknown, b: unknown): void };\nexport default assert;\n');
  const compiler = path.join(here, 'node_modules', 'typescript', 'bin', 'tsc');
  const run = spawnSync(process.execPath, [compiler, '--project', config], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`the scenario does not fit the description:\n${run.stdout}${run.stderr}`);
}

// Signs whatever request the generated client is about to send.
const signer = (trader) => async (request) => {
  const { pathname, search } = new URL(request.url);
  return trader.sign(request.method, pathname, search.slice(1), await request.text());
};

const folder = mkdtempSync(path.join(tmpdir(), 'svc-generated-'));
let checked = '';
try {
  for (const nodes of [1, 3]) {
    await withSandbox(process.argv[2], async ({ url, accounts }) => {
      const description = await (await fetch(`${url}/openapi.json`)).json();
      // Compiling takes seconds: a description that differs only in the address of its server is not compiled again.
      const promised = JSON.stringify(description).replaceAll(new URL(url).host, '');
      if (promised !== checked) {
        writeFileSync(path.join(folder, 'exchange.d.ts'), astToString(await openapiTS(description, { defaultNonNullable: false })));
        check(folder);
        checked = promised;
      }
      const message = await loginMessage(url);
      const traders = accounts.slice(0, 2).map((account) => new Trader(url, account));
      for (const trader of traders) await trader.login(message);
      await tradingSession(url, ...traders.map(signer));
    }, { nodes, faucet: true });
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log('generated client: ok');
