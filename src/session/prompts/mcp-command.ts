import * as l10n from '@vscode/l10n';
import { messageOf } from '../../base/errors';
import type { NoticeLevel } from '../../hook-contract/ui/ui';
import type { SlashCommand } from '../../protocol/messages';
import type { McpPort } from '../../mcp/mcp-port';
import { describeServers, stateText } from '../../mcp/status-text';

/** The slash command for MCP servers, unless a hook has one of this name. */
export const MCP_COMMAND = 'mcp';

/** How long a user may take to log in, in ms; as in pi. */
const LOGIN_MS = 5 * 60_000;

/** What the command needs of its conversation. */
export interface McpCommandParts {
  readonly mcp: McpPort;
  /** Shows a text to the user. */
  readonly notify: (text: string, level: NoticeLevel) => void;
}

/** Runs `/mcp`, `/mcp login|logout|reconnect <server>`; the result is shown to the user, also when it is an error. */
export async function runMcpCommand(args: string, parts: McpCommandParts): Promise<void> {
  const [action, name, ...more] = args.trim().split(/\s+/).filter(Boolean);
  const { mcp, notify } = parts;
  try {
    if (action === undefined) {
      await mcp.reload();
      notify(describeServers(mcp), 'info');
    } else if (more.length > 0 || !(action === 'login' || action === 'logout' || action === 'reconnect')) {
      notify(l10n.t('Use: /mcp, /mcp login <server>, /mcp logout <server>, /mcp reconnect <server>'), 'warning');
    } else {
      await ACTIONS[action](name ?? onlyServer(mcp, action), parts);
    }
  } catch (error) {
    notify(messageOf(error), 'error');
  }
}

type Action = 'login' | 'logout' | 'reconnect';

const ACTIONS: Readonly<Record<Action, (name: string, parts: McpCommandParts) => Promise<void>>> = {
  login: async (name, { mcp, notify }) => {
    const open = (url: URL): void => {
      notify(l10n.t('Log in to the MCP server {0} in your browser: {1}', name, url.href), 'info');
      mcp.openPage(url);
    };
    await mcp.logIn(name, { open }, AbortSignal.timeout(LOGIN_MS));
    reportState(name, { mcp, notify });
  },
  logout: async (name, { mcp, notify }) => {
    const wasThere = await mcp.logOut(name);
    const text = wasThere
      ? l10n.t('You are logged out of the MCP server {0}.', name)
      : l10n.t('There is no login to the MCP server {0}.', name);
    notify(text, 'info');
  },
  reconnect: async (name, { mcp, notify }) => {
    await mcp.restart(name);
    reportState(name, { mcp, notify });
  },
};

function reportState(name: string, { mcp, notify }: McpCommandParts): void {
  const server = mcp.find(name);
  if (server === undefined) return;
  const isFine = server.state.type === 'connected';
  notify(`${name}: ${stateText(server)}`, isFine ? 'info' : 'error');
}

/** The server to use when none is named: the only one to which the action applies. */
function onlyServer(mcp: McpPort, action: Action): string {
  const fitting = mcp.list().filter(({ state, usesLogin }) => {
    if (action === 'reconnect') return state.type === 'failed' || state.type === 'disconnected';
    return action === 'login' ? state.type === 'needsLogin' : usesLogin;
  });
  const [server, ...others] = fitting;
  if (server !== undefined && others.length === 0) return server.name;
  throw new Error(l10n.t('Specify a server: /mcp {0} <server>', action));
}

/** The slash commands of MCP servers: `/mcp`, unless a hook has a command of that name, and their prompts. */
export function mcpCommands(
  mcp: McpPort | undefined,
  hooks: { readonly has: (name: string) => boolean },
): readonly SlashCommand[] {
  if (mcp === undefined) return [];
  const description = l10n.t('Show the MCP servers; log in, log out or reconnect one');
  const own: SlashCommand[] = hooks.has(MCP_COMMAND) ? [] : [{ name: MCP_COMMAND, description, source: 'built-in' }];
  const prompts = mcp.prompts.list().map((prompt): SlashCommand => ({ ...prompt, source: 'prompt' }));
  return [...own, ...prompts.filter(({ name }) => !hooks.has(name))];
}
