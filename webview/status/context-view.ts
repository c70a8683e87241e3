import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ContextBreakdown } from '../../src/protocol/panels/context';
import { tokens } from '../format';

type Part = keyof ContextBreakdown['parts'];

const NAMES: Readonly<Record<Part, () => string>> = {
  system: () => l10n.t('System prompt'),
  tools: () => l10n.t('Tools'),
  hooks: () => l10n.t('Added by hooks'),
  files: () => l10n.t('Files'),
  messages: () => l10n.t('Messages'),
};
const PARTS = ['system', 'tools', 'hooks', 'files', 'messages'] as const satisfies readonly Part[];

const HINTS: Readonly<Record<Part, () => string>> = {
  system: () => l10n.t('The instructions of Hookline, your skills and MCP servers'),
  tools: () => l10n.t('The descriptions of the tools'),
  hooks: () => l10n.t('Messages of hooks, and what they added to the system prompt'),
  files: () => l10n.t('What you attached or mentioned, and files such as AGENTS.md'),
  messages: () => l10n.t('What was said, and the results of tools'),
};

/** What the context consists of: a row with a bar for each part and for what is free, and how far the numbers can be trusted. */
export function contextView(context: ContextBreakdown): TemplateResult {
  const { parts, window, counted } = context;
  const used = contextTokens(context);
  const all = Math.max(window ?? used, used, 1);
  return html`<table class="context-parts" aria-label=${l10n.t('What the context consists of')}>
      <tbody>
        ${PARTS.map(part => rowView(NAMES[part](), HINTS[part](), `~${tokens(parts[part])}`, parts[part] / all))}
        ${window === undefined ? nothing : freeView(window - used, counted === 'provider', all)}
      </tbody>
    </table>
    <p class="muted">${trustText(counted)}</p>`;
}

/** The size of the context, in tokens. */
export function contextTokens({ parts }: ContextBreakdown): number {
  return PARTS.reduce((sum, part) => sum + parts[part], 0);
}

function freeView(free: number, isCounted: boolean, all: number): TemplateResult {
  const left = Math.max(free, 0);
  const hint = l10n.t('What the model can still take, its next answer included');
  return rowView(l10n.t('Free'), hint, `${isCounted ? '' : '~'}${tokens(left)}`, left / all);
}

function rowView(name: string, hint: string, count: string, share: number): TemplateResult {
  return html`<tr title=${hint}>
    <th scope="row">${name}<progress max="1" .value=${share} aria-hidden="true"></progress></th>
    <td>${count}</td>
  </tr>`;
}

function trustText(counted: ContextBreakdown['counted']): string {
  switch (counted) {
    case 'provider':
      return l10n.t(
        'The provider counted the whole. It counts no parts: they (~) are estimated from their lengths, and add up to its number.',
      );
    case 'partly':
      return l10n.t(
        'The provider counted the whole up to its last answer; what came after is estimated. It counts no parts: they (~) are estimated from their lengths.',
      );
    case 'editor':
      return l10n.t('VS Code counts no tokens: all numbers (~) are estimated from the lengths of the texts.');
    case 'nobody':
      return l10n.t(
        'No provider has counted this yet: all numbers (~) are estimated from the lengths of the texts. The ring shows the whole after the next answer.',
      );
  }
}
