import assert from 'node:assert/strict';
import { AcpEditor, type AnsweredError } from '../support/acp';
import { onePlace } from '../support/each-with-model';

describe('bad input in ACP mode', () => {
  const place = onePlace();
  let editor: AcpEditor;

  async function refused(line: string, code: number, says: RegExp): Promise<void> {
    const error = await editor.sendLine(line);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, says);
  }

  const call = (method: string, params: unknown, id: unknown = 'bad'): string =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });

  describe('before initialize', () => {
    beforeEach(() => {
      editor = AcpEditor.start(place);
    });
    afterEach(() => editor.end());

    it('is every other request', async () => {
      await refused(
        call('session/new', { cwd: place.cwd, mcpServers: [] }),
        -32_600,
        /session\/new.*before "initialize"/,
      );
      await refused(call('no/such', {}), -32_600, /before "initialize"/);
      await editor.initialize();
    });

    it('is a version that is missing or is no number', async () => {
      await refused(call('initialize', {}), -32_602, /^protocolVersion: /);
      await refused(call('initialize', { protocolVersion: '1' }), -32_602, /^protocolVersion: /);
      await editor.initialize();
    });

    for (const version of [99, 0, -1]) {
      it(`is no version of the protocol: ${version} is answered with 1`, async () => {
        assert.equal((await editor.initialize(version)).protocolVersion, 1);
      });
    }

    it('are no capabilities: what does not fit counts as not offered', async () => {
      const clientCapabilities = { fs: 3, auth: { terminal: 'yes' }, elicitation: [], later: { a: 1 }, _meta: null };
      const answer = await editor.request('initialize', { protocolVersion: 1, clientCapabilities });
      assert.deepEqual(
        answer.authMethods?.map(({ id }) => id),
        ['keys'],
      );
    });
  });

  describe('afterwards', () => {
    beforeEach(async () => {
      editor = await AcpEditor.open(place);
    });
    afterEach(() => editor.end());

    /** The connection is alive when this is answered as always. */
    const stillAnswers = async (): Promise<void> => {
      await assert.rejects(editor.request('no/such', {}), ({ code }: AnsweredError) => code === -32_601);
    };

    it('is a line that is not JSON', async () => {
      await refused('{"jsonrpc":"2.0",', -32_700, /not JSON/);
      await stillAnswers();
    });

    for (const line of ['3', 'null', '"text"', '[]', `[${call('no/such', {})}]`]) {
      it(`is a message that is not one object: ${line}`, async () => {
        await refused(line, -32_600, /one object/);
        await stillAnswers();
      });
    }

    it('is a message without a method, or with an id of another kind', async () => {
      await refused('{"jsonrpc":"2.0","id":7}', -32_600, /^method: /);
      await refused('{"jsonrpc":"2.0","id":7,"method":3}', -32_600, /^method: /);
      await refused(call('no/such', {}, { a: 1 }), -32_600, /^id: /);
      await stillAnswers();
    });

    it('is a line of more than 64 million characters, which is left out', async () => {
      await refused(`{"${'a'.repeat(65 * 1024 * 1024)}`, -32_600, /longer than 64 million/);
      await stillAnswers();
    });

    it('is a second initialize', async () => {
      await assert.rejects(editor.initialize(), ({ code }: AnsweredError) => code === -32_600);
      await stillAnswers();
    });

    it('is a method that does not exist', async () => {
      await refused(call('_x/y', {}), -32_601, /_x\/y/);
      await refused(call('toString', {}), -32_601, /toString/);
      await refused(call('logout', {}), -32_601, /logout/);
    });

    it('is params that are missing or wrong, which are named', async () => {
      await refused(call('authenticate', {}), -32_602, /^methodId: /);
      await refused(call('authenticate', [1]), -32_602, /^params: /);
      const sse = { type: 'sse', name: 'a', url: 'http://localhost', headers: [] };
      const opening = call('session/new', { cwd: place.cwd, mcpServers: [sse] });
      await refused(opening, -32_602, /^mcpServers\[0\]\.type: "sse" .*"http"/);
      const unnamed = call('session/new', { cwd: place.cwd, mcpServers: [{ name: 'a' }] });
      await refused(unnamed, -32_602, /^mcpServers\[0\]: .*command/);
      await refused(call('authenticate', { methodId: 'other' }), -32_602, /^methodId: .*"other"/);
      for (const type of ['audio', 'later']) {
        const prompt = call('session/prompt', {
          sessionId: 'none',
          prompt: [{ type, data: '', mimeType: 'audio/wav' }],
        });
        await refused(prompt, -32_602, /^prompt\.0\.type: must be one of "text", /);
      }
    });

    it('is no notification: an unknown one gets no answer, nor does an answer that nobody waits for', async () => {
      editor.notify('no/such', { a: 1 });
      editor.notify('$/later', {});
      editor.notify('$/cancel_request', { requestId: 12 });
      editor.notify('$/cancel_request', {});
      const lines = ['{"jsonrpc":"2.0","id":12,"result":{}}', '{"jsonrpc":"2.0","id":null,"error":{"code":1}}'];
      await refused([...lines, '3'].join('\n'), -32_600, /one object/);
      await stillAnswers();
      assert.equal(editor.received.length, 3);
    });
  });

  it('of the command line is refused before anything is served', async () => {
    const contradicting = [
      ['-p'],
      ['--session', 'x'],
      ['--continue'],
      ['--no-session'],
      ['--mode', 'json'],
      ['a prompt'],
    ];
    for (const args of contradicting) {
      const { code, stdout, stderr } = await place.run(['acp', ...args]);
      assert.equal(code, 1);
      assert.equal(stdout, '');
      assert.match(stderr, /acp/, args.join(' '));
    }
  });
});
