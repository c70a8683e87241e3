import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { commandOutput } from '../../../../src/modes/acp/updates/output';
import { RecordingClient, SHOWS_ALL } from './recording-client';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

describe('the output of a command', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  async function pass(ms: number): Promise<void> {
    mock.timers.tick(ms);
    await turn();
  }

  function printed(client: RecordingClient): string {
    return client
      .of('tool_call_update')
      .map(({ _meta }) => (_meta?.['terminal_output'] as { readonly data: string } | undefined)?.data ?? '')
      .join('');
  }

  it('comes to a terminal exactly, in few pieces, and then how the command ended', async () => {
    const client = new RecordingClient(SHOWS_ALL);
    const output = commandOutput(client, 'c');
    const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index} ü\n`);
    for (const [index, line] of lines.entries()) {
      output.add(line);
      if (index % 1_000 === 0) await pass(50);
    }
    output.end(7, null);
    const all = lines.join('');
    assert.equal(printed(client), all);
    const bytes = Buffer.byteLength(client.updates.map(update => JSON.stringify(update)).join('\n'));
    assert.ok(bytes <= 1.1 * Buffer.byteLength(JSON.stringify(all)), `${bytes} bytes`);
    const last = client.of('tool_call_update').at(-1);
    assert.deepEqual(last?._meta, { terminal_exit: { terminal_id: 'c', exit_code: 7, signal: null } });
    const sent = client.updates.length;
    await pass(1_000);
    assert.equal(client.updates.length, sent);
  });

  it('comes at once when it is much, so that nothing is lost of a command that prints fast', async () => {
    const client = new RecordingClient(SHOWS_ALL);
    const output = commandOutput(client, 'c');
    for (let count = 0; count < 80; count += 1) output.add('x'.repeat(100_000));
    await pass(50);
    assert.equal(printed(client), 'x'.repeat(8_000_000));
  });

  it('is kept while the client does not read, within a limit, and says what is missing', async () => {
    const client = new RecordingClient(SHOWS_ALL);
    let drained = (): void => undefined;
    client.unread = new Promise(resolve => (drained = resolve));
    const output = commandOutput(client, 'c');
    output.add('first\n');
    await pass(50);
    for (let count = 0; count < 80; count += 1) output.add('x'.repeat(100_000));
    assert.deepEqual(client.updates, []);
    drained();
    await turn();
    const text = printed(client);
    assert.ok(text.length < 4.2 * 1024 * 1024, `${text.length} characters`);
    assert.match(text.slice(0, 80), /^\n\[\d+ characters came faster than they were read\]\n/);
  });

  it('comes as its end at most four times a second without a terminal, at most 16 KB each', async () => {
    const client = new RecordingClient();
    const output = commandOutput(client, 'c');
    for (let ms = 0; ms < 2_000; ms += 10) {
      output.add(`${ms} ${'ü'.repeat(500)}\n`);
      await pass(10);
    }
    const tails = client.of('tool_call_update').map(({ content }) => {
      const [part] = content ?? [];
      return part?.type === 'content' && part.content.type === 'text' ? part.content.text : '';
    });
    assert.ok(tails.length >= 4 && tails.length <= 8, `${tails.length} updates`);
    assert.ok(tails.every(text => Buffer.byteLength(text) <= 16 * 1024 && !text.includes('\ufffd')));
    output.end(0, null);
    await pass(1_000);
    assert.equal(client.updates.length, tails.length);
  });
});
