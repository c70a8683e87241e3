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

/** Computes the list of a session's files. Lines are counted once per change of a file. */
export class ChangesSummary {
  private readonly known = new Map<string, ChangedFile>();

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
    if (known?.version === last.seq) return known;
    const diff = diffOf(await fileTexts(this.tracker, net));
    const { before } = first;
    const tools = records.filter(record => record.path === path && record.kind === 'tool').map(({ tool }) => tool);
    const file: ChangedFile = {
      path,
      displayPath: shownPath(path, this.tracker.cwd),
      kind: changeKind(net),
      ...(diff === undefined ? {} : changedLineCounts(diff)),
      tools: [...new Set(tools)],
      version: last.seq,
      ...(before.kind === 'lost' ? { cannotRevert: revertRefusalText({ type: 'notKept', why: before.why }) } : {}),
    };
    this.known.set(key, file);
    return file;
  }
}

function changeKind({ first, last, isBack }: FileNet): ChangedFile['kind'] {
  if (isBack) return 'back';
  if (first.before.kind === 'absent') return 'created';
  return last.after.kind === 'absent' ? 'deleted' : 'changed';
}
