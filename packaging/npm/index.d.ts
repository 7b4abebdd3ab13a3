/** Options of `svc serve --local`, in camel case: `{ unknownFields: 'accept' }` is `--unknown-fields accept`. */
export interface SandboxOptions {
  /** Another svc than the one of this package. */
  binary?: string;
  /** Receives the request log, lines of JSON. Without it nothing is logged. */
  onLog?: (text: string) => void;
  /** 0, the default, takes any free port. */
  port?: number;
  /** Who trades besides the test; default 'none'. */
  flow?: 'none' | 'bots' | `tape:${string}`;
  /** 'manual': time passes only when `drive('POST', '/time', ...)` says so. */
  clock?: 'real' | 'manual' | `x${number}`;
  at?: string;
  /** The same seed and the same requests give the same answers. */
  seed?: number;
  as?: 'local' | 'testnet' | 'mainnet';
  accounts?: number;
  balance?: string;
  faucet?: boolean;
  limits?: 'on' | 'off' | `x${number}`;
  latency?: string;
  faults?: string;
  markets?: string;
  state?: string;
  load?: string;
  dump?: string;
  requireAction?: boolean;
  unknownFields?: 'refuse' | 'accept';
  strictMarketId?: boolean;
  strictQuery?: boolean;
  adminSecretFile?: string;
  /** Any other flag of `svc serve --local`. */
  [flag: string]: string | number | boolean | undefined | ((text: string) => void);
}

export interface Account {
  index: number;
  address: `0x${string}`;
  /** Known to everybody and worth nothing elsewhere. */
  private_key: `0x${string}`;
  /** USDX, a decimal. */
  balance: string;
}

export interface Sandbox extends AsyncDisposable {
  /** Base of the REST API, `http://127.0.0.1:PORT`. */
  url: string;
  /** Base of the streams. */
  ws: string;
  network: string;
  deployment: string;
  domain_name: string;
  /** Base of the control surface. */
  control: string;
  name: string;
  pid: number;
  seed: number;
  accounts: Account[];
  /** A request to the control surface: `drive('POST', '/time', { advance_ms: 1000 })`. Rejects with `code` and `status`. */
  drive(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<any>;
  /** Ends the sandbox and waits; rejects if it did not end well. */
  stop(): Promise<void>;
  /** Resolves when the process has ended. */
  ended: Promise<{ code: number | null; signal: string | null; expected: boolean }>;
}

/** Starts a sandbox and resolves when it answers. It ends with this process, also by SIGINT, SIGTERM or SIGHUP (unless the
 * process listens for that signal itself and goes on), or earlier by `stop()`. */
export function sandbox(options?: SandboxOptions): Promise<Sandbox>;

/** The svc program of this package. */
export const binary: string;
