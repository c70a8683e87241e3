import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { silentLog } from '../../../src/base/log';
import { discoverHooks } from '../../../src/hooks/host/discover';
import type { HookEvent } from '../../../src/hooks/events/hook-event';
import type { HookInfo } from '../../../src/hooks/hook-info';
import { HookHost } from '../../../src/hooks/host/host';
import { HookLoader } from '../../../src/hooks/load/hook-loader';
import { shippedModules } from '../../../src/hooks/load/modules/shipped-modules';
import { OwnershipScope } from '../../../src/hooks/load/ownership/scope';
import { ThemeSwitch } from '../../../src/hooks/api/ui/theme';
import { FakeConversation } from '../../support/fake-conversation';

/** One step of a scripted run: an event, or a command that the user types. */
export type Step = HookEvent | { readonly type: 'command'; readonly name: string; readonly args: string };

/** What a run left: everything that can be seen of a hook from outside. */
export interface Trace {
  readonly info: HookInfo;
  readonly results: readonly string[];
  readonly shown: readonly string[];
  readonly done: readonly string[];
  readonly errors: readonly string[];
}

const JITI = resolve('node_modules/jiti/dist');

/** Loads one hook for real and takes it through a script; dialogs are answered from a list, over and over. */
export async function traceOf(
  text: string,
  script: readonly Step[],
  answers: readonly (string | boolean | undefined)[] = [],
): Promise<Trace> {
  const folder = mkdtempSync(join(tmpdir(), 'hookline convert '));
  const file = join(folder, '.pi', 'hooks', 'hook.ts');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const theme = new ThemeSwitch();
  const modules = shippedModules({ agentDir: () => folder, theme: () => theme.current });
  const loader = new HookLoader({
    cacheDir: join(tmpdir(), 'hookline-convert-cache'),
    jitiDir: JITI,
    extensionVersion: 'test',
    modules: () => modules,
    log: silentLog,
  });
  const host = new HookHost<OwnershipScope>({
    discover: () => discoverHooks({ agentDir: join(folder, 'agent'), cwd: folder, includeProject: true, home: folder }),
    loader,
    createScope: (owner, onDidThrow) => new OwnershipScope({ owner, onDidThrow }),
    settings: () => ({ hookTimeout: 30_000, dialects: {}, confirmWithoutGates: true }),
    theme,
    exec: (command, args) =>
      Promise.resolve({
        stdout: `${[command, ...args].join(' ')}\n`,
        stderr: '',
        code: 0,
        killed: false,
        truncated: false,
      }),
  });
  const conversation = new FakeConversation('c1', folder);
  const { session } = conversation;
  session.user('List the files here.');
  session.add('message', { message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }], timestamp: 2 } });
  session.user('And now?');
  const errors: string[] = [];
  host.onError(({ event, message }) => errors.push(`${event}: ${message}`));
  conversation.ui.answers.push(...Array.from({ length: 60 }, (_, at) => answers[at % Math.max(1, answers.length)]));
  const results: string[] = [];
  try {
    await host.reload();
    host.attach(conversation);
    const [info] = host.infos();
    if (info === undefined) throw new Error('The hook was not found');
    for (const step of script) {
      if (step.type === 'command') {
        const outcome = await host.commands.run(step.name, step.args, conversation);
        const status = 'status' in outcome ? outcome.status : undefined;
        if (status !== undefined) conversation.ui.calls.push(`notify info: ${status}`);
      } else results.push(stable(await host.runner.emit(structuredCloneOf(step), conversation), folder));
    }
    const own = (each: unknown): string => stable(each, folder);
    return {
      info,
      results,
      shown: conversation.ui.calls.map(own),
      done: conversation.actions.map(own),
      errors: errors.map(own),
    };
  } finally {
    await host.dispose();
    loader.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Each run changes its own copy; signals cannot be copied and are not changed. */
function structuredCloneOf(event: HookEvent): HookEvent {
  if (!('signal' in event)) return structuredClone(event);
  const { signal, ...rest } = event;
  return { ...structuredClone(rest), signal };
}

/**
 * As text, without what differs from run to run: the folder, times, who it was, and until when a conversation is busy,
 * which the dialect decides (docs/dialects.md, P15).
 */
function stable(value: unknown, folder: string): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value, (key, member: unknown) =>
    ['timestamp', 'by', 'busyUntil'].includes(key) ? undefined : member,
  );
  return text.replaceAll(folder, '<folder>').replaceAll(/\d{4}-\d\d-\d\dT[\d.:-]+Z/g, '<time>');
}
