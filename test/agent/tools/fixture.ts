import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AnyTool, ToolContext, ToolResult, ToolUpdate } from '../../../src/agent/tools/tool';

/** A temporary folder with the given files; a name ending in `/` is a folder, a value `-> x` a symbolic link. */
export class TempFolder {
  readonly path: string;

  constructor(files: Readonly<Record<string, string | Buffer>> = {}) {
    this.path = realpathSync(mkdtempSync(join(tmpdir(), 'hookline tools ä-')));
    for (const [name, content] of Object.entries(files)) this.put(name, content);
  }

  put(name: string, content: string | Buffer): string {
    const path = join(this.path, name);
    if (name.endsWith('/')) {
      mkdirSync(path, { recursive: true });
      return path;
    }
    mkdirSync(dirname(path), { recursive: true });
    if (typeof content === 'string' && content.startsWith('-> ')) symlinkSync(content.slice(3), path);
    else writeFileSync(path, content);
    return path;
  }

  text(name: string): string {
    return readFileSync(join(this.path, name), 'utf8');
  }

  bytes(name: string): Buffer {
    return readFileSync(join(this.path, name));
  }

  remove(): void {
    // On Windows, a folder is busy until the last program that was started in it has ended.
    rmSync(this.path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** Runs `test` in a temporary folder that is removed afterwards. */
export async function inFolder(
  files: Readonly<Record<string, string | Buffer>>,
  test: (folder: TempFolder) => Promise<void>,
): Promise<void> {
  const folder = new TempFolder(files);
  try {
    await test(folder);
  } finally {
    folder.remove();
  }
}

/** Calls a tool as the agent does. */
export function call(
  tool: AnyTool,
  params: Readonly<Record<string, unknown>>,
  options: { readonly signal?: AbortSignal; readonly onUpdate?: ToolUpdate; readonly context?: ToolContext } = {},
): Promise<ToolResult> {
  return tool.execute('call-1', params, options.signal, options.onUpdate, options.context);
}

/** The text of a result. */
export function textOf(result: ToolResult): string {
  return result.content.map(part => (part.type === 'text' ? part.text : `[${part.mimeType}]`)).join('\n');
}

/** Calls a tool and gives its text. */
export async function textFrom(tool: AnyTool, params: Readonly<Record<string, unknown>>): Promise<string> {
  return textOf(await call(tool, params));
}

/** Waits until a condition holds; fails after 20 s. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Waited 20 s for: ${what}`);
    await delay(10);
  }
}

/** The living processes (no zombies) whose command line holds `word`. */
export async function processesWith(word: string): Promise<string[]> {
  const names = (await readdir('/proc')).filter(name => /^\d+$/.test(name) && Number(name) !== process.pid);
  const lines = await Promise.all(names.map(name => readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')));
  return lines.map(line => line.replaceAll('\0', ' ')).filter(line => line.includes(word));
}

/** A number of seconds that no other process sleeps: a name by which a sleeper is found. */
export function sleeperSeconds(): string {
  return `${3000 + Math.floor(Math.random() * 1000)}.${Math.floor(Math.random() * 1e9)}1`;
}
