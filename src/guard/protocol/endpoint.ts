import { rm } from 'node:fs/promises';
import { Type, type Static } from '@sinclair/typebox';
import { parse } from '../../base/json/schema';
import { replaceOwnFile } from './own-file';
import { linesOf, membersIn } from './own-lines';
import type { GuardPlace } from './place';

/** One line, because the files consist of lines `key value`. */
const Line = Type.String({ minLength: 1, pattern: '^[^\\r\\n\\0]+$' });
const Secret = Type.String({ pattern: '^[0-9a-f]{64}$' });

const EndpointSchema = Type.Object({
  /** TCP port on 127.0.0.1, for clients. */
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  /** Secret that whoever connects sends. */
  client: Secret,
  /** Secret that only the answers of the host carry: without it, an answer comes from somebody else. */
  host: Secret,
  pid: Type.Integer({ minimum: 1 }),
  /** Address of the unix socket or named pipe, for windows and command lines. */
  socket: Line,
  /** Version of the host. */
  version: Line,
});
/** How the host of the guard is reached. */
export type Endpoint = Readonly<Static<typeof EndpointSchema>>;

/** Replaces the file as a whole; only its owner can read it. Rejects when the disk does. */
export async function writeEndpoint(place: GuardPlace, endpoint: Endpoint): Promise<void> {
  await replaceOwnFile(place.endpoint, linesOf(endpoint), 0o600);
}

/** Undefined when there is none, when it is not complete, and when another user could have written it. */
export function readEndpoint(place: GuardPlace): Endpoint | undefined {
  const members = membersIn(place.endpoint);
  const read = parse(EndpointSchema, { ...members, port: Number(members['port']), pid: Number(members['pid']) });
  return read.ok ? read.value : undefined;
}

/** Removes the endpoint of the host with this secret; that of another host stays. */
export async function removeEndpoint(place: GuardPlace, { host }: Endpoint): Promise<void> {
  if (readEndpoint(place)?.host === host) await rm(place.endpoint, { force: true });
}
