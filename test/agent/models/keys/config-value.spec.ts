import assert from 'node:assert/strict';
import { inFolder, processesWith, sleeperSeconds } from '../../tools/fixture';
import { ConfigValues, type ConfigValue } from '../../../../src/agent/models/keys/config-value';

const env = { KEY: 'secret', _x1: 'low', EMPTY: '', PATH: process.env['PATH'] };

/** The text -> what is sent, or what the error says behind the place. What today's pi gives for each, and undefined for errors. */
const TABLE: readonly (readonly [text: string, sent: string | RegExp])[] = [
  ['plain', 'plain'],
  ['KEY', 'KEY'],
  ['$KEY', 'secret'],
  ['${KEY}', 'secret'],
  ['Bearer $KEY!', 'Bearer secret!'],
  ['$KEY-${_x1}', 'secret-low'],
  ['$KEYS', /the environment variable KEYS is not set\.$/],
  ['${KEY}S', 'secretS'],
  ['$EMPTY', /the environment variable EMPTY is not set\.$/],
  ['a${NONE}b$NADA$NONE', /the environment variables NONE, NADA are not set\.$/],
  ['$$KEY', '$KEY'],
  ['$!KEY', '!KEY'],
  ['$$$KEY', '$secret'],
  ['$', '$'],
  ['a$', 'a$'],
  ['$1', '$1'],
  ['$-', '$-'],
  ['${', '${'],
  ['${KEY', '${KEY'],
  ['${}', '${}'],
  ['${a-b}', '${a-b}'],
  ['${a-$KEY}', '${a-$KEY}'],
  ['${1x}$KEY', '${1x}secret'],
  ['!printf " %s " "$KEY"', 'secret'],
  ['a!printf x', 'a!printf x'],
  ['!true', /the command "true" printed nothing\.$/],
  ['!exit 4', /the command "exit 4" failed with exit code 4\.$/],
];

describe('ConfigValues', () => {
  const values = new ConfigValues(env);
  const at = (text: string, more: Partial<ConfigValue> = {}): ConfigValue => ({ text, place: 'f.json, key', ...more });

  for (const [text, expected] of TABLE) {
    it(`reads ${text}`, async () => {
      const result = await values.resolve(at(text, { file: '/f.json' }));
      if (typeof expected === 'string') {
        assert.deepEqual(result, { ok: true, value: expected });
        return;
      }
      assert.ok(!result.ok);
      const [problem] = result.problems;
      assert.match(problem?.message ?? '', /^f\.json, key: /);
      assert.match(problem?.message ?? '', expected);
      assert.equal(problem?.file, '/f.json');
      assert.equal(values.resolveNow(at(text)), undefined);
    });
  }

  it('stops a command that takes too long with all that it started, also if somebody else holds its output', async () => {
    const hurried = new ConfigValues(env, 200);
    const [below, apart] = [sleeperSeconds(), sleeperSeconds()];
    const result = await hurried.resolve(at(`!echo key; sleep ${below}`));
    assert.deepEqual(result, {
      ok: false,
      problems: [{ message: `f.json, key: the command "echo key; sleep ${below}" was stopped after 0.2 seconds.` }],
    });
    assert.deepEqual(await processesWith(`sleep ${below}`), []);
    await inFolder({}, async folder => {
      // No mark and no parent lead to the process that holds the output.
      const held = await hurried.resolve(at(`!env -i sleep ${apart} & echo $! > "${folder.path}/pid"; echo key`));
      process.kill(Number(folder.text('pid')), 'SIGKILL');
      assert.deepEqual(held, { ok: true, value: 'key' });
    });
  });

  it('asks variables of the credential first, and the environment for what they lack or leave empty', async () => {
    const own = { KEY: 'own', EMPTY: 'filled', _x1: '' };
    assert.deepEqual(await values.resolve(at('$KEY $EMPTY $_x1', { env: own })), { ok: true, value: 'own filled low' });
  });

  it('takes a bare name for a variable only where that is promised', async () => {
    assert.deepEqual(await values.resolve(at('KEY', { bareName: true })), { ok: true, value: 'secret' });
    assert.deepEqual(await values.resolve(at('NONE', { bareName: true })), { ok: true, value: 'NONE' });
    assert.deepEqual(await values.resolve(at('KEY')), { ok: true, value: 'KEY' });
  });

  it('tells whether a value is there without running its command', () => {
    assert.equal(values.isConfigured(at('!exit 1')), true);
    assert.equal(values.resolveNow(at('!printf x')), undefined);
    assert.equal(values.isConfigured(at('$KEY')), true);
    assert.equal(values.isConfigured(at('$NONE')), false);
  });

  it('speaks of bare names only when there is such a variable', () => {
    const said = values.bareNames([at('KEY'), at('NONE'), at('EMPTY'), at('_x1'), at('$KEY'), at('PATH')]);
    assert.deepEqual(
      said.map(({ message }) => /: "(\w+)" .* write "(.*)"\.$/.exec(message)?.slice(1)),
      [
        ['KEY', '$KEY'],
        ['PATH', '$PATH'],
      ],
    );
  });
});
