import { messageOf } from '../../base/errors';
import type { Output } from '../output';
import { tellNotices, toExtensionError } from '../reports';
import type { Runtime } from '../runtime';
import type { StopRequest } from '../stop-request';
import { BEGINNINGS, CHANGES, ENDINGS, QUERIES, type Answering, type RpcContext } from './commands';
import { readCommand, type RpcCommand } from './fields';
import type { LineReader } from './line-reader';
import type { RpcFront } from './rpc-front';

export interface RpcParts {
  readonly runtime: Runtime;
  readonly lines: LineReader;
  readonly output: Output;
  readonly front: RpcFront;
  readonly stop: StopRequest;
}

/**
 * Serves pi's RPC protocol as of 0.57.1 with the additions of 0.73.1 until stdin ends or an end is asked for: commands
 * come in as lines of JSON, answers, events and requests of hooks go out as such. Resolves with the exit code.
 */
export async function runRpcMode({ runtime, lines, output, front, stop }: RpcParts): Promise<number> {
  const server = new RpcServer(runtime, output, front);
  const { conversation, host } = runtime;
  const watching = [
    tellNotices(conversation, output),
    conversation.onDidHappen(event => output.json(event)),
    host.onError(error => output.json(toExtensionError(error))),
    conversation.chat.onDidChange(change => {
      if (change.type !== 'composer' || change.text === '') return;
      // Texts that were not delivered come back; they are the host's from here on. A fork says its text in its answer.
      conversation.composer.text = '';
      if (!server.isForking) front.setEditorText(change.text);
    }),
  ];
  lines.listen(
    line => server.receive(line),
    () => stop.ask(0),
  );
  const code = await stop.requested;
  for (const one of watching) one.dispose();
  return code;
}

class RpcServer {
  private readonly context: RpcContext;
  /** The last change that is under way; never rejects. */
  private turn: Promise<unknown> = Promise.resolve();
  private forks = 0;

  constructor(
    runtime: Runtime,
    private readonly output: Output,
    private readonly front: RpcFront,
  ) {
    const complain = (text: string): void => {
      output.complain(text);
    };
    this.context = { runtime, front, complain };
  }

  get isForking(): boolean {
    return this.forks > 0;
  }

  receive(line: string): void {
    let command: RpcCommand;
    try {
      command = readCommand(line);
    } catch (error) {
      this.output.json({ type: 'response', command: 'parse', success: false, error: messageOf(error) });
      return;
    }
    if (command.type === 'extension_ui_response') this.front.receive(command);
    else this.dispatch(command);
  }

  private dispatch(command: RpcCommand): void {
    const { type } = command;
    const immediate = own(QUERIES, type) ?? own(ENDINGS, type);
    const beginning = own(BEGINNINGS, type);
    const change = own(CHANGES, type);
    if (immediate !== undefined) void this.answer(command, immediate);
    else if (beginning !== undefined) void this.turn.then(() => void this.answer(command, beginning));
    else if (change !== undefined) this.turn = this.turn.then(() => this.answer(command, change));
    else void this.answer(command, unknownCommand);
  }

  /** Performs a command and answers it; never rejects. */
  private async answer(command: RpcCommand, perform: Answering): Promise<void> {
    const { id, type } = command;
    const isFork = type === 'fork';
    if (isFork) this.forks += 1;
    try {
      const data: unknown = await perform(this.context, command);
      this.output.json({ id, type: 'response', command: type, success: true, ...(data === undefined ? {} : { data }) });
    } catch (error) {
      this.output.json({ id, type: 'response', command: type, success: false, error: messageOf(error) });
    } finally {
      if (isFork) this.forks -= 1;
    }
  }
}

function own(table: Readonly<Record<string, Answering>>, type: string): Answering | undefined {
  return Object.hasOwn(table, type) ? table[type] : undefined;
}

const unknownCommand: Answering = (_context, { type }) => {
  throw new Error(`Unknown command: ${type}`);
};
