import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import * as esbuild from 'esbuild';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pluginOptions } from '../../scripts/build/options.ts';
import { buildTypings } from '../../scripts/build/typings.ts';
import { OUT, TYPESCRIPT_PLUGIN } from '../../scripts/support/paths.ts';
import { LineReader } from '../../src/base/text/line-reader';

/** One thing that the editor underlines. */
export interface Underlined {
  readonly code: number;
  /** `line: text` */
  readonly text: string;
}

interface Message {
  readonly type: string;
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly message?: string;
  readonly body?: unknown;
}

interface Diagnostic {
  readonly code: number;
  readonly text: string;
  readonly start: { readonly line: number };
}

const PLUGIN = 'hookline-typescript-plugin';

/** The folder of an installed extension, as far as TypeScript's server sees it: the plugin and the typings. */
export async function installedPlugin(): Promise<string> {
  const folder = join(OUT, 'installed');
  const outdir = join(folder, 'node_modules', PLUGIN);
  assert.ok(TYPESCRIPT_PLUGIN.endsWith(PLUGIN));
  await esbuild.build(pluginOptions({ production: false, outdir }));
  writeFileSync(join(outdir, 'package.json'), JSON.stringify({ name: PLUGIN, version: '0.0.0', main: 'index.js' }));
  mkdirSync(join(folder, 'dist'), { recursive: true });
  cpSync(buildTypings({ outdir: join(OUT, 'typings') }), join(folder, 'dist', 'typings'), { recursive: true });
  return folder;
}

/** TypeScript's own server in a process of its own, started as VS Code starts it. The caller closes it. */
export class TsServer {
  private readonly waiting = new Map<number, (message: Message) => void>();
  private seq = 0;

  private constructor(private readonly process: ChildProcessWithoutNullStreams) {
    new LineReader(process.stdout).listen(
      line => {
        if (!line.startsWith('{')) return; // A header, or the empty line behind it.
        const message = JSON.parse(line) as Message;
        if (message.type === 'response') this.waiting.get(message.request_seq ?? -1)?.(message);
      },
      () => this.waiting.clear(),
    );
  }

  /** `extension` is the folder in whose node_modules the plugin lies. */
  static async start(extension: string): Promise<TsServer> {
    const script = join(dirname(createRequire(import.meta.url).resolve('typescript')), 'tsserver.js');
    const flags = [
      '--globalPlugins',
      PLUGIN,
      '--pluginProbeLocations',
      extension,
      '--disableAutomaticTypingAcquisition',
    ];
    const server = new TsServer(spawn(process.execPath, [script, '--useInferredProjectPerProjectRoot', ...flags]));
    // What VS Code says of files that no tsconfig.json holds.
    await server.ask('compilerOptionsForInferredProjects', {
      options: {
        module: 'Preserve',
        moduleResolution: 'Bundler',
        target: 'ES2022',
        jsx: 'react-jsx',
        allowImportingTsExtensions: true,
        allowJs: true,
        strict: true,
      },
    });
    return server;
  }

  close(): void {
    this.process.kill();
  }

  /** @throws Error with what the server says when it refuses */
  async ask(command: string, given: object): Promise<unknown> {
    const seq = ++this.seq;
    const answered = new Promise<Message>(resolve => this.waiting.set(seq, resolve));
    this.process.stdin.write(`${JSON.stringify({ seq, type: 'request', command, arguments: given })}\n`);
    const { success, message, body } = await answered;
    if (success === false && message !== 'No content available.') throw new Error(`${command}: ${message}`);
    return body;
  }

  /** Sends what has no answer. */
  tell(command: string, given: object): void {
    this.process.stdin.write(`${JSON.stringify({ seq: ++this.seq, type: 'request', command, arguments: given })}\n`);
  }

  open(file: string, workspace: string): void {
    this.tell('open', { file, projectRootPath: workspace });
  }

  /** Types into the file: replaces the first `from` of `text`, which is what the server has now. */
  edit(file: string, text: string, [from, to]: readonly [string, string]): string {
    const at = text.indexOf(from);
    assert.ok(at >= 0, `${from} stands in the file`);
    const start = placeOf(text, at);
    const end = placeOf(text, at + from.length);
    const { line, offset } = start;
    this.tell('change', { file, line, offset, endLine: end.line, endOffset: end.offset, insertString: to });
    return text.slice(0, at) + to + text.slice(at + from.length);
  }

  /** Errors, and hints such as an unknown type, in the order of the server. */
  async problems(file: string): Promise<readonly Underlined[]> {
    const lists: Diagnostic[][] = [];
    for (const kind of ['syntactic', 'semantic', 'suggestion']) {
      lists.push((await this.ask(`${kind}DiagnosticsSync`, { file })) as Diagnostic[]);
    }
    return lists.flat().map(({ code, text, start }) => ({ code, text: `${start.line}: ${text}` }));
  }

  /** What the editor shows when the mouse rests on the last letter of `mark`. */
  async hover(file: string, text: string, mark: string): Promise<string> {
    const body = await this.ask('quickinfo', { file, ...placeOf(text, text.indexOf(mark) + mark.length - 1) });
    return (body as { readonly displayString?: string } | undefined)?.displayString ?? '';
  }

  /** Names offered behind `mark`. */
  async completions(file: string, text: string, mark: string): Promise<readonly string[]> {
    const body = await this.ask('completionInfo', { file, ...placeOf(text, text.indexOf(mark) + mark.length) });
    return ((body as { readonly entries?: readonly { name: string }[] } | undefined)?.entries ?? []).map(
      ({ name }) => name,
    );
  }
}

function placeOf(text: string, at: number): { readonly line: number; readonly offset: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, offset: (before.at(-1)?.length ?? 0) + 1 };
}
