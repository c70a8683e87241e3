import * as vscode from 'vscode';
import { hideLikelySecrets } from '../../base/text/redact';
import { mcpFile, type McpConfigPlace } from '../../mcp/config/read-config';
import { addressOf, checkServerConfig, namespaceOf } from '../../mcp/config/server-config';
import { serverNames } from '../../mcp/config/write-config';
import type { McpServerConfig } from '../../hook-typings/registered/mcp';
import { readCommandLine, suggestedName } from './server-input';

/** A server that the user described. `file` is the absolute path of the `mcp.json` that it should be added to. */
export interface NewServer {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly file: string;
}

/**
 * Asks for a program or an address, the `mcp.json` and the name of a server. Without `place.includeProject`, the server goes
 * into the user's `mcp.json`. Undefined when the user cancels.
 * @throws Error that names the chosen file when the file does not contain a JSON object
 */
export async function askForServer(place: McpConfigPlace): Promise<NewServer | undefined> {
  const config = await askForConfig();
  if (config === undefined) return undefined;
  const file = place.includeProject ? await askForFile(place) : mcpFile('user', place);
  if (file === undefined) return undefined;
  const name = await askForName(config, await serverNames(file));
  return name === undefined ? undefined : { name, config, file };
}

async function askForConfig(): Promise<McpServerConfig | undefined> {
  const program = {
    label: `$(terminal) ${vscode.l10n.t('Program')}`,
    detail: vscode.l10n.t('Hookline starts it and talks to it (stdio)'),
    ask: askForProgram,
  };
  const address = {
    label: `$(globe) ${vscode.l10n.t('Address')}`,
    detail: vscode.l10n.t('Hookline connects to a running server (streamable HTTP)'),
    ask: askForAddress,
  };
  const title = vscode.l10n.t('Add an MCP server');
  const kind = await vscode.window.showQuickPick([program, address], { title, ignoreFocusOut: true });
  return kind?.ask(title);
}

async function askForProgram(title: string): Promise<McpServerConfig | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('The command line that starts the server. Put environment variables first, as KEY=value.'),
    placeHolder: 'npx -y @modelcontextprotocol/server-filesystem .',
    ignoreFocusOut: true,
    validateInput: typed =>
      readCommandLine(typed) === undefined && typed.trim() !== ''
        ? vscode.l10n.t('Enter a program, and close every quotation mark.')
        : undefined,
  });
  return text === undefined ? undefined : readCommandLine(text);
}

async function askForAddress(title: string): Promise<McpServerConfig | undefined> {
  const check = (typed: string): string | undefined => {
    const checked = checkServerConfig('server', { url: typed.trim() });
    return checked.ok ? undefined : vscode.l10n.t('This must be an http or https address.');
  };
  const text = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t('The address of the server. If the server needs a login, Hookline asks you later.'),
    placeHolder: 'https://example.com/mcp',
    ignoreFocusOut: true,
    validateInput: typed => (typed.trim() === '' ? undefined : check(typed)),
  });
  return text === undefined || check(text) !== undefined ? undefined : { url: text.trim() };
}

async function askForFile(place: McpConfigPlace): Promise<string | undefined> {
  const items = [
    {
      label: vscode.l10n.t('For you'),
      detail: vscode.l10n.t('In every folder, also in pi'),
      file: mcpFile('user', place),
    },
    {
      label: vscode.l10n.t('For this folder'),
      detail: vscode.l10n.t('In .pi/mcp.json, for everyone who works in it'),
      file: mcpFile('project', place),
    },
  ];
  const title = vscode.l10n.t('Add an MCP server');
  return (await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true }))?.file;
}

async function askForName(config: McpServerConfig, taken: readonly string[]): Promise<string | undefined> {
  const isTaken = (name: string): boolean => taken.some(other => namespaceOf(other) === namespaceOf(name));
  const suggestion = suggestedName(config);
  let value = suggestion;
  for (let count = 2; isTaken(value); count += 1) value = `${suggestion}-${count}`;
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Add an MCP server'),
    prompt: vscode.l10n.t(
      'Name of {0}; its tools are called mcp__<name>__<tool>',
      hideLikelySecrets(addressOf(config)),
    ),
    value,
    ignoreFocusOut: true,
    validateInput: typed => {
      if (!checkServerConfig(typed.trim(), config).ok) {
        return vscode.l10n.t('A name has letters, digits, "_" and "-" only.');
      }
      return isTaken(typed.trim()) ? vscode.l10n.t('That file already has a server of this name.') : undefined;
    },
  });
  return name?.trim();
}
