// Starts the sandbox exchange for a test, waits until it answers, and stops it.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The svc program of this package. */
export const binary = fileURLToPath(new URL('./bin/svc', import.meta.url));

const oldestGlibc = '2.36';

// Other systems have no glibc to be too old: the program's own start decides there.
function checkGlibc() {
  const found = process.report?.getReport().header.glibcVersionRuntime;
  const number = (version) => version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);
  if (found && number(found) < number(oldestGlibc))
    throw new Error(`svc needs glibc ${oldestGlibc} or newer; this system has ${found}`);
}

// { unknownFields: 'accept', faucet: true } as flags of `svc serve --local`.
function flagsOf(options) {
  return Object.entries(options).flatMap(([name, value]) => {
    const flag = '--' + name.replace(/[A-Z]/g, (letter) => '-' + letter.toLowerCase());
    if (value === undefined || value === false) return [];
    return value === true ? [flag] : [flag, String(value)];
  });
}

// Sandboxes end with this process, also by a signal. If somebody else listens for it, they decide whether it ends.
const running = new Set();
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function endAll() {
  for (const child of running) child.kill('SIGTERM');
}

function onSignal(signal) {
  if (process.listenerCount(signal) > 1) return;
  endAll();
  listen('off');
  process.kill(process.pid, signal);
}

function listen(how) {
  process[how]('exit', endAll);
  for (const signal of endings) process[how](signal, onSignal);
}

export async function sandbox({ binary: program = binary, onLog, ...options } = {}) {
  if (program === binary) checkGlibc();
  const log = onLog ? 'json' : 'none';
  const flags = flagsOf({ port: 0, flow: 'none', log, ...options });
  const child = spawn(program, ['serve', '--local', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });

  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors = (errors + text).slice(-4096);
    onLog?.(text);
  });
  const ended = new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, signal: null, error }));
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  if (running.size === 0) listen('on');
  running.add(child);
  ended.then(() => {
    running.delete(child);
    if (running.size === 0) listen('off');
  });

  const ready = await new Promise((resolve, reject) => {
    let line = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      line += text;
      if (line.includes('\n')) resolve(JSON.parse(line));
    });
    ended.then(({ code, signal, error }) => {
      reject(error ?? new Error(`svc ended with ${signal ?? `exit code ${code}`} before it was ready\n${errors}`));
    });
  });

  // A sandbox that nobody stops does not keep its test running: it ends with it.
  const handles = [child, child.stdout, child.stderr];
  for (const handle of handles) handle.unref();

  let stopped = false;
  async function stop() {
    stopped = true;
    for (const handle of handles) handle.ref();
    child.kill('SIGTERM');
    const { code, signal } = await ended;
    if (code !== 0) throw new Error(`svc ended with ${signal ?? `exit code ${code}`}\n${errors}`);
  }

  async function drive(method, path, body) {
    const answer = await fetch(ready.control + path, { method, body: body === undefined ? undefined : JSON.stringify(body) });
    const document = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(`${method} ${path}: ${document.message}`), { status: answer.status, ...document });
    return document;
  }

  return {
    ...ready,
    drive,
    stop,
    ended: ended.then(({ code, signal }) => ({ code, signal, expected: stopped })),
    [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]: stop,
  };
}
