import * as vscode from 'vscode';
import type { HookInfo } from '../../hooks/hook';
import type { HookTarget } from '../hooks-view/hook-target';
import { nameOf, stateIcon, stateText } from '../hooks-view/hook-words';

/** Which hook a command is about. */
export interface HookWish {
  readonly infos: readonly HookInfo[];
  /** `inEditor`: the hook in the active editor, if there is one. Undefined: the person is asked. */
  readonly target: HookTarget | 'inEditor' | undefined;
  readonly suits: (info: HookInfo) => boolean;
  /** Said when no hook suits. */
  readonly none: string;
  readonly placeHolder: string;
}

/** The hook that is meant, else one that the person picks; undefined when they give up. */
export async function chooseHook({ infos, target, suits, none, placeHolder }: HookWish): Promise<HookInfo | undefined> {
  if (target === 'inEditor') {
    const active = vscode.window.activeTextEditor?.document;
    const own = infos.find(info => active?.uri.scheme === 'file' && info.path === active.uri.fsPath && suits(info));
    if (own !== undefined) return own;
  } else if (target !== undefined) return infos.find(({ path }) => path === target.hookPath);
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
