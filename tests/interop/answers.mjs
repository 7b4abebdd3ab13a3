// Whatever the exchange answered in the tests named on the command line is what its description declares, and
// whatever it declares they have met.
//   node answers.mjs SVC TEST_BINARY_OR_SCRIPT...
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Description } from './description.mjs';
import { withSandbox } from './sandbox.mjs';

const [binary, ...suites] = process.argv.slice(2);
const folder = mkdtempSync(path.join(tmpdir(), 'svc-answers-'));
const file = path.join(folder, 'answers');

let description;
await withSandbox(binary, async ({ url }) => { description = await Description.of(url); });

// Suites that take most of the time and ask nothing that others do not, or nothing at all.
const left_out = 'Drills*:Flow.*:MutatedState*:DamagedJournal*:' +
  'SlowReader.*:JournalTest.*:AccountStream.*:SandboxProcess.*:Memory.*:StreamNumbering.*:IndexProcess.*:AuthTest.*:' +
  'Faults.AStatusIsThatOfTheRuleElseThatOfTheOperation';  // which the description does not have
const env = { ...process.env, SVC_ANSWERS: file, GTEST_FILTER: `-${left_out}` };

for (const suite of suites) {
  const command = suite.endsWith('.mjs') ? [process.execPath, suite, binary] : [suite];
  // Whether it passes is for its own test to say.
  const run = spawnSync(command[0], command.slice(1), { env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const how = () => `${run.error ?? run.signal}\n${run.stdout?.slice(-1000)}\n${run.stderr?.slice(-4000)}`;
  if (run.status === null) assert.fail(`${suite} did not end by itself: ${how()}`);
}

const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
const problems = new Map();
const met = new Set();
for (const line of lines) {
  const answer = JSON.parse(line);
  const operation = description.operation(answer.method, answer.target);
  if (operation) met.add(`${operation.operationId} ${answer.status}`);
  for (const problem of description.problems(answer)) problems.set(problem, line);
}
rmSync(folder, { recursive: true });

for (const problem of [...problems.keys()].sort()) console.error(problem);
console.log(`${lines.length} answers of ${met.size} operations and statuses, ${problems.size} problems`);
// What the description promises, some test has seen: every operation, twin, success and refusal.
const unmet = description.declared().filter((one) => !met.has(one));
for (const one of unmet) console.error(`${one}: declared, and never met by any test`);
process.exitCode = problems.size === 0 && unmet.length === 0 ? 0 : 1;
