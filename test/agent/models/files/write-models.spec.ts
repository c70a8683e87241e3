import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseModelsFile } from '../../../../src/agent/models/files/models-file';
import { addProvider, providerNames } from '../../../../src/agent/models/files/write-models';
import { addKeeper } from '../../../../src/base/files/counted-text';

const NEW = { baseUrl: 'http://127.0.0.1:1/v1', api: 'openai-completions', apiKey: 'none', models: [{ id: 'm' }] };

describe('addProvider', () => {
  let dir: string;
  let file: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-models-'));
    file = join(dir, 'agent', 'models.json');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const text = (): string => readFileSync(file, 'utf8');
  const given = async (content: string): Promise<void> => {
    await addProvider(file, 'first', NEW);
    writeFileSync(file, content);
  };

  it('makes the file and its folder, for its owner only', async () => {
    assert.deepEqual(await providerNames(file), []);
    await addProvider(file, 'mine', NEW);
    assert.deepEqual(JSON.parse(text()), { providers: { mine: NEW } });
    assert.deepEqual(await providerNames(file), ['mine']);
    if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(existsSync(`${file}.lock`), false);
  });

  it('keeps comments, unknown members, commas, CRLF and the byte order mark', async () => {
    const lines = [
      '\uFEFF{',
      '  // mine',
      '  "unknown": [1, /* two */ 2],',
      '  "providers": {',
      '    "old": { "baseUrl": "http://a.test", "odd": true }, // stays',
      '  },',
      '}',
      '',
    ];
    await given(lines.join('\r\n'));
    await addProvider(file, 'mine', NEW);
    const now = text();
    assert.ok(now.startsWith('\uFEFF{\r\n'));
    assert.equal(now.replaceAll('\r\n', '').includes('\n'), false, 'all line ends are CRLF');
    for (const kept of ['// mine', '[1, /* two */ 2]', '"odd": true', '// stays']) assert.ok(now.includes(kept), kept);
    const { providers, problems } = parseModelsFile(now, file);
    assert.deepEqual([...providers.keys()], ['old', 'mine']);
    assert.deepEqual(problems, []);
  });

  for (const [what, content, why] of [
    [
      'names the line of a file that is broken',
      '{\n  "providers": {\n    "a": }\n}\n',
      /models\.json:3:10: is not JSON/,
    ],
    ['refuses a file with a list', '[]', /"providers" must be an object/],
    ...['3', 'null', '[]', '"none"'].map(
      value =>
        [
          `refuses providers that are ${value} and no object`,
          `{"providers": ${value}}`,
          /models\.json: "providers" must be an object/,
        ] as const,
    ),
    ['refuses a name that is taken', '{"providers": {"mine": {"baseUrl": "http://a.test"}}}', /already has a provider/],
  ] as const) {
    it(`${what}, and does not touch it`, async () => {
      await given(content);
      await assert.rejects(addProvider(file, 'mine', NEW), why);
      assert.equal(text(), content);
    });
  }

  it('takes an empty file, and one without providers', async () => {
    await given('');
    await addProvider(file, 'mine', NEW);
    assert.deepEqual(await providerNames(file), ['mine']);
    writeFileSync(file, '{ "other": 1 }\n');
    await addProvider(file, 'mine', NEW);
    assert.deepEqual(JSON.parse(text()), { other: 1, providers: { mine: NEW } });
  });

  it('counts as wanted by the user, and does not overwrite a change that waits', async () => {
    const wrote: string[] = [];
    let isHeld = false;
    const keeper = addKeeper({
      textOf: () => undefined,
      wrote: (path, content) => wrote.push(`${path} ${content.length}`),
      isHeld: () => isHeld,
    });
    await addProvider(file, 'mine', NEW);
    assert.deepEqual(wrote, [`${file} ${text().length}`]);
    isHeld = true;
    const before = text();
    await assert.rejects(addProvider(file, 'other', NEW), /has a change that waits for you/);
    assert.equal(text(), before);
    keeper.dispose();
  });
});
