import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { printData, printErrorTo, printJson, printText } from '../../../src/modes/terminal/print';
import { takeOverStdout, type Output } from '../../../src/modes/terminal/output';
import { StopRequest } from '../../../src/modes/terminal/stop-request';
import { terminalQuestions } from '../../../src/modes/terminal/terminal-question';
import { HIDING_COMMAND, SHOWN_COMMAND } from '../../support/hidden-text';

/** A stream of a process that keeps what was written to it. */
class Stream extends PassThrough {
  said = '';

  constructor(readonly isTTY: boolean) {
    super();
    this.on('data', (chunk: Buffer) => (this.said += chunk.toString('utf8')));
  }
}

function saidBy(isTTY: boolean, print: (stream: NodeJS.WriteStream) => void): string {
  const stream = new Stream(isTTY);
  print(stream as unknown as NodeJS.WriteStream);
  return stream.said;
}

describe('hidden characters on the command line', () => {
  it('are marked in texts and errors for people, whatever reads them', () => {
    for (const isTTY of [true, false]) {
      assert.equal(
        saidBy(isTTY, stream => printText(stream, `${HIDING_COMMAND}\r\n`)),
        `${SHOWN_COMMAND}\n`,
      );
      assert.equal(
        saidBy(isTTY, stream => printErrorTo(stream, HIDING_COMMAND)),
        `${SHOWN_COMMAND}\n`,
      );
    }
  });

  it('are marked in an answer for a terminal, and stay in one for a program', () => {
    const output = (stdout: NodeJS.WriteStream): Output =>
      takeOverStdout(stdout, new Stream(true) as unknown as NodeJS.WriteStream, new StopRequest());
    for (const print of [
      (stream: NodeJS.WriteStream) => printData(stream, HIDING_COMMAND),
      (stream: NodeJS.WriteStream) => output(stream).write(HIDING_COMMAND),
    ]) {
      assert.equal(saidBy(true, print), SHOWN_COMMAND);
      assert.equal(saidBy(false, print), HIDING_COMMAND);
    }
  });

  it('are escaped in JSON for a terminal, whose value is the same', () => {
    const value = { asked: HIDING_COMMAND };
    const output = (stdout: NodeJS.WriteStream): Output =>
      takeOverStdout(stdout, new Stream(true) as unknown as NodeJS.WriteStream, new StopRequest());
    for (const print of [
      (stream: NodeJS.WriteStream) => printJson(stream, JSON.stringify(value)),
      (stream: NodeJS.WriteStream) => output(stream).json(value),
    ]) {
      const shown = saidBy(true, print);
      assert.match(shown, /^[\x20-\x7e]*\n$/);
      assert.deepEqual(JSON.parse(shown), value);
      assert.equal(saidBy(false, print), `${JSON.stringify(value)}\n`);
    }
  });

  it('are marked in a question', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const stderr = new Stream(true);
    const asking = terminalQuestions({ stdin, stderr } as unknown as NodeJS.Process)(`${HIDING_COMMAND}? `);
    stderr.once('data', () => stdin.write('yes\r'));
    assert.equal(await asking, 'yes');
    assert.ok(stderr.said.includes(`${SHOWN_COMMAND}? `), stderr.said);
  });
});
