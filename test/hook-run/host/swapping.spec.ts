/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- hooks are foreign code: they take what they are handed */
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import { defineTool, type ToolResult } from '../../../src/agent/tools/tool';
import { deferred } from '../../../src/base/async/wait';
import { wrapToolsWithHooks } from '../../../src/hook-run/tool-call/wrap-tools';
import { hook, hostWith, until, type TestHost } from '../../support/hook-host';

/** A guard that is disarmed by its end, before a hook whose end takes until `release` is called. */
async function swapping(before?: (host: TestHost) => Promise<void>) {
  let release = (): void => undefined;
  let ending = false;
  const slow = new Promise<void>(resolve => {
    release = resolve;
  });
  const host = await hostWith([
    hook('ext', pi => {
      let armed = true;
      pi.on('session_shutdown', () => {
        armed = false;
      });
      pi.on('tool_call', ({ toolName }: { toolName: string }) =>
        armed && toolName === 'bash' ? { block: true, reason: 'armed' } : undefined,
      );
      pi.on('tool_result', () => (armed ? { content: [{ type: 'text', text: 'removed' }] } : undefined));
    }),
    hook('ext', pi => {
      pi.on('session_shutdown', () => {
        ending = true;
        return slow;
      });
    }),
  ]);
  await before?.(host);
  const reload = host.host.reload({ freshAll: true });
  await until(() => ending, 'the old instances end');
  return { host, release, reload };
}

function callBash(host: TestHost, ran: string[], signal?: AbortSignal): Promise<unknown> {
  const bash = defineTool({
    name: 'bash',
    label: 'Bash',
    description: 'Runs a command',
    parameters: Type.Object({ command: Type.String() }),
    execute: (_id, { command }) => {
      ran.push(command);
      return Promise.resolve({ content: [], details: undefined });
    },
  });
  const [tool] = wrapToolsWithHooks([bash], host.runner, host.conversation);
  return tool!.execute('t1', { command: 'ls' }, signal);
}

describe('while hooks are swapped', () => {
  it('a tool call waits for the new instances instead of asking those that have ended', async () => {
    const { host, release, reload } = await swapping();
    const ran: string[] = [];
    const call = assert.rejects(callBash(host, ran), { message: 'armed' });
    release();
    await Promise.all([call, reload]);
    assert.deepEqual(ran, []);
    assert.equal(await host.runner.whenSwapped(undefined), true);
  });

  it('the result of a call that ran before waits, too: a hook may remove something from it', async () => {
    const [started, finished] = [deferred(), deferred()];
    const read = defineTool({
      name: 'read',
      label: 'Read',
      description: 'Reads a file',
      parameters: Type.Object({}),
      execute: async () => {
        started.resolve();
        await finished.promise;
        return { content: [{ type: 'text' as const, text: 'secret' }], details: undefined };
      },
    });
    let call: Promise<ToolResult> | undefined;
    const { release, reload } = await swapping(async ({ runner, conversation }) => {
      call = wrapToolsWithHooks([read], runner, conversation)[0]?.execute('t1', {}, undefined);
      await started.promise;
    });
    finished.resolve();
    await setImmediate();
    release();
    await reload;
    assert.deepEqual((await call)?.content, [{ type: 'text', text: 'removed' }]);
  });

  it('a tool call that waits ends with its run', async () => {
    const { host, release, reload } = await swapping();
    const ran: string[] = [];
    const stop = new AbortController();
    const call = assert.rejects(callBash(host, ran, stop.signal), { message: 'Operation aborted' });
    stop.abort();
    await call;
    assert.deepEqual(ran, []);
    release();
    await reload;
  });

  it('a host that is disposed drops the reload that waits its turn, and leaves nothing running', async () => {
    let live = 0;
    const { host } = await hostWith([
      hook('ext', pi => {
        live++;
        pi.on('session_shutdown', () => {
          live--;
        });
      }),
    ]);
    const reloads = [host.reload({ freshAll: true }), host.reload({ freshAll: true })];
    await host.dispose();
    await Promise.all([...reloads, host.reload()]);
    assert.equal(host.runner.loaded.length, 0);
    assert.equal(live, 0);
  });

  it('a host whose reload fails is disposed all the same', async () => {
    let fails = false;
    const { host } = await hostWith([], {
      discover: () => (fails ? Promise.reject(new Error('no folder')) : { files: [], problems: [] }),
    });
    fails = true;
    const reload = assert.rejects(host.reload(), /no folder/);
    await host.dispose();
    await reload;
  });
});
