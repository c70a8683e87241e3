import assert from 'node:assert/strict';
import type { FoundAgent } from '../../../src/guard/config/find-agents';
import { agentRecord } from '../../../src/modes/guard/status/status-record';
import { foundText, statusText, type AgentFacts } from '../../../src/modes/guard/status/status-text';

const FOLDER: FoundAgent = { id: 'codex', tested: 'unknown', folder: '/home/ada/.codex', hasFolder: true };
const PROGRAM: FoundAgent = { ...FOLDER, program: '/bin/codex' };
const FOUND: FoundAgent = { ...PROGRAM, version: '1.2.3', tested: 'tested' };
const CONTRACT = { id: 'codex', name: 'Codex', testedVersion: '1.2.3' } as const;
const UNTRIED = { ...CONTRACT, testedVersion: undefined };

function facts(changes: Partial<AgentFacts> = {}): AgentFacts {
  return {
    contract: CONTRACT,
    found: FOUND,
    guarded: { scope: 'user', gate: 'ask' },
    status: {
      agent: 'codex',
      configured: { type: 'yes', scope: 'user', file: '/f' },
      pluginSince: undefined,
      tools: { type: 'no' },
      switchedOff: [],
    },
    untrusted: undefined,
    activity: { last: undefined, toldAt: undefined, calls: 2, blocks: 1, undone: undefined },
    ...changes,
  };
}

describe('the name of another agent in texts', () => {
  const text = (contract: AgentFacts['contract'], found: Partial<FoundAgent>): string =>
    foundText(contract, { ...FOUND, ...found });

  it('has its version, and says what the tests ran if that is something else', () => {
    assert.equal(text(CONTRACT, {}), 'Codex 1.2.3');
    assert.equal(
      text(CONTRACT, { version: '1.3.0', tested: 'newer' }),
      'Codex 1.3.0 (not tested: newer than 1.2.3, the newest version that was)',
    );
    assert.equal(text(CONTRACT, { version: '1.0.0', tested: 'other' }), 'Codex 1.0.0 (tested with 1.2.3)');
    assert.equal(foundText(CONTRACT, PROGRAM), 'Codex, version unknown (tested with 1.2.3)');
  });

  it('says that the tests ran no version, whatever is found', () => {
    const note = 'not tried: made from its documentation';
    assert.equal(text(UNTRIED, { tested: 'untried' }), `Codex 1.2.3 (${note})`);
    assert.equal(foundText(UNTRIED, undefined), `Codex (not found on this machine; ${note})`);
    assert.equal(foundText(UNTRIED, { ...FOLDER, tested: 'untried' }), `Codex (its program is not on PATH; ${note})`);
    assert.equal(foundText(CONTRACT, FOLDER), 'Codex (its program is not on PATH)');
  });
});

describe('the plugin of a guarded agent', () => {
  const { status, activity } = facts();
  const loaded = (pluginSince: number | undefined, toldAt: number | undefined) => {
    const about = facts({ status: { ...status, pluginSince }, activity: { ...activity, toldAt } });
    const { lines, isFine } = statusText(about);
    return {
      line: lines.find(each => each.includes('plugin')),
      isFine,
      json: agentRecord(about, undefined).pluginIsLoaded,
    };
  };

  it('is loaded if the agent told of an event since the plugin was written', () => {
    const { line, json, isFine } = loaded(1000, 2000);
    assert.match(line ?? '', /its plugin is loaded/);
    assert.deepEqual([json, isFine], [true, true]);
  });

  for (const [toldAt, when] of [
    [undefined, 'the agent told of nothing'],
    [999, 'the last event is from an earlier plugin'],
  ] as const) {
    it(`is not known to be loaded if ${when}`, () => {
      const { line, json } = loaded(1000, toldAt);
      assert.match(line ?? '', /no event since it was written; "hookline guard check --fire codex"/);
      assert.equal(json, false);
    });
  }

  it('is not spoken of where the agent loads none', () => {
    const { line, json } = loaded(undefined, 2000);
    assert.deepEqual([line, json], [undefined, undefined]);
  });
});

describe('the status of another agent as JSON', () => {
  it('has its version, what the tests ran, and how it is guarded', () => {
    const newer = { ...FOUND, version: '1.3.0', tested: 'newer' } as const;
    assert.deepEqual(agentRecord(facts({ found: newer }), undefined), {
      ...{ agent: 'codex', name: 'Codex', isFound: true, version: '1.3.0', tested: 'newer', testedVersion: '1.2.3' },
      ...{ isGuarded: true, scope: 'user', gate: 'ask', problems: [], calls: 2, blocks: 1 },
    });
    assert.deepEqual(agentRecord(facts(), 'the client is gone').problems, ['the client is gone']);
    assert.deepEqual(agentRecord(facts({ untrusted: 'not trusted' }), undefined).problems, ['not trusted']);
  });

  it('has no problems of an agent that nobody guards', () => {
    const status = { ...facts().status, configured: { type: 'no' } } as const;
    const { isGuarded, isFound, tested, problems } = agentRecord(
      facts({ contract: UNTRIED, found: undefined, guarded: undefined, status }),
      'the client is gone',
    );
    assert.deepEqual(
      { isGuarded, isFound, tested, problems },
      {
        ...{ isGuarded: false, isFound: false, tested: 'untried', problems: [] },
      },
    );
  });
});
