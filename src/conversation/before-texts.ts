import { readFile, stat } from 'node:fs/promises';
import { resolveForWrite } from '../agent/tools/paths';

const MAX_BYTES = 1024 * 1024;
const MAX_KEPT = 200;

/** What files said before the agent changed them, for diffs; the newest changes only, small files only. */
export class BeforeTexts {
  private readonly texts = new Map<string, string>();

  constructor(private readonly cwd: string) {}

  get(toolCallId: string): string | undefined {
    return this.texts.get(toolCallId);
  }

  /** Reads the file a call is about to change. A file that does not exist yet counts as empty. */
  async remember(toolCallId: string, path: unknown): Promise<void> {
    if (typeof path !== 'string') return;
    const text = await this.read(resolveForWrite(path, this.cwd));
    if (text === undefined) return;
    this.texts.set(toolCallId, text);
    const [oldest] = this.texts.keys();
    if (this.texts.size > MAX_KEPT && oldest !== undefined) this.texts.delete(oldest);
  }

  private async read(file: string): Promise<string | undefined> {
    try {
      const { size } = await stat(file);
      return size > MAX_BYTES ? undefined : await readFile(file, 'utf8');
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? '' : undefined;
    }
  }
}
