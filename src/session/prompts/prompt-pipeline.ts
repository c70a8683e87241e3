import * as l10n from '@vscode/l10n';
import { fitPromptImages } from '../../agent/images/fit-images';
import type { ImageContent } from '@mariozechner/pi-ai';
import type { ContentPart, CustomMessage, UserMessage } from '../../agent/messages';
import type { Resources } from '../../agent/resources/load';
import { invokeSkill, type Skill } from '../../agent/resources/skill';
import { expandTemplate } from '../../agent/resources/template';
import { messageOf } from '../../base/errors';
import { unlessAborted } from '../../base/async/wait';
import type { BusyUntil, HookConversation } from '../../hook-contract/conversation-port';
import type { NoticeLevel } from '../../hook-contract/ui/ui';
import type { CustomMessageDraft, HookResults } from '../../hook-contract/hook-event';
import type { Delivery, TextFile } from '../../protocol/composer/composer';
import { attachedFiles } from '../attachments/attached-files';
import type { CapturedTexts } from '../attachments/editor-texts';
import { SKILL_PREFIX } from './resource-commands';
import type { ExpandedPrompt } from '../../mcp/tools/server-prompt';
import type { ResourceSource } from '../../startup/resources';
import type { SessionEvents } from '../ports/session-events';
import type { ConversationPorts } from '../ports/ports';
import { RefusedError } from '../state/refusal';
import type { RunControl } from '../run/run-control';
import type { UserShells } from './user-bash';
import { MCP_COMMAND, runMcpCommand } from './mcp-command';
import { parseCommand } from '../ports/slash-command';
import { calledAs } from '../../hook-contract/called-as';

/** A text on its way to the agent. */
export interface Submission {
  readonly text: string;
  readonly images: readonly ImageContent[];
  /** Texts sent along as files. */
  readonly files?: readonly TextFile[];
  /** What the editor offers to send along with a prompt. */
  readonly ofEditor?: CapturedTexts | undefined;
  readonly source: 'interactive' | 'rpc' | 'extension';
  /** How it is delivered while the agent runs; undefined: it is refused then. */
  readonly delivery: Delivery | undefined;
  /** Typed by the user of a chat: only there commands of the view and `!` apply. */
  readonly fromComposer: boolean;
  /** For a text of a hook: what ends the run that the text would join. */
  readonly busyUntil?: BusyUntil | undefined;
  /** For a text of a hook: whether skills and templates, or also commands of hooks, are expanded in it. */
  readonly expands?: 'templates' | 'all' | undefined;
  /**
   * The text quotes what the user did not write, such as code: nothing in it is a command, a skill or a template, and
   * no `@` in it names a file. `input` handlers see it anyway.
   */
  readonly literal?: boolean;
  /** `@path` in the text names a file, as in a composer. */
  readonly namesFiles?: boolean;
  /**
   * Called once, when it is certain that the text will not be refused. A command that is `handled` may not be over yet.
   */
  readonly onAccepted?: (disposition: Disposition) => void;
}

/** What happened to a text: it starts a run, waits for one, or a command or handler of a hook handled it. */
export type Disposition = 'started' | 'queued' | 'handled';

export interface PipelineParts {
  readonly ports: ConversationPorts;
  /** The conversation as hooks see it. */
  readonly conversation: HookConversation;
  readonly resources: ResourceSource;
  readonly events: SessionEvents;
  readonly shells: UserShells;
  readonly control: RunControl;
}

/** What is left to do after commands and `input` handlers; undefined when nothing is left. */
export type Routed =
  | {
      readonly text: string;
      readonly images: readonly ImageContent[];
      /** Files named in the text, and what the editor adds, as parts of the message. */
      readonly files?: readonly ContentPart[];
    }
  | undefined;

/** How `input` handlers are waited for. */
export interface Preparing {
  /** When it fires, they are abandoned; the caller takes the text back. */
  readonly signal?: AbortSignal;
  /** The agent works or is about to: the text will wait. */
  readonly isBusy: boolean;
  /** An idle agent is shown as working meanwhile. */
  readonly isShown: boolean;
}

/**
 * Routes a submitted text in this order (docs/dialects.md, D20): command of a hook, `input` handlers, built-in command,
 * skill, template. Texts of hooks (`source: "extension"`) run no commands unless they say so.
 */
export async function route(submission: Submission, parts: PipelineParts, preparing: Preparing): Promise<Routed> {
  if (submission.literal === true) {
    return withFittedImages(await askInputHandlers(submission, parts, preparing), parts.ports);
  }
  if (await runCommand(submission, parts)) return undefined;
  const routed = await askInputHandlers(submission, parts, preparing);
  if (routed === undefined || preparing.signal?.aborted === true) return routed;
  if (submission.fromComposer && (await runViewCommand(routed.text, parts))) return undefined;
  return expanded(routed, submission, parts);
}

/** Runs a command of a hook, `/mcp` or a shell command; false when the text is none of them. */
async function runCommand(submission: Submission, parts: PipelineParts): Promise<boolean> {
  const { text, fromComposer, onAccepted } = submission;
  const { hooks, mcp } = parts.ports;
  const isTyped = submission.source !== 'extension' || submission.expands === 'all';
  const command = isTyped ? parseCommand(text) : undefined;
  if (command !== undefined && hooks.commands.has(command.name)) {
    onAccepted?.('handled');
    const by = fromComposer ? 'person' : 'program';
    if (await hooks.commands.runAndShow(command.name, command.args, parts.conversation, by)) return true;
  }
  if (command?.name === MCP_COMMAND && mcp !== undefined) {
    onAccepted?.('handled');
    await runMcpCommand(command.args, { mcp, notify: (words, level) => notifyUser(parts, words, level) });
    return true;
  }
  const isHidden = text.startsWith('!!');
  const line = fromComposer && text.startsWith('!') ? text.slice(isHidden ? 2 : 1).trim() : '';
  if (line === '') return false;
  const shell = await parts.shells.run(line, isHidden);
  await shell.recorded;
  return true;
}

/** Runs a command of the view; false when the text is none. */
async function runViewCommand(text: string, { ports }: PipelineParts): Promise<boolean> {
  const command = parseCommand(text);
  const run = command && ports.runCommand?.(command);
  if (run === undefined) return false;
  await run;
  return true;
}

/** Expands a prompt: names of files, and the command of a skill or a template. */
async function expanded(
  routed: NonNullable<Routed>,
  submission: Submission,
  { ports, resources, conversation, events }: PipelineParts,
): Promise<Routed> {
  if (submission.source === 'extension' && submission.expands === undefined) return withFittedImages(routed, ports);
  const warn = (text: string): void => {
    events.notice('warning', text);
  };
  const { autoResize } = ports.settings.current.images;
  const from = { cwd: conversation.cwd, context: ports.context, warn, resizesImages: autoResize };
  const namesFiles = submission.fromComposer || submission.namesFiles === true;
  const ofEditor = await submission.ofEditor?.();
  ofEditor?.problems.forEach(warn);
  const files = namesFiles ? await attachedFiles(routed.text, from, ofEditor?.texts) : [];
  const prompt = await serverPrompt(routed.text, ports);
  if (prompt !== undefined) {
    return withFittedImages({ text: prompt.text, images: [...routed.images, ...prompt.images], files }, ports);
  }
  const text = await expandOrWarn(routed.text, resources.current, events);
  return withFittedImages({ ...routed, text, files }, ports);
}

/** Tells a text that is not of a hook: the user, or the client program. */
function notifyUser({ ports, conversation, events }: PipelineParts, text: string, level: NoticeLevel): void {
  if (ports.mode === 'rpc') {
    conversation.ui.notify(text, level, { hookPath: 'builtin:mcp', event: calledAs('command', 'mcp') });
  } else events.notice(level, text);
}

/**
 * The content of a prompt of an MCP server; undefined when the text names none. Rejects when the server does not give
 * it.
 */
async function serverPrompt(text: string, { mcp }: ConversationPorts): Promise<ExpandedPrompt | undefined> {
  const command = parseCommand(text);
  if (command === undefined || mcp === undefined) return undefined;
  try {
    return await mcp.prompts.expand(command.name, command.args);
  } catch (error) {
    throw new RefusedError(messageOf(error), undefined);
  }
}

/** Shrinks images for models, as pi's setting `images.autoResize` says; a note about it follows the text. */
export async function withFittedImages<R extends Routed>(
  routed: R,
  { settings }: Pick<ConversationPorts, 'settings'>,
): Promise<R> {
  if (routed === undefined || routed.images.length === 0 || !settings.current.images.autoResize) return routed;
  const { images, hints } = await fitPromptImages(routed.images);
  const text = hints.length === 0 ? routed.text : `${routed.text}\n\n${hints.join('\n')}`;
  return { ...routed, text, images };
}

/** {@link expandPrompt}; a skill that cannot be read is reported, and the text stays as it was typed. */
export async function expandOrWarn(text: string, resources: Resources, events: SessionEvents): Promise<string> {
  try {
    return await expandPrompt(text, resources);
  } catch (error) {
    events.notice('warning', messageOf(error));
    return text;
  }
}

/**
 * Replaces a text that names a skill or a template by its content (skills first); any other text, including unknown
 * commands, stays as it is. Rejects with the skill's name when its file cannot be read.
 */
async function expandPrompt(text: string, { skills, templates }: Resources): Promise<string> {
  const command = parseCommand(text);
  if (command === undefined) return text;
  const skill = skills.find(({ name }) => `${SKILL_PREFIX}${name}` === command.name);
  if (skill !== undefined) return invoke(skill, command.args);
  const template = templates.find(({ name }) => name === command.name);
  return template === undefined ? text : expandTemplate(template, command.args);
}

async function invoke(skill: Skill, args: string): Promise<string> {
  try {
    return await invokeSkill(skill, args);
  } catch (error) {
    throw new Error(l10n.t('The skill "{0}" cannot be read: {1}', skill.name, messageOf(error)), { cause: error });
  }
}

async function askInputHandlers(
  submission: Submission,
  { ports, conversation, control }: PipelineParts,
  { signal, isShown, isBusy }: Preparing,
): Promise<Routed> {
  const { text, images, source, delivery, onAccepted } = submission;
  if (!ports.hooks.runner.hasHandlers('input')) return { text, images };
  const given = images.length > 0 ? { images } : {};
  const queued = isBusy && delivery !== undefined ? { streamingBehavior: delivery } : {};
  const event = { type: 'input', text, ...given, source, ...queued } as const;
  const ask = (): Promise<HookResults['input'] | undefined> =>
    unlessAborted(ports.hooks.runner.emit(event, conversation, { signal }), signal, () => undefined);
  const isBeside = isShown && control.isIdle;
  const answer = await (isBeside ? control.beside({ type: 'running', message: '' }, ask, false) : ask());
  if (answer === undefined) return { text, images };
  if (answer.action !== 'handled') return { text: answer.text, images: answer.images ?? [] };
  onAccepted?.('handled');
  return undefined;
}

export function userMessage(
  text: string,
  images: readonly ImageContent[],
  files: readonly ContentPart[] = [],
): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }, ...files, ...images], timestamp: Date.now() };
}

export function customMessage(draft: CustomMessageDraft): CustomMessage {
  const { customType, content, display, details } = draft;
  return { role: 'custom', customType, content, display, details, timestamp: Date.now() };
}
