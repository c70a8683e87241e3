import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { DelayedCall } from '../../base/async/repeated-calls';
import type { FoundPackage, NpmClient } from '../../packages/install/fetch/npm-client';
import type { SettingsScope } from '../../packages/install/settings-entries';
import { parsePackageSource } from '../../packages/package-source';
import { ChangingItems } from '../pickers/changing-items';

/** The registry is searched when the user has not typed for this long, ms. */
const TYPING_MS = 300;

interface SourceItem extends vscode.QuickPickItem {
  readonly source: string;
}

/**
 * Lets the user choose what to install: a package for pi that the npm registry finds, or a source that they type (`npm:…`,
 * `git:…`, a URL or a path). Resolves with the source, or undefined when the user cancels.
 */
export async function pickSource(
  npm: Pick<NpmClient, 'search'>,
  { cwd, typed = '' }: { readonly cwd: string; readonly typed?: string | undefined },
): Promise<string | undefined> {
  const store = new DisposableStore();
  const pick = store.add(vscode.window.createQuickPick<SourceItem>());
  const search = store.add(new RegistrySearch(pick, npm, cwd));
  pick.title = vscode.l10n.t('Install a package');
  pick.placeholder = vscode.l10n.t('Search npm for packages of pi, or type npm:name, git:host/owner/repo or a path');
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  // The pick stays open while the user copies the source from another window.
  pick.ignoreFocusOut = true;
  pick.value = typed;
  try {
    return await new Promise<string | undefined>(resolve => {
      store.add(pick.onDidChangeValue(value => search.type(value)));
      store.add(
        pick.onDidAccept(() => {
          const chosen = search.items.seen(pick.selectedItems[0]);
          if (chosen !== undefined) resolve(chosen.source);
        }),
      );
      store.add(pick.onDidHide(() => resolve(undefined)));
      pick.show();
      search.type(typed);
    });
  } finally {
    store.dispose();
  }
}

/** Updates the list while the user types. A new search stops the one before. */
class RegistrySearch {
  private readonly later = new DelayedCall(() => void this.ask());
  private running: AbortController | undefined;
  private found: readonly FoundPackage[] = [];
  private text = '';
  readonly items: ChangingItems<SourceItem>;

  constructor(
    private readonly pick: vscode.QuickPick<SourceItem>,
    private readonly npm: Pick<NpmClient, 'search'>,
    private readonly cwd: string,
  ) {
    this.items = new ChangingItems(pick);
  }

  type(value: string): void {
    this.text = value.trim();
    this.running?.abort();
    this.show();
    if (isSource(this.text, this.cwd)) this.pick.busy = false;
    else this.later.schedule(TYPING_MS);
  }

  dispose(): void {
    this.later.dispose();
    this.running?.abort();
  }

  private async ask(): Promise<void> {
    const mine = new AbortController();
    this.running = mine;
    this.pick.busy = true;
    try {
      this.found = await this.npm.search(this.text, mine.signal);
      if (!mine.signal.aborted) this.show();
    } catch (error) {
      if (mine.signal.aborted) return; // The user has typed something else.
      this.found = [];
      this.show(messageOf(error));
    } finally {
      if (this.running === mine) this.pick.busy = false;
    }
  }

  private show(problem?: string): void {
    const items: SourceItem[] = this.found.map(({ name, version, description, publisher }) => ({
      label: `$(package) ${name}`,
      description: [version, publisher].filter(word => word !== '').join(' · '),
      detail: description,
      source: `npm:${name}`,
      alwaysShow: true,
    }));
    const { text } = this;
    if (text !== '') {
      const isWhole = isSource(text, this.cwd);
      const source = isWhole || /^[./~]/.test(text) ? text : `npm:${text}`;
      const own = {
        label: `$(cloud-download) ${source}`,
        description: vscode.l10n.t('as typed'),
        source,
        alwaysShow: true,
      };
      if (isWhole) items.unshift(own);
      else if (!items.some(item => item.source === source)) items.push(own);
    }
    this.pick.title =
      problem === undefined
        ? vscode.l10n.t('Install a package')
        : vscode.l10n.t('npm cannot be searched; type the name of a package. {0}', problem);
    this.items.set(items);
  }
}

/** Whether a text is a complete source, such as `git:…` or a path, and not just words to search for. */
function isSource(text: string, cwd: string): boolean {
  return /^(npm:|git:|https?:|ssh:|[./~])/.test(text) && parsePackageSource(text, cwd).ok;
}

/** Asks for whom to install a package; without a folder, it is for the user. Undefined when the user cancels. */
export async function pickInstallScope(source: string, folder: string | undefined): Promise<SettingsScope | undefined> {
  if (folder === undefined) return 'user';
  const items: (vscode.QuickPickItem & { readonly scope: SettingsScope })[] = [
    { label: vscode.l10n.t('For you'), detail: vscode.l10n.t('In every folder, also in pi'), scope: 'user' },
    {
      label: vscode.l10n.t('For this folder'),
      detail: vscode.l10n.t('Declared in .pi/settings.json, for everyone who works in it'),
      scope: 'project',
    },
  ];
  const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Install {0}', source) });
  return chosen?.scope;
}
