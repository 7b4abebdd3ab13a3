// Runs a script's part with a sandbox of its own.
import { sandbox } from '../../packaging/npm/index.mjs';

export async function withSandbox(binary, use, options = {}) {
  const exchange = await sandbox({ binary, ...options });
  try {
    await use(exchange);
  } finally {
    await exchange.stop();
  }
}
