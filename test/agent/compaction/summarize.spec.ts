import assert from 'node:assert/strict';
import { collectBranchEntries, summarizeBranch } from '../../../src/agent/compaction/branch-summary';
import {
  DEFAULT_COMPACTION_SETTINGS,
  prepareCompaction,
  type CompactionPreparation,
} from '../../../src/agent/compaction/plan';
import { compact } from '../../../src/agent/compaction/compact';
import { summarizeHistory, type Complete, type CompletionRequest } from '../../../src/agent/compaction/summarize';
import type { AssistantMessage } from '../../../src/agent/messages';
import { SessionStore } from '../../../src/agent/session/store';
import { assistant, user } from '../session/support';

interface Asked {
  readonly requests: CompletionRequest[];
  readonly complete: Complete;
}

/** A model that answers by the script and remembers what it was asked. */
function scripted(...answers: (string | Partial<AssistantMessage>)[]): Asked {
  const requests: CompletionRequest[] = [];
  return {
    requests,
    complete: request => {
      const answer = answers[requests.push(request) - 1] ?? 'notes';
      return Promise.resolve({ ...assistant(''), ...(typeof answer === 'string' ? assistant(answer) : answer) });
    },
  };
}

const promptOf = (request: CompletionRequest | undefined): string => {
  const content = request?.messages[0]?.content;
  return Array.isArray(content) && content[0]?.type === 'text' ? content[0].text : '';
};

function sessionWith(fill: (store: SessionStore) => void, keepRecentTokens: number): CompactionPreparation {
  const store = SessionStore.inMemory('/w');
  fill(store);
  const plan = prepareCompaction(store.getBranch(), { ...DEFAULT_COMPACTION_SETTINGS, keepRecentTokens });
  assert.ok(plan.kind === 'ready');
  return plan.preparation;
}

const twoTurns = (store: SessionStore): void => {
  store.appendMessage(user('old question'));
  const message = assistant('old answer');
  message.content.push({ type: 'toolCall', id: 'c', name: 'edit', arguments: { path: 'src/a.ts' } });
  message.content.push({ type: 'toolCall', id: 'd', name: 'read', arguments: { path: 'b.md' } });
  store.appendMessage(message);
  store.appendMessage(user('new question'));
  store.appendMessage(assistant('new answer'));
};

describe('default summary', () => {
  it('is asked for with the transcript and lists the files', async () => {
    const preparation = sessionWith(twoTurns, 5);
    const model = scripted('the notes');
    const result = await compact(preparation, { complete: model.complete, customInstructions: 'the tests' });
    assert.equal(
      result.summary,
      'the notes\n\n<read-files>\nb.md\n</read-files>\n\n<modified-files>\nsrc/a.ts\n</modified-files>',
    );
    assert.deepEqual(result.details, { readFiles: ['b.md'], modifiedFiles: ['src/a.ts'] });
    assert.equal(result.firstKeptEntryId, preparation.firstKeptEntryId);
    const [request] = model.requests;
    assert.match(
      promptOf(request),
      /<conversation>\n\[User\]: old question\n\n\[Assistant\]: old answer\n\n\[Assistant tool calls\]: edit\(path="src\/a.ts"\); read/,
    );
    assert.match(promptOf(request), /above all to: the tests/);
    assert.doesNotMatch(promptOf(request), /new question|<previous-summary>\n/);
  });

  it('carries the previous summary on', async () => {
    const preparation = sessionWith(store => {
      const first = store.appendMessage(user('first'));
      store.appendCompaction({ summary: 'what was', firstKeptEntryId: first, tokensBefore: 1 });
      twoTurns(store);
    }, 5);
    const model = scripted();
    await compact(preparation, { complete: model.complete });
    assert.match(promptOf(model.requests[0]), /<previous-summary>\nwhat was\n<\/previous-summary>/);
    assert.match(promptOf(model.requests[0]), /\[User\]: first/);
  });

  it('of a split turn joins two, asked for one after the other', async () => {
    const split = (store: SessionStore): void => {
      twoTurns(store);
      store.appendMessage(assistant('the end of a long turn'));
    };
    const preparation = sessionWith(split, 5);
    assert.ok(preparation.isSplitTurn);
    const model = scripted('history', 'prefix');
    const result = await compact(preparation, { complete: model.complete });
    assert.ok(promptOf(model.requests[1]).includes('new question'));
    assert.ok(result.summary.startsWith('history\n\n---\n\n**Turn Context (split turn):**\n\nprefix'));
  });

  it('of a split turn has what the user and hooks want in both requests, or in the only one', async () => {
    const options = { customInstructions: 'the tests', context: ['mind the goal'] };
    const wanted = /above all to: the tests\n\n.*\nmind the goal$/;
    const end = (store: SessionStore): void => void store.appendMessage(assistant('the end of a long turn'));
    const both = scripted();
    const split = sessionWith(store => {
      twoTurns(store);
      end(store);
    }, 5);
    await compact(split, { complete: both.complete, ...options });
    assert.equal(both.requests.length, 2);
    for (const request of both.requests) assert.match(promptOf(request), wanted);
    const only = scripted();
    const first = sessionWith(store => {
      store.appendMessage(user('question'));
      store.appendMessage(assistant('begin'));
      end(store);
    }, 5);
    assert.ok(first.isSplitTurn && first.messagesToSummarize.length === 0);
    await compact(first, { complete: only.complete, ...options });
    assert.deepEqual(only.requests.length, 1);
    assert.match(promptOf(only.requests[0]), wanted);
  });

  it('of a split first turn says that there was nothing before, or what was known before', async () => {
    const one = (store: SessionStore): void => {
      store.appendMessage(user('question'));
      store.appendMessage(assistant('begin'));
      store.appendMessage(assistant('a long end'.repeat(10)));
    };
    const first = await compact(sessionWith(one, 5), { complete: scripted('prefix').complete });
    assert.ok(first.summary.startsWith('No prior history.\n\n---\n\n'));
    const later = sessionWith(store => {
      const id = store.appendMessage(user('x'));
      store.appendCompaction({ summary: 'what was', firstKeptEntryId: null, tokensBefore: 1 });
      assert.ok(id);
      one(store);
    }, 5);
    const second = await compact(later, { complete: scripted('prefix').complete });
    assert.ok(second.summary.startsWith('what was\n\n---\n\n'));
  });

  it('takes a prompt and context of hooks', async () => {
    const model = scripted();
    const options = { complete: model.complete, prompt: 'Only the verbs.', context: ['mind the goal', 'and the plan'] };
    await compact(sessionWith(twoTurns, 5), options);
    assert.match(
      promptOf(model.requests[0]),
      /<\/conversation>\n\nOnly the verbs\.\n\n.*\nmind the goal\nand the plan$/,
    );
  });

  it('goes piece by piece when the transcript does not fit the model', async () => {
    const messages = Array.from({ length: 10 }, (_, n) => user(`${n} ${'x'.repeat(3000)}`));
    const model = scripted('one', 'two', 'three', 'four', 'five');
    const summary = await summarizeHistory(messages, undefined, {
      complete: model.complete,
      reserveTokens: 1000,
      contextWindow: 4000,
    });
    assert.equal(model.requests.length, 5);
    assert.equal(summary, 'five');
    assert.match(promptOf(model.requests[4]), /<previous-summary>\nfour\n/);
    for (const [n] of messages.entries()) {
      assert.ok(model.requests.some(request => promptOf(request).includes(`[User]: ${n} `)));
    }
  });

  it('fails with the reason, never with an empty summary', async () => {
    const preparation = sessionWith(twoTurns, 5);
    const failing = (answer: string | Partial<AssistantMessage>) =>
      compact(preparation, { complete: scripted(answer).complete });
    await assert.rejects(
      failing({ stopReason: 'error', errorMessage: 'overloaded' }),
      /^Error: Summarization failed: overloaded$/,
    );
    await assert.rejects(failing(' '), /without a text/);
    await assert.rejects(failing({ stopReason: 'aborted' }), /^Error: Compaction cancelled$/);
    await assert.rejects(failing({ ...assistant('half of'), stopReason: 'length' }), /the summary is incomplete$/);
    const content = [{ type: 'toolCall' as const, id: 'c', name: 'bash', arguments: {} }];
    await assert.rejects(failing({ content }), /^Error: Summarization attempted to call a tool$/);
    await assert.rejects(
      compact(preparation, { complete: scripted().complete, signal: AbortSignal.abort() }),
      /Compaction cancelled/,
    );
  });

  it('asks no second question when the first fails or the person cancels', async () => {
    const preparation = sessionWith(store => {
      twoTurns(store);
      store.appendMessage(assistant('the end of a long turn'));
    }, 5);
    const broken = scripted({ stopReason: 'error', errorMessage: 'broken' }, 'never');
    await assert.rejects(compact(preparation, { complete: broken.complete }), /broken/);
    assert.equal(broken.requests.length, 1);
    const cancel = new AbortController();
    const cancelled = scripted('so far', 'never');
    const complete: Complete = request => {
      cancel.abort();
      return cancelled.complete(request);
    };
    await assert.rejects(compact(preparation, { complete, signal: cancel.signal }), /Compaction cancelled/);
    assert.equal(cancelled.requests.length, 1);
  });

  it('has nothing to do for a small session', async () => {
    await assert.rejects(
      compact(sessionWith(twoTurns, 9999), { complete: scripted().complete }),
      /Nothing to compact \(session too small\)/,
    );
  });
});

describe('branch summary', () => {
  const session = SessionStore.inMemory('/w');
  const root = session.appendMessage(user('root'));
  session.appendMessage(assistant('on the branch'));
  session.appendMessage({
    role: 'toolResult',
    toolCallId: 'c',
    toolName: 'read',
    content: [{ type: 'text', text: 'result' }],
    isError: false,
    timestamp: 1,
  });
  session.branchWithSummary(session.getLeafId(), 'nested', { readFiles: ['deep.ts'] });
  const left = session.appendMessage(user('left here'));
  session.branch(root);
  const target = session.appendMessage(user('elsewhere'));

  it('collects what is left, oldest first', () => {
    const { entries, commonAncestorId } = collectBranchEntries(session, left, target);
    assert.equal(commonAncestorId, root);
    assert.equal(entries.length, 4);
    assert.equal(entries.at(-1)?.id, left);
    assert.deepEqual(collectBranchEntries(session, null, target), { entries: [], commonAncestorId: null });
    assert.deepEqual(collectBranchEntries(session, root, target).entries, []);
  });

  it('tells the branch without tool results, with files of nested summaries', async () => {
    const model = scripted('notes');
    const { entries } = collectBranchEntries(session, left, target);
    const result = await summarizeBranch(entries, { complete: model.complete, reserveTokens: 16384 });
    assert.match(
      result?.summary ?? '',
      /^Notes on another branch.*\n\nnotes\n\n<read-files>\ndeep\.ts\n<\/read-files>$/s,
    );
    assert.match(promptOf(model.requests[0]), /on the branch[^]*nested[^]*left here/);
    assert.doesNotMatch(promptOf(model.requests[0]), /\[Tool result\]|\[User\]: root/);
  });

  it('keeps the newest when the branch is too long, and lets instructions replace the prompt', async () => {
    const model = scripted();
    const long = SessionStore.inMemory('/w');
    for (let n = 0; n < 10; n++) long.appendMessage(user(`${n} ${'x'.repeat(396)}`));
    const options = {
      complete: model.complete,
      reserveTokens: 100,
      contextWindow: 400,
      customInstructions: 'Just say',
      replaceInstructions: true,
    };
    await summarizeBranch(long.getBranch(), options);
    assert.match(promptOf(model.requests[0]), /^<conversation>\n\[User\]: 7 /);
    assert.ok(promptOf(model.requests[0]).endsWith('</conversation>\n\nJust say'));
  });

  it('is none where nothing was said', async () =>
    assert.equal(await summarizeBranch([], { complete: scripted().complete, reserveTokens: 1 }), undefined));
});
