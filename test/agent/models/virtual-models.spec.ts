import assert from 'node:assert/strict';
import type { Api, Model } from '@mariozechner/pi-ai';
import { VirtualModels, type RouteLookup, type RouteRequest } from '../../../src/agent/models/virtual-models';
import { supportedLevels } from '../../../src/agent/thinking-levels';
import { answer, scriptedModel } from '../../support/scripted-stream';

const PHYSICAL: Model<Api> = { ...scriptedModel, provider: 'test', id: 'scripted' };
const KEYLESS: Model<Api> = { ...scriptedModel, provider: 'else', id: 'locked' };
const lookup: RouteLookup = {
  findPhysical: (provider, id) => [PHYSICAL, KEYLESS].find(model => model.provider === provider && model.id === id),
  hasConfiguredAuth: model => model !== KEYLESS,
};
const DEFINITION = { provider: 'router', id: 'auto', name: 'Auto', thinkingLevels: ['low', 'high'] };
const none = (): boolean => false;

/** What comes of one request of a virtual model with this route. */
async function routed(route: (request: RouteRequest) => unknown, limitMs?: number, signal?: AbortSignal) {
  const virtual = new VirtualModels(limitMs);
  virtual.register({ ...DEFINITION, route }, '/hooks/router.ts', none);
  const [model] = virtual.models;
  const wish = { reason: 'user', thinkingLevel: 'high', signal } as const;
  return virtual.route(model!, [answer({ text: 'before' })], wish, lookup);
}

describe('a virtual model', () => {
  it('is listed with the levels and limits that it says, and with none that it does not', () => {
    const virtual = new VirtualModels();
    const route = (): unknown => undefined;
    virtual.register({ ...DEFINITION, route, contextWindow: 9000 }, 'a', none);
    virtual.register({ provider: 'router', id: 'plain', name: 'Plain', route }, 'a', none);
    const [first, second] = virtual.models;
    assert.deepEqual(
      [first?.name, first?.contextWindow, first?.maxTokens, first?.input],
      ['Auto', 9000, 0, ['text', 'image']],
    );
    assert.deepEqual([supportedLevels(first), supportedLevels(second)], [['low', 'high'], ['off']]);
  });

  it('tells its route which model answered last, and takes its choice with a level that the model has', async () => {
    let asked: RouteRequest | undefined;
    const state = { phase: 1 };
    const route = await routed(request => {
      asked = request;
      return { model: PHYSICAL, thinkingLevel: 'max', state };
    });
    assert.deepEqual([asked?.model.id, asked?.reason, asked?.previous?.model], ['auto', 'user', PHYSICAL]);
    assert.deepEqual(route, { model: PHYSICAL, thinkingLevel: 'high', state });
  });

  for (const [what, route, text] of [
    ['nothing', () => undefined, 'Virtual model router/auto: its route (/hooks/router.ts) gave no "model".'],
    [
      'no model',
      () => ({ model: 'test/scripted' }),
      'Virtual model router/auto: its route (/hooks/router.ts) gave no "model".',
    ],
    [
      'a model that nobody has',
      () => ({ model: { provider: 'x', id: 'y' }, thinkingLevel: 'low' }),
      'Virtual model router/auto routed to x/y, which is not a physical model.',
    ],
    [
      'a model without a key',
      () => ({ model: KEYLESS, thinkingLevel: 'low' }),
      'Virtual model router/auto routed to else/locked, which has no credentials.',
    ],
    [
      'a level that does not exist',
      () => ({ model: PHYSICAL, thinkingLevel: 'deep' }),
      'Virtual model router/auto: its route (/hooks/router.ts) gave no "thinkingLevel" that exists.',
    ],
  ] as const) {
    it(`is an error by name when its route gives ${what}`, async () => {
      await assert.rejects(routed(route), { message: text });
    });
  }

  it('is given up when its route does not answer, or its request was aborted', async () => {
    const hangs = (): Promise<never> => new Promise(() => undefined);
    await assert.rejects(routed(hangs, 5), {
      message: 'Virtual model router/auto: its route (/hooks/router.ts) gave no answer within 0.005 s.',
    });
    await assert.rejects(routed(hangs, undefined, AbortSignal.abort()), { message: 'Request was aborted' });
  });

  for (const [field, value] of [
    ['provider', ''],
    ['id', 5],
    ['name', undefined],
    ['route', 'no'],
    ['thinkingLevels', ['deep']],
    ['contextWindow', 'big'],
    ['input', ['sound']],
  ] as const) {
    it(`is refused with a wrong "${field}", by that name`, () => {
      const definition = { ...DEFINITION, route: () => undefined, [field]: value };
      assert.throws(() => new VirtualModels().register(definition, 'a', none), new RegExp(`"${field}" must be`));
    });
  }

  it('is refused in the place of a physical model, replaces itself, and goes with its source', () => {
    const virtual = new VirtualModels();
    const route = (): unknown => undefined;
    assert.throws(() => virtual.register({ ...DEFINITION, route }, 'a', () => true), /conflicts with a physical model/);
    virtual.register({ ...DEFINITION, route }, 'a', none);
    virtual.register({ ...DEFINITION, route, name: 'Again' }, 'b', none);
    assert.deepEqual(
      virtual.models.map(({ name }) => name),
      ['Again'],
    );
    assert.equal(virtual.unregister('router', 'auto', 'a'), false);
    virtual.unregisterSource('b');
    assert.deepEqual(virtual.models, []);
  });
});
