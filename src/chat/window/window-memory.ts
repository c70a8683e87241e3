import { createHash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { readRegularText } from '../../base/files/regular-file';
import { replaceFile } from '../../agent/tools/files/writing/replace-file';
import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { parse } from '../../base/json/schema';
import { DelayedCall } from '../../base/async/repeated-calls';
import type { Image } from '../../protocol/items/chat-item';
import { isApprovalMode, type ApprovalMode } from '../../hook-contract/approvals/approval-mode';
import type { ModeStore } from '../../session/ports/approval-port';
import { DraftsInMemory, isEmptyDraft, type Draft, type DraftStore } from '../composer/drafts';

/** Delay before a change is written, in ms: a draft changes with every key. */
const REST_MS = 250;
const OPEN_FILE = 'open-sessions.json';
const MODES_FILE = 'approval-modes.json';
/** Number of sessions whose mode is remembered; the latest ones are kept. */
const MOST_MODES = 200;

/** Version 0.1 wrote no type. */
const ImagesSchema = Type.Array(
  Type.Object({ type: Type.Optional(Type.Literal('image')), mimeType: Type.String(), data: Type.String() }),
);
const FilesSchema = Type.Optional(Type.Array(Type.Object({ name: Type.String(), text: Type.String() })));
const DraftSchema = Type.Object({
  session: Type.String(),
  text: Type.String(),
  images: ImagesSchema,
  files: FilesSchema,
  editing: Type.Optional(
    Type.Object({
      entry: Type.String(),
      was: Type.String(),
      files: Type.Optional(Type.Number()),
      before: Type.Object({ text: Type.String(), images: ImagesSchema, files: FilesSchema }),
    }),
  ),
});
const OpenSchema = Type.Object({
  shown: Type.Optional(Type.String()),
  sessions: Type.Array(Type.Object({ file: Type.String(), unread: Type.Boolean() })),
});

const ModesSchema = Type.Object({ modes: Type.Record(Type.String(), Type.String()) });

/** The sessions that are open in a window, in their order. Files are absolute. */
export type OpenSessions = Readonly<Static<typeof OpenSchema>>;

/**
 * What a window remembers over restarts: the open sessions, their drafts, and their approval modes. One small file for
 * each draft and one for the list, in a folder of the workspace's own; without a folder it lives in memory only.
 */
export class WindowMemory implements DraftStore, ModeStore, Disposable {
  private readonly drafts = new DraftsInMemory();
  private sessions: OpenSessions | undefined;
  /** The latest choice comes last. */
  private readonly modes = new Map<string, ApprovalMode>();
  /** Files to write: file name -> content, undefined to remove it. */
  private readonly dirty = new Map<string, () => string | undefined>();
  private readonly laterFlush = new DelayedCall(() => void this.flush());
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly dir: string | undefined,
    private readonly log: Log,
  ) {}

  /** Never rejects: what cannot be read is reported in the log and starts empty. */
  static async load(dir: string | undefined, log: Log): Promise<WindowMemory> {
    const memory = new WindowMemory(dir, log);
    if (dir !== undefined) await memory.read(dir);
    return memory;
  }

  /** Undefined when nothing is remembered. */
  get open(): OpenSessions | undefined {
    return this.sessions;
  }

  keepOpen(sessions: OpenSessions): void {
    this.sessions = sessions;
    this.writeLater(OPEN_FILE, () => JSON.stringify(sessions));
  }

  draft(session: string): Draft {
    return this.drafts.draft(session);
  }

  keepDraft(session: string, draft: Draft): void {
    this.drafts.keepDraft(session, draft);
    this.writeLater(draftFileName(session), () => {
      const kept = this.drafts.draft(session);
      return isEmptyDraft(kept) ? undefined : JSON.stringify({ session, ...kept });
    });
  }

  mode(session: string): ApprovalMode | undefined {
    return this.modes.get(session);
  }

  keepMode(session: string, mode: ApprovalMode): void {
    this.modes.delete(session);
    this.modes.set(session, mode);
    for (const oldest of this.modes.keys()) if (this.modes.size > MOST_MODES) this.modes.delete(oldest);
    this.writeLater(MODES_FILE, () => JSON.stringify({ modes: Object.fromEntries(this.modes) }));
  }

  /** Resolves when everything is written. */
  async flush(): Promise<void> {
    this.laterFlush.cancel();
    const jobs = [...this.dirty];
    this.dirty.clear();
    this.writing = this.writing.then(async () => {
      for (const [name, content] of jobs) await this.write(name, content());
    });
    await this.writing;
  }

  dispose(): void {
    void this.flush();
  }

  private async read(dir: string): Promise<void> {
    const names = await readdir(dir).catch(() => []); // A folder that does not exist yet holds nothing.
    for (const name of names) {
      if (name === OPEN_FILE) this.sessions = await this.readAs(OpenSchema, join(dir, name));
      else if (name === MODES_FILE) {
        const stored = await this.readAs(ModesSchema, join(dir, name));
        for (const [session, mode] of Object.entries(stored?.modes ?? {})) {
          // Another version of Hookline may know more modes: asking is right in place of all of them.
          this.modes.set(session, isApprovalMode(mode) ? mode : 'ask');
        }
      } else if (name.endsWith('.draft.json')) {
        const stored = await this.readAs(DraftSchema, join(dir, name));
        if (stored !== undefined) this.drafts.keepDraft(stored.session, draftOf(stored));
      }
    }
  }

  private async readAs<S extends typeof OpenSchema | typeof DraftSchema | typeof ModesSchema>(
    schema: S,
    file: string,
  ): Promise<Static<S> | undefined> {
    try {
      const read = parse(schema, JSON.parse(await readRegularText(file)));
      if (read.ok) return read.value;
      this.log.warn(`${file} is not used: ${read.problems.map(({ message }) => message).join('; ')}`);
    } catch (error) {
      this.log.warn(`${file} could not be read: ${messageOf(error)}`);
    }
    return undefined;
  }

  private writeLater(name: string, content: () => string | undefined): void {
    if (this.dir === undefined) return;
    this.dirty.set(name, content);
    this.laterFlush.schedule(REST_MS);
  }

  private async write(name: string, content: string | undefined): Promise<void> {
    if (this.dir === undefined) return;
    const file = join(this.dir, name);
    try {
      if (content === undefined) {
        await rm(file, { force: true });
        return;
      }
      await mkdir(this.dir, { recursive: true });
      await replaceFile(file, content);
    } catch (error) {
      this.log.error(`${file} could not be written: ${messageOf(error)}`, error);
    }
  }
}

function draftOf({ session: _, images, editing, ...draft }: Static<typeof DraftSchema>): Draft {
  if (editing === undefined) return { ...draft, images: images.map(typed) };
  const { before } = editing;
  const was = { ...before, images: before.images.map(typed) };
  return { ...draft, images: images.map(typed), editing: { ...editing, before: was } };
}

function typed(image: Static<typeof ImagesSchema>[number]): Image {
  return { ...image, type: 'image' };
}

/** Keys are file names of sessions mostly, but may be anything. */
function draftFileName(session: string): string {
  return `${createHash('sha256').update(session).digest('hex').slice(0, 32)}.draft.json`;
}
