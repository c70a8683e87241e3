import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Event } from '../../base/event';
import { COMPANION_ID, contextKeyOf } from './companion-manifest';
import type { Companion } from './palette-sync';
import { storedZip } from './stored-zip';

/** Installs the companion extension from a VSIX that it writes into `dir` (absolute path). */
export class CompanionExtension implements Companion {
  readonly onDidChange: Event<void> = listener => vscode.extensions.onDidChange(() => listener());

  constructor(
    private readonly dir: string,
    private readonly hash: string,
  ) {}

  manifest(): unknown {
    return vscode.extensions.getExtension(COMPANION_ID)?.packageJSON;
  }

  async install(manifest: object): Promise<void> {
    await mkdir(this.dir, { recursive: true });
    // Each workspace has its own file, because two windows may install at the same time.
    const file = join(this.dir, `hook-commands-${this.hash}.vsix`);
    const draft = `${file}.${process.pid}`;
    await writeFile(draft, storedZip('extension/package.json', Buffer.from(JSON.stringify(manifest, null, 2))));
    await rename(draft, file);
    await vscode.commands.executeCommand('workbench.extensions.installExtension', vscode.Uri.file(file));
  }

  /** Uninstalls the companion extension, which removes the entries of all workspaces. */
  async uninstall(): Promise<void> {
    if (this.manifest() === undefined) return;
    await vscode.commands.executeCommand('workbench.extensions.uninstallExtension', COMPANION_ID);
  }

  show(visible: boolean): void {
    void vscode.commands.executeCommand('setContext', contextKeyOf(this.hash), visible ? true : undefined);
  }
}
