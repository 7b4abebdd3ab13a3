// Starts the sandbox for a script and stops it; the ready line is its first line of output.
import { spawn } from 'node:child_process';

// `before` goes before `serve`: a binary that runs another one names it there.
export async function withSandbox(binary, use, flags = [], before = []) {
  const child = spawn(binary, [...before, 'serve', '--local', '--port', '0', '--flow', 'none', '--log', 'none', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })));
  const ready = new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (bytes) => {
      text += bytes;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(JSON.parse(text.slice(0, end)));
    });
    ended.then(({ code }) => reject(new Error(`the sandbox ended with ${code} before it was ready`)));
  });
  try {
    await use(await ready);
  } finally {
    child.kill('SIGTERM');
  }
  const { code, signal } = await ended;
  if (code !== 0) throw new Error(`the sandbox ended with code ${code}, signal ${signal}`);
}
