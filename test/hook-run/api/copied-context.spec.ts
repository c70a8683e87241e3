import assert from 'node:assert/strict';
import type { HookContext } from '../../../src/hook-run/api/context';
import { hook, hostWith } from '../../support/hook-host';

const EVENT = { type: 'session_start', reason: 'startup' } as const;

interface Listens {
  on(event: 'session_start', listen: (event: unknown, ctx: HookContext) => void): void;
}

type Make = <T extends object>(object: T) => T;

/** What a hook sees of what it made from its `ctx` and from `ctx.ui`. */
async function seenOf(make: Make): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const listen = (_event: unknown, ctx: HookContext): void => {
    const [own, ui] = [make(ctx), make(ctx.ui)];
    own.ui.notify('through the context');
    ui.notify('through its ui');
    seen.push(own.cwd === ctx.cwd, own.sessionManager === ctx.sessionManager, own.isIdle(), ui.getEditorText());
  };
  const test = await hostWith([hook('ext', (pi: Listens) => pi.on('session_start', listen))]);
  await test.emit(EVENT);
  assert.deepEqual(test.errors, []);
  seen.push(...test.conversation.ui.notices.map(({ message }) => message));
  await test.host.dispose();
  return seen;
}

describe('what a hook makes from its ctx', () => {
  const whole = [true, true, true, '', 'through the context', 'through its ui'];
  const ways: Readonly<Record<string, Make>> = {
    'a copy': object => ({ ...object }),
    'a derived object': <T extends object>(object: T) => Object.create(object) as T,
    'a proxy': object => new Proxy(object, { get: (target, name, self): unknown => Reflect.get(target, name, self) }),
    'a copy of its properties': <T extends object>(object: T) =>
      Object.defineProperties({} as T, Object.getOwnPropertyDescriptors(object)),
  };
  for (const [way, make] of Object.entries(ways)) {
    it(`works as ${way}`, async () => assert.deepEqual(await seenOf(make), whole));
  }

  it('lists its members', async () => {
    const names: string[] = [];
    const listen = (_event: unknown, ctx: HookContext): void => void names.push(...Object.keys(ctx));
    const test = await hostWith([hook('ext', (pi: Listens) => pi.on('session_start', listen))]);
    await test.emit(EVENT);
    for (const name of ['ui', 'cwd', 'modelRegistry', 'compact']) assert.ok(names.includes(name), name);
    assert.ok(!names.includes('constructor'));
    await test.host.dispose();
  });
});
