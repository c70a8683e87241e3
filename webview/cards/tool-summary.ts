import { html, type TemplateResult } from 'lit';
import type { ToolItem } from '../../src/protocol/items/chat-item';
import { visibleText } from '../../src/base/text/visible-text';
import { pathView } from '../controls/path';
import { markedText } from '../marked-text';

/** What a call is about, on the one line that it has; `isWhole`: on as many lines as it takes. */
export function toolSummary(
  { summary, summaryKind }: Pick<ToolItem, 'summary' | 'summaryKind'>,
  isWhole: boolean,
): TemplateResult {
  return html`<code class="tool-summary" title=${visibleText(summary)}
    >${summaryKind === 'path' && !isWhole ? pathView(summary) : markedText(summary)}</code
  >`;
}
