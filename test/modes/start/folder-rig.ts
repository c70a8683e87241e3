import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../../../scripts/support/paths.ts';
import { SessionStore } from '../../../src/agent/session/store';
import { silentLog } from '../../../src/base/log';
import { noUi, type Answer } from '../../../src/hook-contract/ui/ui';
import { openFolder, type ConversationFront, type FolderRuntime } from '../../../src/modes/start/folder-runtime';
import type { FolderParts } from '../../../src/modes/start/load-folder';
import type { StartedConversation } from '../../../src/modes/start/started-conversation';
import type { Question } from '../../../src/session/ports/dialogs';
import { ScriptedLlm } from '../../support/scripted-llm';

/** An open question of a conversation. */
export interface Asked {
  readonly question: Question;
  readonly answer: (value: Answer) => void;
}

/** A conversation, and what came out of it. */
export interface Talk {
  readonly started: StartedConversation;
  readonly questions: Asked[];
  readonly problems: string[];
  readonly errors: string[];
}

/** Folders of one process, and a model that runs the commands `touch NAME`, `printenv > NAME` and `sh NAME` of its prompts. */
export class FolderRig {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline folders ä ')));
  /** The environment of the process, which all folders share. */
  readonly env: NodeJS.ProcessEnv = { ...process.env, PI_CODING_AGENT_DIR: join(this.root, 'agent') };
  private readonly folders: FolderRuntime[] = [];

  private constructor(private readonly llm: ScriptedLlm) {}

  static async start(): Promise<FolderRig> {
    const llm = await ScriptedLlm.start();
    const rig = new FolderRig(llm);
    const { baseUrl, api } = llm.model('anthropic-messages');
    const models = [{ id: 'one', contextWindow: 200_000, maxTokens: 8192 }];
    rig.write(
      'agent/models.json',
      JSON.stringify({ providers: { scripted: { baseUrl, api, apiKey: llm.apiKey, models } } }),
    );
    llm.otherwise(({ body }) => {
      const last = JSON.stringify((body['messages'] as readonly unknown[]).at(-1));
      const command = last.includes('tool_result') ? undefined : /(touch|printenv >|sh) \w+/.exec(last)?.[0];
      return command === undefined ? { text: 'done' } : { toolCalls: [{ name: 'bash', arguments: { command } }] };
    });
    rig.write('agent/settings.json', JSON.stringify({ defaultProvider: 'scripted', defaultModel: 'one' }));
    return rig;
  }

  async stop(): Promise<void> {
    await Promise.all(this.folders.map(folder => folder.dispose()));
    await this.llm.stop();
    rmSync(this.root, { recursive: true, force: true });
  }

  /** Writes a file; `path` starts at the root. */
  write(path: string, text: string): void {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }

  /** Opens a folder with hooks in `.pi/hooks`. */
  async open(
    name: string,
    hooks: Readonly<Record<string, string>>,
    argv: readonly string[] = ['--approve'],
    more: Partial<FolderParts> = {},
  ): Promise<FolderRuntime> {
    const { root } = this;
    mkdirSync(join(root, name), { recursive: true });
    for (const [file, text] of Object.entries(hooks)) this.write(join(name, '.pi/hooks', file), text);
    const folder = await openFolder({
      argv: ['--approve-tools', 'auto', ...argv],
      cwd: join(root, name),
      startedIn: root,
      env: this.env,
      caller: { env: this.env, ppid: 1 },
      code: {
        distDir: join(ROOT, 'dist'),
        jitiDir: join(ROOT, 'node_modules/jiti/dist'),
        storageDir: join(root, 'storage'),
        stateDir: join(root, 'storage'),
        version: '0.0.0',
      },
      mode: 'rpc',
      printError: () => undefined,
      log: silentLog,
      ...more,
    });
    this.folders.push(folder);
    return folder;
  }

  /** Opens a new session in a folder. */
  async talkIn(folder: FolderRuntime, more: Partial<ConversationFront> = {}): Promise<Talk> {
    const questions: Asked[] = [];
    const problems: string[] = [];
    const errors: string[] = [];
    const { cwd } = folder.services.place;
    const started = await folder.open(SessionStore.create({ dir: folder.sessionDir, cwd }), {
      mode: 'rpc',
      hookUi: ask => ({ ...noUi, ask }),
      shutdown: () => undefined,
      printError: text => problems.push(text),
      connectDialogs: dialogs =>
        dialogs.addView({
          show: (question, answer) => {
            questions.push({ question, answer });
            return { dispose: () => undefined };
          },
        }),
      onOpen: ({ onDidHappen }) => {
        onDidHappen(event => {
          if (event.type === 'notice' && event.notice.level === 'error') errors.push(event.notice.text);
        });
      },
      ...more,
    });
    await started.begin();
    return { started, questions, problems, errors };
  }
}
