import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { withFileLock } from '../../agent/models/keys/file-lock';
import { replaceFile } from '../../agent/tools/files/writing/replace-file';
import { parse } from '../../base/json/schema';
import { realPathIfThere } from '../../base/files/on-disk';
import { textOfEntry } from '../package-state';
import { APPROVED } from './approval-file';

const DECIDED = Type.Object({
  /** The version that was approved last. */
  approved: Type.Optional(APPROVED),
  /** Whether the package is turned off. */
  off: Type.Optional(Type.Boolean()),
  /** The entry of the package as JSON, empty for none: of the user's settings, and by folder of each project's. */
  entries: Type.Optional(Type.Record(Type.String(), Type.String())),
});

const CONTENT = Type.Record(Type.String(), DECIDED);

/** What the user decided last about a package. Absent members were never decided with Hookline. */
export type Decided = Readonly<Static<typeof DECIDED>>;

/**
 * What the user decided about packages in a window or a terminal, outside of the agent folder. So a change of settings or
 * of the file of approvals can be told from one that an agent made.
 */
export class PackageDecisions {
  private readonly file: string;

  /** `dir` is absolute; it is made when something is decided. */
  constructor(
    dir: string,
    private readonly cwd: string,
  ) {
    this.file = join(dir, 'decided.json');
  }

  /** The decisions about one package; none when the record is missing or damaged. */
  about(identity: string): Decided {
    return this.read()[identity] ?? {};
  }

  /** What was decided about the entry of a package in the settings of a scope; undefined if nothing was. */
  entryOf(scope: 'user' | 'project', { entries = {} }: Decided): string | undefined {
    return entries[this.keyOf(scope)];
  }

  /** Stores decisions about a package; others stay. Rejects when that cannot be written. */
  async note(identity: string, decided: Pick<Decided, 'approved' | 'off'>): Promise<void> {
    await this.change(identity, before => ({ ...before, ...decided }));
  }

  /** Stores the entry of a package as the user wants it, undefined for none. Call this before the settings are written. */
  async noteEntry(identity: string, scope: 'user' | 'project', entry: unknown): Promise<void> {
    await this.change(identity, before => ({
      ...before,
      entries: { ...before.entries, [this.keyOf(scope)]: textOfEntry(entry) },
    }));
  }

  private async change(identity: string, change: (before: Decided) => Decided): Promise<void> {
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    await withFileLock(this.file, async () => {
      const before = this.read();
      await replaceFile(this.file, JSON.stringify({ ...before, [identity]: change(before[identity] ?? {}) }));
    });
  }

  private read(): Readonly<Record<string, Decided>> {
    try {
      const content = parse(CONTENT, JSON.parse(readFileSync(this.file, 'utf8')));
      return content.ok ? content.value : {};
    } catch {
      return {}; // Without the record, a change during a call is held until the user decides again.
    }
  }

  private keyOf(scope: 'user' | 'project'): string {
    return scope === 'user' ? scope : realPathIfThere(this.cwd);
  }
}
