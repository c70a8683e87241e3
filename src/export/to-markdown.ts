import * as l10n from '@vscode/l10n';
import type { Todo } from '../agent/tools/todo';
import { clipped } from '../base/text/clipped';
import { fenced } from '../base/text/fenced';
import { singleLine } from '../base/text/single-line';
import { visibleText, withLineFeeds } from '../base/text/visible-text';
import type { Image } from '../protocol/items/chat-item';
import { firstWords, type ExportBranch, type ExportedSession } from './exported-session';
import { endWords, todoWord, type ExportBlock, type ExportItem, type ExportTool } from './items';
import { plainTerminalText } from './terminal-text';
import { readableTime, Totals } from './totals';

/** Images stand at the end of the file, so that the text stays readable. */
class ImageList {
  private readonly lines: string[] = [];

  add({ mimeType, data }: Image): string {
    if (!/^image\/[a-z0-9.+-]+$/i.test(mimeType) || !/^[a-z0-9+/=\s]*$/i.test(data)) return '';
    const name = `image-${this.lines.length + 1}`;
    this.lines.push(`[${name}]: data:${mimeType};base64,${data.replace(/\s/g, '')}`);
    return `![${name}][${name}]\n\n`;
  }

  get text(): string {
    return this.lines.length === 0 ? '' : `\n${this.lines.join('\n')}\n`;
  }
}

/**
 * A session as Markdown, in pieces: messages as they are, thinking and tool calls folded. A message cannot change how
 * later ones are displayed: fences are longer than those inside, and open ones are closed.
 */
export function* sessionToMarkdown(session: ExportedSession): Generator<string> {
  const images = new ImageList();
  const totals = new Totals();
  yield `# ${visibleText(singleLine(session.title === '' ? l10n.t('Session') : session.title))}\n\n`;
  yield `${headFacts(session)
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n')}\n\n`;
  yield* branchText(session.current, images, totals);
  for (const branch of session.others) {
    yield `---\n\n# ${visibleText(branchTitle(branch))}\n\n`;
    yield* branchText(branch, images, totals);
  }
  yield `---\n\n${totals.text}\n${images.text}`;
}

/** Facts about the whole session, for the head of the document. */
function headFacts(session: ExportedSession): readonly (readonly [string, string])[] {
  const facts: (readonly [string, string])[] = [];
  if (session.created !== '') facts.push([l10n.t('Started'), readableTime(session.created)]);
  if (session.cwd !== '') facts.push([l10n.t('Folder'), code(visibleText(session.cwd))]);
  if (session.id !== '') facts.push([l10n.t('Session'), code(session.id)]);
  return facts;
}

function branchTitle(branch: ExportBranch): string {
  const words = firstWords(branch);
  const from = branch.from === undefined ? '' : ` (${l10n.t('from entry {0}', branch.from)})`;
  return singleLine(`${l10n.t('Branch {0}', branch.number)}${words === '' ? '' : `: ${words}`}${from}`);
}

function* branchText(branch: ExportBranch, images: ImageList, totals: Totals): Generator<string> {
  for (const item of branch.items()) {
    totals.add(item);
    yield visibleText(withLineFeeds(itemText(item, images)));
  }
}

function itemText(item: ExportItem, images: ImageList): string {
  const label = item.label === undefined ? '' : ` — ${l10n.t('label')}: ${singleLine(item.label)}`;
  switch (item.kind) {
    case 'user':
      return `## ${l10n.t('User')}${label}\n\n${quoted(item.text)}${item.images.map(image => images.add(image)).join('')}`;
    case 'assistant': {
      const model = item.model === '' ? '' : ` (${singleLine(item.model)})`;
      const problem = item.problem === undefined ? '' : `**${singleLine(item.problem)}**\n\n`;
      const blocks = item.blocks.map(block => blockText(block, images)).join('');
      return `## ${l10n.t('Assistant')}${model}${label}\n\n${blocks}${problem}`;
    }
    case 'tool':
      return toolText(item.tool, images);
    case 'bash': {
      const remarks = item.remarks.length === 0 ? '' : ` (${item.remarks.join(', ')})`;
      return `## ${l10n.t('Command')}${remarks}${label}\n\n${codeBlock(`$ ${item.command}\n${plainTerminalText(item.output)}`, 'console')}`;
    }
    case 'custom': {
      const hidden = item.display ? '' : `, ${l10n.t('not shown in the chat')}`;
      const head = `## ${l10n.t('Message of a hook')} (${singleLine(item.customType)}${hidden})${label}\n\n`;
      return `${head}${quoted(item.text)}${item.images.map(image => images.add(image)).join('')}`;
    }
    case 'mark': {
      const text = `*${singleLine(item.text)}*${label}\n\n`;
      return item.detail === undefined ? text : `${text}${folded(item.detail.title, quoted(item.detail.text))}`;
    }
    case 'todos':
      return `## ${l10n.t('Todo list')}${label}\n\n${item.todos.map(todoText).join('\n')}\n\n`;
  }
}

function blockText(block: ExportBlock, images: ImageList): string {
  switch (block.type) {
    case 'text':
      return `${closed(block.text)}\n\n`;
    case 'thinking':
      return folded(l10n.t('Thinking'), quoted(block.text));
    case 'tool':
      return toolText(block.tool, images);
  }
}

function toolText(tool: ExportTool, images: ImageList): string {
  const { name, summary, args, plan, result } = tool;
  const words = endWords(tool);
  const state = words === '' ? '' : ` (${words})`;
  const head = `${l10n.t('Tool')} ${name}${summary === '' ? '' : `: ${clipped(singleLine(summary), 120)}`}${state}`;
  const parts = [
    plan === undefined ? '' : quoted(plan),
    args === '' ? '' : codeBlock(args, 'json'),
    result?.calls === undefined ? '' : `${l10n.t('Calls that the tool made')}:\n\n${codeBlock(result.calls)}`,
    result?.diff === undefined ? '' : codeBlock(result.diff, 'diff'),
    result === undefined || result.text === '' ? '' : codeBlock(plainTerminalText(result.text)),
    ...(result?.images ?? []).map(image => images.add(image)),
  ];
  const body = parts.join('');
  return body === '' ? `*${escaped(singleLine(head))}*\n\n` : folded(head, body);
}

/** An item of a list that Markdown viewers draw with boxes. */
function todoText({ content, status }: Todo): string {
  const text = escaped(singleLine(content));
  if (status === 'abandoned') return `- [x] ~~${text}~~ (${todoWord(status)})`;
  if (status === 'in_progress') return `- [ ] ${text} (${todoWord(status)})`;
  return `- [${status === 'completed' ? 'x' : ' '}] ${text}`;
}

function folded(summary: string, body: string): string {
  return `<details>\n<summary>${escaped(singleLine(summary))}</summary>\n\n${body}</details>\n\n`;
}

/** A quote ends where it ends, whatever is left open inside. */
function quoted(text: string): string {
  return `${text
    .split(/\r\n|\r|\n/)
    .map(line => (line === '' ? '>' : `> ${line}`))
    .join('\n')}\n\n`;
}

function codeBlock(text: string, language = ''): string {
  return `${fenced(text, language)}\n\n`;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** Ends what a message left open: a fence, an HTML comment. */
function closed(text: string): string {
  let open: string | undefined;
  for (const line of text.split('\n')) {
    const [, fence, rest = ''] = FENCE.exec(line) ?? [];
    if (fence === undefined) continue;
    if (open === undefined) open = fence;
    else if (fence.startsWith(open) && rest.trim() === '') open = undefined;
  }
  const ended = open === undefined ? text : `${text}\n${open}`;
  return ended.lastIndexOf('<!--') > ended.lastIndexOf('-->') ? `${ended}\n-->` : ended;
}

function code(text: string): string {
  return text.includes('`') ? escaped(text) : `\`${singleLine(text)}\``;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
