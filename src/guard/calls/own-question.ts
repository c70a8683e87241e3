import { resolve } from 'node:path';
import * as l10n from '@vscode/l10n';
import { toolFacts } from '../../agent/tools';
import { ToolBlocked } from '../../agent/tools/tool';
import { bareInterpreter } from '../../gate/commands/bare-interpreter';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { TranslatedCall } from '../agents/agent';
import type { AgentId } from '../protocol/agent-call';
import { NOBODY_ASKED } from './event-frame';

/** What a change of a file does to guards, by its absolute path; undefined for other files. */
export type GuardedFiles = (path: string) => 'gate-off' | undefined;

/** What {@link ownQuestion} needs to know of a call, besides the call. */
export interface OwnQuestionParts {
  /** Id of the agent, or name of the MCP client. */
  readonly agent: string;
  /** As users know it. */
  readonly agentName: string;
  readonly toolCallId: string;
  /** Where the agent works, absolute. */
  readonly cwd: string;
  readonly conversation: HookConversation;
  /** A hook or the built-in gate asked about the call. */
  readonly wasAsked: boolean;
  readonly guardedFiles: GuardedFiles;
  /** Path of the source of the built-in gate; undefined where there is none. */
  readonly gatePath: string | undefined;
}

/** Agents that can write to a program that an earlier call started, without a call that hooks see. */
const WRITES_TO_PROGRAMS: ReadonlySet<string> = new Set<AgentId>(['codex']);

/**
 * Asks about a call that could take the guard off, even if no hook asks: one that changes the files by which the agent calls
 * hooks, or that starts an interpreter which takes commands later.
 * @throws {ToolBlocked} with the reason why the call must not run
 */
export async function ownQuestion(call: TranslatedCall, at: OwnQuestionParts): Promise<void> {
  const question = questionAbout(call, at);
  if (question === undefined) return;
  const { conversation, toolCallId, gatePath } = at;
  if (!conversation.hasUI) throw new ToolBlocked(`${question.why} ${NOBODY_ASKED}`, gatePath);
  const answer = await conversation.ui.ask({
    title: question.title,
    message: question.message,
    dialog: { type: 'confirm' },
    asker: { type: 'gate' },
    origin: { hookPath: gatePath ?? '', event: 'tool_call', toolCallId, toolName: call.toolName, input: call.input },
  });
  if (answer !== true) throw new ToolBlocked(`The user did not allow this call. ${question.why}`, gatePath);
}

interface OwnQuestion {
  readonly title: string;
  readonly message: string;
  /** What the call does, for the model. */
  readonly why: string;
}

function questionAbout(
  { toolName, input }: TranslatedCall,
  { agent, agentName, cwd, wasAsked, guardedFiles }: OwnQuestionParts,
): OwnQuestion | undefined {
  const file = toolFacts(toolName).file(input);
  const path = file === undefined || file.use === 'read' ? undefined : resolve(cwd, file.path);
  if (path !== undefined && guardedFiles(path) === 'gate-off') {
    return {
      title: l10n.t('Let {0} change its own hooks?', agentName),
      message: l10n.t('This turns the gate off: {0}', path),
      why: `This turns the gate off: ${path}.`,
    };
  }
  const { command } = input;
  if (wasAsked || !WRITES_TO_PROGRAMS.has(agent) || typeof command !== 'string') return undefined;
  const program = bareInterpreter(command);
  if (program === undefined) return undefined;
  return {
    title: l10n.t('Let {0} start {1}?', agentName, program),
    message: `${command}\n\n${l10n.t('{0} can send it commands later, and no hook sees them.', agentName)}`,
    why: `${program} takes commands later that no hook sees: give it a script or a command.`,
  };
}
