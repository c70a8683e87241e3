import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { HookHost } from '../../hook-run/host/host';
import type { TextDocuments } from '../text-documents';

export interface HookComparisonParts {
  readonly host: Pick<HookHost, 'infos' | 'onDidChange' | 'heldSources'>;
  readonly texts: TextDocuments;
}

/** The diffs of held changes. They close once the change does not wait any more: its title would be wrong from then on. */
export class HookComparisons implements Disposable {
  private readonly store = new DisposableStore();
  /** URI of the left side -> path of the hook. */
  private readonly hooks = new Map<string, string>();

  constructor(private readonly parts: HookComparisonParts) {
    this.store.add(parts.host.onDidChange(() => void this.closeDecided()));
  }

  /** Shows the held change of a hook: the running version on the left, the waiting one on the right. */
  async show(hookPath: string): Promise<void> {
    for (const { path, running } of this.parts.host.heldSources(hookPath)) {
      const left = await this.compareWithDisk(path, running);
      this.hooks.set(left.toString(), hookPath);
    }
  }

  dispose(): void {
    this.store.dispose();
  }

  /**
   * Compares the running source with the file on disk, and returns the left side; `running` is undefined for a new file.
   * The right side is the file itself, so that the diff always shows what would be approved.
   */
  private async compareWithDisk(path: string, running: string | undefined): Promise<vscode.Uri> {
    const { texts } = this.parts;
    const name = basename(path);
    const left = texts.add(running ?? '', name);
    const right = existsSync(path) ? vscode.Uri.file(path) : texts.add('', name);
    const title = vscode.l10n.t('{0}: running ↔ waiting for approval', name);
    await vscode.commands.executeCommand('vscode.diff', left, right, title);
    return left;
  }

  private async closeDecided(): Promise<void> {
    const waiting = new Set(
      this.parts.host
        .infos()
        .filter(({ state }) => state.type === 'waiting')
        .map(({ path }) => path),
    );
    const decided = new Set<string>();
    for (const [left, hookPath] of this.hooks) {
      if (waiting.has(hookPath)) continue;
      decided.add(left);
      this.hooks.delete(left);
    }
    if (decided.size === 0) return;
    for (const tab of tabsOf(decided)) if (tab.isActive) await showFileOf(tab);
    // The file may have taken the place of a diff.
    await vscode.window.tabGroups.close([...tabsOf(decided)], true);
  }
}

/** The open diffs with these left sides, without those that the user is typing into. */
function tabsOf(lefts: ReadonlySet<string>): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(
      ({ input, isDirty }) =>
        !isDirty && input instanceof vscode.TabInputTextDiff && lefts.has(input.original.toString()),
    );
}

/** Shows the file of a diff in its place, unless the file is gone. The focus stays where it is. */
async function showFileOf({ input, group }: vscode.Tab): Promise<void> {
  if (!(input instanceof vscode.TabInputTextDiff) || !existsSync(input.modified.fsPath)) return;
  const { viewColumn } = group;
  await vscode.window.showTextDocument(input.modified, { viewColumn, preserveFocus: true });
}
