import { dirname, join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { noteOwnText, watchedName } from '../../../base/files/counted-text';
import { parse } from '../../../base/json/schema';
import { contractOf } from '../../agents';
import type { GuardPlace } from '../../protocol/place';
import type { Machine } from '../this-machine';
import { codexHooksFile } from './codex-files';
import { withCodex, type AskCodex, type CodexProgram } from './codex-app-server';
import { configurationText } from '../formats/configuration-text';
import { clientCommand, isClientCommand } from '../client-command';
import type { FoundAgent } from '../find-agents';

const Text = Type.String();

const HookSchema = Type.Object({
  /** Of its trust: `<file>:<event>:<group>:<handler>`. */
  key: Text,
  command: Type.Optional(Type.Union([Text, Type.Null()])),
  sourcePath: Text,
  enabled: Type.Boolean(),
  currentHash: Text,
  /** `untrusted`, `modified`, `trusted`, `managed`. */
  trustStatus: Text,
});
type CodexHook = Readonly<Static<typeof HookSchema>>;

const ListSchema = Type.Object({ data: Type.Array(Type.Object({ hooks: Type.Array(HookSchema) })) });

/**
 * What Codex does with the entries of ours in a file. `untrusted`: it skips at least one, until the user trusts it.
 * `disabled`: the user turned at least one off in Codex. `unlisted`: Codex does not have all of them, as with hooks turned off.
 */
export type CodexTrust = 'trusted' | 'untrusted' | 'disabled' | 'unlisted';

export interface CodexTrustRequest {
  readonly codex: CodexProgram;
  /** Absolute path of the file with our entries. */
  readonly file: string;
  /** The commands of our entries. */
  readonly commands: readonly string[];
}

/** The request about the entries of Hookline in the user's configuration; undefined where the program of Codex was not found. */
export function codexTrustRequest(
  codex: Pick<FoundAgent, 'program'> | undefined,
  { place, machine, cwd }: { readonly place: GuardPlace; readonly machine: Machine; readonly cwd: string },
): CodexTrustRequest | undefined {
  if (codex?.program === undefined) return undefined;
  return {
    codex: { program: codex.program, env: machine.env, cwd },
    file: codexHooksFile(machine).file,
    commands: contractOf('codex').events.map(({ name }) => clientCommand(place, 'codex', name, machine)),
  };
}

/** Asks Codex about our entries. Starts Codex, so it takes about a second; rejects as {@link withCodex}. */
export async function codexTrust(request: CodexTrustRequest): Promise<CodexTrust> {
  return withCodex(request.codex, async ask => trustOf(await hooksOf(ask, request.codex.cwd), request));
}

/**
 * Makes Codex trust exactly our entries in a file, as they are now; to be called after the user said yes.
 * @throws Error if Codex does not trust them then, or trusts another hook since
 */
export async function trustInCodex(request: CodexTrustRequest): Promise<void> {
  await withCodex(request.codex, async ask => {
    const before = await hooksOf(ask, request.codex.cwd);
    const own = ownOf(before, request);
    if (own.length < request.commands.length) throw new Error(`Codex does not list the hooks of ${request.file}.`);
    const state = own.map(({ key, currentHash }) => [key, { trusted_hash: currentHash, enabled: true }]);
    const edit = { keyPath: 'hooks.state', value: Object.fromEntries(state) as unknown, mergeStrategy: 'upsert' };
    await ask('config/batchWrite', { edits: [edit] });
    const config = join(dirname(request.file), 'config.toml');
    noteOwnText(config, (await configurationText(config)) ?? '');
    const after = await hooksOf(ask, request.codex.cwd);
    const trust = trustOf(after, request);
    if (trust !== 'trusted') {
      throw new Error(`Codex was told to trust the hooks of ${request.file}, and they are ${trust}.`);
    }
    const keys = new Set(own.map(({ key }) => key));
    const other = after.find(hook => !keys.has(hook.key) && isTrusted(hook) && !before.some(was => isSame(was, hook)));
    if (other !== undefined) {
      throw new Error(`Codex trusts ${other.key}, too, since the hooks of Hookline were trusted.`);
    }
  });
}

async function hooksOf(ask: AskCodex, cwd: string): Promise<readonly CodexHook[]> {
  const listed = parse(ListSchema, await ask('hooks/list', { cwds: [cwd] }));
  if (listed.ok) return listed.value.data.flatMap(({ hooks }) => hooks);
  throw new Error(`codex app-server: hooks/list: ${listed.problems.map(({ message }) => message).join('; ')}`);
}

function trustOf(hooks: readonly CodexHook[], request: CodexTrustRequest): CodexTrust {
  const own = ownOf(hooks, request);
  if (own.length < request.commands.length) return 'unlisted';
  if (!own.every(isTrusted)) return 'untrusted';
  return own.every(({ enabled }) => enabled) ? 'trusted' : 'disabled';
}

function ownOf(hooks: readonly CodexHook[], { file, commands }: CodexTrustRequest): readonly CodexHook[] {
  const name = watchedName(file);
  return hooks.filter(({ sourcePath, command }) => {
    return isClientCommand(command) && commands.includes(command) && watchedName(sourcePath) === name;
  });
}

function isTrusted({ trustStatus }: CodexHook): boolean {
  return trustStatus === 'trusted' || trustStatus === 'managed';
}

function isSame(one: CodexHook, other: CodexHook): boolean {
  return one.key === other.key && one.trustStatus === other.trustStatus && one.currentHash === other.currentHash;
}
