import assert from 'node:assert/strict';
import { AcpEditor, type AnsweredError } from '../../support/acp';
import type { Json } from '../../support/acp-schema';
import { eachWithModel, onePlace } from '../../support/each-with-model';
import { OneSession } from '../support/one-session';
import { peakOf } from './peak';

const MB = 1024 * 1024;
const INITIALIZE = { id: 'first', method: 'initialize', params: { protocolVersion: 1 } };

describe('Lines of an ACP client', function () {
  this.timeout(120_000);

  describe('without a session', () => {
    const place = onePlace();

    /** What the process answers to a text that comes at once, before it ends. */
    async function answersTo(text: string): Promise<readonly Json[]> {
      const { code, stdout, stderr } = await place.run(['acp'], { stdin: text });
      assert.deepEqual([code, stderr], [0, '']);
      return stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as Json);
    }
    const line = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });
    const initialized = (...messages: readonly object[]): string =>
      [INITIALIZE, ...messages].map(message => `${line(message)}\n`).join('');

    it('are all answered, however many come at once', async () => {
      const ids = Array.from({ length: 1000 }, (_, index) => index);
      const answers = await answersTo(initialized(...ids.map(id => ({ id, method: 'no/such' }))));
      assert.deepEqual(
        answers.map(({ id }) => id),
        ['first', ...ids],
      );
      for (const { error } of answers.slice(1)) assert.equal((error as AnsweredError).code, -32_601);
    });

    it('keep their id in the answer, whatever it is', async () => {
      const ids = ['a', '', 'ü"\n', 0, -3, 1.5, null, '0'];
      const answers = await answersTo(initialized(...ids.map(id => ({ id, method: 'no/such' }))));
      assert.deepEqual(
        answers.map(({ id }) => id),
        ['first', ...ids],
      );
    });

    it('may have the id of a request that was answered, but not of one that runs', async () => {
      const editor = AcpEditor.start(place);
      const call = line({ id: 'again', method: 'no/such' });
      for (let round = 0; round < 3; round += 1) assert.match((await editor.sendLine(call)).message, /initialize/);
      await editor.initialize();
      const [first, , second] = await answersTo(`${line(INITIALIZE)}\n${call}\n${call}\n`);
      assert.deepEqual([first?.['id'], second?.['id']], ['again', 'again']);
      const codes = [first, second].map(answer => (answer?.['error'] as AnsweredError).code);
      assert.deepEqual(codes, [-32_600, -32_601]);
      await editor.end();
    });

    it('may end with CRLF or be empty, and the last one may have no end', async () => {
      const messages = [INITIALIZE, { id: 2, method: 'no/such' }, { id: 3, method: 'no/such' }];
      const answers = await answersTo(messages.map(line).join('\r\n\r\n\n  \n'));
      assert.deepEqual(
        answers.map(({ id }) => id),
        ['first', 2, 3],
      );
    });

    it('may have no params, which are then checked like empty ones', async () => {
      const messages = [
        { method: 'no/such' },
        { method: 'session/cancel' },
        { method: 'session/cancel', params: null },
      ];
      const requests = [
        { id: 2, method: 'authenticate' },
        { id: 3, method: 'authenticate', params: null },
      ];
      const [first, ...refused] = await answersTo(initialized(...messages, ...requests));
      assert.equal(first?.['id'], 'first');
      assert.deepEqual(
        refused.map(({ id }) => id),
        [2, 3],
      );
      for (const { error } of refused) assert.match((error as AnsweredError).message, /^methodId: /);
    });

    it('that are far too long are left out in bounded memory, as often as they come', async function () {
      const editor = await AcpEditor.open(place);
      if (peakOf(editor.pid) === undefined) return this.skip();
      const part = Buffer.alloc(MB, 'x');
      for (let round = 0; round < 2; round += 1) {
        const refused = editor.sendLine('');
        for (let size = 0; size < 200; size += 1) await editor.write(part);
        await editor.write('\n');
        assert.equal((await refused).code, -32_600);
        await assert.rejects(editor.request('no/such', {}), ({ code }: AnsweredError) => code === -32_601);
      }
      assert.ok(peakOf(editor.pid)! < 450, `${String(peakOf(editor.pid))} MB`);
      await editor.end();
    });
  });

  describe('with prompts', () => {
    const { place, llm } = eachWithModel({}, [{ id: 'one', contextWindow: 50_000_000 }]);
    let session: OneSession;
    beforeEach(async () => {
      llm.reply({ text: 'read' });
      session = await OneSession.open(place);
    });

    it('may have 10 MB', async () => {
      const text = `${'long '.repeat(2 * MB)}end`;
      assert.equal(await session.prompt(text), 'end_turn');
      assert.ok(JSON.stringify(llm.requests[0]?.body).includes(text));
      await session.end();
    });

    it('may arrive byte by byte, also within a character', async () => {
      // The answer to this id is not waited for.
      const text = 'grüße, 日本 😀';
      const prompt = [{ type: 'text', text }];
      const bytes = Buffer.from(
        `${JSON.stringify({ jsonrpc: '2.0', method: 'session/prompt', id: 'raw', params: { sessionId: session.id, prompt } })}\r\n`,
      );
      for (const byte of bytes) await session.editor.write(Uint8Array.of(byte));
      await session.editor.until(() => llm.requests.length === 1, 'the request');
      assert.ok(JSON.stringify(llm.requests[0]?.body).includes(text));
    });
  });
});
