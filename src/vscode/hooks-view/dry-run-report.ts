import * as vscode from 'vscode';
import type { DryRunResult } from '../../hook-insight/dry-run/dry-run-handler';
import { outcomeText } from '../../hook-insight/recording/outcome-text';
import type { Json } from '../../base/json/json';
import { fenced } from '../../base/text/fenced';
import type { ReplayedDispatch } from '../../hook-insight/replay/report';
import { labelOf } from '../../hook-insight/samples';
import { escapeMarkdown, relativeLink } from '../pages/markdown-page';
import { shortPath } from '../short-path';
import { durationText, hookName } from './hook-words';
import type { Registered } from './hook-target';

/** The result of a test with event, as Markdown. Its links are relative to the folder `from`. */
export function dryRunReport(registered: Registered, fired: DryRunResult, source: string, from: string): string {
  const { outcome, payload, payloadAfter, returned, result, errors, withheld, durationMs, askedMs } = fired;
  const asked = askedMs > 0 ? vscode.l10n.t(', including {0} waiting for you', durationText(askedMs)) : '';
  const parts = [
    `# ${escapeMarkdown(vscode.l10n.t('Test of {0} in {1}', registered.label, hookName(registered.hookPath)))}`,
    vscode.l10n.t(
      '**{0}** ({1}{2}). Nothing was executed.',
      escapeMarkdown(outcomeText(outcome)),
      durationText(durationMs),
      asked,
    ),
    placeLink(registered, from),
    section(vscode.l10n.t('Event: {0} ({1})', escapeMarkdown(labelOf(fired.event)), source), payload),
    ...(payloadAfter === undefined ? [] : [section(vscode.l10n.t('Event as the handler left it'), payloadAfter)]),
    section(vscode.l10n.t('Returned'), returned),
    section(vscode.l10n.t('Result'), result),
  ];
  for (const { message, stack } of errors) {
    parts.push(
      `## ${vscode.l10n.t('Error')}`,
      escapeMarkdown(message),
      ...(stack === undefined ? [] : [fenced(stack)]),
    );
  }
  if (withheld.length > 0) {
    parts.push(`## ${vscode.l10n.t('Not executed')}`);
    for (const { action, args } of withheld) parts.push(`\`${action}\``, fenced(json(args), 'json'));
  }
  return `${parts.join('\n\n')}\n`;
}

/** The result of a test of a command, as Markdown. Its links are relative to the folder `from`. */
export function commandReport(
  line: string,
  hook: string,
  { handlers, withheld = [] }: ReplayedDispatch,
  from: string,
): string {
  const [handler] = handlers;
  const { outcome, returned = null } = handler?.after ?? { outcome: { type: 'nothing' } };
  const { stack } = outcome as { readonly stack?: unknown };
  const parts = [
    `# ${escapeMarkdown(vscode.l10n.t('Test of {0} in {1}', line, hook))}`,
    vscode.l10n.t('**{0}**. Nothing was executed.', escapeMarkdown(outcomeText(outcome))),
    ...(handler === undefined ? [] : [placeLink(handler, from)]),
    section(vscode.l10n.t('Returned'), returned as Json),
    ...(typeof stack === 'string' ? [`## ${vscode.l10n.t('Error')}`, fenced(stack)] : []),
    ...(handler?.notes ?? []).map(note => `- ${escapeMarkdown(note)}`),
  ];
  if (withheld.length > 0) {
    parts.push(`## ${vscode.l10n.t('Not executed')}`, ...withheld.map(action => `- \`${action}\``));
  }
  return `${parts.join('\n\n')}\n`;
}

function placeLink(
  { file, line }: { readonly file: string; readonly line?: number | undefined },
  from: string,
): string {
  const label = line === undefined ? shortPath(file) : `${shortPath(file)}:${line}`;
  return `[${escapeMarkdown(label)}](${relativeLink(from, file, line)})`;
}

function section(heading: string, value: Json): string {
  const text = value === null ? vscode.l10n.t('nothing') : fenced(json(value), 'json');
  return `## ${heading}\n\n${text}`;
}

function json(value: Json): string {
  return JSON.stringify(value, undefined, 2);
}
