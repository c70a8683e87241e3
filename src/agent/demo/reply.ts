import type { Context, Tool, ToolResultMessage } from '@mariozechner/pi-ai';
import type { DemoRequest } from './requests';
import { describeResult, outcomeOf } from './results';
import { summaryFor } from './summary';
import { isTool, PLAN_TOOL, readTurn, type DemoTurn } from './turn';

const WORDS = (
  'small hooks see every call before it runs and may stop it or change what comes back so a person keeps the last word ' +
  'while the model writes on in plain view'
).split(' ');
const SENTENCE = 12;

/** Exactly `count` words in numbered sentences; the numbers belong to the words, so gaps and repeats can be seen. */
function numberedWords(count: number): string {
  const words: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const isFirst = at % SENTENCE === 0;
    const isLast = at % SENTENCE === SENTENCE - 1 || at === count - 1;
    const word = isFirst ? `[${at + 1}]` : (WORDS[at % WORDS.length] ?? 'word');
    words.push(isLast ? `${word}.\n` : word);
  }
  return words.join(' ').replaceAll('\n ', '\n').trim();
}

/** What the demo model says next. Deterministic: the same context gives the same reply. */
export interface DemoReply {
  readonly thinking: string;
  readonly text: string;
  readonly call: DemoCall | undefined;
}

export interface DemoCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

type ToolRequest = Extract<DemoRequest, { kind: 'tool' | 'edit' }>;

const CAPABILITIES = `I am the demo model of Hookline: I work offline and understand plain requests.

- run \`npm test\`
- read README.md
- write notes.txt: hello
- edit notes.txt: replace hello with goodbye
- list, or ls src
- find *.ts
- search for TODO in src
- think about the weather
- stream 500 words
- call my_tool {"some": "argument"}

Join steps with "then". Put names with spaces or quotes in backticks or quotes.

For real work, choose another model: run "Hookline: Choose Model…" in VS Code, or use --model on the command line.`;

/** Decides the reply to a context: a summary when one is asked for, else the next step of what the user wants. */
export function replyTo(context: Context): DemoReply {
  const summary = summaryFor(context);
  if (summary !== undefined) return { thinking: '', text: summary, call: undefined };
  const turn = readTurn(context.messages);
  const reports = turn.results.filter(({ toolName }) => toolName !== PLAN_TOOL).map(describeResult);
  const gaveUp = turn.results.some(isBlocked);
  if (turn.requests.some(request => request.kind === 'stop')) return say([...reports, stopped(turn)]);
  if (gaveUp && turn.dropped === 0 && turn.called > 0) return say([...reports, leftOut(turn)]);
  return nextStep(turn, reports, context.tools ?? []);
}

function nextStep(turn: DemoTurn, reports: readonly string[], tools: readonly Tool[]): DemoReply {
  const { remarks, tool } = following(turn);
  if (turn.requests.length === 0) return say(reports.length > 0 ? reports : [CAPABILITIES]);
  const texts = [...reports, ...acknowledge(turn)];
  const thoughts = remarks.filter(request => request.kind === 'think').map(request => thoughtAbout(request.about));
  for (const request of remarks) texts.push(...spoken(request));
  if (tool !== undefined) {
    const call = toCall(tool, tools);
    if (call !== undefined) return reply([...thoughts, plan(call)], [...texts, announce(call)], call);
    const canPlan = tools.some(({ name }) => name === PLAN_TOOL);
    if (canPlan && turn.results.every(({ toolName }) => toolName !== PLAN_TOOL)) {
      return reply(thoughts, [...texts, 'You are in Plan mode, so I will present a plan.'], presentPlan(turn));
    }
    texts.push(
      canPlan
        ? 'Tell me what to do instead.'
        : `I need the tool "${toolName(tool)}" for that, but it was not offered to me.`,
    );
  }
  if (tool === undefined && reports.length > 0 && turn.called > 1) texts.push(`All ${turn.called} steps are done.`);
  return reply(thoughts, texts, undefined);
}

/** What to say before the next tool call, and that call. */
function following({ requests, called }: DemoTurn): {
  readonly remarks: readonly DemoRequest[];
  readonly tool: ToolRequest | undefined;
} {
  let skipped = 0;
  const remarks: DemoRequest[] = [];
  for (const request of requests) {
    if (isTool(request)) {
      if (skipped === called) return { remarks, tool: request };
      skipped += 1;
    } else if (skipped === called) remarks.push(request);
  }
  return { remarks, tool: undefined };
}

function acknowledge({ remarks, dropped }: DemoTurn): string[] {
  const texts = remarks.map(text => `Noted: "${firstLine(text)}". I will continue.`);
  if (dropped > 0) texts.push(`I will leave out the rest (${steps(dropped)}) and do what you ask now.`);
  return texts;
}

function spoken(request: DemoRequest): string[] {
  if (request.kind === 'think') return [`I have thought about ${request.about}.`];
  if (request.kind === 'words') return [numberedWords(request.count)];
  return request.kind === 'help' ? [CAPABILITIES] : [];
}

function toCall(request: ToolRequest, tools: readonly Tool[]): DemoCall | undefined {
  const tool = tools.find(candidate => candidate.name === toolName(request));
  if (tool === undefined) return undefined;
  if (request.kind === 'tool') return { name: request.name, args: request.args };
  const { path, oldText, newText } = request;
  // Newer pi tools take several replacements at once.
  const args = takesList(tool) ? { path, edits: [{ oldText, newText }] } : { path, oldText, newText };
  return { name: tool.name, args };
}

function presentPlan({ requests, called }: DemoTurn): DemoCall {
  const left = requests.filter(isTool).slice(called);
  return { name: PLAN_TOOL, args: { plan: left.map((request, at) => `${at + 1}. ${stepOf(request)}`).join('\n') } };
}

function stepOf(request: ToolRequest): string {
  if (request.kind === 'edit') return `edit ${inCode(request.path)}`;
  const subject = subjectOf(request.args);
  return subject === undefined ? request.name : `${request.name} ${inCode(subject)}`;
}

function takesList(tool: Tool): boolean {
  const parameters: { readonly properties?: Readonly<Record<string, unknown>> } = tool.parameters;
  return parameters.properties?.['edits'] !== undefined;
}

function toolName(request: ToolRequest): string {
  return request.kind === 'edit' ? 'edit' : request.name;
}

function plan(call: DemoCall): string {
  return `The user wants something that the tool ${call.name} can do. I will call it with ${JSON.stringify(call.args)}.`;
}

function announce({ name, args }: DemoCall): string {
  const subject = subjectOf(args);
  return subject === undefined ? `I will use ${name}.` : `I will use ${name}: ${inCode(subject)}`;
}

function subjectOf(args: DemoCall['args']): string | undefined {
  const subject = args['command'] ?? args['path'] ?? args['pattern'];
  return typeof subject === 'string' ? subject : undefined;
}

function inCode(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(run => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return longest > 0 ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

function thoughtAbout(subject: string): string {
  return [
    `The user wants me to think about ${subject}.`,
    `What is known about ${subject}? What follows from it, and what would change my mind?`,
    `As a demo model I know nothing about ${subject}, so I say so and stop here.`,
  ].join('\n');
}

function stopped({ dropped }: DemoTurn): string {
  return dropped > 0 ? `I stop here. ${steps(dropped)} will not be done.` : 'I stop here.';
}

function leftOut(turn: DemoTurn): string {
  const left = turn.requests.filter(isTool).length - turn.called;
  return left > 0 ? `I also leave out the rest (${steps(left)}).` : 'Tell me if you want something else.';
}

function isBlocked(result: ToolResultMessage): boolean {
  return outcomeOf(result).kind === 'blocked';
}

function steps(count: number): string {
  return count === 1 ? '1 step' : `${count} steps`;
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}

function say(texts: readonly string[]): DemoReply {
  return reply([], texts, undefined);
}

function reply(thoughts: readonly string[], texts: readonly string[], call: DemoCall | undefined): DemoReply {
  return { thinking: thoughts.join('\n\n'), text: texts.join('\n\n'), call };
}
