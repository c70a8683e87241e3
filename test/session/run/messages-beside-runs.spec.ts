import assert from 'node:assert/strict';
import { Rig } from '../../support/conversation-rig';

const NOTE = `{ customType: 'note', content: 'summarizing', display: true }`;
const LONG = { text: 'x'.repeat(4000), totalTokens: 900 };

/** A hook sends a message while no run is going on, but the conversation is busy. */
describe('a message of a hook during a compaction that a person asked for', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  async function compact(options: string): Promise<void> {
    rig = await Rig.open([LONG, LONG, { text: 'three' }], {
      extensions: {
        'note.ts': `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
          export default (pi: ExtensionAPI) => {
            pi.on('session_before_compact', ({ preparation: { firstKeptEntryId, tokensBefore } }) => {
              pi.sendMessage(${NOTE}${options});
              return { compaction: { summary: 'short', firstKeptEntryId, tokensBefore } };
            });
          };`,
      },
      settings: { compaction: { enabled: false, reserveTokens: 10, keepRecentTokens: 1 } },
    });
    await rig.chat.submit('one');
    await rig.chat.submit('two');
    await rig.conversation.run.compact();
  }
  const notes = (): number =>
    rig.conversation.store.getEntries().filter(({ type }) => type === 'custom_message').length;
  const waiting = (): number => {
    const { followUps, steering } = rig.conversation.run.agent;
    return followUps.messages.length + steering.messages.length;
  };

  for (const options of ['', ', { triggerTurn: false }']) {
    it(`is in the session when it is over${options}`, async () => {
      await compact(options);
      assert.deepEqual([notes(), waiting()], [1, 0]);
    });
  }
});
