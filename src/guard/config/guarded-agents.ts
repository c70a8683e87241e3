import { Type, type Static } from '@sinclair/typebox';
import { withFileLock } from '../../agent/models/keys/file-lock';
import { defined } from '../../base/defined';
import { isCode, messageOf } from '../../base/errors';
import { noteOwnText, readCountedText } from '../../base/files/counted-text';
import { isRecord } from '../../base/json/is-record';
import { parseJson } from '../../base/json/parse-json';
import { literalUnion, parse } from '../../base/json/schema';
import { AGENT_IDS, GUARD_GATES, type AgentId } from '../protocol/agent-call';
import { replaceOwnFile } from '../protocol/own-file';
import { makeGuardFolder, type GuardPlace } from '../protocol/place';

const GuardedAgentSchema = Type.Object({
  scope: literalUnion('user', 'system'),
  gate: literalUnion(...GUARD_GATES),
});
/** An agent that Hookline guards. */
export type GuardedAgent = Readonly<Static<typeof GuardedAgentSchema>>;

/** The guarded agents of the user; a missing file has none. */
export type GuardedAgents = Readonly<Partial<Record<AgentId, GuardedAgent>>>;

/** @throws Error that names the file and the member, if it cannot be read or says something else */
export async function readGuarded(place: Pick<GuardPlace, 'guarded'>): Promise<GuardedAgents> {
  const content = await contentOf(place.guarded);
  const agents = AGENT_IDS.flatMap(id => {
    if (content[id] === undefined) return [];
    const read = parse(GuardedAgentSchema, content[id]);
    if (read.ok) return [[id, read.value] as const];
    throw new Error(`${place.guarded}: ${id}: ${read.problems.map(({ message }) => message).join('; ')}`);
  });
  return Object.fromEntries(agents);
}

/** Sets how an agent is guarded, or with undefined that it is not. All else in the file stays. Throws as {@link readGuarded}. */
export async function writeGuarded(place: GuardPlace, id: AgentId, agent: GuardedAgent | undefined): Promise<void> {
  await makeGuardFolder(place);
  await withFileLock(place.guarded, async () => {
    const next = defined({ ...(await contentOf(place.guarded)), [id]: agent });
    const text = `${JSON.stringify(next, null, 2)}\n`;
    await replaceOwnFile(place.guarded, text, 0o600);
    noteOwnText(place.guarded, text);
  });
}

async function contentOf(file: string): Promise<Readonly<Record<string, unknown>>> {
  let content: unknown;
  try {
    content = parseJson(await readCountedText(file));
  } catch (error) {
    if (isCode(error, 'ENOENT')) return {};
    throw new Error(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (isRecord(content)) return content;
  throw new Error(`${file} does not hold a JSON object.`);
}
