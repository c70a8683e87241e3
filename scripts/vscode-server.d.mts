export interface ServerOptions {
  readonly serverDataDir: string;
  readonly extensionsDir: string;
  readonly port?: number | undefined;
  readonly connectionToken?: string | undefined;
  readonly smokeTestDriver?: boolean | undefined;
  readonly disableTrust?: boolean | undefined;
  readonly reconnectionGraceSeconds?: number | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly onOutput?: ((text: string) => void) | undefined;
}
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}
export function serverProgram(): Promise<string>;
export function installExtension(options: {
  vsixes: string[];
  extensionsDir: string;
  serverDataDir: string;
}): Promise<void>;
export function startServer(options: ServerOptions): Promise<RunningServer>;
