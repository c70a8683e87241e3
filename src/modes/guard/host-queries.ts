import { withTimeout } from '../../base/async/wait';
import { HostConnection } from '../../guard/host/host-connection';
import type { HostMessage } from '../../guard/protocol/messages';
import type { GuardCommandLine } from './guard-mode';

/** How long a host may take to tell about itself, ms. */
const ANSWER_MS = 5_000;

/** What the host tells about itself. */
export type HostFacts = Extract<HostMessage, { readonly type: 'status' }>['status'];

/** What the host tells about itself; undefined when none runs or answers. */
export async function askHost({
  place,
  code,
}: Pick<GuardCommandLine, 'place' | 'code'>): Promise<HostFacts | undefined> {
  const connection = await HostConnection.open(place, { role: 'query', version: code.version, folders: [] });
  if (connection === undefined) return undefined;
  try {
    const answer = new Promise<HostFacts | undefined>(resolve => {
      connection.listen(
        message => {
          if (message.type === 'status') resolve(message.status);
        },
        () => resolve(undefined),
      );
      connection.send({ type: 'status', id: '1' });
    });
    return await withTimeout(answer, ANSWER_MS, () => undefined);
  } finally {
    connection.dispose();
  }
}
