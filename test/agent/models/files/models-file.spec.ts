import assert from 'node:assert/strict';
import { parseModelsFile, readModelsFile } from '../../../../src/agent/models/files/models-file';

const PATH = '/agent/models.json';
const local = { baseUrl: 'http://127.0.0.1:1/v1', api: 'openai-completions', apiKey: 'LOCAL_KEY' };

function problemsOf(providers: unknown): string[] {
  const file = parseModelsFile(JSON.stringify({ providers }), PATH);
  assert.ok(file.problems.every(problem => problem.file === PATH));
  return file.problems.map(problem => problem.message);
}

describe('parseModelsFile', () => {
  it('needs no more than an id of a model', () => {
    const file = parseModelsFile(JSON.stringify({ providers: { local: { ...local, models: [{ id: 'm' }] } } }), PATH);
    assert.deepEqual(file.problems, []);
    assert.deepEqual(file.providers.get('local')?.models, [{ id: 'm' }]);
  });

  it('names provider, model and field of what is wrong and loads the rest', () => {
    const text = JSON.stringify({
      providers: {
        broken: { ...local, baseUrl: 7 },
        local: { ...local, models: [{ id: 'good' }, { id: 'bad', contextWindow: 'big' }, { name: 'nameless' }] },
      },
    });
    const file = parseModelsFile(text, PATH);
    assert.deepEqual([...file.providers.keys()], ['local']);
    assert.deepEqual(
      file.providers.get('local')?.models.map(model => model.id),
      ['good'],
    );
    const messages = file.problems.map(problem => problem.message);
    assert.ok(messages.some(message => message.includes('provider "broken", baseUrl:')));
    assert.ok(messages.some(message => message.includes('provider "local", model "bad", contextWindow:')));
    assert.ok(messages.some(message => message.includes('provider "local", model number 3, id:')));
  });

  it('says what is missing', () => {
    assert.match(problemsOf({ a: { models: [{ id: 'm' }] } })[0]!, /provider "a", model "m", baseUrl: Required/);
    assert.match(problemsOf({ a: { baseUrl: 'x', models: [{ id: 'm' }] } })[0]!, /model "m", api: Required/);
    assert.match(problemsOf({ a: {} })[0]!, /provider "a": needs "baseUrl"/);
    assert.match(problemsOf({ a: { ...local, models: {} } })[0]!, /provider "a", models: Expected array/);
    assert.match(problemsOf({ a: { modelOverrides: { m: { maxTokens: -1 } } } })[0]!, /modelOverrides "m", maxTokens:/);
    assert.match(problemsOf([])[0]!, /"providers" must be an object/);
    assert.match(problemsOf({ a: 'x' })[0]!, /provider "a", value:/);
  });

  it('points at a syntax error without quoting the file, which may hold a key', () => {
    const file = parseModelsFile('{\n  "providers": { "a": { "apiKey": "sk-secret" "x": 1 } }\n}', PATH);
    const [problem] = file.problems;
    assert.match(problem!.message, /models\.json is not JSON/);
    assert.ok(!problem!.message.includes('secret'));
    assert.equal(file.providers.size, 0);
  });

  it('may have comments and commas before closing brackets, as in pi, and a mark at its start', () => {
    const text = '\uFEFF// mine\n{ "providers": { "a": { "baseUrl": "http://x/v1", /* key */ "apiKey": "k//", } } }';
    const file = parseModelsFile(text, PATH);
    assert.deepEqual(file.problems, []);
    assert.deepEqual(file.providers.get('a')?.settings, { baseUrl: 'http://x/v1', apiKey: 'k//' });
  });

  it('says in which line what is wrong stands', () => {
    const text = `{ "providers": {
  "a": { "baseUrl": "x", "api": "y",
    "models": [{ "id": "m" },
      { "id": "n",
        "contextWindow": "big" }] },
  "b": { "baseUrl": 7 },
  "c": { "modelOverrides": { "m": {
    "cost": { "input": -1 } } } }
} }`;
    assert.deepEqual(
      parseModelsFile(text, PATH).problems.map(({ line, column }) => [line, column]),
      [
        [5, 9],
        [6, 10],
        [8, 15],
      ],
    );
    assert.equal(parseModelsFile('{\n\n  "providers" }', PATH).problems[0]?.line, 3);
  });

  it('takes the newer name of a provider for the one that the models have', () => {
    const file = parseModelsFile(JSON.stringify({ providers: { 'azure-openai-responses': { apiKey: 'k' } } }), PATH);
    assert.deepEqual([...file.providers.keys()], ['azure']);
  });

  it('lets models of built-in providers do without address and API', () => {
    const text = JSON.stringify({ providers: { groq: { models: [{ id: 'm' }] }, own: { models: [{ id: 'm' }] } } });
    const file = parseModelsFile(text, PATH, new Set(['groq']));
    assert.equal(file.providers.get('groq')?.models.length, 1);
    assert.deepEqual(
      file.problems.map(({ message }) => message),
      ['models.json, provider "own", model "m", baseUrl: Required at the model or at its provider'],
    );
  });

  it('takes a missing file for an empty one', async () =>
    assert.deepEqual(await readModelsFile('/does/not/exist/models.json'), { providers: new Map(), problems: [] }));
});
