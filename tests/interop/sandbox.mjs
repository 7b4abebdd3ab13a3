// Runs a script's part with a sandbox of its own; with SVC_NODES=3 on three nodes of one.
import { sandbox } from '../../packaging/npm/index.mjs';
import { cluster } from './cluster.mjs';

export async function withSandbox(binary, use, { nodes = Number(process.env.SVC_NODES ?? 1), ...options } = {}) {
  const exchange = nodes === 1 ? await sandbox({ binary, ...options }) : await cluster(nodes, { binary, ...options });
  try {
    await use(exchange);
  } finally {
    await exchange.stop();
  }
}
