import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Api, Model } from '@mariozechner/pi-ai';
import { DEMO_MODEL } from '../../src/demo-model/demo-model';
import type { Conversation } from '../../src/session/conversation';
import { LocalServers } from '../../src/agent/models/servers/local-servers';
import { FavoriteModels } from '../../src/vscode/pickers/favorite-models';
import { usableItems } from '../../src/vscode/pickers/model-rows';
import { pickModel } from '../../src/vscode/pickers/model-picker';
import { modelSource } from '../support/model-source';
import { hookline, pressUntilOver, staysFalse, until } from './support/extension';

type AnyPick = vscode.QuickPick<vscode.QuickPickItem>;

/** A quick pick of VS Code whose typed text reaches the extension only when `arrive` is called. */
class SlowPick {
  readonly late: AnyPick;
  private readonly waiting: (() => void)[] = [];
  private hasArrived = false;

  constructor(readonly real: AnyPick) {
    const onDidChangeValue: AnyPick['onDidChangeValue'] = listener =>
      real.onDidChangeValue(value => void this.waiting.push(() => void listener(value)));
    this.late = new Proxy(real, {
      get: (target, name) => {
        if (name === 'value' && !this.hasArrived) return '';
        if (name === 'onDidChangeValue') return onDidChangeValue;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
      set: (target, name, value) => Reflect.set(target, name, value, target),
    });
  }

  get isTyped(): boolean {
    return this.waiting.length > 0;
  }

  arrive(): void {
    this.hasArrived = true;
    for (const tell of this.waiting.splice(0)) tell();
  }
}

/** Nothing is marked as a favorite, and no server of this machine answers. */
const NEITHER = {
  favorites: new FavoriteModels({ get: () => undefined, update: () => Promise.resolve() }),
  local: new LocalServers({
    registry: { registerProvider: () => undefined, unregisterProvider: () => undefined, isFoundServer: () => false },
    memory: { get: () => undefined, set: () => Promise.resolve() },
    ports: () => ({}),
  }),
};

describe('the list of models', () => {
  const original = vscode.window.createQuickPick;
  let slow: SlowPick | undefined;

  const create = (value: unknown): void => {
    Object.defineProperty(vscode.window, 'createQuickPick', { value, configurable: true, writable: true });
  };

  before(async () => {
    await hookline();
    create(() => (slow = new SlowPick(original())).late);
  });
  after(() => create(original));

  it('marks the first match when the text was typed before the list was filled', async () => {
    const named = (id: string): Model<Api> => ({ ...DEMO_MODEL, provider: 'p', id, name: id });
    const [one, two] = [named('one'), named('two')];
    const set: unknown[] = [];
    const conversation = {
      state: { model: one },
      models: {
        scope: { models: [], warnings: [] },
        set: (model: unknown) => Promise.resolve(set.push(model) > 0),
      },
    } as unknown as Conversation;
    let tellKeys: (known: boolean) => void = () => undefined;
    const keys = new Promise<boolean>(resolve => (tellKeys = resolve));
    const models = { ...modelSource([one, two]), hasKey: () => keys };
    const isOver = (): boolean => set.length > 0;

    const chosen = pickModel(conversation, models, { ask: () => Promise.resolve(false), ...NEITHER });
    const pick = slow ?? assert.fail('a quick pick was created');
    pick.real.value = 'two';
    await until('the text is typed', () => pick.isTyped);
    tellKeys(true);
    await until('the list is filled', () => pick.late.items.length > 0);
    await staysFalse('a choice without a key', isOver);
    pick.arrive();
    await staysFalse('a choice without a key', isOver);
    // The window may still fill the list when the key comes.
    await pressUntilOver('enter', chosen);
    assert.deepEqual(set, [two]);
  });

  it('counts what needs a key, also a single model', () => {
    const named = (provider: string, id: string): Model<Api> => ({ ...DEMO_MODEL, provider, id, name: id });
    const [one, two, other] = [named('p', 'one'), named('p', 'two'), named('q', 'other')];
    const rest = (...models: readonly Model<Api>[]): readonly (string | undefined)[] => {
      const groups = [...new Set(models.map(({ provider }) => provider))].map(provider => ({
        ...{ provider, hasKey: false },
        models: models.filter(model => model.provider === provider),
      }));
      const parts = { ...NEITHER, current: undefined, models: modelSource(models) };
      const row = usableItems(groups, parts).at(-1);
      return [row?.label, row?.description];
    };
    assert.deepEqual(rest(one), ['$(key) Show 1 model that needs a key or a login…', 'of 1 provider']);
    assert.deepEqual(rest(one, two), ['$(key) Show 2 models that need a key or a login…', 'of 1 provider']);
    assert.deepEqual(rest(one, two, other), ['$(key) Show 3 models that need a key or a login…', 'of 2 providers']);
  });

  it('asks for models that appeared lately, and names the day of the list', async () => {
    const changes = new vscode.EventEmitter<undefined>();
    const known = [{ ...DEMO_MODEL, provider: 'p', id: 'one', name: 'one' }];
    const state = { model: known[0] };
    const conversation = { state, models: { scope: { models: [], warnings: [] } } } as unknown as Conversation;
    let answer: () => void = () => undefined;
    let stop: AbortSignal | undefined;
    const models = {
      ...modelSource(known),
      listedAt: Date.UTC(2026, 10, 3, 12),
      updateCatalog: (signal?: AbortSignal) => {
        stop = signal;
        return new Promise<void>(resolve => (answer = resolve));
      },
      onDidChange: changes.event,
    };
    const chosen = pickModel(conversation, models, { ask: () => Promise.resolve(false), ...NEITHER });
    const pick = slow?.real ?? assert.fail('a quick pick was created');
    const labels = (): readonly string[] => pick.items.flatMap(({ label }) => label.replace('$(blank) ', ''));
    await until('the list is filled', () => labels().includes('$(check) one'));
    assert.match(pick.title ?? '', /Nov 3, 2026/);
    assert.equal(pick.busy, true);

    known.push({ ...DEMO_MODEL, provider: 'p', id: 'new', name: 'new' });
    models.listedAt = Date.UTC(2026, 10, 28, 12);
    changes.fire(undefined);
    answer();
    await until('the new model is listed', () => labels().includes('new'));
    assert.match(pick.title ?? '', /Nov 28, 2026/);
    await until('the list is not busy', () => !pick.busy);
    pick.hide();
    await chosen;
    assert.equal(stop?.aborted, true);
  });
});
