import * as vscode from 'vscode';
import { patternsFor, scopeRows, type ScopeRow } from '../../agent/models/choice/scope-choice';
import { writeSetting } from '../../agent/settings/write-setting';
import type { ModelSource } from '../../session/ports/ports';
import type { SettingsSource } from '../../startup/live-settings';

export interface ScopePickParts {
  readonly models: Pick<ModelSource, 'getAvailable' | 'onDidChange'>;
  readonly settings: Pick<SettingsSource, 'current'>;
  /** Absolute path of settings.json in the agent folder; it need not exist. */
  readonly file: string;
  /** Called after the file is written; resolves when the settings are in effect. */
  readonly written: () => Promise<void>;
}

type ScopeItem = vscode.QuickPickItem & { readonly name: string };

const UP: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('arrow-up'), tooltip: vscode.l10n.t('Earlier') };
const DOWN: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('arrow-down'), tooltip: vscode.l10n.t('Later') };

/**
 * Lets the user choose the scoped models and their order, and writes them to `enabledModels` of the agent folder's
 * settings.json. Patterns that match no model now stay unless the user unchecks them. Rejects when writing fails.
 */
export async function pickModelScope(parts: ScopePickParts): Promise<void> {
  const { settings, models, file, written } = parts;
  const before = settings.current.enabledModels;
  const list = new ScopeList(scopeRows(before, models.getAvailable()));
  const watch = models.onDidChange(() => list.add(scopeRows(before, models.getAvailable())));
  const chosen = await list.choose().finally(() => watch.dispose());
  if (chosen === undefined) return;
  const patterns = patternsFor(chosen, before, models.getAvailable());
  await writeSetting(file, 'enabledModels', patterns?.slice());
  await written();
  const counts = JSON.stringify(settings.current.enabledModels) === JSON.stringify(patterns ?? []);
  void vscode.window.showInformationMessage(
    counts
      ? vscode.l10n.t('The models to cycle through are saved.')
      : vscode.l10n.t('The models to cycle through are saved, but "enabledModels" of this folder is used here.'),
  );
}

class ScopeList {
  private readonly pick = vscode.window.createQuickPick<ScopeItem>();

  constructor(private rows: readonly ScopeRow[]) {
    const { pick } = this;
    pick.title = vscode.l10n.t('Models to cycle through');
    pick.placeholder = vscode.l10n.t(
      'Next Model switches between the checked models. If none is checked, it switches between all models.',
    );
    pick.canSelectMany = true;
    pick.matchOnDescription = true;
    pick.keepScrollPosition = true;
    pick.onDidTriggerItemButton(({ button, item }) => this.move(item.name, button === UP ? -1 : 1));
    this.show(rows.filter(({ inScope }) => inScope).map(({ name }) => name));
  }

  /** Resolves with the chosen names in their order, or undefined when the user cancels or changes nothing. */
  async choose(): Promise<readonly string[] | undefined> {
    const { pick } = this;
    const before = this.chosen.join('\n');
    try {
      const isAccepted = await new Promise<boolean>(resolve => {
        pick.onDidAccept(() => resolve(true));
        pick.onDidHide(() => resolve(false));
        pick.show();
      });
      return isAccepted && this.chosen.join('\n') !== before ? this.chosen : undefined;
    } finally {
      pick.dispose();
    }
  }

  /** Adds the rows that are not listed yet, at the end. */
  add(rows: readonly ScopeRow[]): void {
    const known = new Set(this.rows.map(({ name }) => name));
    this.rows = [...this.rows, ...rows.filter(({ name }) => !known.has(name))];
    this.show(this.chosen);
  }

  private get chosen(): readonly string[] {
    const selected = new Set(this.pick.selectedItems.map(({ name }) => name));
    return this.rows.map(({ name }) => name).filter(name => selected.has(name));
  }

  private move(name: string, by: 1 | -1): void {
    const from = this.rows.findIndex(row => row.name === name);
    const row = this.rows[from];
    if (row === undefined || from + by < 0) return;
    const chosen = this.chosen;
    this.rows = this.rows.toSpliced(from, 1).toSpliced(from + by, 0, row);
    this.show(chosen);
    const moved = this.pick.items.find(item => item.name === name);
    if (moved !== undefined) this.pick.activeItems = [moved];
  }

  private show(chosen: readonly string[]): void {
    this.pick.items = this.rows.map(itemFor);
    this.pick.selectedItems = this.pick.items.filter(({ name }) => chosen.includes(name));
  }
}

function itemFor({ name, model }: ScopeRow): ScopeItem {
  if (model === undefined) {
    return { label: name, description: vscode.l10n.t('matches no model that can be used now'), name };
  }
  return { label: model.name, description: name, buttons: [UP, DOWN], name };
}
