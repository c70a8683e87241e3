import assert from 'node:assert/strict';
import { contractOf } from '../../../src/guard/agents';
import type { EventAnswer, GuardedEvent } from '../../../src/guard/agents/agent';
import type { AgentId } from '../../../src/guard/protocol/agent-call';
import { AgentPlace, type AgentRun } from './agent-place';
import { GATE_HOOK } from './gate-hook';
import type { RealAgent } from './real-agents';
import type { SeenEffects } from './seen-effects';

/** What the groups of tests of one agent share. */
export interface AgentTests {
  readonly id: AgentId;
  readonly agent: RealAgent;
  readonly effects: SeenEffects;
  /** A new one for each test: the agent is guarded in it, and its project has the hook of `gate-hook.ts`. */
  readonly place: () => AgentPlace;
}

/** Registers a new place for each test of a `describe`. After one that failed, prints the calls that the host got. */
export function usePlaces(agent: RealAgent): () => AgentPlace {
  let place: AgentPlace;
  beforeEach(async () => {
    place = await AgentPlace.make(agent);
    place.cli.hook('gate.ts', GATE_HOOK);
    await place.hookline('guard', 'add', agent.id, '--yes');
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      process.stdout.write((await place.command('guard', 'log', '--json')).stdout);
    }
    await place.remove();
  });
  return () => place;
}

/** The agent's own name of an event. */
export function eventName(id: AgentId, type: GuardedEvent['type']): string {
  const event = contractOf(id).events.find(each => each.type === type);
  assert.ok(event, `${id} has no ${type}`);
  return event.name;
}

/** Whether the contract of an agent says that the agent takes an answer to this event. */
export function takes(id: AgentId, type: GuardedEvent['type'], answer: EventAnswer): boolean {
  const contract = contractOf(id);
  const event = contract.events.find(each => each.type === type)?.name;
  if (event === undefined) return false;
  const payload = {
    ...{ session_id: 'one', prompt: 'Go.', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_response: 'Listed.' },
    // Of Cline.
    ...{ taskId: 'one', tool_call: { id: 'one', name: 'run_commands', input: { commands: ['ls'] } } },
    tool_result: { output: 'Listed.' },
  };
  const call = { agent: id, event, payload: JSON.stringify(payload), parentPid: 0, cwd: '/', variables: {} };
  const { unsupported, denied } = contract.write(contract.read(call), answer);
  return unsupported.length === 0 && denied === undefined;
}

/** Whether a prompt of a start without a person can be refused. */
export function canRefusePrompt({ id, hidesPrompt }: RealAgent): boolean {
  return hidesPrompt !== true && takes(id, 'prompt', { deny: 'No.' });
}

/** Checks that a call was denied for this reason, as far as the agent tells. Returns what was seen, for the table. */
export function assertDenied({ agent }: Pick<AgentTests, 'agent'>, run: AgentRun, reason: RegExp): string {
  if (agent.endsAtDenial === true) {
    assert.deepEqual(run.results, []);
    return 'not run; the run ends without a reason';
  }
  assert.match(run.result, reason);
  return /Hookline/.test(reason.source) ? 'not run; the model gets why' : 'not run; the model gets the reason';
}
