import * as assert from 'node:assert';
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { codexTrust, trustInCodex, type CodexTrustRequest } from '../../../../src/guard/config/codex/codex-trust';
import { withoutTrust } from '../../../../src/guard/config/codex/codex-trust-text';
import { jsonFormat } from '../../../../src/guard/config/formats/json-format';
import { GuardRig } from '../guard-rig';

const OWN = "bash '/x/guard/client.sh' codex PreToolUse";

const DOES = {
  deaf: 'trusts nothing',
  generous: 'trusts more than it was told to',
  old: 'does not know the request',
  ends: 'ends before it answers',
};

/** Answers as `codex app-server` does, of hooks and trust in a file, and does what else its first argument says. */
const SERVER = `
const { readFileSync, writeFileSync } = require('node:fs');
const [how, file] = process.argv.slice(2);
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', line => {
  const { id, method, params } = JSON.parse(line);
  const say = answer => console.log(JSON.stringify({ id, ...answer }));
  const read = () => JSON.parse(readFileSync(file, 'utf8'));
  if (method === 'initialize') {
    console.log(JSON.stringify({ method: 'configWarning', params: {} }));
    say({ result: {} });
  } else if (method === 'hooks/list') {
    if (how === 'ends') process.exit(1);
    say(how === 'old' ? { error: { code: -32601, message: 'unknown method' } } : { result: { data: [{ hooks: read(), warnings: [] }] } });
  } else if (method === 'config/batchWrite') {
    const [{ keyPath, value, mergeStrategy }] = params.edits;
    if (keyPath !== 'hooks.state' || mergeStrategy !== 'upsert') throw new Error('another edit');
    const next = read().map(hook => {
      const isSaid = value[hook.key]?.trusted_hash === hook.currentHash;
      return (isSaid && how !== 'deaf') || how === 'generous' ? { ...hook, trustStatus: 'trusted' } : hook;
    });
    writeFileSync(file, JSON.stringify(next));
    say({ result: { status: 'ok' } });
  }
});
`;

describe('trust of Codex', () => {
  let rig: GuardRig;

  beforeEach(async () => {
    rig = await GuardRig.make();
  });
  afterEach(() => rig.dispose());

  const request = async (how: string): Promise<CodexTrustRequest & { readonly listed: string }> => {
    const file = join(rig.root, '.codex', 'hooks.json');
    const hook = (group: number, command: string): object => ({
      key: `${file}:pre_tool_use:${group}:0`,
      command,
      sourcePath: file,
      enabled: true,
      currentHash: `sha256:${group}`,
      trustStatus: 'untrusted',
      eventName: 'preToolUse',
    });
    const listed = await rig.file(
      'listed.json',
      JSON.stringify([hook(0, 'curl evil'), hook(1, OWN), hook(2, OWN.replace('/x/', '/y/'))]),
    );
    const server = await rig.file('server.cjs', SERVER);
    const codex = { program: process.execPath, args: [server, how, listed], env: {}, cwd: rig.root };
    return { codex, file, commands: [OWN], listed };
  };

  it('is given to exactly our entries, and not to those of others or of another guard folder', async () => {
    const asked = await request('plain');
    assert.equal(await codexTrust(asked), 'untrusted');
    await trustInCodex(asked);
    assert.equal(await codexTrust(asked), 'trusted');
    const hooks = JSON.parse(await readFile(asked.listed, 'utf8')) as { trustStatus: string }[];
    assert.deepEqual(
      hooks.map(({ trustStatus }) => trustStatus),
      ['untrusted', 'trusted', 'untrusted'],
    );
  });

  it('is missed where Codex does not list an entry of ours', async () => {
    const asked = { ...(await request('plain')), commands: [OWN, OWN.replace('PreToolUse', 'Stop')] };
    assert.equal(await codexTrust(asked), 'unlisted');
    await assert.rejects(trustInCodex(asked), { message: `Codex does not list the hooks of ${asked.file}.` });
  });

  for (const [how, message] of [
    ['deaf', /was told to trust the hooks of .*, and they are untrusted\./],
    ['generous', /^Codex trusts .*:pre_tool_use:[02]:0, too, since/],
    ['old', /^codex app-server: unknown method$/],
    ['ends', /^codex app-server ended without an answer$/],
  ] as const) {
    it(`ends in an error that says so when Codex ${DOES[how]}`, async () => {
      await assert.rejects(trustInCodex(await request(how)), { message });
    });
  }

  it('ends in an error that says so when there is no Codex', async () => {
    const asked = await request('plain');
    const codex = { ...asked.codex, program: join(rig.root, 'none') };
    await assert.rejects(codexTrust({ ...asked, codex }), { message: /^codex app-server cannot be started: .*ENOENT/ });
  });

  it('is taken out of config.toml for our entries alone', () => {
    const own = jsonFormat().own(JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ command: OWN }] }] } }));
    const state = (key: string): string => `[hooks.state."/h/hooks.json:${key}"]\ntrusted_hash = "sha256:1"\n`;
    const mine = state('pre_tool_use:0:0');
    assert.equal(withoutTrust(`a = 1\n\n[hooks.state]\n\n${mine}`, ['/h/hooks.json'], own), 'a = 1\n');
    const other = `a = 1\n\n[hooks.state]\n\n${state('pre_tool_use:1:0')}`;
    assert.equal(withoutTrust(`${other}\n${mine}`, ['/h/hooks.json'], own), other);
    assert.equal(withoutTrust(other, ['/h/hooks.json'], own), other);
  });
});
