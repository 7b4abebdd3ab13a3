// Several nodes of one sandbox on an etcd of their own, behind one address: each request and each stream goes to a node
// chosen at random. What comes back is what sandbox() gives, so that every script that uses a sandbox runs on it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { connect, createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandbox } from '../../packaging/npm/index.mjs';
import { Random } from './random.mjs';

const names = ['a', 'b', 'c', 'd', 'e'];

async function freePort() {
  const server = createSocketServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

// Another process may take a port that was free a moment ago. Then other ports are tried.
async function startEtcd(tries = 5) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-etcd-'));
  const [client, peer] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`);
  const child = spawn('etcd', [
    '--data-dir', folder, '--listen-client-urls', client, '--advertise-client-urls', client, '--listen-peer-urls', peer,
    '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`, '--logger', 'zap', '--log-outputs', '/dev/null',
  ], { stdio: 'ignore' });
  const kill = () => child.kill('SIGKILL');
  process.on('exit', kill);
  for (;;) {
    const answer = await fetch(`${client}/health`).catch(() => null);
    if (answer?.ok) break;
    if (child.exitCode !== null && tries > 1) {
      process.off('exit', kill);
      rmSync(folder, { recursive: true });
      return startEtcd(tries - 1);
    }
    if (child.exitCode !== null) throw new Error(`etcd ended with exit code ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    state: `etcd://${new URL(client).host}`,
    async stop() {
      process.off('exit', kill);
      kill();
      await once(child, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

export async function cluster(count, options) {
  const etcd = await startEtcd();
  const nodes = [];
  for (const name of names.slice(0, count)) nodes.push(await sandbox({ ...options, state: etcd.state, name }));
  const chance = new Random(1);
  const agent = new Agent({ keepAlive: true });
  const anyNode = () => nodes[chance.below(nodes.length)];
  const statusOf = async (node) => (await fetch(`${node.url}/_svc/status`)).json();

  // Public reads are answered from a node's own copy. A client that reads elsewhere what it has just done is what is
  // tried here, so every node catches up with the others first.
  async function level() {
    const furthest = Math.max(...(await Promise.all(nodes.map(statusOf))).map(({ sequence }) => sequence));
    for (const node of nodes)
      while ((await statusOf(node)).sequence < furthest) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  const hasFoundAll = ({ cluster: view }) => view.takes_writes && view.nodes.length === count;
  for (const node of nodes)
    while (!hasFoundAll(await statusOf(node))) await new Promise((resolve) => setTimeout(resolve, 10));

  const proxy = createServer(async (incoming, outgoing) => {
    await level();
    const { hostname, port } = new URL(anyNode().url);
    const onward = request({ agent, hostname, port, method: incoming.method, path: incoming.url, headers: incoming.rawHeaders });
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  proxy.on('upgrade', async (incoming, socket, head) => {
    await level();
    const { hostname, port } = new URL(anyNode().url);
    const onward = connect({ host: hostname, port: Number(port) }, () => {
      const fields = [];
      for (let i = 0; i < incoming.rawHeaders.length; i += 2) fields.push(`${incoming.rawHeaders[i]}: ${incoming.rawHeaders[i + 1]}\r\n`);
      onward.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${fields.join('')}\r\n`);
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const [end, other] of [[onward, socket], [socket, onward]]) {
      end.on('error', () => other.destroy());
      end.on('close', () => other.destroy());
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = `http://127.0.0.1:${proxy.address().port}`;

  return {
    ...nodes[0],
    url,
    ws: `${url.replace('http', 'ws')}/v1`,
    control: `${url}/_svc`,
    async drive(...call) {
      await level();
      return anyNode().drive(...call);
    },
    async stop() {
      proxy.close();
      proxy.closeAllConnections();
      agent.destroy();
      for (const node of nodes) await node.stop();
      await etcd.stop();
    },
  };
}
