import assert from 'node:assert/strict';
import { check, inside } from './support';

describe('converting results of handlers', () => {
  it('changes no failed result, and watches it where the old dialect did', () => {
    check(
      'v1',
      `  pi.on('tool_result', async event => {
    return { content: [] };
  });`,
      `  pi.on('tool_result', async event => {
    if (event.isError) return undefined; // Only results of calls that succeeded are changed.
    return { content: [] };
  });`,
    );
    check(
      'omp',
      `  pi.on('tool_result', async event => {
    count += 1;
    return { content: [] };
  });`,
      `  pi.on('tool_result', async event => {
    count += 1;
    return event.isError ? undefined : { content: [] };
  });`,
    );
  });

  it('changes no failed result where the event is taken apart or not named', () => {
    check(
      'v1',
      `  pi.on('tool_result', async ({ content }) => ({ content: redacted(content) }));
  pi.on('tool_result', () => {
    return { content: [] };
  });`,
      `  pi.on('tool_result', async ({ isError, content }) => {
    if (isError) return undefined; // Only results of calls that succeeded are changed.
    return { content: redacted(content) };
  });
  pi.on('tool_result', (event) => {
    if (event.isError) return undefined; // Only results of calls that succeeded are changed.
    return { content: [] };
  });`,
    );
    check(
      'omp',
      `  pi.on('tool_result', async ({ content, isError: failed }) => ({ content: redacted(content) }));
  pi.on('tool_result', () => answer());`,
      `  pi.on('tool_result', async ({ content, isError: failed }) => (failed ? undefined : { content: redacted(content) }));
  pi.on('tool_result', (event) => event.isError ? undefined : answer());`,
    );
  });

  it('gives a block without a reason the one that it had', () =>
    check(
      'v1',
      `  pi.on('tool_call', () => ({ block: true }));`,
      `  pi.on('tool_call', () => ({ block: true, reason: 'Tool execution was blocked by a hook' }));`,
    ));

  it('gives a block the reason that it had in a condition or a variable', () =>
    check(
      'v1',
      `  pi.on('tool_call', event => (event.input.bad ? ({ block: true } as any) : undefined));
  pi.on('tool_call', async (event, ctx) => {
    const no = { block: true };
    if (!ctx.hasUI) return no;
    return (await ctx.ui.confirm('Run?', '')) || { block: true };
  });`,
      `  pi.on('tool_call', event => (event.input.bad ? ({ block: true, reason: 'Tool execution was blocked by a hook' } as any) : undefined));
  pi.on('tool_call', async (event, ctx) => {
    const no = { block: true, reason: 'Tool execution was blocked by a hook' };
    if (!ctx.hasUI) return no;
    return (await ctx.ui.confirm('Run?', '')) || { block: true, reason: 'Tool execution was blocked by a hook' };
  });`,
    ));

  it('says what would change the call from now on, in whatever way it is written', () => {
    const message = '5: Changing event.input did nothing in oh-my-pi. From now on it changes the call.';
    for (const change of ['event.input.count++', 'event.input.list.push(1)', 'input.list.sort()', '--input.count']) {
      const taken = change.startsWith('event') ? 'event' : '({ input })';
      const { looks } = inside('omp', `  pi.on('tool_call', async ${taken} => {\n    ${change};\n  });`);
      assert.deepEqual(looks, [message], change);
    }
    const copied = inside('omp', `  pi.on('tool_call', event => {\n    [...event.input.list].sort();\n  });`);
    assert.deepEqual(copied.looks, []);
  });

  it('says what would change the call from now on', () => {
    const { looks } = inside('omp', `  pi.on('tool_call', async event => {\n    event.input.command = 'ls';\n  });`);
    const message = '5: Changing event.input did nothing in oh-my-pi. From now on it changes the call.';
    assert.deepEqual(looks, [message]);
    const taken = inside('omp', `  pi.on('tool_call', async ({ input }) => {\n    input.command = 'ls';\n  });`);
    assert.deepEqual(taken.looks, [message]);
  });
});
