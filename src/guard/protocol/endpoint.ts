import { lstatSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Type, type Static } from '@sinclair/typebox';
import { readRegularTextSync } from '../../base/files/regular-file';
import { parse } from '../../base/json/schema';
import { replaceOwnFile } from './own-file';
import type { GuardPlace } from './place';

const MOST_BYTES = 16 * 1024;
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

const ProgramSchema = Type.Object({
  /** Absolute path of Node, or of a program that is Node with `ELECTRON_RUN_AS_NODE=1`. */
  node: Line,
  /** Absolute path of the script of the command line. */
  cli: Line,
});
/** The program that a client starts when no host runs. */
export type GuardProgram = Readonly<Static<typeof ProgramSchema>>;

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

/** Replaces the file as a whole. Rejects when the disk does. */
export async function writeProgram(place: GuardPlace, program: GuardProgram): Promise<void> {
  await replaceOwnFile(place.program, linesOf(program), 0o600);
}

/** Undefined when there is none, when it is not complete, and when another user could have written it. */
export function readProgram(place: GuardPlace): GuardProgram | undefined {
  const read = parse(ProgramSchema, membersIn(place.program));
  return read.ok ? read.value : undefined;
}

function linesOf(members: Readonly<Record<string, string | number>>): string {
  return Object.entries(members)
    .map(([key, value]) => `${key} ${value}\n`)
    .join('');
}

function membersIn(path: string): Readonly<Record<string, string>> {
  try {
    if (!isOwn(path)) return {};
    const lines = readRegularTextSync(path, MOST_BYTES).split('\n');
    return Object.fromEntries(
      lines
        .filter(line => line.includes(' '))
        .map(line => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
    );
  } catch {
    return {}; // No host runs, or the file cannot be read: either way it leads to no host.
  }
}

/** Whether the file itself, not a link, is this user's and nobody else can write it. Windows tells by its folder alone. */
function isOwn(path: string): boolean {
  const info = lstatSync(path);
  if (process.getuid === undefined) return info.isFile();
  return info.isFile() && info.uid === process.getuid() && (info.mode & 0o022) === 0;
}
