import { TERMINAL_STRING } from '../base/text/terminal-strings';
import { escapeHtml, isWebLink, linkStart } from './html-text';

const ESCAPE = new RegExp(String.raw`${TERMINAL_STRING}|\x1b(?:\[[0-?]*[ -/]*[@-~]|[()*+][0-~]|[78=>@-Z\\-_])?`, 'g');

/** What a terminal would show of a text, without colors and links. */
export function plainTerminalText(text: string): string {
  return text.includes('\x1b') ? text.replace(ESCAPE, '') : text;
}

/** What a terminal would show of a text, as HTML without colors; its hyperlinks lead to the web or nowhere. */
export function terminalHtml(text: string): string {
  let html = '';
  let at = 0;
  let isLinked = false;
  for (const match of text.matchAll(ESCAPE)) {
    html += escapeHtml(text.slice(at, match.index));
    at = match.index + match[0].length;
    const target = /^8;[^;]*;(.*)$/s.exec(match.groups?.['osc'] ?? '')?.[1];
    if (target === undefined) continue;
    if (isLinked) html += '</a>';
    isLinked = isWebLink(target);
    if (isLinked) html += linkStart(target.trim());
  }
  return `${html}${escapeHtml(text.slice(at))}${isLinked ? '</a>' : ''}`;
}
