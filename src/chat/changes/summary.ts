import { lstat } from 'node:fs/promises';
import { sameState, type FileState } from '../../agent/changes/file-state';
import { filesOf, lastRevert, renamesIn, type FileNet } from '../../agent/changes/net-changes';
import type { ChangeRecord } from '../../agent/changes/record';
import type { ChangeTracker } from '../../agent/changes/tracker';
import type { ChangedFile, Changes } from '../../protocol/panels/changes';
import { changedLineCounts, diffOf, fileTexts } from '../../agent/changes/file-texts';
import { coverageText, revertRefusalText } from './revert-words';
import { defined } from '../../base/defined';
import { shownPath } from '../../base/files/shown-path';

/** Files that are listed; the others are counted. */
const MOST_FILES = 300;

interface KnownFile {
  /** Of its last change by the agent, or by a revert. */
  readonly seq: number;
  /** See {@link writtenAt}. */
  readonly written: string | undefined;
  readonly file: ChangedFile;
}

/** Computes the list of a session's files as they are now. A file is read again when it was changed, by whomever. */
export class ChangesSummary {
  private readonly known = new Map<string, KnownFile>();
  private lastVersion = 0;

  constructor(private readonly tracker: ChangeTracker) {}

  async of(records: readonly ChangeRecord[]): Promise<Changes> {
    const nets = [...filesOf(records)].sort((a, b) => b.last.seq - a.last.seq);
    const files: ChangedFile[] = [];
    const renames = renamesIn(nets);
    for (const net of nets.slice(0, MOST_FILES)) {
      const was = renames.get(net.path);
      files.push({
        ...(await this.file(net, records)),
        ...(was === undefined ? {} : { renamedFrom: shownPath(was.path, this.tracker.cwd) }),
        ...(this.tracker.journal.isKept(net.last) ? { kept: true } : {}),
      });
    }
    const note = coverageText(this.tracker.coverage);
    const undo = lastRevert(records).map(({ path }) => shownPath(path, this.tracker.cwd));
    return {
      files,
      more: nets.length - files.length,
      ...defined({ note }),
      ...(undo.length === 0 ? {} : { undo }),
    };
  }

  private async file(net: FileNet, records: readonly ChangeRecord[]): Promise<ChangedFile> {
    const { path, first, last } = net;
    const key = `${path}\0${first.seq}`;
    const known = this.known.get(key);
    const written = await writtenAt(path);
    if (known?.seq === last.seq && known.written === written) return known.file;
    const texts = await fileTexts(this.tracker, net);
    const diff = diffOf(texts);
    const { before } = first;
    const tools = records.filter(record => record.path === path && record.kind === 'tool').map(({ tool }) => tool);
    const file: ChangedFile = {
      path,
      displayPath: shownPath(path, this.tracker.cwd),
      kind: changeKind(before, texts.state),
      ...(diff === undefined ? {} : changedLineCounts(diff)),
      tools: [...new Set(tools)],
      version: (this.lastVersion += 1),
      ...(before.kind === 'lost' ? { cannotRevert: revertRefusalText({ type: 'notKept', why: before.why }) } : {}),
    };
    this.known.set(key, { seq: last.seq, written, file });
    return file;
  }
}

/** When a path got its present content, as far as the file system tells; undefined: there is nothing. */
async function writtenAt(path: string): Promise<string | undefined> {
  const info = await lstat(path, { bigint: true }).catch(() => undefined); // Reading it says why.
  return info && `${info.ino}/${info.size}/${info.mtimeNs}/${info.ctimeNs}`;
}

function changeKind(before: FileState, now: FileState): ChangedFile['kind'] {
  if (sameState(before, now)) return 'back';
  if (before.kind === 'absent') return 'created';
  return now.kind === 'absent' ? 'deleted' : 'changed';
}
