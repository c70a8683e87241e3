import * as l10n from '@vscode/l10n';
import type { ExportItem } from './items';

/** Counts what goes by while a session is written. */
export class Totals {
  private messages = 0;
  private calls = 0;
  private tokens = 0;
  private cost = 0;

  add(item: ExportItem): void {
    if (item.kind === 'user') this.messages += 1;
    if (item.kind !== 'assistant') return;
    this.messages += 1;
    this.tokens += item.tokens;
    this.cost += item.cost;
    this.calls += item.blocks.filter(block => block.type === 'tool').length;
  }

  /** One line for people. */
  get text(): string {
    const parts = [
      this.messages === 1 ? l10n.t('1 message') : l10n.t('{0} messages', this.messages),
      this.calls === 1 ? l10n.t('1 tool call') : l10n.t('{0} tool calls', this.calls),
    ];
    if (this.tokens > 0) parts.push(l10n.t('{0} tokens', this.tokens.toLocaleString('en')));
    if (this.cost > 0) parts.push(`$${this.cost.toFixed(4)}`);
    return parts.join(' · ');
  }
}

/**
 * An ISO 8601 time in a readable form, in UTC, so that a file is the same everywhere. Any other text stays as it is.
 */
export function readableTime(iso: string): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return iso;
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
