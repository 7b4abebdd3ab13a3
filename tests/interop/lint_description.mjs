// The served interface description is clean under redocly.yaml, and the linter does find what is wrong.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { withSandbox } from './sandbox.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'svc-description-'));

function lint(document) {
  const file = path.join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document, null, 1));
  const redocly = path.join(here, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
  return spawnSync(process.execPath, [redocly, 'lint', '--config', path.join(here, 'redocly.yaml'), file], {
    encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
}

try {
  await withSandbox(process.argv[2], async ({ url }) => {
    const description = await (await fetch(`${url}/openapi.json`)).json();
    const clean = lint(description);
    assert.equal(clean.status, 0, clean.stdout + clean.stderr);

    delete description.paths['/ws'].get.responses['101'];
    description.paths['/markets'].get.responses['200'].$ref = '#/components/responses/nothing';
    const broken = lint(description);
    assert.equal(broken.status, 1);
    assert.match(broken.stdout + broken.stderr, /success-is-declared/);
    assert.match(broken.stdout + broken.stderr, /no-unresolved-refs/);
  });
} finally {
  rmSync(folder, { recursive: true });
}
console.log('description: ok');
