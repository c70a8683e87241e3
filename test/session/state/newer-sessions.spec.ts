import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rig } from '../../support/conversation-rig';
import { answer, type Script } from '../../support/scripted-stream';

const TIME = '2026-11-10T10:00:00.000Z';
const SECRET = 'the password is swordfish';

/** Lines as pi 1.5 writes them: a system message, a redaction, a dropped answer, usage, and something unheard of. */
function sessionLines(cwd: string): readonly string[] {
  const entries = [
    { type: 'message', message: { role: 'system', content: '', sections: { preamble: 'You are pi.' }, timestamp: 1 } },
    { type: 'message', message: { role: 'user', content: [{ type: 'text', text: SECRET }], timestamp: 1 } },
    { type: 'message', message: answer({ text: 'noted' }) },
    { type: 'context_edit', targetId: 'e1', replacement: { content: 'first wording' } },
    { type: 'message', message: { role: 'user', content: 'tell me more', timestamp: 1 } },
    { type: 'message', message: answer({ text: 'an attempt that failed' }) },
    { type: 'context_edit', targetId: 'e5', replacement: null },
    { type: 'context_edit', targetId: 'e1', replacement: { content: '[redacted]' } },
    { type: 'context_edit', targetId: 7, replacement: 'malformed' },
    { type: 'usage', kind: 'cache_warm', provider: 'test', model: 'scripted', usage: {} },
    { type: 'message', message: { role: 'oracle', wisdom: 42 } },
    { type: 'entry_of_tomorrow', data: { deep: [1] } },
  ];
  const header = { type: 'session', version: 3, id: 'from-pi', timestamp: TIME, cwd };
  const lines = entries.map((entry, at) => ({
    ...entry,
    id: `e${at}`,
    parentId: at === 0 ? null : `e${at - 1}`,
    timestamp: TIME,
  }));
  return [header, ...lines].map(line => JSON.stringify(line));
}

describe('a session that a newer pi has written', () => {
  let rig: Rig;
  let file: string;
  afterEach(() => rig.close());

  async function open(script: readonly Script[], hooks: Readonly<Record<string, string>> = {}): Promise<void> {
    const root = mkdtempSync(join(tmpdir(), 'hookline newer '));
    const folder = join(root, 'home', '.pi', 'agent', 'sessions', 'here');
    mkdirSync(folder, { recursive: true });
    file = join(folder, '2026-11-10T10-00-00-000Z_from-pi.jsonl');
    writeFileSync(file, `${sessionLines(join(root, 'work')).join('\n')}\n`);
    rig = await Rig.open(script, { root, resume: true, extensions: hooks });
  }

  it('opens, shows what was said, and goes on without touching a line', async () => {
    await open([{ text: 'welcome back' }]);
    const before = readFileSync(file, 'utf8');
    assert.deepEqual(
      rig.chat.model.items.map(({ kind }) => kind),
      ['user', 'assistant', 'user', 'assistant', 'notice', 'notice'],
    );
    const [quiet, bad] = rig.chat.model.items.slice(4);
    assert.ok(quiet?.kind === 'notice' && quiet.level === 'info');
    assert.match(
      quiet.text,
      /This version does not support these entries: oracle, entry_of_tomorrow\. They stay in the session\.$/,
    );
    assert.ok(bad?.kind === 'notice');
    assert.match(bad.text, /^Bad context_edit entry: .*targetId/);
    await rig.chat.submit('go on');
    await rig.conversation.store.flush();
    const after = readFileSync(file, 'utf8');
    assert.ok(after.startsWith(before), 'the lines of pi stand as they stood');
    assert.deepEqual(
      after
        .slice(before.length)
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as { type: string; message?: { role?: string } })
        .map(({ type, message }) => message?.role ?? type),
      // The path says no level yet: as pi, it does from here on.
      ['thinking_level_change', 'system', 'user', 'assistant'],
    );
  });

  it('sends nothing that was redacted or dropped to the model', async () => {
    await open([{ text: 'welcome back' }, { text: 'a summary' }]);
    await rig.chat.submit('go on');
    const [request] = rig.model.requests;
    const sent = JSON.stringify(request);
    assert.ok(!sent.includes('swordfish') && !sent.includes('first wording'));
    assert.ok(!sent.includes('an attempt that failed'));
    assert.deepEqual(
      request?.messages.map(({ role }) => role),
      ['user', 'assistant', 'user', 'user'],
    );
    assert.match(JSON.stringify(request.messages[0]), /\[redacted\]/);
  });

  it('shows hooks of the five descriptions neither roles nor texts that the model does not get', async () => {
    const witness = `import { writeFileSync } from 'node:fs';
      export default pi => pi.on('context', event => writeFileSync('seen.json', JSON.stringify(event.messages)));`;
    await open([{ text: 'welcome back' }], {
      'a.ts': witness.replace("'seen.json'", "process.env.HOOKLINE_SEEN ?? ''"),
    });
    process.env['HOOKLINE_SEEN'] = join(rig.root, 'seen.json');
    try {
      await rig.chat.submit('go on');
    } finally {
      delete process.env['HOOKLINE_SEEN'];
    }
    const seen = readFileSync(join(rig.root, 'seen.json'), 'utf8');
    assert.ok(!seen.includes('swordfish') && !seen.includes('"system"') && !seen.includes('oracle'));
  });
});
