// Asks signing_probe questions, one JSON line each, answered in order.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export class Probe {
  #child;
  #waiting = [];

  constructor(binary) {
    this.#child = spawn(binary, [], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#waiting.shift().resolve(JSON.parse(line)));
    this.#child.on('exit', (code, signal) => {
      for (const { reject } of this.#waiting) reject(new Error(`the probe ended with code ${code}, signal ${signal}`));
    });
  }

  ask(op, question) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.stdin.write(JSON.stringify({ op, ...question }) + '\n');
    });
  }

  close() {
    this.#child.stdin.end();
  }
}
