import assert from 'node:assert/strict';
import type { KeptCommandEnd } from '../../../src/agent/tools/command-keeper';
import { BashOutput } from '../../../src/agent/tools/shell/bash-output';
import { deferred } from '../../../src/base/async/wait';
import { Emitter } from '../../../src/base/event';
import { CommandScreen } from '../../../src/chat/editor/command-screen';
import { until } from '../../support/conversation-rig';

describe('the terminal that shows a command', () => {
  /** A command that prints what the test says, and a terminal that notes what it gets. */
  function shown() {
    const output = new BashOutput();
    const grown = new Emitter<void>();
    const ending = deferred<KeptCommandEnd>();
    const calls = { stops: 0 };
    let terminal = '';
    let longest = 0;
    const command = {
      ...{ toolCallId: 'c', command: 'make\x1b]0;title\x07', onDidGrow: grown.event, ended: ending.promise },
      isOver: false,
      outputFrom: (position: number) => output.from(position),
    };
    const screen = new CommandScreen(
      command,
      () => void (calls.stops += 1),
      text => {
        terminal += text;
        longest = Math.max(longest, text.length);
      },
    );
    const print = async (text: string | Buffer): Promise<void> => {
      await output.append(Buffer.from(text));
      grown.fire();
    };
    return {
      ...{ screen, output, print, calls, command },
      text: () => terminal,
      longest: () => longest,
      end: async (end: KeptCommandEnd) => {
        command.isOver = true;
        await output.finish();
        ending.resolve(end);
      },
    };
  }
  const says = (text: () => string, part: string): Promise<true> =>
    until(() => text().includes(part) || undefined, JSON.stringify(part));

  it('has the output from its beginning, follows it with colors, and says how it ended', async () => {
    const { screen, print, text, end } = shown();
    await print('first\n');
    screen.open();
    assert.match(text(), /\$ make/);
    assert.equal(text().includes('\x1b]0;'), false, 'a command line does not name the tab');
    await says(text, 'first\r\n');
    await print('\x1b[31mred\x1b[0m');
    await says(text, '\x1b[31mred\x1b[0m');
    await end({ how: 'exited', exitCode: 3 });
    await says(text, '[Ended with exit code 3]');
    screen.dispose();
  });

  it('gets no part of a character or of a sequence, and no sequence that does more than color', async () => {
    const { screen, print, text, end } = shown();
    screen.open();
    const euro = Buffer.from('€');
    await print(Buffer.concat([Buffer.from('a'), euro.subarray(0, 1)]));
    await says(text, 'a');
    await print(Buffer.concat([euro.subarray(1), Buffer.from('\x1b]52;c;cGFzdGU')]));
    await says(text, 'a€');
    await print('=\x07b\x1b[3');
    await says(text, 'a€b');
    await print('1mc');
    await says(text, '\x1b[31mc');
    assert.equal(text().includes('52;c'), false);
    await end({ how: 'stopped' });
    screen.dispose();
  });

  it('stays small when far more is printed than it can show, and says how much is missing', async () => {
    const { screen, print, text, longest, end } = shown();
    screen.open();
    const piece = Buffer.alloc(1024 * 1024, 'x\n');
    for (let count = 0; count < 64; count += 1) await print(piece);
    await end({ how: 'exited', exitCode: 0 });
    await says(text, '[Ended with exit code 0]');
    assert.match(text(), /\[[\d.]+MB of the output are not shown here\.\]/);
    assert.ok(longest() <= 2 * 128 * 1024, `${longest()} characters at once`);
    screen.dispose();
  });

  it('takes no keys, says so once, and stops the command at Ctrl+C', async () => {
    const { screen, text, calls, end } = shown();
    screen.open();
    screen.keys('\x1b[1;1R');
    assert.equal(text().includes('no input'), false, 'an answer of the terminal itself is no key');
    for (const key of ['y', '\r', 'n']) screen.keys(key);
    assert.equal(text().split('takes no input').length, 2);
    assert.equal(calls.stops, 0);
    screen.keys('\x03');
    assert.equal(calls.stops, 1);
    await end({ how: 'stopped' });
    await says(text, '[Stopped]');
    screen.keys('\x03');
    assert.equal(calls.stops, 1, 'what has ended is not stopped');
    screen.dispose();
  });

  it('shows nothing after it was closed', async () => {
    const { screen, print, text, end } = shown();
    screen.open();
    screen.dispose();
    const before = text();
    await print('late\n');
    await end({ how: 'exited', exitCode: 0 });
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(text(), before);
  });
});
