import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decisionsIn } from '../../src/agent/settings/trust-file';
import { ended, until } from './support/cli';
import { eachWithModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';
import { itOnLinux } from '../support/platform';

/** No usual shape: it can only be known by value. */
const KEY = 'correct horse battery 4711';
const HEADER = 'value-of-a-header-4712';
const IN_ADDRESS = 'in-the-address-4713';
const SHAPED = 'sk-ant-api03-0123456789abcdef';
const GIT = 'ghp_0123456789abcdefghijABCDEFGHIJ';

describe('no key leaks', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  /** models.json of the scripted provider, changed. */
  const provider = (more: object): void => {
    const { baseUrl, api } = llm.model('anthropic-messages');
    const models = [{ id: 'one', contextWindow: 200_000, maxTokens: 8192 }];
    const whole = { baseUrl, api, apiKey: KEY, models, ...more };
    place.file('agent/models.json', JSON.stringify({ providers: { scripted: whole } }));
  };
  const saved = (): string =>
    place
      .sessionFiles()
      .map(file => readFileSync(file, 'utf8'))
      .join('\n');
  const without = (text: string, ...secrets: readonly string[]): void => {
    for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} in ${text}`);
  };

  for (const mode of ['text', 'json'] as const) {
    it(`from a reply 401 that repeats it: stderr, output (${mode}) and the session`, async () => {
      provider({ headers: { 'X-Gateway-Auth': HEADER } });
      const words = `invalid x-api-key ${KEY} with ${HEADER} (was ${SHAPED}?)`;
      llm.fail(401, { message: words });
      const { stdout, stderr } = await place.run(['--mode', mode, '-p', 'hi', '--verbose']);
      assert.match(mode === 'json' ? stdout : stderr, /refused the API key \(401\)[^]*invalid x-api-key \[redacted\]/);
      assert.match(saved(), /invalid x-api-key \[redacted\] with \[redacted\]/);
      without(stdout + stderr + saved(), KEY, HEADER, SHAPED);
      assert.equal(llm.requests[0]?.headers['x-api-key'], KEY, 'the request itself has it');
    });
  }

  it('from the key of --api-key and of the environment', async () => {
    for (const [args, env] of [
      [['--api-key', 'typed by hand 4714'], {}],
      [[], { SCRIPTED_KEY: 'typed by hand 4714' }],
    ] as const) {
      provider({ apiKey: '$SCRIPTED_KEY' });
      llm.fail(401, { message: 'no such key: typed by hand 4714' });
      const { stdout, stderr } = await place.run(['-p', 'hi', '--model', 'scripted/one', ...args], { env });
      assert.match(stderr, /no such key: \[redacted\]/);
      without(stdout + stderr + saved(), 'typed by hand 4714');
    }
  });

  it('from headers of any name, and from variables of the environment', async () => {
    const secret = {
      inHeader: 'plain/words of a header',
      aws: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEX',
      other: 'a pass word 4715',
    };
    const headers = { 'X-Tenant': secret.inHeader, Accept: 'application/json' };
    provider({ models: [{ id: 'one', contextWindow: 200_000, maxTokens: 8192, headers }] });
    const env = { AWS_SECRET_ACCESS_KEY: secret.aws, DB_PASSWORD: secret.other };
    llm.fail(401, { message: `no ${Object.values(secret).join(' or ')} as application/json` });
    const { stdout, stderr } = await place.run(['-p', 'hi', '--verbose'], { env });
    assert.match(stderr, /no \[redacted\] or \[redacted\] or \[redacted\] as application\/json/);
    without(stdout + stderr + saved(), ...Object.values(secret));
  });

  itOnLinux('from the list of processes, which shows the command line', async () => {
    for (const words of [['--api-key', KEY], [`--api-key=${KEY}`]]) {
      const child = place.start(['-p', ...words, '--model', 'scripted/one']);
      const listed = (): string => readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
      // It waits for stdin, so it does not end before.
      await until(() => listed().includes('[hidden]'), 'the title');
      without(listed(), KEY);
      assert.ok(listed().includes('scripted/one'), listed());
      child.stdin.end();
      await ended(child);
    }
  });

  it('from the environment of commands, of programs of hooks, and of MCP servers, if a setting says so', async () => {
    const secrets = { ANTHROPIC_API_KEY: 'key of anthropic', AWS_SESSION_TOKEN: 'key of aws', MY_OWN: 'key of my own' };
    const write = (name: string): string =>
      `require('node:fs').writeFileSync('${name}.json', JSON.stringify(process.env))`;
    place.file(
      'agent/mcp.json',
      JSON.stringify({ mcpServers: { a: { command: 'node', args: ['-e', write('mcp')] } } }),
    );
    place.hook(
      'exec.ts',
      `export default pi => {
      pi.on('session_start', async () => { await pi.exec('node', ['-e', ${JSON.stringify(write('exec'))}]); });
    };\n`,
    );
    const found = (name: string): readonly string[] => {
      const env = JSON.parse(readFileSync(join(place.cwd, `${name}.json`), 'utf8')) as Readonly<Record<string, string>>;
      assert.equal(env['FOR_ALL'], 'here');
      return Object.keys(secrets).filter(key => env[key] !== undefined);
    };
    for (const hideProviderKeys of [true, false]) {
      provider({ apiKey: '${MY_OWN}' });
      const settings = { defaultProvider: 'scripted', defaultModel: 'one', hideProviderKeys };
      place.file('agent/settings.json', JSON.stringify(settings));
      // A folder that is opened must not turn it off.
      place.file('work/.pi/settings.json', JSON.stringify({ hideProviderKeys: false }));
      llm.reply(
        { toolCalls: [{ name: 'bash', arguments: { command: `node -e "${write('bash')}"` } }] },
        { text: 'done' },
      );
      const env = { ...secrets, FOR_ALL: 'here' };
      await place.run(['-p', 'go'], { env });
      await place.run(['mcp', 'list'], { env });
      assert.equal(llm.requests.at(-1)?.headers['x-api-key'], secrets.MY_OWN);
      const expected = hideProviderKeys ? [] : Object.keys(secrets);
      assert.deepEqual([found('bash'), found('exec'), found('mcp')], [expected, expected, expected]);
    }
  });

  it('from an address that holds it, when nobody answers there', async () => {
    provider({ baseUrl: `http://me:${IN_ADDRESS}@127.0.0.1:9/v1?code=a&api_key=${SHAPED}` });
    const { stdout, stderr } = await place.run(['-p', 'hi', '--verbose'], { env: { PI_OFFLINE: '1' } });
    assert.match(stderr, /scripted/);
    without(stdout + stderr + saved(), IN_ADDRESS, SHAPED);
  });

  it('from the text of a command that fails', async () => {
    provider({ apiKey: `!vault read -token=${IN_ADDRESS} ${SHAPED} && exit 3` });
    const { stdout, stderr } = await place.run(['-p', 'hi', '--verbose']);
    assert.match(
      stderr,
      /the command "vault read -token=\[redacted\] \[redacted\] && exit 3" failed with exit code \d+/,
    );
    without(stdout + stderr + saved(), IN_ADDRESS, SHAPED);
  });

  for (const version of ['today', 'older'] as const) {
    it(`from headers and addresses of models over RPC (${version})`, async () => {
      provider({
        baseUrl: `http://me:${IN_ADDRESS}@127.0.0.1:9/v1`,
        headers: { 'X-Gateway-Auth': HEADER, Cookie: 'short', 'X-Title': 'My App' },
      });
      const host = version === 'today' ? RpcHost.start(place) : RpcHost.startOlder(place);
      const { models } = await host.data<{ models: readonly { headers?: object }[] }>('get_available_models');
      const headers = { 'X-Gateway-Auth': '[redacted]', Cookie: '[redacted]', 'X-Title': 'My App' };
      assert.deepEqual(
        models.map(model => model.headers),
        [headers],
      );
      const answers = [
        await host.ask('get_state'),
        await host.ask('set_model', { provider: 'scripted', modelId: 'one' }),
        await host.ask('cycle_model'),
        await host.ask('set_model', { provider: 'none', modelId: SHAPED }),
      ];
      await host.close();
      without(JSON.stringify([models, answers]), IN_ADDRESS, HEADER, SHAPED);
    });
  }

  it('from what a hook throws, over RPC and on stderr', async () => {
    provider({});
    place.hook(
      'loud.ts',
      `export default pi => { pi.on('turn_start', () => { throw new Error('sent ' + ${JSON.stringify(KEY)}); }); };\n`,
    );
    const host = RpcHost.start(place);
    llm.reply({ text: 'ok' });
    await host.prompt('hi');
    const { stderr } = await host.close();
    assert.match(JSON.stringify(host.messages), /"extension_error","error":"sent \[redacted\]"/);
    without(JSON.stringify(host.messages) + stderr, KEY);
  });

  for (const form of ['html', 'md', 'jsonl']) {
    it(`from an export as ${form}, while the session keeps what was said`, async () => {
      provider({ apiKey: '!printf "printed key 4715"' });
      place.file('agent/auth.json', JSON.stringify({ other: { type: 'api_key', key: KEY } }));
      llm.reply({ text: `never write ${GIT}` });
      assert.equal((await place.run(['-p', `my key is ${SHAPED}, or ${KEY}`])).code, 0);
      const [file = ''] = place.sessionFiles();
      const before = readFileSync(file, 'utf8');
      for (const secret of [SHAPED, GIT, KEY]) assert.ok(before.includes(secret), 'it resumes as it was');
      const { code, stderr } = await place.run(['--export', file, `out.${form}`]);
      assert.deepEqual([code, stderr], [0, '']);
      const text = readFileSync(join(place.cwd, `out.${form}`), 'utf8');
      assert.match(text, /my key is \[redacted\], or \[redacted\]/);
      assert.match(text, /never write \[redacted\]/);
      without(text, SHAPED, GIT, KEY);
      assert.equal(readFileSync(file, 'utf8'), before);
    });
  }

  it('from a trust file that cannot be read', () => {
    assert.throws(
      () => decisionsIn(`{ "/": ${KEY} }`, 'trust.json'),
      ({ message }: Error) => message.startsWith('trust.json is not JSON: ') && !message.includes('horse'),
    );
  });

  it('from settings, servers, models and logins that cannot be read or do not fit', async () => {
    const broken: readonly (readonly [file: string, text: string])[] = [
      ['agent/settings.json', `{ "shellPath": ${KEY} }`],
      [
        'agent/settings.json',
        JSON.stringify({ retry: { apiKey: KEY, maxRetries: KEY }, theme: { token: 'x', a: SHAPED } }),
      ],
      ['agent/settings.json', JSON.stringify({ packages: [{ source: 5, extensions: `A1b2C3d4E5f6G7h8${HEADER}` }] })],
      ['agent/mcp.json', `{ "mcpServers": { "a": { "headers": { "x": ${KEY} } } } }`],
      ['agent/models.json', `{ "providers": { "a": { "apiKey": ${KEY} } } }`],
      ['agent/auth.json', `{ "a": { "type": "api_key", "key": ${KEY} } }`],
    ];
    for (const [file, text] of broken) {
      place.file(file, text);
      llm.reply({ text: 'ok' });
      const { stdout, stderr } = await place.run(['-p', 'hi', '--verbose', '--no-session']);
      assert.match(stderr, /settings|Setting|trust|mcp|models|auth/i, file);
      without(stdout + stderr, KEY, 'horse', SHAPED, HEADER);
      place.file(file, '{}');
      if (file.endsWith('models.json') || file.endsWith('settings.json')) place.useLlm(llm);
    }
  });
});
