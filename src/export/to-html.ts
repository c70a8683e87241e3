import { createHash } from 'node:crypto';
import * as l10n from '@vscode/l10n';
import type { Todo } from '../agent/tools/todo';
import { clipped } from '../base/text/clipped';
import { singleLine } from '../base/text/single-line';
import type { Image } from '../protocol/items/chat-item';
import { IMAGE_TYPES } from '../protocol/base/image-types';
import { firstWords, type ExportBranch, type ExportedSession } from './exported-session';
import { escapeHtml, markdownHtml } from './html-text';
import { endWords, todoWord, type ExportBlock, type ExportItem, type ExportResult, type ExportTool } from './items';
import { terminalHtml } from './terminal-text';
import { readableTime, Totals } from './totals';

/** The look of an exported session: readable in light and dark, on paper, and without anything from elsewhere. */
const STYLE = `
:root { color-scheme: light dark; --ground: #ffffff; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0; --raised: #f6f8fa;
  --accent: #0969da; --user: #ddf4ff; --bad: #cf222e; --good: #1a7f37; --added: #dafbe1; --removed: #ffebe9; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --text: #e6edf3; --quiet: #9198a1; --line: #3d444d;
  --raised: #151b23; --accent: #4493f8; --user: #12233d; --bad: #f85149; --good: #3fb950; --added: #12261e; --removed: #2d1316; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 20px 64px; max-width: 56rem; background: var(--ground); color: var(--text);
  font: 15px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0 0 8px; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 0 0 6px; font-size: 0.8rem; font-weight: 600; color: var(--quiet); display: flex; flex-wrap: wrap; gap: 8px;
  align-items: baseline; }
h2 time { margin-left: auto; font-weight: 400; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 0; color: var(--quiet); font-size: 0.87rem; }
dd { margin: 0; }
header, nav { margin-bottom: 24px; padding-bottom: 16px; border-bottom: 1px solid var(--line); }
nav ul { margin: 4px 0 0; padding-left: 20px; }
article { margin: 0 0 20px; scroll-margin-top: 12px; }
article.user { padding: 10px 14px; border-radius: 8px; background: var(--user); }
article:target { outline: 2px solid var(--accent); outline-offset: 6px; border-radius: 4px; }
.plain { white-space: pre-wrap; margin: 0; }
.label { padding: 0 7px; border: 1px solid var(--accent); border-radius: 10px; color: var(--accent); font-weight: 600; }
.mark { color: var(--quiet); font-size: 0.87rem; }
li.completed, li.abandoned { color: var(--quiet); } li.in_progress { font-weight: 600; } li.abandoned { text-decoration: line-through; }
.problem { color: var(--bad); font-weight: 600; }
.fork { margin: -10px 0 20px; font-size: 0.87rem; color: var(--quiet); }
details { margin: 0 0 12px; border: 1px solid var(--line); border-radius: 8px; }
details > :not(summary) { margin: 0 12px 12px; }
summary { padding: 7px 12px; cursor: pointer; color: var(--quiet); }
summary code { color: var(--text); }
details.tool > summary::marker { color: var(--good); }
details.tool.failed > summary::marker, details.tool.failed .state { color: var(--bad); }
details.branch { margin-top: 32px; border-color: var(--accent); }
details.branch > summary { font-weight: 600; color: var(--text); }
pre { margin: 0 0 12px; padding: 10px 12px; border-radius: 6px; background: var(--raised); overflow: auto; max-height: 32rem;
  font: 0.85rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; }
code { font: 0.88em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
:not(pre) > code { padding: 1px 4px; border-radius: 4px; background: var(--raised); }
.added { background: var(--added); } .removed { background: var(--removed); }
.diff span { display: block; }
table { display: block; overflow-x: auto; border-collapse: collapse; margin-bottom: 12px; }
th, td { padding: 4px 10px; border: 1px solid var(--line); }
blockquote { margin: 0 0 12px; padding: 0 12px; border-left: 3px solid var(--line); color: var(--quiet); }
img { max-width: 100%; max-height: 40rem; border: 1px solid var(--line); border-radius: 6px; }
a { color: var(--accent); }
footer { margin-top: 32px; padding-top: 12px; border-top: 1px solid var(--line); color: var(--quiet); font-size: 0.87rem; }
@media print { body { max-width: none; } details { break-inside: avoid; } pre { max-height: none; } }
`;

/** Only our own style and inline images: whatever slips through the escaping runs nothing and fetches nothing. */
const POLICY = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  `img-src data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
].join('; ');

/**
 * A session as one HTML file, in pieces: no script, nothing from elsewhere, all foreign text escaped. The current path
 * comes first; each other branch follows, folded, linked with the entry it hangs on.
 */
export function* sessionToHtml(session: ExportedSession, language = 'en'): Generator<string> {
  const title = session.title === '' ? l10n.t('Session') : session.title;
  yield `<!DOCTYPE html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${escapeHtml(title)}</h1>
<dl>${headRows(session)}</dl></header>
`;
  const totals = new Totals();
  const forks = forksOf(session.others);
  yield contents(session.others);
  yield '<main>\n';
  yield* branchHtml(session.current, forks, totals);
  for (const branch of session.others) {
    yield `<details class="branch" id="branch-${branch.number}"><summary>${branchTitle(branch)}</summary>\n`;
    if (branch.from !== undefined) {
      yield `<p class="mark"><a href="${anchorOf(branch.from)}">${l10n.t('Fork point')}</a></p>\n`;
    }
    yield* branchHtml(branch, forks, totals);
    yield '</details>\n';
  }
  yield `</main>\n<footer>${escapeHtml(totals.text)}</footer>\n</body>\n</html>\n`;
}

function headRows({ created, cwd, id }: ExportedSession): string {
  const facts: readonly (readonly [string, string])[] = [
    [l10n.t('Started'), readableTime(created)],
    [l10n.t('Folder'), cwd],
    [l10n.t('Session'), id],
  ];
  return facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`)
    .join('');
}

function contents(branches: readonly ExportBranch[]): string {
  if (branches.length === 0) return '';
  const rows = branches.map(branch => `<li><a href="#branch-${branch.number}">${branchTitle(branch)}</a></li>`);
  return `<nav><h2>${escapeHtml(l10n.t('Other branches'))}</h2><ul>${rows.join('')}</ul></nav>\n`;
}

function branchTitle(branch: ExportBranch): string {
  const words = firstWords(branch);
  const name = l10n.t('Branch {0}', branch.number);
  return escapeHtml(words === '' ? name : `${name}: ${words}`);
}

function forksOf(branches: readonly ExportBranch[]): ReadonlyMap<string, readonly ExportBranch[]> {
  const forks = new Map<string, ExportBranch[]>();
  for (const branch of branches) {
    if (branch.from === undefined) continue;
    const here = forks.get(branch.from);
    if (here) here.push(branch);
    else forks.set(branch.from, [branch]);
  }
  return forks;
}

function* branchHtml(
  branch: ExportBranch,
  forks: ReadonlyMap<string, readonly ExportBranch[]>,
  totals: Totals,
): Generator<string> {
  for (const item of branch.items()) {
    totals.add(item);
    yield itemHtml(item);
    const here = forks.get(item.entryId) ?? [];
    const links = here.map(({ number }) => `<a href="#branch-${number}">${l10n.t('Branch {0}', number)}</a>`);
    if (links.length > 0) yield `<p class="fork">${escapeHtml(l10n.t('Branches here:'))} ${links.join(', ')}</p>\n`;
  }
}

function itemHtml(item: ExportItem): string {
  const inside = itemInside(item);
  return `<article class="${item.kind}" id="${escapeHtml(`e-${item.entryId}`)}">${heading(item)}${inside}</article>\n`;
}

function heading(item: ExportItem): string {
  const label = item.label === undefined ? '' : `<span class="label">${escapeHtml(item.label)}</span>`;
  const time =
    item.time === '' ? '' : `<time datetime="${escapeHtml(item.time)}">${escapeHtml(readableTime(item.time))}</time>`;
  return `<h2><span>${escapeHtml(speaker(item))}</span>${label}${time}</h2>\n`;
}

function speaker(item: ExportItem): string {
  switch (item.kind) {
    case 'user':
      return l10n.t('User');
    case 'assistant':
      return item.model === '' ? l10n.t('Assistant') : item.model;
    case 'tool':
      return l10n.t('Tool');
    case 'bash':
      return [l10n.t('Command'), ...item.remarks].join(', ');
    case 'custom':
      return item.display ? item.customType : `${item.customType}, ${l10n.t('not shown in the chat')}`;
    case 'mark':
      return item.text;
    case 'todos':
      return l10n.t('Todo list');
  }
}

function itemInside(item: ExportItem): string {
  switch (item.kind) {
    case 'user':
      return `${plain(item.text)}${item.images.map(imageHtml).join('')}`;
    case 'assistant': {
      const problem = item.problem === undefined ? '' : `<p class="problem">${escapeHtml(item.problem)}</p>`;
      return `${item.blocks.map(blockHtml).join('')}${problem}`;
    }
    case 'tool':
      return toolHtml(item.tool);
    case 'bash':
      return `<pre>$ ${escapeHtml(item.command)}\n${terminalHtml(item.output)}</pre>`;
    case 'custom': {
      const inside = `${markdownHtml(item.text)}${item.images.map(imageHtml).join('')}`;
      return item.display ? inside : folded('', escapeHtml(l10n.t('Text')), inside);
    }
    case 'mark':
      return item.detail === undefined ? '' : folded('', escapeHtml(item.detail.title), markdownHtml(item.detail.text));
    case 'todos':
      return `<ul>${item.todos.map(todoHtml).join('')}</ul>`;
  }
}

function blockHtml(block: ExportBlock): string {
  switch (block.type) {
    case 'text':
      return markdownHtml(block.text);
    case 'thinking':
      return folded('thinking', escapeHtml(l10n.t('Thinking')), markdownHtml(block.text));
    case 'tool':
      return toolHtml(block.tool);
  }
}

function toolHtml(tool: ExportTool): string {
  const { name, summary, args, plan, result } = tool;
  const state = endWords(tool);
  const failed = result !== undefined && !['done', 'stopped'].includes(result.outcome);
  const head = [
    escapeHtml(name),
    summary === '' ? '' : `<code>${escapeHtml(clipped(singleLine(summary), 160))}</code>`,
    state === '' ? '' : `<span class="state">${escapeHtml(state)}</span>`,
  ];
  const given = args === '' ? '' : `<pre>${escapeHtml(args)}</pre>`;
  const inside = `${plan === undefined ? given : markdownHtml(plan)}${result === undefined ? '' : resultHtml(result)}`;
  const line = head.filter(part => part !== '').join(' ');
  return inside === '' ? `<p class="mark">${line}</p>\n` : folded(failed ? 'tool failed' : 'tool', line, inside);
}

function todoHtml({ content, status }: Todo): string {
  return `<li class="${status}">${escapeHtml(content)} <span class="mark">${escapeHtml(todoWord(status))}</span></li>`;
}

function resultHtml({ text, diff, images, calls }: ExportResult): string {
  const made =
    calls === undefined
      ? ''
      : folded('calls', escapeHtml(l10n.t('Calls that the tool made')), `<pre>${escapeHtml(calls)}</pre>`);
  const changes = diff === undefined ? '' : `<pre class="diff">${diff.split('\n').map(diffLine).join('')}</pre>`;
  return `${made}${changes}${text === '' ? '' : `<pre>${terminalHtml(text)}</pre>`}${images.map(imageHtml).join('')}`;
}

function diffLine(line: string): string {
  const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
  return `<span class="${kind}">${line === '' ? ' ' : escapeHtml(line)}</span>`;
}

function imageHtml({ mimeType, data }: Image): string {
  const type = mimeType.toLowerCase();
  const base64 = data.replace(/\s/g, '');
  if (!IMAGE_TYPES.has(type) || !/^[a-zA-Z0-9+/]+={0,2}$/.test(base64)) {
    return `<p class="mark">${escapeHtml(l10n.t('An image of the kind "{0}" is left out.', mimeType.slice(0, 80)))}</p>`;
  }
  return `<p><img alt="${escapeHtml(l10n.t('Image'))}" src="data:${type};base64,${base64}"></p>`;
}

function folded(kind: string, summary: string, inside: string): string {
  return `<details${kind === '' ? '' : ` class="${kind}"`}><summary>${summary}</summary>${inside}</details>\n`;
}

function plain(text: string): string {
  return text === '' ? '' : `<p class="plain">${escapeHtml(text)}</p>`;
}

function anchorOf(entryId: string): string {
  return `#e-${encodeURIComponent(entryId)}`;
}
