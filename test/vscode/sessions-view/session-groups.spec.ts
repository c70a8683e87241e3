import assert from 'node:assert/strict';
import type { SessionInfo } from '../../../src/agent/session/library/session-list';
import type { ConversationTab } from '../../../src/protocol/messages';
import {
  groupSessions,
  standingOf,
  type OpenSession,
  type SessionFacts,
} from '../../../src/vscode/sessions-view/session-groups';

const NOW = new Date(2026, 2, 10, 0, 30);

function info(file: string, modified = NOW, problem?: string): SessionInfo {
  const facts = { id: file, cwd: '/w', labels: [], firstText: file, messageCount: 2, isComplete: true, size: 1 };
  return { ...facts, file, created: modified, modified, problem };
}

function open(id: string, file: string | undefined, tab: Partial<ConversationTab> = {}): OpenSession {
  return { tab: { id, title: id, state: 'idle', shown: false, ...tab }, file, isElsewhere: false };
}

/** The groups, with the file or the conversation of each session. */
function grouped(facts: Partial<SessionFacts>): Record<string, readonly string[]> {
  const groups = groupSessions({ infos: [], open: [], inUse: new Set(), now: NOW, ...facts });
  return Object.fromEntries(
    [...groups].map(([group, sessions]) => [
      group,
      sessions.map(({ info: stored, tab }) => [tab?.id, stored?.file].filter(Boolean).join(' ')),
    ]),
  );
}

describe('the sessions of the view', () => {
  it('are grouped by the days of the calendar, and not by hours', () => {
    const at = (day: number, hour: number): Date => new Date(2026, 2, day, hour);
    const infos = [
      info('now'),
      info('midnight', at(10, 0)),
      info('an hour ago', at(9, 23)),
      info('yesterday', at(9, 0)),
      info('before', at(8, 23)),
      info('six days', at(4, 0)),
      info('seven days', at(3, 23)),
      info('unknown', new Date(0)),
    ];
    assert.deepEqual(grouped({ infos }), {
      today: ['now', 'midnight'],
      yesterday: ['an hour ago', 'yesterday'],
      week: ['before', 'six days'],
      earlier: ['seven days', 'unknown'],
    });
  });

  it('have those that are open first, once each, in the order of their tabs', () => {
    const infos = [info('a'), info('b'), info('c')];
    assert.deepEqual(grouped({ infos, open: [open('two', 'c'), open('one', 'a')] }), {
      open: ['two c', 'one a'],
      today: ['b'],
    });
  });

  it('leave out a conversation in which nothing was said, unless something goes on in it', () => {
    assert.deepEqual(grouped({ open: [open('empty', 'not-there', { title: '' })] }), {});
    const busy = [
      open('asks', 'x', { title: '', state: 'asking' }),
      open('said', 'y', { title: 'said' }),
      open('stored', 'z', { title: '' }),
    ];
    assert.deepEqual(grouped({ infos: [info('z')], open: busy }), { open: ['asks', 'said', 'stored z'] });
  });

  it('can be changed only where they can be written', () => {
    const infos = [info('past'), info('locked'), info('torn', NOW, 'cannot be read'), info('mine'), info('theirs')];
    const theirs = { ...open('there', 'theirs'), isElsewhere: true };
    const groups = groupSessions({
      infos,
      open: [open('here', 'mine'), theirs, open('fresh', undefined)],
      inUse: new Set(['locked', 'mine']),
      now: NOW,
    });
    const standings = [...groups.values()].flat().map(session => [session.info?.file, standingOf(session)]);
    assert.deepEqual(standings, [
      ['mine', 'open'],
      ['theirs', 'elsewhere'],
      [undefined, 'new'],
      ['past', 'past'],
      ['locked', 'elsewhere'],
      ['torn', 'broken'],
    ]);
  });
});
