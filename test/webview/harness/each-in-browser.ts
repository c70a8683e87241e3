import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import type { HostToWebview } from '../../../src/protocol/messages';
import { launch, openChat, type ChatHarness, type HarnessOptions } from './harness';

/** Opens the page that a test is about, with what the host says first. */
export type OpenChat = (first: HostToWebview, options?: HarnessOptions) => Promise<void>;

/**
 * A browser for the suite that this is called in. Each test opens its page by the result, and `given` hands it over; when the
 * test is done, the page must have thrown nothing, kept to its policy and asked for nothing from elsewhere.
 */
export function eachInBrowser(given: (chat: ChatHarness) => void): OpenChat {
  let browser: Browser;
  let chat: ChatHarness | undefined;

  before(async () => {
    browser = await launch();
  });

  after(() => browser.close());

  afterEach(async () => {
    if (chat === undefined) return;
    const { errors, requests } = chat;
    const violations = await chat.violations();
    await chat.close();
    chat = undefined;
    assert.deepEqual({ errors, violations, requests }, { errors: [], violations: [], requests: [] });
  });

  return async (first, options) => {
    chat = await openChat(browser, first, options);
    given(chat);
  };
}
