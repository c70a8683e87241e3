import * as l10n from '@vscode/l10n';
import type { Problem } from '../base/result';
import type { McpServer } from './managed-server';

/** The state of a server in a few words; for a failure, the first line of the error. */
export function stateText({ state, offer, name }: Pick<McpServer, 'state' | 'offer' | 'name'>): string {
  switch (state.type) {
    case 'disabled':
      return l10n.t('turned off');
    case 'connecting':
      return l10n.t('connecting');
    case 'connected':
      return offer?.tools.length === 1
        ? l10n.t('connected, 1 tool')
        : l10n.t('connected, {0} tools', offer?.tools.length ?? 0);
    case 'needsLogin':
      return l10n.t('needs a login: /mcp login {0}', name);
    case 'failed':
      return l10n.t('failed: {0}', firstLine(state.error));
    case 'disconnected':
      return l10n.t('disconnected, the next call connects again: {0}', firstLine(state.error));
  }
}

/** The facts from which {@link describeServers} makes its text. */
export interface ServersToDescribe {
  readonly list: () => readonly McpServer[];
  readonly problems: readonly Problem[];
  readonly replacedBy: string | undefined;
}

/** All servers with their states, and what is wrong with the configuration; several lines. */
export function describeServers(servers: ServersToDescribe): string {
  if (servers.replacedBy !== undefined) {
    return l10n.t('The hook {0} manages the MCP servers.', servers.replacedBy);
  }
  const lines = servers
    .list()
    .map(server => `${server.name}: ${stateText(server)} (${server.entry.config.exposure ?? server.reach})`);
  const problems = servers.problems.map(({ message, file, line }) => {
    return file === undefined ? message : `${message} (${file}${line === undefined ? '' : `:${line}`})`;
  });
  if (lines.length + problems.length === 0) {
    return l10n.t('No MCP servers are configured. They are added to mcp.json of the agent folder or to .pi/mcp.json.');
  }
  return [...lines, ...problems].join('\n');
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
