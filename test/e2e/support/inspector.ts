import { createRequire, SourceMap } from 'node:module';
import { createServer } from 'node:net';

/** The part of chrome-remote-interface that is used here; it brings no types. */
interface Client {
  readonly Debugger: {
    enable(): Promise<unknown>;
    setBreakpointByUrl(given: { url: string; lineNumber: number }): Promise<{ readonly breakpointId: string }>;
    removeBreakpoint(given: { breakpointId: string }): Promise<unknown>;
    evaluateOnCallFrame(given: { callFrameId: string; expression: string }): Promise<{
      readonly result: { readonly value?: unknown };
    }>;
    resume(): Promise<unknown>;
    scriptParsed(listener: (script: Script) => void): void;
    paused(listener: (stop: Paused) => void): void;
  };
  close(): Promise<void>;
}

interface Script {
  readonly scriptId: string;
  readonly url: string;
  readonly sourceMapURL?: string;
}

interface Paused {
  readonly callFrames: readonly {
    readonly callFrameId: string;
    readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber?: number };
  }[];
}

/** A stop in a hook, in the places of its TypeScript. */
export interface Stop {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** The value of an expression where it stopped; undefined for anything but a JSON value. */
  evaluate(expression: string): Promise<unknown>;
}

const CDP = createRequire(import.meta.url)('chrome-remote-interface') as (options: { port: number }) => Promise<Client>;

/** A debugger without any user interface at the port of an extension host. Scripts are named by their file's URL. */
export class Inspector {
  private readonly maps = new Map<string, SourceMap>();
  private readonly counts = new Map<string, number>();
  /** URL of each script, by its id. */
  private readonly urls = new Map<string, string>();
  private readonly stops: Paused[] = [];

  private constructor(private readonly client: Client) {}

  /** Rejects when nothing listens at the port. */
  static async connect(port: number): Promise<Inspector> {
    const client = await CDP({ port });
    const inspector = new Inspector(client);
    client.Debugger.scriptParsed(script => inspector.keepMap(script));
    client.Debugger.paused(stop => inspector.stops.push(stop));
    await client.Debugger.enable();
    return inspector;
  }

  /** How many scripts of this URL, and with a source map, were loaded. */
  scripts(url: string): number {
    return this.counts.get(url) ?? 0;
  }

  /** Sets a breakpoint on a line (1-based) of the TypeScript, by the script's newest source map. */
  async breakAt(url: string, line: number): Promise<{ remove(): Promise<unknown> }> {
    const lineNumber = this.generatedLine(url, line);
    const { breakpointId } = await this.client.Debugger.setBreakpointByUrl({ url, lineNumber });
    return { remove: () => this.client.Debugger.removeBreakpoint({ breakpointId }) };
  }

  /** The next stop that nobody took yet. */
  nextStop(): Stop | undefined {
    const frame = this.stops.shift()?.callFrames[0];
    if (frame === undefined) return undefined;
    const { scriptId, lineNumber, columnNumber = 0 } = frame.location;
    const file = this.urls.get(scriptId) ?? '';
    const entry = this.maps.get(file)?.findEntry(lineNumber, columnNumber);
    return {
      file,
      line: entry !== undefined && 'originalLine' in entry ? entry.originalLine + 1 : 0,
      evaluate: async expression => {
        const { callFrameId } = frame;
        return (await this.client.Debugger.evaluateOnCallFrame({ callFrameId, expression })).result.value;
      },
    };
  }

  async resume(): Promise<void> {
    await this.client.Debugger.resume();
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private keepMap({ scriptId, url, sourceMapURL = '' }: Script): void {
    const [, encoded] = /^data:application\/json[^,]*;base64,(.*)$/s.exec(sourceMapURL) ?? [];
    if (encoded === undefined) return;
    const payload: unknown = JSON.parse(Buffer.from(encoded, 'base64').toString());
    this.urls.set(scriptId, url);
    this.counts.set(url, this.scripts(url) + 1);
    // What jiti's transform wrote; a wrong shape would fail the test that asks.
    this.maps.set(url, new SourceMap(payload as ConstructorParameters<typeof SourceMap>[0]));
  }

  private generatedLine(url: string, line: number): number {
    const map = this.maps.get(url);
    if (map === undefined) throw new Error(`${url} was not loaded, or has no source map`);
    for (let generated = 0; generated < 10_000; generated++) {
      for (const column of [0, 2, 4, 6, 8, 12]) {
        const entry = map.findEntry(generated, column);
        if ('originalLine' in entry && entry.originalLine === line - 1 && entry.generatedLine === generated) {
          return generated;
        }
      }
    }
    throw new Error(`no code comes from line ${line} of ${url}`);
  }
}

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise(resolve => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
