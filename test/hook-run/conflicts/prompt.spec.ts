/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-argument -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { hook, hostWith, type Factory, type Foreign } from '../../support/hook-host';

describe('conflicts over messages and prompts', () => {
  describe('C16 before_agent_start', () => {
    const inject =
      (content: string, more: object = {}): Factory =>
      pi =>
        pi.on('before_agent_start', () => ({ message: { customType: 'x', content, display: true }, ...more }));
    const start = { type: 'before_agent_start', prompt: 'do', systemPrompt: 'base' } as const;

    it('takes all messages of extensions, and the first of all others together', async () => {
      const host = await hostWith([
        hook('tree', inject('tree 1')),
        hook('ext', inject('ext 1')),
        hook('omp', inject('omp 1')),
        hook('ext', inject('ext 2')),
      ]);
      const { messages } = await host.emit(start);
      assert.deepEqual(
        messages.map(message => message.content),
        ['tree 1', 'ext 1', 'ext 2'],
      );
    });

    it('chains the system prompt; an empty one counts as not set; pi 0.31 may append', async () => {
      const prompts: string[] = [];
      const chain =
        (answer: (prompt: string) => object): Factory =>
        pi =>
          pi.on('before_agent_start', (event: Foreign) => {
            prompts.push(event.systemPrompt);
            return answer(event.systemPrompt);
          });
      const host = await hostWith([
        hook(
          'ext',
          chain(prompt => ({ systemPrompt: `${prompt}+1` })),
        ),
        hook(
          'ext',
          chain(() => ({ systemPrompt: '' })),
        ),
        hook(
          'omp',
          chain(() => ({ systemPromptAppend: '2' })),
        ),
        hook(
          'v1',
          chain(() => ({})),
        ),
      ]);
      assert.equal((await host.emit(start)).systemPrompt, 'base+1\n\n2');
      assert.deepEqual(prompts, ['base', 'base+1', 'base+1', 'base+1\n\n2']);
    });

    it('D9 tells the prompt, the images and the user message', async () => {
      let got: Foreign;
      const host = await hostWith([
        hook('tree', pi =>
          pi.on('before_agent_start', (event: Foreign) => {
            got = event;
          }),
        ),
      ]);
      await host.emit({ ...start, images: [{ type: 'image', data: 'd', mimeType: 'image/png' }] });
      assert.equal(got.prompt, 'do');
      assert.deepEqual(got.userMessage.content, [
        { type: 'text', text: 'do' },
        { type: 'image', data: 'd', mimeType: 'image/png' },
      ]);
    });

    it('a message with a wrong type or content is a problem that names the field', async () => {
      const host = await hostWith([
        hook('ext', pi => pi.on('before_agent_start', () => ({ message: { customType: 5, content: 5 } }))),
      ]);
      assert.deepEqual((await host.emit(start)).messages, []);
      assert.match(host.errors[0]?.message ?? '', /"message": "customType" must be a string/);
    });
  });

  describe('C31 input', () => {
    const onInput =
      (answer: unknown): Factory =>
      pi =>
        pi.on('input', () => answer);
    const input = {
      type: 'input',
      text: 'hi',
      images: [{ type: 'image', data: 'd', mimeType: 'image/png' }],
      source: 'interactive',
    } as const;

    it('takes both shapes of a transform; images stay when left out; later hooks see the text', async () => {
      const seen: string[] = [];
      const host = await hostWith([
        hook('ext', onInput({ action: 'transform', text: 'one' })),
        hook('ext', pi =>
          pi.on('input', (event: Foreign) => {
            seen.push(event.text);
            throw new Error('broken');
          }),
        ),
        hook('omp', onInput({ text: 'two' })),
        hook('ext', onInput({ action: 'continue', text: 'not this' })),
      ]);
      assert.deepEqual(await host.emit(input), { action: 'continue', text: 'two', images: input.images });
      assert.deepEqual(seen, ['one']);
      assert.equal(host.errors.length, 1);
    });
    it('takes both shapes of handled, which ends the dispatch', async () => {
      for (const answer of [{ action: 'handled' }, { handled: true }]) {
        let after = 0;
        const host = await hostWith([
          hook('ext', onInput(answer), '/hooks/h.ts'),
          hook('ext', pi => pi.on('input', () => after++)),
        ]);
        assert.deepEqual(await host.emit(input), { action: 'handled', by: '/hooks/h.ts' });
        assert.equal(after, 0);
      }
    });
  });

  it('before_provider_request: what is returned replaces the payload and chains; numbers by accident do not', async () => {
    const host = await hostWith([
      hook('ext', pi => pi.on('before_provider_request', (event: Foreign) => ({ ...event.payload, a: 1 }))),
      hook('ext', pi => pi.on('before_provider_request', () => 7)),
      hook('ext', pi => pi.on('before_provider_request', (event: Foreign) => ({ ...event.payload, b: 2 }))),
    ]);
    assert.deepEqual(await host.emit({ type: 'before_provider_request', payload: { model: 'm' } }), {
      payload: { model: 'm', a: 1, b: 2 },
    });
    assert.deepEqual(host.outcomes(), [
      '1.ts before_provider_request: returned',
      '2.ts before_provider_request: ignored',
      '3.ts before_provider_request: returned',
    ]);
  });

  it('D23 user_bash: the first answer wins, exec and execute alike', async () => {
    const bash = { type: 'user_bash', command: 'ls', excludeFromContext: false, cwd: '/work' } as const;
    const result = await hostWith([
      hook('ext', pi =>
        pi.on('user_bash', () => ({ result: { output: 'o', exitCode: 0, cancelled: false, truncated: false } })),
      ),
      hook('ext', pi => pi.on('user_bash', () => ({ result: { output: 'late' } }))),
    ]);
    assert.equal((await result.emit(bash))?.result?.output, 'o');
    for (const name of ['exec', 'execute']) {
      const host = await hostWith([
        hook('ext', pi =>
          pi.on('user_bash', () => ({
            operations: { [name]: (command: string) => ({ exitCode: 3, output: `did ${command}` }) },
          })),
        ),
      ]);
      const printed: string[] = [];
      const answer = await host.emit(bash);
      assert.deepEqual(
        await answer?.operations?.exec('ls', '/work', { onData: data => printed.push(data.toString()) }),
        { exitCode: 3 },
      );
      assert.deepEqual(printed, ['did ls']);
    }
  });

  it('resources_discover collects all paths, relative ones beside the hook', async () => {
    const host = await hostWith([
      hook(
        'ext',
        pi => pi.on('resources_discover', () => ({ skillPaths: ['skills'], promptPaths: ['/p.md'] })),
        '/hooks/a/index.ts',
      ),
      hook('ext', pi => pi.on('resources_discover', () => ({ skillPaths: ['/s'], themePaths: 'x' }))),
    ]);
    assert.deepEqual(await host.emit({ type: 'resources_discover', cwd: '/work', reason: 'startup' }), {
      skillPaths: [resolve('/hooks/a/skills'), resolve('/s')],
      promptPaths: [resolve('/p.md')],
      themePaths: [],
    });
    assert.match(host.errors[0]?.message ?? '', /"themePaths" must be an array of strings/);
  });
});
