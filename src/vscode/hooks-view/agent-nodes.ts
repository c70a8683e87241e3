import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Problem } from '../../base/result';
import type { AgentId } from '../../guard/protocol/agent-call';
import { timeText } from './hook-words';
import { isUntested, testedText, type TestedAgent } from './tested-words';

/** Another agent on this machine, as its row shows it. */
export interface AgentRow extends TestedAgent {
  readonly id: AgentId;
  /** As users know it. */
  readonly name: string;
  readonly isGuarded: boolean;
  /** Whether the agent itself runs the hooks that its configuration names; undefined where it has no such step, or is not guarded. */
  readonly isTrusted: boolean | undefined;
  /** Which built-in gate its calls go through; undefined for none. */
  readonly gate: string | undefined;
  /** Calls of today, and how many of them were blocked. */
  readonly calls: number;
  readonly blocks: number;
  /** The last call and what became of it, in words; `at`: ms since 1970. */
  readonly last: { readonly at: number; readonly text: string } | undefined;
  /** Places that keep the agent from calling its hooks; the message is the setting. */
  readonly switchedOff: readonly Problem[];
  /** What else keeps the guard from working. */
  readonly problems: readonly Problem[];
  /** What hooks did that can have no effect in this agent, in words. */
  readonly withoutEffect: readonly string[];
}

/** Rows of the Hooks view about other agents. */
export type AgentNode =
  | { readonly kind: 'agents' }
  | { readonly kind: 'agent'; readonly agent: AgentRow }
  | { readonly kind: 'agentFact'; readonly agent: AgentRow; readonly fact: AgentFact; readonly index: number };

/** A line below the row of an agent. */
interface AgentFact {
  readonly label: string;
  readonly icon: string;
  readonly color?: string;
  /** A file that the row opens. */
  readonly place?: Pick<Problem, 'file' | 'line'>;
}

/** The rows below the row of all agents. */
export function agentNodes(agents: readonly AgentRow[]): readonly AgentNode[] {
  return agents.map(agent => ({ kind: 'agent', agent }));
}

/** The rows below that of an agent. */
export function factNodes(agent: AgentRow): readonly AgentNode[] {
  return factsOf(agent).map((fact, index) => ({ kind: 'agentFact', agent, fact, index }));
}

/** The row as a tree item; `agents` are all that were found, undefined until they were looked for. */
export function agentItem(node: AgentNode, agents: readonly AgentRow[] | undefined): vscode.TreeItem {
  switch (node.kind) {
    case 'agents':
      return agentsItem(agents);
    case 'agent':
      return oneAgentItem(node.agent);
    case 'agentFact':
      return factItem(node.agent, node.fact, node.index);
  }
}

function agentsItem(agents: readonly AgentRow[] | undefined): vscode.TreeItem {
  const { Expanded, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(vscode.l10n.t('Other agents'), agents?.length === 0 ? None : Expanded);
  item.id = 'agents';
  item.iconPath = new vscode.ThemeIcon('shield');
  item.description = agentsText(agents);
  item.tooltip = vscode.l10n.t('Agents of others on this machine, which the same hooks can guard.');
  item.contextValue = agents?.some(({ isGuarded }) => isGuarded) === true ? 'agents.guarded' : 'agents.unguarded';
  item.accessibilityInformation = { label: `${vscode.l10n.t('Other agents')}, ${item.description}` };
  return item;
}

function agentsText(agents: readonly AgentRow[] | undefined): string {
  if (agents === undefined) return vscode.l10n.t('looking for them…');
  if (agents.length === 0) return vscode.l10n.t('none found');
  const guarded = agents.filter(({ isGuarded }) => isGuarded).length;
  return guarded === 0 ? vscode.l10n.t('none is guarded') : vscode.l10n.t('{0} of {1} guarded', guarded, agents.length);
}

function oneAgentItem(agent: AgentRow): vscode.TreeItem {
  const { id, name, isGuarded } = agent;
  const item = new vscode.TreeItem(
    name,
    isInTrouble(agent) ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
  );
  const { icon, color } = agentIcon(agent);
  item.id = `agent\n${id}`;
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
  item.description = agentText(agent);
  item.tooltip = [`${name}: ${item.description}`, ...factsOf(agent).map(({ label }) => label)].join('\n');
  item.contextValue = isGuarded ? 'agent.guarded' : 'agent.unguarded';
  const state = isGuarded ? [vscode.l10n.t('guarded')] : [];
  item.accessibilityInformation = { label: [...new Set([name, ...state, item.description])].join(', ') };
  return item;
}

function agentIcon(agent: AgentRow): { readonly icon: string; readonly color?: string } {
  if (isInTrouble(agent)) return { icon: 'error', color: 'list.errorForeground' };
  return agent.isGuarded ? { icon: 'pass', color: 'testing.iconPassed' } : { icon: 'circle-slash' };
}

function isInTrouble({ isGuarded, isTrusted, switchedOff, problems }: AgentRow): boolean {
  return problems.length > 0 || (isGuarded && (switchedOff.length > 0 || isTrusted === false));
}

/** Short, and the most important comes first: VS Code cuts the end. */
function agentText({ isGuarded, isTrusted, switchedOff, problems, calls, blocks }: AgentRow): string {
  if (isGuarded && switchedOff.length > 0) return vscode.l10n.t('switched off');
  const [problem] = problems;
  if (problem !== undefined) return problem.message;
  if (!isGuarded) return vscode.l10n.t('not guarded');
  if (isTrusted === false) return vscode.l10n.t('does not trust it yet');
  if (calls === 0) return vscode.l10n.t('guarded');
  return blocks === 0 ? callsText(calls) : vscode.l10n.t('{0} of {1} blocked', blocks, calls);
}

function callsText(calls: number): string {
  return calls === 1 ? vscode.l10n.t('1 call today') : vscode.l10n.t('{0} calls today', calls);
}

function countsText(calls: number, blocks: number): string {
  return `${callsText(calls)}, ${blocks === 0 ? vscode.l10n.t('none blocked') : vscode.l10n.t('{0} blocked', blocks)}`;
}

function factsOf(agent: AgentRow): readonly AgentFact[] {
  const { name, isGuarded, isTrusted, gate, calls, blocks, last, withoutEffect } = agent;
  const error = { icon: 'error', color: 'list.errorForeground' };
  const facts: AgentFact[] = [
    ...(isGuarded ? agent.switchedOff : []).map(place => ({ label: switchText(place), place, ...error })),
    ...agent.problems.map(place => ({ label: place.message, place, ...error })),
  ];
  const warning = { icon: 'warning', color: 'list.warningForeground' };
  facts.push({ label: testedText(agent), ...(isUntested(agent) ? warning : { icon: 'versions' }) });
  if (!isGuarded) return facts;
  if (isTrusted === true) facts.push({ label: vscode.l10n.t('{0} trusts its guard', name), icon: 'verified' });
  if (isTrusted === false) {
    facts.push({ label: vscode.l10n.t('skipped until {0} trusts it', name), ...warning });
  }
  facts.push({
    label:
      gate === undefined ? vscode.l10n.t('only your hooks decide') : vscode.l10n.t('the built-in gate, too: {0}', gate),
    icon: 'law',
  });
  facts.push({ label: calls === 0 ? vscode.l10n.t('no call today') : countsText(calls, blocks), icon: 'graph' });
  if (last !== undefined) {
    facts.push({ label: `${last.text} · ${timeText(last.at)}`, icon: 'history' });
  }
  return [...facts, ...withoutEffect.map(label => ({ label: vscode.l10n.t('no effect: {0}', label), icon: 'info' }))];
}

function switchText({ file = '', line = 1, message }: Problem): string {
  return vscode.l10n.t('off by {0}, line {1}: {2}', basename(file), line, message);
}

function factItem({ id }: AgentRow, { label, icon, color, place }: AgentFact, index: number): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.id = `agent\n${id}\n${index}`;
  item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
  item.tooltip = place?.file === undefined ? label : `${label}\n${place.file}`;
  item.contextValue = 'agentFact';
  if (place?.file !== undefined) {
    const at = new vscode.Position(Math.max(0, (place.line ?? 1) - 1), 0);
    item.command = {
      command: 'vscode.open',
      title: vscode.l10n.t('Open'),
      arguments: [vscode.Uri.file(place.file), { selection: new vscode.Range(at, at) }],
    };
  }
  return item;
}
