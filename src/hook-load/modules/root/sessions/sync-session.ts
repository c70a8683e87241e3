import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  mkdirSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { defined } from '../../../../base/defined';
import { isCode } from '../../../../base/errors';
import { openRegularSync } from '../../../../base/files/regular-file';
import {
  AppendableSession,
  beginsConversation,
  newHeader,
  sessionFileName,
  SessionReadOnlyError,
} from '../../../../agent/session/appendable-session';
import { encodeLine, SessionDecoder } from '../../../../agent/session/file/codec';
import type { SessionHeader, StoredEntry } from '../../../../agent/session/entry';
import { copyInSteps } from '../../../../agent/session/fork';
import type { SessionHandover } from '../../../../hook-contract/child-session';
import { EntryTree, type EntryNode } from '../../../../agent/session/tree';

/** The options of a new session. */
export interface NewSessionOptions {
  readonly id?: string;
  readonly parentSession?: string;
}

/** The decoded content of a session file. */
export interface DecodedSession {
  readonly header: SessionHeader | undefined;
  readonly tree: EntryTree;
  /** Why nothing may be appended; undefined if appending is allowed. */
  readonly problem: string | undefined;
  /** The lines in the current version, when the text is of an older one. */
  readonly migrated: readonly string[] | undefined;
}

/**
 * Decodes the text of a session file; a line that cannot be decoded is left out of `tree` and unchanged in `migrated`.
 */
export function decodeSession(text: string): DecodedSession {
  const decoder = new SessionDecoder();
  const tree = new EntryTree();
  const lines = text.split('\n').flatMap((line, index) => {
    const read = decoder.read(line, index + 1);
    if (read.kind === 'blank') return [];
    if (read.kind === 'entry') {
      const { id, parentId, type } = read.entry;
      tree.add({ id, parentId, type, entry: read.entry });
      return [encodeLine(read.entry)];
    }
    if (read.kind === 'unusable' && read.head !== undefined) tree.add({ ...read.head, damaged: true });
    return read.kind === 'header' && decoder.header !== undefined ? [encodeLine(decoder.header)] : [`${line}\n`];
  });
  return {
    header: decoder.header,
    tree,
    problem: decoder.headProblem?.message,
    migrated: decoder.migrates ? lines : undefined,
  };
}

/** The text of a file; undefined when there is no such file. @throws any other error of reading */
export function textOfFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Where a session is stored. */
export interface SessionStorage {
  readonly cwd: string;
  readonly dir: string;
  readonly isPersisted: boolean;
}

/**
 * A session that is read and written synchronously, for hooks that store sessions of their own as they do with pi. Like
 * pi, it uses no lock: a window that has the same file open adds the new lines to its session.
 */
export class SyncSession extends AppendableSession {
  private path: string | undefined;
  /** Lines that are written when the conversation begins; undefined once there is a file. */
  private early: string[] | undefined = [];
  private isOld = false;
  private problem: string | undefined;

  constructor(
    private readonly place: SessionStorage,
    options?: NewSessionOptions,
  ) {
    super(undefined, new EntryTree());
    this.newSession(options);
  }

  /** Starts an empty session; returns the path that its file will have, undefined for one that is not persisted. */
  newSession(options: NewSessionOptions = {}): string | undefined {
    this.begin(newHeader(this.place.cwd, options.parentSession, options.id));
    return this.path;
  }

  /**
   * Switches to another file, which need not exist.
   * @throws Error when it holds something else than a session, or cannot be read
   */
  setSessionFile(path: string): void {
    const file = resolve(path);
    const text = textOfFile(file);
    if (text === undefined || text.trim() === '') {
      this.begin(newHeader(this.place.cwd), file);
      return;
    }
    const session = decodeSession(text);
    if (session.header === undefined) throw new Error(`Session file is not a valid pi session: ${file}`);
    this.hold(session, session.header);
    this.path = file;
    this.early = undefined;
  }

  /** Replaces the session's content with entries that are in no file; a header may be among them. */
  protected holdEntries(entries: readonly unknown[]): void {
    const session = decodeSession(entries.map(entry => JSON.stringify(entry)).join('\n'));
    const header = session.header ?? this.header;
    if (header !== undefined) this.hold({ ...session, problem: undefined, migrated: undefined }, header);
  }

  override isPersisted(): boolean {
    return this.place.isPersisted;
  }

  override getCwd(): string {
    return this.place.cwd;
  }

  override getSessionDir(): string {
    return this.place.dir;
  }

  override getSessionFile(): string | undefined {
    return this.path;
  }

  getEntryCount(): number {
    return this.getNodes().length;
  }

  /**
   * Copies the path to an entry into a new session, and makes this object that session. Returns its file.
   * @throws Error `Entry <id> not found`
   */
  createBranchedSession(leafId: string): string | undefined {
    const nodes = this.tree.path(this.require(leafId).id);
    const parentSession = this.isPersisted() ? this.path : undefined;
    const copy = new SyncSession(this.place, defined({ parentSession }));
    const steps = copyInSteps({ getEntry: id => this.getEntry(id), getLabels: () => this.getLabels(), lineOf }, copy, {
      nodes,
      labelsLast: true,
    });
    while (steps.next().done !== true);
    copy.writeEarly();
    this.header = copy.header;
    this.reset(copy.tree);
    this.path = copy.path;
    this.early = copy.early;
    this.isOld = false;
    this.problem = undefined;
    return this.path;
  }

  /** Adds an entry unchanged; it is written with the others when the conversation begins. */
  importEntry(entry: StoredEntry, line = encodeLine(entry)): void {
    this.add(entry);
    this.early?.push(line);
  }

  /**
   * Hands the session to an agent, which writes to it from now on; this object only receives the new entries.
   * @throws Error when the session is read-only
   */
  handOver(): SessionHandover {
    const { header, path: file } = this;
    if (header === undefined || this.problem !== undefined) {
      throw new SessionReadOnlyError(`Session ${file ?? ''} is read-only: ${this.problem ?? 'it has no header'}`);
    }
    if (file !== undefined && this.isOld) bringUpToDate(file);
    this.isOld = false;
    this.problem = 'a session of an agent writes to it';
    const { dir } = this.place;
    const leafId = this.getLeafId();
    return { header, entries: this.getEntries(), leafId, file, dir, follow: entry => this.add(entry) };
  }

  protected override assertWritable(): void {
    if (this.problem === undefined) return;
    throw new SessionReadOnlyError(`Session ${this.path ?? ''} is read-only: ${this.problem}`);
  }

  protected override take(entry: StoredEntry, line: string): void {
    if (this.early === undefined) this.appendLine(line);
    this.add(entry);
    if (this.early === undefined) return;
    this.early.push(line);
    this.writeEarly();
  }

  protected override read(node: EntryNode): StoredEntry | undefined {
    return node.entry;
  }

  /** Starts a session without entries; it gets a file when a conversation begins. */
  private begin(header: SessionHeader, file?: string): void {
    const { dir, isPersisted } = this.place;
    this.hold({ header, tree: new EntryTree(), problem: undefined, migrated: undefined }, header);
    this.path = file ?? (isPersisted ? join(dir, sessionFileName(header)) : undefined);
  }

  private hold({ tree, problem, migrated }: DecodedSession, header: SessionHeader): void {
    this.header = header;
    this.problem = problem;
    this.isOld = migrated !== undefined;
    this.early = [];
    this.reset(tree);
  }

  /** Creates the file with the waiting lines, if the conversation has begun. */
  protected writeEarly(): void {
    const { path: file, header, early } = this;
    if (file === undefined || header === undefined || early === undefined) return;
    if (!this.tree.nodes.some(({ entry }) => entry !== undefined && beginsConversation(entry))) return;
    mkdirSync(dirname(file), { recursive: true });
    // An empty file may be overwritten: the caller of `setSessionFile` chose it for this session.
    const flag = textOfFile(file)?.trim() === '' ? 'w' : 'wx';
    writeFileSync(file, [encodeLine(header), ...early].join(''), { flag });
    this.early = undefined;
  }

  private appendLine(line: string): void {
    const { path: file } = this;
    if (file === undefined) return;
    if (this.isOld) bringUpToDate(file);
    this.isOld = false;
    appendFileSync(file, hasOpenTail(file) ? `\n${line}` : line);
  }
}

/** There are no stored lines to reuse: the copy encodes each entry. */
function lineOf(): undefined {
  return undefined;
}

/**
 * Brings a file of an older version up to date; the old file is kept beside it as `.bak`. The file is read again, because
 * another program may have appended to it.
 */
function bringUpToDate(file: string): void {
  if (existsSync(`${file}.lock`)) {
    throw new SessionReadOnlyError(`Session ${file} is of an older version, and open elsewhere`);
  }
  const { migrated } = decodeSession(readFileSync(file, 'utf8'));
  if (migrated === undefined) return; // Another program did it.
  const names = Array.from({ length: 100 }, (_none, index) => (index === 0 ? `${file}.bak` : `${file}.bak.${index}`));
  copyFileSync(file, names.find(name => !existsSync(name)) ?? `${file}.${Date.now()}.bak`, constants.COPYFILE_EXCL);
  const draft = `${file}.${randomUUID()}.tmp`;
  writeFileSync(draft, migrated.join(''), { flag: 'wx' });
  renameSync(draft, file);
}

function hasOpenTail(file: string): boolean {
  const handle = openRegularSync(file);
  try {
    const { size } = fstatSync(handle);
    const last = Buffer.alloc(1);
    return size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
  } finally {
    closeSync(handle);
  }
}
