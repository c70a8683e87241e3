import { basename } from 'node:path';
import * as vscode from 'vscode';
import { hideLikelySecrets } from '../../base/text/redact';
import type { Problem } from '../../base/result';
import { reachOf, type ToolReach } from '../../mcp/config/exposure';
import { addressOf } from '../../mcp/config/server-config';
import type { McpPrompt, McpTool } from '../../mcp/connection/server-offer';
import type { McpServer, McpServerState } from '../../mcp/managed-server';

/** One row of the MCP servers view. The view's commands accept rows that have a `server`. */
export type McpNode =
  | { readonly kind: 'server'; readonly server: McpServer }
  | { readonly kind: 'tool'; readonly server: McpServer; readonly tool: McpTool }
  | { readonly kind: 'prompt'; readonly server: McpServer; readonly prompt: McpPrompt }
  | { readonly kind: 'resources'; readonly server: McpServer }
  /** A problem with what a server offers, or the reason why it is not connected. */
  | { readonly kind: 'trouble'; readonly server: McpServer; readonly message: string; readonly index: number }
  /** A problem with an `mcp.json`, or with a server that a hook registered. */
  | { readonly kind: 'fault'; readonly problem: Problem; readonly index: number };

/** What the rows are made from. */
export interface McpTreeData {
  readonly servers: readonly McpServer[];
  readonly problems: readonly Problem[];
}

/** The rows below a row; for undefined, the top rows. */
export function mcpNodeChildren(node: McpNode | undefined, { servers, problems }: McpTreeData): readonly McpNode[] {
  if (node === undefined) {
    return [
      ...problems.map((problem, index): McpNode => ({ kind: 'fault', problem, index })),
      ...servers.map((server): McpNode => ({ kind: 'server', server })),
    ];
  }
  if (node.kind !== 'server') return [];
  const { server } = node;
  const { state, offer } = server;
  const troubles = [...('error' in state ? [state.error] : []), ...(offer?.problems ?? [])];
  return [
    ...troubles.map((message, index): McpNode => ({ kind: 'trouble', server, message, index })),
    ...(offer?.tools ?? []).map((tool): McpNode => ({ kind: 'tool', server, tool })),
    ...(offer?.prompts ?? []).map((prompt): McpNode => ({ kind: 'prompt', server, prompt })),
    ...(offer?.hasResources === true ? [{ kind: 'resources', server } as const] : []),
  ];
}

/** The row as a tree item of VS Code. Its id does not change when the state changes. */
export function mcpItem(node: McpNode): vscode.TreeItem {
  switch (node.kind) {
    case 'server':
      return itemOfServer(node.server);
    case 'tool':
      return itemOfTool(node.server, node.tool);
    case 'prompt':
      return itemOfPrompt(node.server, node.prompt);
    case 'resources':
      return itemOfResources(node.server);
    case 'trouble':
      return itemOfTrouble(node);
    case 'fault':
      return itemOfFault(node);
  }
}

/** A phrase that says the state of a server. */
export function serverStateText({ state, offer }: Pick<McpServer, 'state' | 'offer'>): string {
  switch (state.type) {
    case 'disabled':
      return vscode.l10n.t('turned off');
    case 'connecting':
      return vscode.l10n.t('connecting');
    case 'connected':
      return connectedText(offer?.tools.length ?? 0);
    case 'needsLogin':
      return vscode.l10n.t('needs a login');
    case 'failed':
      return vscode.l10n.t('failed');
    case 'disconnected':
      return vscode.l10n.t('disconnected; the next call connects it again');
  }
}

function connectedText(tools: number): string {
  return tools === 1 ? vscode.l10n.t('connected, 1 tool') : vscode.l10n.t('connected, {0} tools', tools);
}

function itemOfServer(server: McpServer): vscode.TreeItem {
  const { name, entry, state, offer } = server;
  const hasMore = mcpNodeChildren({ kind: 'server', server }, { servers: [], problems: [] }).length > 0;
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(name, hasMore ? Collapsed : None);
  item.id = name;
  item.description = [serverStateText(server), reachText(server.reach), scopeText(server)].join(' · ');
  item.iconPath = new vscode.ThemeIcon(...ICONS[state.type]);
  item.contextValue = ['server', state.type, entry.scope, ...(server.usesLogin ? ['login'] : [])].join(' ');
  item.tooltip = [
    hideLikelySecrets(addressOf(entry.config)),
    ...(entry.config.description === undefined ? [] : [entry.config.description]),
    ...('error' in state ? [state.error] : []),
    ...(offer?.serverInfo === undefined ? [] : [`${offer.serverInfo.name} ${offer.serverInfo.version}`]),
    vscode.l10n.t('Defined in {0}', entry.source),
    ...(entry.override === undefined ? [] : [vscode.l10n.t('Overridden in {0}', entry.override)]),
  ].join('\n');
  item.accessibilityInformation = { label: `${name}, ${item.description}` };
  return item;
}

const ICONS: Readonly<Record<McpServerState['type'], [id: string, color?: vscode.ThemeColor]>> = {
  connected: ['server-process'],
  connecting: ['loading~spin'],
  needsLogin: ['lock', new vscode.ThemeColor('list.warningForeground')],
  failed: ['error', new vscode.ThemeColor('list.errorForeground')],
  disconnected: ['debug-disconnect', new vscode.ThemeColor('list.warningForeground')],
  disabled: ['circle-slash'],
};

/** A phrase for how the model reaches tools. */
function reachText(reach: ToolReach): string {
  switch (reach) {
    case 'direct':
      return vscode.l10n.t('direct');
    case 'deferred':
      return vscode.l10n.t('tools found by search');
    case 'hidden':
      return vscode.l10n.t('hidden');
  }
}

function scopeText({ entry }: McpServer): string {
  switch (entry.scope) {
    case 'user':
      return vscode.l10n.t('all folders');
    case 'project':
      return vscode.l10n.t('this folder');
    case 'hook':
      return vscode.l10n.t('of the hook {0}', basename(entry.source));
    case 'client':
      return entry.source;
  }
}

function itemOfTool(server: McpServer, tool: McpTool): vscode.TreeItem {
  const item = new vscode.TreeItem(tool.name);
  item.id = `${server.name}\ntool\n${tool.name}`;
  const reach = reachOf(server.entry.config, tool.name);
  item.description = reach === server.reach ? (tool.title ?? '') : reachText(reach);
  const hints = Object.entries(tool.annotations).map(([hint, value]) => `${hint}: ${value}`);
  item.tooltip = [tool.title ?? tool.name, tool.description ?? '', reachText(reach), ...hints]
    .filter(line => line !== '')
    .join('\n');
  item.iconPath = new vscode.ThemeIcon('tools');
  item.contextValue = 'tool';
  return item;
}

function itemOfPrompt(server: McpServer, prompt: McpPrompt): vscode.TreeItem {
  const item = new vscode.TreeItem(prompt.name);
  item.id = `${server.name}\nprompt\n${prompt.name}`;
  item.description = vscode.l10n.t('prompt');
  item.tooltip = [prompt.title ?? prompt.name, prompt.description ?? ''].filter(line => line !== '').join('\n');
  item.iconPath = new vscode.ThemeIcon('comment');
  item.contextValue = 'prompt';
  return item;
}

function itemOfResources(server: McpServer): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('Resources'));
  item.id = `${server.name}\nresources`;
  item.tooltip = vscode.l10n.t('The agent lists and reads them with its tools for resources.');
  item.iconPath = new vscode.ThemeIcon('library');
  item.contextValue = 'resources';
  return item;
}

function itemOfTrouble({ server, message, index }: Extract<McpNode, { kind: 'trouble' }>): vscode.TreeItem {
  const item = new vscode.TreeItem(message.split('\n', 1)[0] ?? '');
  item.id = `${server.name}\ntrouble\n${index}`;
  item.tooltip = message;
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.contextValue = 'trouble';
  return item;
}

function itemOfFault({ problem, index }: Extract<McpNode, { kind: 'fault' }>): vscode.TreeItem {
  const { message, file, line = 1, column = 1 } = problem;
  const item = new vscode.TreeItem(message);
  item.id = `fault\n${index}`;
  item.tooltip = file === undefined ? message : `${message}\n${file}:${line}:${column}`;
  item.iconPath = new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
  item.contextValue = 'fault';
  if (file !== undefined) {
    item.description = `${basename(file)}:${line}:${column}`;
    const at = new vscode.Position(line - 1, column - 1);
    const options: vscode.TextDocumentShowOptions = { selection: new vscode.Range(at, at) };
    item.command = {
      command: 'vscode.open',
      title: vscode.l10n.t('Open'),
      arguments: [vscode.Uri.file(file), options],
    };
  }
  return item;
}
