// Compiled, never run: the types of the package fit how it is used.
import { binary, sandbox, type Sandbox } from 'svc-sandbox';

const exchange: Sandbox = await sandbox({ clock: 'manual', seed: 7, requireAction: true, onLog: (text: string) => void text.length });
const address: `0x${string}` = exchange.accounts[0].address;
await exchange.drive('POST', '/time', { advance_ms: 1 });
await exchange.stop();
export const seen: string[] = [binary, address, exchange.url];
// @ts-expect-error a clock that there is not
await sandbox({ clock: 'sundial' });
