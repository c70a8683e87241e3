import type { Component } from '@mariozechner/pi-tui';
import { toolFacts } from '../../../agent/tools';
import { UNKNOWN_TOOL } from '../../../agent/tools/facts';
import { isRecord } from '../../../base/json/is-record';
import { wrapText } from '../../../base/text/wrap-text';
import type { HookTheme } from '../../../hook-contract/ui/theme';

interface PlainRenderers {
  readonly renderCall: (args: unknown, theme: HookTheme) => Component;
  readonly renderResult: (result: unknown, options: unknown, theme: HookTheme) => Component;
}

const made = new Map<string, PlainRenderers>();

/**
 * Calls of a built-in tool as text, for hooks that draw around what the tool itself would show; undefined for other
 * tools. The same functions each time, so that their caller can detect that no hook replaced them.
 */
export function plainRenderers(toolName: string): PlainRenderers | undefined {
  const facts = toolFacts(toolName);
  if (facts === UNKNOWN_TOOL) return undefined;
  const known = made.get(toolName);
  if (known !== undefined) return known;
  const renderers: PlainRenderers = {
    renderCall: (args, theme) => {
      const summary = facts.summarize(isRecord(args) ? args : {});
      return lines(summary, (line, index) =>
        index === 0
          ? `${theme.bold(theme.fg('toolTitle', toolName))} ${theme.fg('accent', line)}`
          : theme.fg('accent', line),
      );
    },
    renderResult: (result, _options, theme) => lines(resultText(result), line => theme.fg('toolOutput', line)),
  };
  made.set(toolName, renderers);
  return renderers;
}

function lines(text: string, paint: (line: string, index: number) => string): Component {
  return {
    render: width => (text === '' ? [] : wrapText(text, width).map(paint)),
    invalidate: () => undefined,
  };
}

function resultText(result: unknown): string {
  const content = isRecord(result) ? result['content'] : undefined;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((part: unknown) => (isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n');
}
