import assert from 'node:assert/strict';
import { commandLink, literalMessage } from '../../src/vscode/message-text';
import { HIDING_COMMAND, SHOWN_COMMAND } from '../support/hidden-text';

/** What VS Code takes for a link in a notification: `parseLinkedText` in its sources. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;

describe('texts of notifications', () => {
  it('hold no link that somebody else wrote, and read as before', () => {
    const text = 'bash: echo "[Answer](command:evil) [b](https://x)[c](file:///y)"';
    assert.equal(text.match(LINK)?.length, 3);
    assert.equal(literalMessage(text).match(LINK), null);
    assert.equal(literalMessage(text).replaceAll('\u200b', ''), text);
  });

  it('hold ours', () => assert.match(commandLink('Answer', 'hookline.answerQuestion'), LINK));

  it('has its hidden characters marked', () => assert.equal(literalMessage(HIDING_COMMAND), SHOWN_COMMAND));
});
