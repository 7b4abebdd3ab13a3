// A WebSocket server that does nothing but broadcast: for each number on standard input, that many times the frame given.
// usage: node bare_ws_server.mjs FRAME_TEXT
import { createInterface } from 'node:readline';
import { createRequire } from 'node:module';

const { WebSocketServer } = createRequire(new URL('../interop/', import.meta.url))('ws');
const text = process.argv[2];
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('listening', () => console.log(server.address().port));
for await (const line of createInterface({ input: process.stdin })) {
  const clients = [...server.clients];
  for (let i = 0; i < Number(line); ++i) for (const client of clients) client.send(text);
}
process.exit(0);
