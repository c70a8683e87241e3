import assert from 'node:assert/strict';
import type { HostToWebview } from '../../../src/protocol/messages';
import { openChat, type ChatHarness, type HarnessOptions } from './harness';

/** Opens the page that a test is about, with what the host says first. */
export type OpenChat = (first: HostToWebview, options?: HarnessOptions) => Promise<void>;

/**
 * Each test of the suite that this is called in opens its page by the result, and `given` hands it over. When the test is
 * done, the page must have thrown nothing, kept to its policy and asked for nothing from elsewhere.
 */
export function eachInBrowser(given: (chat: ChatHarness) => void): OpenChat {
  let chat: ChatHarness | undefined;

  afterEach(async () => {
    if (chat === undefined) return;
    const { errors, requests } = chat;
    const violations = await chat.violations();
    await chat.close();
    chat = undefined;
    assert.deepEqual({ errors, violations, requests }, { errors: [], violations: [], requests: [] });
  });

  return async (first, options) => {
    chat = await openChat(first, options);
    given(chat);
  };
}
