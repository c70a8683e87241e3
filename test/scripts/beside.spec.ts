import assert from 'node:assert/strict';
import { runBeside, type WhenAlone } from '../../scripts/support/beside';

/** Lets everything that can go on do so. */
const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

describe('tasks beside each other', () => {
  it('run at the same time, and give their results in order', async () => {
    const events: string[] = [];
    const task = (name: string, pauses: number) => async (): Promise<string> => {
      events.push(`${name} begins`);
      for (let count = 0; count < pauses; count++) await pause();
      events.push(`${name} ends`);
      return name;
    };
    assert.deepEqual(await runBeside([task('slow', 4), task('fast', 1)]), ['slow', 'fast']);
    assert.deepEqual(events, ['slow begins', 'fast begins', 'fast ends', 'slow ends']);
  });

  it('do what must be alone when the others have ended or wait, one after the other', async () => {
    const events: string[] = [];
    const alone = (name: string) => async (whenAlone: WhenAlone) => {
      await whenAlone(async () => {
        events.push(`${name} alone`);
        await pause();
        events.push(`${name} no longer alone`);
      });
    };
    const other = async (): Promise<void> => {
      for (let count = 0; count < 3; count++) await pause();
      events.push('other ends');
    };
    await runBeside([alone('a'), other, alone('b')]);
    assert.deepEqual(events, ['other ends', 'a alone', 'a no longer alone', 'b alone', 'b no longer alone']);
  });

  it('do not hold each other up by what breaks', async () => {
    const events: string[] = [];
    const broken = (whenAlone: WhenAlone): Promise<void> => whenAlone(() => Promise.reject(new Error('broke')));
    const whole = (whenAlone: WhenAlone): Promise<void> =>
      whenAlone(() => {
        events.push('whole');
        return Promise.resolve();
      });
    await assert.rejects(runBeside([broken, whole]), /broke/);
    await pause();
    assert.deepEqual(events, ['whole']);
    await assert.rejects(runBeside([() => Promise.reject(new Error('at once')), whole]), /at once/);
    await pause();
    assert.deepEqual(events, ['whole', 'whole']);
  });
});
