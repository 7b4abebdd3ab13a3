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

// The problems of each document, and the exit status of the linter for all of them: starting it takes a second.
function lint(documents) {
  for (const [name, document] of Object.entries(documents)) writeFileSync(path.join(folder, name), JSON.stringify(document, null, 1));
  const redocly = path.join(here, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
  const files = Object.keys(documents);
  const { status, stdout, stderr } = spawnSync(process.execPath, [redocly, 'lint', '--config', path.join(here, 'redocly.yaml'), '--format', 'json', ...files], {
    cwd: folder, encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  const reports = stdout.split(/(?<=^\})(?=\{)/m); // one after the other, with nothing between
  assert.equal(reports.length, files.length, stdout + stderr);
  return { status, problems: reports.map((report) => JSON.parse(report).problems) };
}

try {
  await withSandbox(process.argv[2], async ({ url }) => {
    const description = await (await fetch(`${url}/openapi.json`)).json();
    const wrong = structuredClone(description);
    delete wrong.paths['/ws'].get.responses['101'];
    wrong.paths['/markets'].get.responses['200'].$ref = '#/components/responses/nothing';
    const { status, problems: [ofDescription, ofWrong] } = lint({ 'description.json': description, 'wrong.json': wrong });
    assert.deepEqual(ofDescription, []);
    assert.equal(status, 1);
    const rules = ofWrong.map(({ ruleId }) => ruleId);
    assert.ok(rules.includes('rule/success-is-declared') && rules.includes('no-unresolved-refs'), rules.join());
  });
} finally {
  rmSync(folder, { recursive: true });
}
console.log('description: ok');
