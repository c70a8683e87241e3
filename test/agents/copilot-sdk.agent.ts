import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FIRED_AGENTS } from '../../src/guard/fire/fired-agents';
import { ModelServer } from '../../src/guard/fire/model-server';
import { usePlaces } from './support/agent-tests';
import { agentsFolder, realAgent, versionOf } from './support/real-agents';
import { SeenEffects } from './support/seen-effects';

/** What is used of the SDK. */
interface Sdk {
  readonly CopilotClient: new (options: object) => SdkClient;
}
interface SdkClient {
  createSession(options: object): Promise<{ sendAndWait(prompt: string): Promise<unknown> }>;
  stop(): Promise<unknown>;
}
interface PermissionRequest {
  readonly kind: string;
  readonly hookMessage?: string;
}

const PACKAGE = '@github/copilot-sdk';
const TITLE = `Copilot SDK ${versionOf(PACKAGE)}`;

// The sessions of VS Code that run Copilot are such clients, too.
describe(`hooks guard a client of ${TITLE} with hooks from files`, () => {
  const place = usePlaces(realAgent('copilot'));
  const effects = new SeenEffects();
  after(() => effects.write('copilot-sdk', TITLE, 4));

  /** One prompt, at which the model runs a command. `allows`: what the client says to each request for a permission. */
  const turn = async ({ command, allows = true, onAsked }: Turn): Promise<Outcome> => {
    const model = await ModelServer.start(({ tools, results }) => {
      if (tools.length === 0 || results.length > 0) return { text: 'done' };
      onAsked?.();
      return place().shell(command);
    });
    const path = join(agentsFolder(), 'node_modules', PACKAGE, 'dist', 'index.js');
    const { CopilotClient } = (await import(pathToFileURL(path).href)) as Sdk; // The interface above is of the tested version.
    const { cwd, env } = place().cli;
    const fired = FIRED_AGENTS.copilot.env(model.url, '');
    const client = new CopilotClient({
      env: { ...env, ...fired },
      workingDirectory: cwd,
      logLevel: 'none',
      useLoggedInUser: false,
    });
    const questions: PermissionRequest[] = [];
    try {
      const session = await client.createSession({
        model: fired['COPILOT_MODEL'],
        provider: { type: 'openai', wireApi: 'completions', baseUrl: `${model.url}/v1`, apiKey: 'none' },
        workingDirectory: cwd,
        enableFileHooks: true,
        onPermissionRequest: (request: PermissionRequest) => {
          questions.push(request);
          return { kind: allows ? 'approve-once' : 'reject' };
        },
      });
      await session.sendAndWait('Do as the model says.');
    } finally {
      await client.stop();
      await model.stop();
    }
    return { questions, result: model.requests.flatMap(({ results }) => results).at(-1) ?? '' };
  };

  it('a hook blocks a call, and the model gets the reason', async () => {
    const { result } = await turn({ command: 'mkdir blocked' });
    assert.ok(!place().hasMade('blocked'));
    assert.match(result, /Not on a Sunday\./);
    effects.note('a hook blocks a call', 'not run; the model gets the reason');
  });

  it('a hook changes the command, and only the changed one runs', async () => {
    await turn({ command: 'mkdir changed' });
    assert.ok(!place().hasMade('changed'));
    assert.ok(place().hasMade('another'));
    effects.note('a hook changes the command', 'the changed one runs');
  });

  for (const allows of [true, false]) {
    it(`a plain question of a hook is asked by the client, whose user says ${allows ? 'yes' : 'no'}`, async () => {
      const { questions } = await turn({ command: 'mkdir confirmed', allows });
      const texts = questions.flatMap(({ kind, hookMessage = '' }) => (kind === 'hook' ? [hookMessage] : []));
      assert.equal(texts.length, 1, JSON.stringify(questions));
      assert.match(texts.join(), /Run it\?/);
      assert.equal(place().hasMade('confirmed'), allows);
      effects.note('a hook asks yes or no, and no window is there', "the client's user is asked");
    });
  }

  it('does not run a call when none can be started, and the model gets why', async () => {
    const onAsked = (): void => {
      place().breakProgram();
      process.kill(place().host.pid, 'SIGKILL');
    };
    const { result } = await turn({ command: 'mkdir free', onAsked });
    assert.ok(!place().hasMade('free'));
    assert.match(result, /Hookline could not check this/);
    effects.note('no host can be started: a call', 'not run; the model gets why');
  });
});

interface Turn {
  readonly command: string;
  readonly allows?: boolean;
  /** Called when the model is asked, before it answers. */
  readonly onAsked?: () => void;
}

interface Outcome {
  readonly questions: readonly PermissionRequest[];
  /** What the model got for the call. */
  readonly result: string;
}
