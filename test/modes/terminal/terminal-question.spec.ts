import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { confirmInTerminal, terminalQuestions } from '../../../src/modes/terminal/terminal-question';

/** A terminal in which the test types: `lines` are typed one by one, each when a question is asked. */
class Terminal {
  readonly stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode(raw: boolean): void {
      this.isRaw = raw;
    },
  });
  readonly stderr = Object.assign(new PassThrough(), { isTTY: true });
  said = '';

  constructor(lines: readonly string[], marks: string) {
    const left = [...lines];
    this.stderr.on('data', (chunk: Buffer) => {
      this.said += chunk.toString('utf8');
      if (this.said.split(marks).length - 1 > lines.length - left.length) this.stdin.write(left.shift() ?? '');
    });
  }

  get ask(): ReturnType<typeof terminalQuestions> {
    return terminalQuestions(this as unknown as NodeJS.Process);
  }
}

describe('a question in a terminal', () => {
  it('is answered by the line that is typed after it', async () => {
    const terminal = new Terminal(['Ada\r'], 'Name?');
    assert.equal(await terminal.ask('Name? '), 'Ada');
    assert.equal(terminal.stdin.isRaw, false);
  });

  for (const early of ['yes\r', 'yes\r\r\ryes\r', 'ye', 'x'.repeat(200_000)]) {
    it(`is not answered by what was typed before it: ${JSON.stringify(early.slice(0, 20))}`, async () => {
      const terminal = new Terminal(['no\r'], 'Really?');
      terminal.stdin.write(early);
      assert.equal(await terminal.ask('Really? '), 'no');
    });
  }

  it('is not asked when Ctrl+C was pressed before it', async () => {
    const terminal = new Terminal(['yes\r'], 'Really?');
    terminal.stdin.write('yes\r\u0003');
    await assert.rejects(terminal.ask('Really? '), { name: 'AbortError' });
    assert.equal(terminal.said.includes('Really?'), false);
  });

  it('is not asked where there is no terminal', async () => {
    const terminal = new Terminal([], 'Name?');
    terminal.stdin.isTTY = false;
    assert.equal(await terminal.ask('Name? '), undefined);
    assert.equal(await confirmInTerminal(terminal.ask, 'Really?'), undefined);
  });

  for (const [lines, expected] of [
    [['yes\r'], true],
    [['no\r'], false],
    [[' YES \r'], true],
    [['y\r', '\r', 'ye\r', 'yess\r', 'yes please\r', 'no\r'], false],
    [['n\r', 'nope\r', 'yes\r'], true],
  ] as const) {
    it(`takes only a whole word for yes or no: ${JSON.stringify(lines)}`, async () => {
      const terminal = new Terminal(lines, '[yes/no]');
      assert.equal(await confirmInTerminal(terminal.ask, 'Approve this?'), expected);
      assert.equal(terminal.said.split('[yes/no]').length - 1, lines.length);
    });
  }
});
