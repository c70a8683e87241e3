import { withTimeout } from '../../base/async/wait';
import { HostConnection, type GuardFrontFacts } from '../../guard/host/host-connection';
import type { FrontMessage, HostMessage, HostStatus } from '../../guard/protocol/messages';
import { StartError } from '../arguments/usage-error';
import type { GuardCommandLine } from './guard-command-line';
import { startHost } from './start-host';

/** How long a host may take to answer, ms. */
const ANSWER_MS = 5_000;
const ID = '1';

/** Connects to the host, and starts one if none runs. `folders`: those of the front. @throws {StartError} when it cannot be reached */
export async function connectToHost(
  line: Pick<GuardCommandLine, 'place' | 'process' | 'caller' | 'code'>,
  role: GuardFrontFacts['role'],
  folders: readonly string[] = [],
): Promise<HostConnection> {
  const front = { role, version: line.code.version, folders: [...folders] };
  const running = await HostConnection.open(line.place, front);
  if (running !== undefined) return running;
  await startHost(line);
  const started = await HostConnection.open(line.place, front);
  if (started === undefined) throw new StartError('the host of the guard cannot be reached.');
  return started;
}

/** What the host tells about itself; undefined when none runs or answers. */
export async function askHost({ place, code }: GuardCommandLine): Promise<HostStatus | undefined> {
  const connection = await HostConnection.open(place, { role: 'query', version: code.version, folders: [] });
  if (connection === undefined) return undefined;
  try {
    return (await answerOf(connection, { type: 'status', id: ID }, 'status'))?.status;
  } finally {
    connection.dispose();
  }
}

/**
 * Orders the host, which is started if none runs, to deny the tool calls of a folder (absolute path), until `end` is called.
 * @throws {StartError} when the host cannot be reached or does not answer
 */
export async function denyCallsIn(line: GuardCommandLine, folder: string, reason: string): Promise<{ end(): void }> {
  const connection = await connectToHost(line, 'query');
  const answer = await answerOf(connection, { type: 'fire', id: ID, folder, reason }, 'firing');
  if (answer !== undefined) return { end: () => connection.dispose() };
  connection.dispose();
  throw new StartError('the host of the guard takes no order for a check. Is it of another version?');
}

/** Undefined when the host does not answer. */
async function answerOf<T extends HostMessage['type']>(
  connection: HostConnection,
  question: FrontMessage,
  type: T,
): Promise<Extract<HostMessage, { readonly type: T }> | undefined> {
  const answer = new Promise<Extract<HostMessage, { readonly type: T }> | undefined>(resolve => {
    connection.listen(
      message => {
        if (message.type === type) resolve(message as Extract<HostMessage, { readonly type: T }>);
      },
      () => resolve(undefined),
    );
    connection.send(question);
  });
  return await withTimeout(answer, ANSWER_MS, () => undefined);
}
