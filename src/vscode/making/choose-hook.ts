import * as vscode from 'vscode';
import type { HookInfo } from '../../hooks/hook';
import type { HookTarget } from '../hooks-view/hook-target';
import { nameOf, stateIcon, stateText } from '../hooks-view/hook-words';

/** Which hook a command is about, and why the one before the person cannot be meant. */
export interface HookWish {
  readonly infos: readonly HookInfo[];
  readonly target: HookTarget | undefined;
  readonly suits: (info: HookInfo) => boolean;
  /** Said when no hook suits. */
  readonly none: string;
  readonly placeHolder: string;
}

/** The target, else the hook in the active editor, else one that the person picks; undefined when they give up. */
export async function chooseHook({ infos, target, suits, none, placeHolder }: HookWish): Promise<HookInfo | undefined> {
  if (target !== undefined) return infos.find(({ path }) => path === target.hookPath);
  const active = vscode.window.activeTextEditor?.document;
  const own = infos.find(info => active?.uri.scheme === 'file' && info.path === active.uri.fsPath && suits(info));
  if (own !== undefined) return own;
  const items = infos.filter(suits).map(info => ({
    label: `$(${stateIcon(info).id}) ${nameOf(info.path)}`,
    description: [info.dialect?.id, stateText(info)].filter(each => each !== undefined).join(' · '),
    detail: info.path,
    info,
  }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(none);
    return undefined;
  }
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.info;
}
