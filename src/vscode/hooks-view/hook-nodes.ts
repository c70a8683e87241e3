import * as vscode from 'vscode';
import type { Problem } from '../../base/result';
import type { Coverage } from '../../hook-insight/event-coverage';
import type { HookInfo } from '../../hook-contract/hook-info';
import { totalStats, type HandlerKey, type HandlerStats } from '../../hook-insight/stats';
import { registeredIn, hookToolsIn, type HookTarget, type Registered } from './hook-target';
import {
  dialectText,
  durationText,
  errorsText,
  hookName,
  originText,
  originWord,
  hookStateIcon,
  hookStateText,
  statsText,
} from './hook-words';
import { isCommandCall } from '../../hook-contract/called-as';
import { agentItem, agentNodes, factNodes, type AgentNode, type AgentRow } from './agent-nodes';

/** One row of the Hooks view. Rows of kind `hook`, `registered` and `tool` are targets that the view's commands accept. */
export type HookNode =
  | ({ readonly kind: 'hook'; readonly info: HookInfo } & HookTarget)
  | ({ readonly kind: 'registered'; readonly registered: Registered; readonly isCommand: boolean } & HandlerKey)
  | ({ readonly kind: 'tool'; readonly tool: ReturnType<typeof hookToolsIn>[number] } & HandlerKey)
  | { readonly kind: 'problem'; readonly hookPath: string; readonly problem: Problem; readonly index: number }
  | { readonly kind: 'offer'; readonly offer: Offer }
  | { readonly kind: 'coverage' }
  | { readonly kind: 'covered'; readonly coverage: Coverage }
  | AgentNode;

/** Commands that are offered to a user who has no hooks yet. */
const OFFERS = ['newHook', 'getStarted'] as const;
/** The last is offered while no other agent is guarded. */
type Offer = (typeof OFFERS)[number] | 'guardAgents';

/** What the rows are made from. */
export interface HookTreeData {
  readonly infos: readonly HookInfo[];
  readonly stats: (handler: HandlerKey) => HandlerStats | undefined;
  readonly coverage: () => readonly Coverage[];
  /** Whether any dialect has an event of this name. */
  readonly isEvent: (name: string) => boolean;
  /** The other agents on this machine; undefined until they were looked for. */
  readonly agents: () => readonly AgentRow[] | undefined;
}

/** The rows below a row; for undefined, the top rows. */
export function hookNodeChildren(node: HookNode | undefined, facts: HookTreeData): readonly HookNode[] {
  if (node === undefined) {
    const offers = hasOwnHooks(facts.infos) ? [] : OFFERS;
    return [
      ...offers.map((offer): HookNode => ({ kind: 'offer', offer })),
      ...facts.infos.map((info): HookNode => ({ kind: 'hook', hookPath: info.path, info })),
      { kind: 'agents' },
      { kind: 'coverage' },
    ];
  }
  if (node.kind === 'agents') return nodesOfAgents(facts.agents() ?? []);
  if (node.kind === 'agent') return factNodes(node.agent);
  if (node.kind === 'coverage') return facts.coverage().map(coverage => ({ kind: 'covered', coverage }));
  if (node.kind !== 'hook') return [];
  const { info } = node;
  const problems = 'problems' in info.state ? info.state.problems : [];
  return [
    ...problems.map((problem, index): HookNode => ({
      kind: 'problem',
      hookPath: info.path,
      problem: { file: info.path, ...problem },
      index,
    })),
    ...registeredIn(info).map((registered): HookNode => ({
      kind: 'registered',
      hookPath: info.path,
      registeredAs: registered.registeredAs,
      nth: registered.nth,
      registered,
      isCommand: isCommandCall(registered.registeredAs),
    })),
    ...hookToolsIn(info).map((tool): HookNode => ({
      kind: 'tool',
      hookPath: info.path,
      registeredAs: tool.registeredAs,
      nth: tool.nth,
      tool,
    })),
  ];
}

function nodesOfAgents(agents: readonly AgentRow[]): readonly HookNode[] {
  const isOffered = agents.length > 0 && !agents.some(({ isGuarded }) => isGuarded);
  return [...(isOffered ? [{ kind: 'offer', offer: 'guardAgents' } as const] : []), ...agentNodes(agents)];
}

/** Whether there is a hook that does not ship with Hookline. */
export function hasOwnHooks(infos: readonly HookInfo[]): boolean {
  return infos.some(({ origin }) => origin !== 'built-in');
}

/** The row as a tree item of VS Code. Its id does not change when its counts or its state change. */
export function treeItemFor(node: HookNode, facts: HookTreeData): vscode.TreeItem {
  switch (node.kind) {
    case 'hook':
      return hookItem(node.info, facts);
    case 'registered':
      return registeredItem(node, facts);
    case 'tool':
      return toolItem(node);
    case 'problem':
      return problemItem(node);
    case 'offer':
      return offerItem(node.offer);
    case 'coverage':
      return coverageItem();
    case 'covered':
      return coveredItem(node.coverage);
    case 'agents':
    case 'agent':
    case 'agentFact':
      return agentItem(node, facts.agents());
  }
}

function offerItem(offer: Offer): vscode.TreeItem {
  const [label, icon] = offerFace(offer);
  const item = new vscode.TreeItem(label);
  item.id = `offer\n${offer}`;
  item.iconPath = new vscode.ThemeIcon(icon);
  item.contextValue = 'offer';
  item.command = { command: `hookline.${offer}`, title: label };
  return item;
}

function offerFace(offer: Offer): readonly [label: string, icon: string] {
  switch (offer) {
    case 'newHook':
      return [vscode.l10n.t('New Hook…'), 'add'];
    case 'getStarted':
      return [vscode.l10n.t('Get Started'), 'rocket'];
    case 'guardAgents':
      return [vscode.l10n.t('Guard Other Agents…'), 'shield'];
  }
}

function hookItem(info: HookInfo, facts: HookTreeData): vscode.TreeItem {
  const item = new vscode.TreeItem(hookName(info.path), vscode.TreeItemCollapsibleState.Expanded);
  const { id, color } = hookStateIcon(info);
  item.id = info.path;
  item.iconPath = new vscode.ThemeIcon(id, color === undefined ? undefined : new vscode.ThemeColor(color));
  item.description = hookLine(info, facts);
  item.tooltip = hookTooltip(info);
  item.contextValue = info.origin === 'built-in' ? 'hook.builtIn' : `hook.${kindOf(info)}`;
  item.accessibilityInformation = { label: `${hookName(info.path)}, ${hookStateText(info)}, ${item.description}` };
  item.command = openCommand({ hookPath: info.path });
  return item;
}

/** The state that decides on the hook's menu. An `unknown` change cannot be rejected: nothing approved is known. */
function kindOf({ state }: HookInfo): string {
  return state.type === 'waiting' && state.change === 'unknown' ? 'unknown' : state.type;
}

function hookLine(info: HookInfo, facts: HookTreeData): string {
  const sum = totalStats(registeredIn(info).map(registered => facts.stats(registered)));
  const parts = [originWord(info.origin)];
  if (info.state.type !== 'live') parts.unshift(hookStateText(info));
  if (sum !== undefined) {
    parts.push(`${sum.count}×`);
    if (sum.errors > 0) parts.push(errorsText(sum.errors));
    parts.push(`p95 ${durationText(sum.p95)}`);
  }
  return parts.join(' · ');
}

function hookTooltip(info: HookInfo): string {
  const { path, dialect, state } = info;
  return [
    path,
    '',
    vscode.l10n.t('State: {0}', hookStateText(info)),
    vscode.l10n.t('Found: {0}', originText(info.origin)),
    ...(dialect === undefined ? [] : [vscode.l10n.t('Read as: {0}', dialectText(dialect))]),
    ...('problems' in state ? ['', ...state.problems.map(({ message }) => message)] : []),
  ].join('\n');
}

function registeredItem(node: Extract<HookNode, { kind: 'registered' }>, facts: HookTreeData): vscode.TreeItem {
  const { registered, isCommand } = node;
  const stats = facts.stats(node);
  const item = new vscode.TreeItem(registered.label);
  item.id = `${node.hookPath}\n${node.registeredAs}\n${node.nth}`;
  const isUnknown = !isCommand && !facts.isEvent(node.registeredAs);
  const line = isUnknown ? vscode.l10n.t('never called, because no event has this name') : statsText(stats);
  item.description = line;
  item.iconPath = new vscode.ThemeIcon(iconFor(isCommand, isUnknown || (stats?.errors ?? 0) > 0));
  item.contextValue = isCommand ? 'command' : 'handler';
  const since =
    stats === undefined
      ? ''
      : `${vscode.l10n.t('Counted since this window was opened; the hook log keeps earlier calls.')}\n`;
  item.tooltip = `${registered.label}\n${line}\n${since}${placeText(registered)}`;
  item.command = openCommand({ hookPath: node.hookPath, registeredAs: node.registeredAs, nth: node.nth });
  return item;
}

function toolItem({ tool, ...target }: Extract<HookNode, { kind: 'tool' }>): vscode.TreeItem {
  const item = new vscode.TreeItem(tool.label);
  const [description = ''] = tool.description.trim().split('\n');
  item.id = `${target.hookPath}\n${target.registeredAs}`;
  item.description = description === '' ? vscode.l10n.t('a tool for the model') : description;
  item.iconPath = new vscode.ThemeIcon('tools');
  item.contextValue = 'tool';
  item.tooltip = [vscode.l10n.t('tool {0}', tool.label), tool.description.trim(), placeText(tool)].join('\n');
  item.command = openCommand({ hookPath: target.hookPath, registeredAs: target.registeredAs, nth: target.nth });
  return item;
}

function placeText({ file, line }: Registered): string {
  return line === undefined ? file : `${file}:${line}`;
}

function iconFor(isCommand: boolean, isTroubled: boolean): string {
  if (isTroubled) return 'warning';
  return isCommand ? 'terminal' : 'zap';
}

function problemItem({ hookPath, problem, index }: Extract<HookNode, { kind: 'problem' }>): vscode.TreeItem {
  const [first = ''] = problem.message.split('\n');
  const item = new vscode.TreeItem(first);
  item.id = `${hookPath}\nproblem\n${index}`;
  item.description = problem.line === undefined ? '' : vscode.l10n.t('line {0}', problem.line);
  item.tooltip = problem.message;
  item.iconPath = new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
  item.contextValue = 'problem';
  item.command = openCommand({ hookPath });
  return item;
}

function coverageItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('Coverage'), vscode.TreeItemCollapsibleState.Expanded);
  item.id = 'coverage';
  item.description = vscode.l10n.t('what hooks see now');
  item.iconPath = new vscode.ThemeIcon('eye');
  item.contextValue = 'coverage';
  return item;
}

function coveredItem({ type, label, hooks, builtIn }: Coverage): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.id = `coverage\n${type}`;
  const all = [...hooks, ...builtIn.map(hookName)];
  const text = coverageText(hooks.length, builtIn.length > 0);
  item.description = text;
  item.tooltip = [`${label}: ${text}`, ...all].join('\n');
  item.iconPath = new vscode.ThemeIcon(all.length === 0 ? 'eye-closed' : 'eye');
  item.contextValue = 'covered';
  return item;
}

/** A text such as "2 hooks would see it now, then the built-in gate". */
function coverageText(hooks: number, isGated: boolean): string {
  if (hooks === 0 && isGated) return vscode.l10n.t('only the built-in gate would see it now');
  const seen = seenText(hooks);
  return isGated ? vscode.l10n.t('{0}, then the built-in gate', seen) : seen;
}

function seenText(hooks: number): string {
  if (hooks === 0) return vscode.l10n.t('no hook would see it now');
  return hooks === 1 ? vscode.l10n.t('1 hook would see it now') : vscode.l10n.t('{0} hooks would see it now', hooks);
}

function openCommand(target: HookTarget): vscode.Command {
  return { command: 'hookline.openHook', title: vscode.l10n.t('Open'), arguments: [target] };
}
