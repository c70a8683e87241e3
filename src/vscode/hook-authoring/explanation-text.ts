import { basename, relative } from 'node:path';
import * as vscode from 'vscode';
import {
  type ExplainedHandler,
  type ExplainedThing,
  type Explanation,
  type Opened,
  type SourcePlace,
  type Power,
  type RegisteredKind,
  type Unknown,
  OPENED,
  onlyObserves,
} from '../../hook-authoring/explain/explanation';
import type { HookInfo } from '../../hook-contract/hook-info';
import { dialectName, hookName, hookStateText } from '../hooks-view/hook-words';

/** Writes a place in the source as a markdown link. */
type Link = (place: SourcePlace) => string;

/** A static summary of a hook in markdown. Its links are relative to `folder`, which the text is written to. */
export function explanationText(info: HookInfo, explanation: Explanation, folder: string): string {
  const link: Link = ({ file, line }) => {
    const path = relative(folder, file).replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
    const label = file === info.path ? vscode.l10n.t('line {0}', line) : `${basename(file)}:${line}`;
    return `[${label}](${path}#L${line})`;
  };
  const { dialect, handlers, registers, acts, opens, imports, unknown } = explanation;
  const sections = [
    `# ${escaped(hookName(info.path))}`,
    vscode.l10n.t(
      'Dialect **{0}** ({1}): {2}. State: {3}. Read from its text; nothing was run.',
      dialect.id,
      dialectName(dialect.id),
      escaped(dialect.because),
      escaped(hookStateText(info)),
    ),
    ...section(
      vscode.l10n.t('What it sees'),
      handlers.map(handler => handlerLine(handler, link)),
      vscode.l10n.t('It does not listen to any event.'),
    ),
    ...section(
      vscode.l10n.t('What it may do'),
      powerLines(handlers, link),
      onlyObserves(explanation)
        ? vscode.l10n.t('It only observes: it does not block, ask or change anything.')
        : undefined,
    ),
    ...section(
      vscode.l10n.t('What it does in the conversation'),
      acts.map(act => thingLine(act, link)),
    ),
    ...section(
      vscode.l10n.t('What it adds'),
      registers.map(each => `${kindText(each.kind)} ${thingLine(each, link)}`),
    ),
    ...section(
      vscode.l10n.t('What it opens'),
      openLines(opens, link),
      vscode.l10n.t('It does not open timers, files, servers, processes or connections.'),
    ),
    ...section(
      vscode.l10n.t('What it imports'),
      imports.map(each => thingLine(each, link)),
    ),
    ...section(vscode.l10n.t('What the source code does not show'), [
      ...unknown.map(each => `${unknownText(each)} (${link(each.place)})`),
      vscode.l10n.t(
        'What the code decides from values that exist only at run time, such as which calls it allows and which files it means.',
      ),
    ]),
  ];
  return `${sections.join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[], none?: string): readonly string[] {
  if (lines.length > 0) return [`## ${title}`, lines.map(line => `- ${line}`).join('\n')];
  return none === undefined ? [] : [`## ${title}`, none];
}

function handlerLine({ event, place, powers, asks }: ExplainedHandler, link: Link): string {
  const may = [...powers.map(powerText), ...(asks.length > 0 ? [vscode.l10n.t('asks')] : [])];
  return `\`${event}\`${may.length > 0 ? ` – ${may.join(', ')}` : ''} (${link(place)})`;
}

function powerLines(handlers: readonly ExplainedHandler[], link: Link): readonly string[] {
  const powers = [...new Set(handlers.flatMap(handler => handler.powers))].map(power => {
    const own = handlers.filter(handler => handler.powers.includes(power));
    return `**${powerText(power)}**: ${own.map(({ event, place }) => `\`${event}\` (${link(place)})`).join(', ')}`;
  });
  const asking = handlers.filter(({ asks }) => asks.length > 0);
  if (asking.length === 0) return powers;
  const dialogs = asking.map(({ event, asks, place }) => `\`${event}\`: ${asks.join(', ')} (${link(place)})`);
  return [...powers, `**${vscode.l10n.t('ask you')}**: ${dialogs.join('; ')}`];
}

function powerText(power: Power): string {
  const texts: { readonly [P in Power]: string } = {
    block: vscode.l10n.t('block tool calls'),
    cancel: vscode.l10n.t('cancel the action'),
    change: vscode.l10n.t('change the event'),
    handle: vscode.l10n.t('handle the event itself'),
    inject: vscode.l10n.t('add a message'),
    summarize: vscode.l10n.t('write the summary'),
  };
  return texts[power];
}

function kindText(kind: RegisteredKind): string {
  const texts: { readonly [K in RegisteredKind]: string } = {
    command: vscode.l10n.t('command'),
    tool: vscode.l10n.t('tool'),
    shortcut: vscode.l10n.t('shortcut'),
    flag: vscode.l10n.t('flag'),
    renderer: vscode.l10n.t('renderer of messages'),
    provider: vscode.l10n.t('provider of models'),
    mcpServer: vscode.l10n.t('MCP server'),
  };
  return texts[kind];
}

function openedText(opened: Opened): string {
  const texts: { readonly [O in Opened]: string } = {
    timers: vscode.l10n.t('timers'),
    watchers: vscode.l10n.t('watchers of files'),
    servers: vscode.l10n.t('servers'),
    network: vscode.l10n.t('connections'),
    processes: vscode.l10n.t('processes'),
    filesWritten: vscode.l10n.t('files that it writes'),
    filesRead: vscode.l10n.t('files that it reads'),
  };
  return texts[opened];
}

function openLines(opens: Explanation['opens'], link: Link): readonly string[] {
  return OPENED.flatMap(opened => {
    const things = opens[opened];
    if (things.length === 0) return [];
    return [`**${openedText(opened)}**: ${things.map(each => thingLine(each, link)).join('; ')}`];
  });
}

function thingLine({ name, detail, place }: ExplainedThing, link: Link): string {
  const more = detail === undefined || detail === '' ? '' : ` – ${escaped(detail)}`;
  return `\`${name.replaceAll('`', "'")}\`${more} (${link(place)})`;
}

function unknownText(unknown: Unknown): string {
  switch (unknown.type) {
    case 'computedEvent':
      return vscode.l10n.t('An event whose name is computed');
    case 'handlerElsewhere':
      return vscode.l10n.t('What the handler of {0} does, because it is defined elsewhere', `\`${unknown.event}\``);
    case 'computedImport':
      return vscode.l10n.t('A module whose name is computed');
    case 'codeFromText':
      return vscode.l10n.t('Code that is made from text while it runs');
    case 'package':
      return vscode.l10n.t('What the package {0} does', `\`${unknown.name}\``);
    case 'unread':
      return vscode.l10n.t('What {0} does: it could not be read', `\`${unknown.name}\``);
    case 'noFactory':
      return vscode.l10n.t('What it registers: no default export of a function was found');
    case 'broken':
      return vscode.l10n.t('What follows a syntax error: {0}', escaped(unknown.message));
  }
}

/** Escapes text of the source, so that none of it is read as markdown. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|]/g, '\\$&').replaceAll('\n', ' ');
}
