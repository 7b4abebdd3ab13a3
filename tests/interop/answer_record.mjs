// Every answer that a script saw, as a line of JSON in the file named by SVC_ANSWERS; the C++ tests write
// the same lines.
import { appendFileSync } from 'node:fs';

export function recordAnswer(method, target, status, request, answer) {
  const file = process.env.SVC_ANSWERS;
  if (file) appendFileSync(file, JSON.stringify({ method, target, status, request: request ?? '', answer }) + '\n');
}
