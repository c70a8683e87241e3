import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { readRegularText } from '../../base/files/regular-file';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Event } from '../../base/event';
import type { Log } from '../../base/log';
import type { HookText } from '../../hook-authoring/explain/explain-hook';
import { isOlderThanExtensions } from '../../hook-contract/dialects';
import type { HookInfo } from '../../hook-contract/hook-info';
import type { BabelTransform } from '../../hook-load/compile/compile';
import type { HookTarget } from '../hooks-view/hook-target';
import { dialectName, hookName, hookStateIcon, hookStateText } from '../hooks-view/hook-words';
import { SETTINGS_SECTION } from '../ids';
import type { ConversionParts } from './convert-hook';
import { importShellHooks } from './import-shell-hooks';
import { PluginConfigurer } from './plugin-config';
import { ShellDiagnostics } from './shell-diagnostics';

export interface HookAuthoringParts extends ConversionParts {
  readonly infos: () => readonly HookInfo[];
  /** Fires when the set of hooks, or the state of one, changed. */
  readonly onDidChange: Event<void>;
  /** Names of the agent's tools. */
  readonly tools: () => readonly string[];
  /** Absolute path of the folder with jiti's files. */
  readonly jitiDir: string;
  /** Absolute path of the folder that explanations are written to. */
  readonly storageDir: string;
  readonly log: Log;
}

/** Has hooks converted to the newest dialect, explains them, and imports shell hooks. */
export class HookAuthoring implements Disposable {
  private readonly store = new DisposableStore();
  private babel: BabelTransform | undefined;

  constructor(private readonly parts: HookAuthoringParts) {
    this.store.add(new ConversionActions(parts.infos));
    this.store.add(new ShellDiagnostics(parts));
    this.store.add(new PluginConfigurer(parts));
  }

  /** Has the agent convert a hook to the newest dialect (`convert-hook.ts`). Rejects for a hook that is an extension. */
  async convert(target: HookQuestion['target']): Promise<void> {
    const info = await chooseHook({
      infos: this.parts.infos(),
      target,
      suits: isOld,
      none: vscode.l10n.t('This window has no hook of an older dialect.'),
      placeHolder: vscode.l10n.t("Which hook do you want to convert to today's pi extensions?"),
    });
    if (info === undefined) return;
    const { path, dialect } = info;
    if (dialect !== undefined && !isOld(info)) {
      throw new Error(vscode.l10n.t('{0} is an extension already.', hookName(path)));
    }
    const { convertHook } = await import('./convert-hook');
    const isShown = await convertHook({ path, dialect: dialect?.id }, this.parts);
    if (isShown && dialect?.because === 'set by the dialect setting') await offerDialectSetting(hookName(path));
  }

  /** Shows a page that says what a hook does, as far as its source shows it. */
  async explain(target: HookQuestion['target']): Promise<void> {
    const info = await chooseHook({
      infos: this.parts.infos(),
      target,
      suits: () => true,
      none: vscode.l10n.t('No hooks are loaded in this window.'),
      placeHolder: vscode.l10n.t('Which hook do you want to explain?'),
    });
    if (info === undefined) return;
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(info.path));
    const [{ explainHook }, { explanationText }] = await Promise.all([
      import('../../hook-authoring/explain/explain-hook'),
      import('./explanation-text'),
    ]);
    const others = await othersOf(info);
    const explanation = explainHook({ info, text: document.getText(), others, babel: await this.parser() });
    // The page is a file, because only in a file relative links to the hook's lines work.
    const folder = join(this.parts.storageDir, 'explained');
    const shown = join(folder, `${hookName(info.path)}.md`);
    await mkdir(folder, { recursive: true });
    await writeFile(shown, explanationText(info, explanation, folder));
    await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.file(shown));
  }

  /** Imports shell hooks of other tools; see {@link importShellHooks}. */
  importShellHooks(): Promise<string | undefined> {
    return importShellHooks(this.parts.folder);
  }

  dispose(): void {
    this.store.dispose();
  }

  private async parser(): Promise<BabelTransform> {
    const { babelFrom } = await import('../../hook-load/compile/babel');
    return (this.babel ??= babelFrom(this.parts.jitiDir));
  }
}

/** Tells the user that a setting names the old dialect of a hook that is about to change, and offers to open it. */
async function offerDialectSetting(name: string): Promise<void> {
  const open = vscode.l10n.t('Open Setting');
  const text = vscode.l10n.t(
    'The setting {0} says that {1} is of an older dialect. Remove it there when you accept the conversion.',
    `${SETTINGS_SECTION}.hooks.dialects`,
    name,
  );
  if ((await vscode.window.showWarningMessage(text, open)) === open) {
    await vscode.commands.executeCommand('workbench.action.openSettings', `${SETTINGS_SECTION}.hooks.dialects`);
  }
}

/** How a command finds the hook that it acts on. */
interface HookQuestion {
  readonly infos: readonly HookInfo[];
  /** `inEditor`: the hook in the active editor; when there is none, the user is asked. Undefined: the user is asked. */
  readonly target: HookTarget | 'inEditor' | undefined;
  readonly suits: (info: HookInfo) => boolean;
  /** The message when no hook suits. */
  readonly none: string;
  readonly placeHolder: string;
}

/** The target, or the hook that the user picks. Undefined when the user cancels or there is no such hook. */
async function chooseHook({ infos, target, suits, none, placeHolder }: HookQuestion): Promise<HookInfo | undefined> {
  if (target === 'inEditor') {
    const active = vscode.window.activeTextEditor?.document;
    const own = infos.find(info => active?.uri.scheme === 'file' && info.path === active.uri.fsPath && suits(info));
    if (own !== undefined) return own;
  } else if (target !== undefined) return infos.find(({ path }) => path === target.hookPath);
  const items = infos.filter(suits).map(info => ({
    label: `$(${hookStateIcon(info).id}) ${hookName(info.path)}`,
    description: [...(info.dialect === undefined ? [] : [dialectName(info.dialect.id)]), hookStateText(info)].join(
      ' · ',
    ),
    detail: info.path,
    info,
  }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(none);
    return undefined;
  }
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.info;
}

/** Offers the conversion as a refactoring everywhere in a hook of an older dialect. */
class ConversionActions implements vscode.CodeActionProvider, Disposable {
  private readonly registration: vscode.Disposable;

  constructor(private readonly infos: () => readonly HookInfo[]) {
    const selector = ['typescript', 'javascript'].map(language => ({ scheme: 'file', language }));
    const kind = vscode.CodeActionKind.RefactorRewrite;
    this.registration = vscode.languages.registerCodeActionsProvider(selector, this, {
      providedCodeActionKinds: [kind],
    });
  }

  provideCodeActions(document: vscode.TextDocument): vscode.CodeAction[] {
    const info = this.infos().find(({ path }) => path === document.uri.fsPath);
    if (info === undefined || !isOld(info)) return [];
    const title = vscode.l10n.t("Convert hook to today's pi extensions…");
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.RefactorRewrite);
    action.command = { command: 'hookline.convertHook', title, arguments: [{ hookPath: info.path }] };
    return [action];
  }

  dispose(): void {
    this.registration.dispose();
  }
}

/** The source of the modules that a hook imports by path, without missing files and files of other types, such as JSON. */
async function othersOf({ path, files = [] }: HookInfo): Promise<readonly HookText[]> {
  const code = files.filter(file => file !== path && /\.[cm]?[jt]sx?$/.test(file));
  const texts = await Promise.allSettled(code.map(file => readRegularText(file)));
  return texts.flatMap((text, index) => {
    const file = code[index];
    return text.status === 'fulfilled' && file !== undefined ? [{ file, text: text.value }] : [];
  });
}

function isOld({ dialect }: HookInfo): boolean {
  return dialect !== undefined && isOlderThanExtensions(dialect.id);
}
