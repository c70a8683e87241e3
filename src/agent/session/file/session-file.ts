import { createHash } from 'node:crypto';
import { statSync, type BigIntStats } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { defined } from '../../../base/defined';
import { makeFolders } from '../../../base/files/make-folders';
import { openRegular } from '../../../base/files/regular-file';
import { isCode, messageOf } from '../../../base/errors';
import type { Problem } from '../../../base/result';
import { isOpenElsewhere, WriteAccess, type ReadAccess, type SessionAccess } from './access';
import { encodeLine, SessionDecoder } from './codec';
import { removeDrafts, replaceByDraft } from './drafts';
import { asEntryId, type EntryId, type SessionHeader } from '../entry';
import { EntryReader } from './entry-reader';
import { backUp, firstLineWithoutText, migrated } from './migration';
import { scanLines, type ScanSink } from './scan';
import { rangeOf, type EntryTree, type LineRange, type EntryNode } from '../tree';
import { LineWriter, type ReadyFile } from './writer';

const REQUESTED: ReadAccess = { kind: 'read', cause: 'requested', reason: 'Opened for reading only' };
const MAX_PROBLEMS = 100;

/** `unborn`: nothing on disk yet; `old`: to be rewritten in the current version before the first append. */
type FileStage = 'unborn' | 'old' | 'current';

/** The session file does not exist. */
export class SessionNotFound extends Error {
  constructor(path: string, cause: unknown) {
    super(`Session file not found: ${path}`, { cause });
  }
}

/** One session file on disk: how it is read lazily, created, migrated and appended to. */
export class SessionFile {
  /** As found in the file; undefined for a new or unreadable one. */
  header: SessionHeader | undefined;
  /** At most {@link MAX_PROBLEMS}; the last one then counts the others. */
  readonly problems: Problem[] = [];
  private readonly reader = new EntryReader(problem => this.report(problem));
  private readonly lines = new SessionDecoder();
  private readonly writer: LineWriter;
  /** Lines that wait until the conversation begins. */
  private early: (() => void)[] | undefined = [];
  private readonly unusable: LineRange[] = [];
  private state: FileStage = 'unborn';
  private lineCount = 0;
  /** Bytes of the file that were read when it was opened. */
  private sizeAtOpening = 0;
  private problemCount = 0;
  private readonly writeAccess: WriteAccess;

  private constructor(
    readonly path: string,
    private readonly tree: EntryTree,
    private readonly onProblem: (problem: Problem) => void,
  ) {
    this.writeAccess = new WriteAccess(path);
    const port = { prepare: () => this.prepare(), absorb: (from: number) => this.absorb(from) };
    this.writer = new LineWriter(port, 0, error => {
      // The loss of the right to write has its own event.
      if (isOpenElsewhere(this.access)) return;
      this.report({ message: `The session could not be written: ${messageOf(error)}` });
    });
  }

  /** A file that is created with the first line of a conversation. */
  static fresh(
    path: string,
    header: SessionHeader,
    onProblem: (problem: Problem) => void,
    tree: EntryTree,
  ): SessionFile {
    const file = new SessionFile(path, tree, onProblem);
    file.header = header;
    return file;
  }

  /**
   * Reads a file into `tree`, in slices. Takes the right to write unless `mode` is `readOnly`; `takeOver` takes it from
   * a living holder. Rejects when the file does not exist or cannot be opened.
   */
  static async load(
    path: string,
    tree: EntryTree,
    mode: 'write' | 'readOnly' | 'takeOver',
    onProblem: (problem: Problem) => void,
  ): Promise<SessionFile> {
    const file = new SessionFile(path, tree, onProblem);
    const handle = await file.reader.openFile(path).catch((error: unknown) => {
      if (isCode(error, 'EISDIR')) throw new Error(`${path} is a folder, not a session file.`, { cause: error });
      throw isCode(error, 'ENOENT') ? new SessionNotFound(path, error) : error;
    });
    try {
      if (mode === 'readOnly') file.writeAccess.refuse(REQUESTED);
      else await file.writeAccess.take(mode === 'takeOver');
      if (file.writeAccess.isLocked) await removeDrafts(path);
      const { size, lines } = await scanLines(handle, file.lines, file.sink);
      await file.finishOpening(size, lines);
      return file;
    } catch (error) {
      await file.dispose();
      throw error;
    }
  }

  get access(): SessionAccess {
    return this.writeAccess.current;
  }

  /** Fires when another gets the right to write after the file was opened here. */
  get onDidLose(): WriteAccess['onDidLose'] {
    return this.writeAccess.onDidLose;
  }

  /** The entry of a node, read from the file when it is not in memory. */
  get read(): EntryReader['read'] {
    return this.reader.read;
  }

  /** {@link read} without keeping the entry in memory. */
  get readOnce(): EntryReader['readOnce'] {
    return this.reader.readOnce;
  }

  /** The node's line as it is in the file; undefined when there is none or it does not match the node any more. */
  verbatim(node: EntryNode): string | undefined {
    const range = rangeOf(node);
    return range && !node.entry ? this.reader.lineAt(range) : undefined;
  }

  /** Queues a line. Until `begins` is true once, lines of a new session wait in memory: an unused session leaves no file. */
  append(node: EntryNode, text: string, begins: boolean): void {
    const push = (): void => {
      this.writer.push({
        text,
        onWritten: (offset, length) => this.written(node, { offset, length, line: ++this.lineCount }),
      });
    };
    if (this.state !== 'unborn' || begins) this.releaseEarly();
    if (this.early) this.early.push(push);
    else push();
  }

  /** Resolves when everything is on disk that should be; rejects with the reason when it cannot be. */
  async flush(): Promise<void> {
    if (this.access.kind === 'write') await this.writer.flush();
  }

  /**
   * Writes what waits, and looks whether the file is still ours: to be called before something happens that must be
   * recorded. A write that fails for another reason leaves the access as it is. Never rejects.
   */
  async confirmAccess(): Promise<SessionAccess> {
    // What could not be written has been reported through onProblem already.
    await this.flush().catch(() => undefined);
    await this.writeAccess.check();
    return this.access;
  }

  /** Writes what can be written, gives up the right to write and closes the file. Never rejects. */
  async dispose(): Promise<void> {
    // What could not be written has been reported through onProblem already.
    await this.flush().catch(() => undefined);
    await this.writeAccess.dispose();
    await this.writer.close();
    await this.reader.close();
  }

  private readonly sink: ScanSink = {
    node: node => {
      const outcome = this.tree.add(node);
      if (outcome === 'duplicate') this.keepOther(node);
      if (outcome !== 'adopted') return;
      this.report({ message: `Entry ${node.id} follows a lost entry (${node.parentId ?? ''})`, ...lineOf(node) });
    },
    problem: problem => this.report(problem),
    unusable: range => {
      this.unusable.push(range);
    },
  };

  /** pi repeats entries in some files. A different entry with the id of another one is kept under a new id. */
  private keepOther(node: EntryNode): void {
    const first = this.tree.get(node.id);
    const [before, again] = [this.lineTextOf(first), this.lineTextOf(node)];
    if (before === undefined || again === undefined || before === again || node.line === undefined) return;
    const entry = this.read(node);
    if (entry === undefined) return;
    const id = idAside(node.id, node.line);
    if (this.tree.add({ ...node, id, entry: { ...entry, id } }) === 'duplicate') return;
    const message = `Two entries have the id ${node.id}; the second one is kept as ${id}`;
    this.report({ message, ...lineOf(node) });
  }

  private lineTextOf(node: EntryNode | undefined): string | undefined {
    const range = node && rangeOf(node);
    if (range !== undefined) return this.reader.lineAt(range);
    return node?.entry === undefined ? undefined : encodeLine(node.entry).trimEnd();
  }

  private releaseEarly(): void {
    const early = this.early ?? [];
    this.early = undefined;
    for (const push of early) push();
  }

  private written(node: EntryNode, range: LineRange): void {
    Object.assign(node, range);
    if (!node.entry) return;
    this.reader.keep(node, node.entry);
    delete node.entry;
  }

  /** Adds to {@link problems}, and reports it. */
  report(problem: Problem): void {
    const named = { ...problem, file: this.path };
    this.problemCount++;
    const more = this.problemCount - MAX_PROBLEMS + 1;
    if (more <= 0) this.problems.push(named);
    else this.problems[MAX_PROBLEMS - 1] = { message: `and ${more} more problems`, file: this.path };
    if (more <= 0) this.onProblem(named);
  }

  private async finishOpening(size: number, lines: number): Promise<void> {
    this.header = this.lines.header;
    this.lineCount = lines;
    this.sizeAtOpening = size;
    this.writer.setKnown(size);
    if (this.lines.headProblem) {
      const { message, line } = this.lines.headProblem;
      if (!this.problems.some(problem => problem.line === line)) this.report({ message, ...(line ? { line } : {}) });
      this.writeAccess.refuse({ kind: 'read', cause: 'damaged', reason: message });
    }
    if (this.lines.versionProblem) this.report(this.lines.versionProblem);
    if (this.header) this.state = this.lines.migrates ? 'old' : 'current';
    if (this.state === 'old' && this.access.kind === 'write') this.refuseLoss();
    if (this.access.kind === 'read') await this.writeAccess.release();
  }

  /** Bytes that are no text would be replaced where a file is rewritten in the current version. */
  private refuseLoss(): void {
    const line = firstLineWithoutText(this.tree.nodes, this.unusable, this.reader);
    if (line === undefined) return;
    const reason = `Line ${line} holds bytes that are not UTF-8. They would be lost in the current version of the format, so the file stays as it is`;
    this.report({ message: reason, line });
    this.writeAccess.refuse({ kind: 'read', cause: 'notText', reason });
  }

  private async prepare(): Promise<ReadyFile> {
    if (this.state === 'unborn') await this.bringToLife();
    else if (this.access.kind === 'write' && statOf(this.path) === undefined) await this.bringBack();
    await this.writeAccess.hold();
    if (this.access.kind === 'write' && this.state === 'old' && this.sizeNow() !== this.sizeAtOpening) {
      // Rewriting the file would lose its new lines. Taking over reads it again.
      this.writeAccess.lose({ kind: 'read', cause: 'takenOver', reason: 'Another program changed this session' });
    }
    if (this.access.kind === 'read') throw new Error(this.access.reason);
    if (this.state === 'old') await this.migrate();
    // Asked last: while the lock is made again, another program may append.
    const stats = statOf(this.path);
    if (stats === undefined) throw new Error(`${this.path} was deleted by another program`);
    return { path: this.path, stats };
  }

  private async bringToLife(): Promise<void> {
    await makeFolders(dirname(this.path));
    if (!this.writeAccess.isLocked) await this.writeAccess.take(false);
    if (this.access.kind === 'read' || !this.header) return;
    if (this.sizeNow() > this.sizeAtOpening) {
      await this.joinFile();
      return;
    }
    const size = await this.replace([encodeLine(this.header)]);
    this.lineCount = 1;
    this.writer.setKnown(size);
    this.state = 'current';
  }

  /** Another program began the file after it was opened here: our entries follow those in it. */
  private async joinFile(): Promise<void> {
    await this.reader.openFile(this.path);
    this.writer.setKnown(await this.absorb(this.sizeAtOpening));
    const { header, headProblem, migrates } = this.lines;
    if (header !== undefined && headProblem === undefined && !migrates) {
      this.state = 'current';
      return;
    }
    const reason = `Another program created ${this.path} meanwhile, and it cannot be continued`;
    this.writeAccess.lose({ kind: 'read', cause: 'damaged', reason });
  }

  private sizeNow(): number {
    return Number(statOf(this.path)?.size ?? 0);
  }

  /** Writes a file that was deleted meanwhile again, with all its content. */
  private async bringBack(): Promise<void> {
    await makeFolders(dirname(this.path));
    const size = await replaceByDraft(this.path, draft => this.reader.copyTo(draft));
    await this.reader.openFile(this.path);
    this.report({ message: `The session file was deleted by another program and is written again (${size} bytes)` });
  }

  /** Rewrites the file in the current version, a copy of the old one beside it; lines it cannot read stay as they are. */
  private async migrate(): Promise<void> {
    const { header, unusable, reader } = this;
    if (!header) return;
    await backUp(this.path);
    const { lines, ranges } = migrated({ header, nodes: this.tree.nodes, unusable, reader });
    const size = await this.replace(lines);
    for (const [node, range] of ranges) this.written(node, range);
    this.lineCount = lines.length;
    this.writer.setKnown(size);
    this.state = 'current';
  }

  /** Closed while it is replaced: Windows does not rename over an open file. */
  private async replace(lines: readonly string[]): Promise<number> {
    await this.reader.close();
    try {
      // Only the user may read a new file. A file that is replaced keeps its mode.
      const mode = Number(statOf(this.path)?.mode ?? 0o600) & 0o777;
      await replaceByDraft(this.path, draft => writeFile(draft, lines, { flag: 'wx', mode }));
      return lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
    } finally {
      // When replacing failed, there may be no file to read; the first failure is the one to report.
      await this.reader.openFile(this.path).catch(() => undefined);
    }
  }

  /** Another program appended entries: they are added to the tree, and ours continue at our leaf. */
  private async absorb(from: number): Promise<number> {
    const before = this.tree.nodes.length;
    const handle = await openRegular(this.path);
    let end: number;
    try {
      const { size, lines } = await scanLines(handle, this.lines, this.sink, {
        offset: from,
        line: this.lineCount + 1,
      });
      this.lineCount = lines;
      end = size;
    } finally {
      await handle.close();
    }
    const count = this.tree.nodes.length - before;
    if (count > 0) this.report({ message: `Another program appended ${count} entries to this session` });
    return end;
  }
}

/** Depends only on the file, so that two readers give an entry the same id. */
function idAside(id: EntryId, line: number): EntryId {
  return asEntryId(createHash('sha1').update(`${id}:${line}`).digest('hex').slice(0, 8));
}

/** Synchronous, because waking a thread takes longer than the call. */
function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

function lineOf(node: EntryNode): { line?: number } {
  return defined({ line: node.line });
}
