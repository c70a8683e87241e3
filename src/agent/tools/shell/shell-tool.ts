import { Type } from '@sinclair/typebox';
import { defined } from '../../../base/defined';
import type { ContentPart } from '../../messages';
import { textArgument } from '../facts';
import { defineTool, ToolError, type ConstrainedSamplingConfig, type Tool, type ToolUpdate } from '../tool';
import { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, formatSize } from '../truncate';
import {
  executeBash,
  type BashOutcome,
  type BashRequest,
  type BashStructured,
  type BashToolDetails,
  type BashToolOptions,
} from './execute-bash';

const parametersOf = (shellName: string) =>
  Type.Object({
    command: Type.String({ description: `Command line for ${shellName}` }),
    timeout: Type.Optional(Type.Number({ description: 'Seconds after which the command is ended (default: never)' })),
  });

const OUTPUT = Type.Object({
  output: Type.String({ description: 'What the command printed, cut in the middle where it is very long' }),
  truncated: Type.Boolean(),
  full_output_path: Type.Optional(Type.String({ description: 'File with all of it, where it is cut' })),
  exit_code: Type.Number(),
  wall_time_seconds: Type.Number(),
});

const SESSION_GUIDELINES = ['The variables PI_* tell commands the session and the model.'];

export type ShellTool = Tool<ReturnType<typeof parametersOf>, BashToolDetails | undefined>;

/** What differs from shell to shell. */
export interface ShellToolSpec {
  readonly name: string;
  /** The name of the shell for models and people. */
  readonly shellName: string;
  readonly promptSnippet: string;
  readonly constrainedSampling?: ConstrainedSamplingConfig;
  /** See `Tool.defaultActive`. */
  readonly defaultActive?: false;
}

/** A tool that runs command lines. A non-zero exit, abort or timeout throws a {@link ToolError}. */
export function createShellTool(
  { name, shellName, promptSnippet, ...facts }: ShellToolSpec,
  cwd: string,
  options: BashToolOptions & Pick<BashRequest, 'local'>,
): ShellTool {
  return defineTool({
    name,
    label: name,
    ...facts,
    icon: 'terminal',
    summaryKind: 'command',
    summarize: args => textArgument(args, 'command'),
    description:
      `Run a ${shellName} command in the working directory and get what it prints (stdout and stderr together). ` +
      `Only the last ${DEFAULT_MAX_LINES} lines or ${formatSize(DEFAULT_MAX_BYTES)} are shown, whichever is less; ` +
      `longer output is kept in a temporary file that the result names. A timeout in seconds may be given.`,
    promptSnippet,
    ...(options.exposeSessionEnvironment === false ? {} : { promptGuidelines: SESSION_GUIDELINES }),
    parameters: parametersOf(shellName),
    outputSchema: OUTPUT,
    async execute(toolCallId, { command, timeout }, signal, onUpdate, context) {
      const onOutput = onUpdate && partialResults(onUpdate);
      const run = { command, cwd, timeout, signal, context, onOutput, isStructured: true } as const;
      const outcome = await executeBash({ ...options, ...run });
      if (outcome.end.kind === 'letGo') {
        return { content: letGoContent(toolCallId, outcome.output, outcome.end.outputPlace), details: outcome.details };
      }
      const problem = problemOf(outcome.end);
      if (problem === undefined) {
        const text = outcome.output === '' ? '(no output)' : outcome.output;
        return { content: [{ type: 'text', text }], details: outcome.details, ...dataOf(outcome) };
      }
      const shown = outcome.output === '' && outcome.end.kind === 'exited' ? '(no output)' : outcome.output;
      const text = shown === '' ? problem : `${shown}\n\n${problem}`;
      throw new ToolError([{ type: 'text', text }], outcome.details, outcome.structured);
    },
  });
}

function dataOf({ structured }: BashOutcome): { readonly structuredContent?: BashStructured } {
  return defined({ structuredContent: structured });
}

function partialResults(onUpdate: ToolUpdate<BashToolDetails | undefined>): BashRequest['onOutput'] {
  return (text, details) => onUpdate({ content: [{ type: 'text', text }], details });
}

/** The output so far, and as the last part a note for the model, which people see in another way. */
function letGoContent(id: string, output: string, outputPlace: string): ContentPart[] {
  const note =
    `[The user does not wait for this command. It still runs, with the id ${id}, and the output above is what it printed so far. ` +
    `You will be told when it ends. ${outputPlace}]`;
  const texts = [output === '' ? '(no output yet)' : output, note];
  return texts.map(text => ({ type: 'text', text }));
}

function problemOf(end: BashOutcome['end']): string | undefined {
  if (end.kind === 'aborted') return 'Command aborted';
  if (end.kind === 'stopped') return 'Command stopped by the user';
  if (end.kind === 'timeout') return `Command timed out after ${end.seconds} seconds`;
  if (end.kind === 'letGo') return undefined;
  return end.exitCode === null || end.exitCode === 0 ? undefined : `Command exited with code ${end.exitCode}`;
}
