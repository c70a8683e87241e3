import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEMPLATES } from '../src/hook-authoring/templates';
import {
  ANSWER_SCHEME,
  CHAT_PANEL,
  COMMANDS,
  CONTAINERS,
  CONTEXT_KEYS,
  DEBUG_TYPE,
  EXTENSION_ID,
  SETTING_DEFAULTS,
  SETTINGS_SECTION,
  VIEWS,
} from '../src/vscode/ids';

const ROOT = join(import.meta.dirname, '..');

interface Manifest {
  readonly name: string;
  readonly publisher: string;
  readonly contributes: {
    readonly viewsContainers: Readonly<
      Record<'activitybar' | 'secondarySidebar', readonly { readonly id: string; readonly icon: string }[]>
    >;
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly type: string }[]>>;
    readonly viewsWelcome: readonly { readonly view: string; readonly when?: string }[];
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string }[];
    readonly submenus: readonly { readonly id: string; readonly label: string }[];
    readonly menus: Readonly<
      Record<string, readonly { readonly command?: string; readonly submenu?: string; readonly when?: string }[]>
    >;
    readonly keybindings: readonly { readonly command: string; readonly key: string; readonly when?: string }[];
    readonly walkthroughs: readonly {
      readonly steps: readonly {
        readonly description: string;
        readonly media: { readonly svg: string };
        readonly completionEvents: readonly string[];
      }[];
    }[];
    readonly debuggers: readonly { readonly type: string; readonly initialConfigurations: readonly object[] }[];
    readonly configuration: { readonly properties: Readonly<Record<string, Setting>> };
  };
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly supported: string; readonly restrictedConfigurations: readonly string[] };
    readonly virtualWorkspaces: { readonly supported: boolean };
  };
}

interface Setting {
  readonly default: unknown;
  readonly scope: string;
  readonly markdownDescription: string;
}

/** Of settings that no folder can set. */
const PERSONAL_SCOPES = ['machine', 'application'];

describe('the manifest', () => {
  const text = readFileSync(join(ROOT, 'package.json'), 'utf8');
  const manifest = JSON.parse(text) as Manifest;
  const { contributes, capabilities } = manifest;
  const steps = contributes.walkthroughs.flatMap(walkthrough => walkthrough.steps);
  const strings = JSON.parse(readFileSync(join(ROOT, 'package.nls.json'), 'utf8')) as Record<string, string>;

  it('is of the extension that the code believes to be', () =>
    assert.equal(`${manifest.publisher}.${manifest.name}`, EXTENSION_ID));

  it('declares exactly the commands that the code knows, each in the category Hookline', () => {
    assert.deepEqual(contributes.commands.map(command => command.command).sort(), Object.keys(COMMANDS).sort());
    assert.deepEqual([...new Set(contributes.commands.map(command => command.category))], ['Hookline']);
  });

  it('titles commands without articles, as VS Code does', () => {
    const titles = Object.entries(strings).filter(([key]) => key.startsWith('command.'));
    assert.deepEqual(
      titles.filter(([, title]) => /\b(?:an?|the)\b/i.test(title)),
      [],
    );
  });

  it('hides from the palette exactly the commands that only make sense at times', () => {
    const hidden = contributes.menus['commandPalette'] ?? [];
    const conditional = Object.entries(COMMANDS).filter(([, { listed }]) => listed === 'conditional');
    assert.deepEqual(hidden.map(entry => entry.command).sort(), conditional.map(([id]) => id).sort());
    assert.ok(hidden.every(entry => (entry.when ?? '') !== ''));
  });

  it('uses only declared commands and menus in menus and keybindings', () => {
    const entries = Object.values(contributes.menus).flat();
    const commands = [...entries, ...contributes.keybindings].flatMap(({ command }) => command ?? []);
    for (const command of commands) assert.ok(command in COMMANDS, `${command} is used but not declared`);
    const submenus = entries.flatMap(({ submenu }) => submenu ?? []);
    assert.equal(commands.length, entries.length + contributes.keybindings.length - submenus.length);
    assert.deepEqual(
      submenus,
      contributes.submenus.map(({ id }) => id),
    );
    for (const id of submenus) assert.ok(id in contributes.menus, `${id} is empty`);
  });

  it('declares exactly the views that the code knows', () => {
    const idsIn = (container: string): string[] => (contributes.views[container] ?? []).map(view => view.id);
    const { chat, ...others } = VIEWS;
    assert.deepEqual(Object.keys(contributes.views).sort(), Object.values(CONTAINERS).sort());
    assert.deepEqual(idsIn(CONTAINERS.chat), [chat]);
    assert.deepEqual(idsIn(CONTAINERS.hooks), Object.values(others));
    const { activitybar, secondarySidebar } = contributes.viewsContainers;
    assert.deepEqual(
      secondarySidebar.map(({ id }) => id),
      [CONTAINERS.chat],
    );
    assert.deepEqual(
      activitybar.map(({ id }) => id),
      [CONTAINERS.hooks],
    );
  });

  it('names only context keys, schemes, views and tabs in when clauses that the code sets', () => {
    const ours = new Set([...Object.keys(CONTEXT_KEYS), ...Object.values(VIEWS), ANSWER_SCHEME, CHAT_PANEL]);
    const clauses = [
      ...[...Object.values(contributes.menus).flat(), ...contributes.keybindings, ...contributes.viewsWelcome].map(
        entry => entry.when ?? '',
      ),
      ...steps.flatMap(step => step.completionEvents).map(event => event.replace(/^on(Context|View):/, '')),
    ];
    const named = clauses.flatMap(clause => clause.match(/hookline[\w.-]*/g) ?? []);
    assert.deepEqual(
      named.filter(name => !ours.has(name)),
      [],
    );
    assert.deepEqual(
      Object.keys(CONTEXT_KEYS).filter(key => !named.includes(key)),
      [],
      'every context key is used somewhere',
    );
  });

  it('declares exactly the settings that the code reads, with the same defaults', () => {
    const declared = Object.fromEntries(
      Object.entries(contributes.configuration.properties).map(([name, setting]) => [name, setting.default]),
    );
    const read = Object.fromEntries(
      Object.entries(SETTING_DEFAULTS).map(([name, value]) => [`${SETTINGS_SECTION}.${name}`, value]),
    );
    assert.deepEqual(declared, read);
  });

  it('contributes one debugger, which the examples use as it is', () => {
    const [own, ...more] = contributes.debuggers;
    assert.deepEqual([own?.type, more.length], [DEBUG_TYPE, 0]);
    const launch = readFileSync(join(ROOT, 'examples', 'workspace', '.vscode', 'launch.json'), 'utf8');
    const { configurations } = JSON.parse(launch) as { configurations: unknown };
    assert.deepEqual(configurations, own?.initialConfigurations);
  });

  it('leads through the tour by declared commands, with pictures that are there', () => {
    for (const { description, media } of steps) {
      const text = strings[description.replaceAll('%', '')] ?? '';
      const commands = [...text.matchAll(/\(command:([\w.]+)(?:\?([^)]*))?\)/g)];
      for (const [, command = '', args] of commands) {
        assert.ok(command in COMMANDS, `${command} is in the tour but not declared`);
        const given: unknown = args === undefined ? [] : JSON.parse(decodeURIComponent(args));
        assert.ok(Array.isArray(given), args);
        if (command === 'hookline.newHook') {
          assert.ok(
            TEMPLATES.some(({ fileName }) => given.includes(fileName)),
            `${description} names a template`,
          );
        }
      }
      assert.ok(existsSync(join(ROOT, media.svg)), media.svg);
    }
    assert.match(
      steps.at(-1)?.completionEvents[0] ?? '',
      /hasBlocked$/,
      'it ends with a hook having blocked something',
    );
  });

  it('lets no untrusted folder say what code runs', () => {
    assert.equal(capabilities.untrustedWorkspaces.supported, 'limited');
    assert.equal(capabilities.virtualWorkspaces.supported, false);
    const restricted = capabilities.untrustedWorkspaces.restrictedConfigurations;
    for (const [name, { scope }] of Object.entries(contributes.configuration.properties)) {
      const reachable = !PERSONAL_SCOPES.includes(scope) && !restricted.includes(name);
      const harmless = ['hookline.model', 'hookline.thinkingLevel', 'hookline.codeLens'].includes(name);
      assert.ok(!reachable || harmless, `${name} can be set by an untrusted folder`);
    }
  });

  it('lets no folder set what may switch a guard off, trusted or not: the agent can write there', () => {
    const { properties } = contributes.configuration;
    const loosening =
      /^hookline\.(?:agentDir|editorTools|approvals\..*|hooks\.(?:approveChanges|askWhileBroken|flags|paths|dialects))$/;
    const found = Object.keys(properties).filter(name => loosening.test(name));
    assert.equal(found.length, 11);
    for (const name of found) assert.ok(PERSONAL_SCOPES.includes(properties[name]?.scope ?? ''), name);
  });

  it('has a text for every placeholder, and a placeholder for every text', () => {
    const placeholders = [...text.matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key ?? '');
    assert.deepEqual([...new Set(placeholders)].sort(), Object.keys(strings).sort());
    for (const [key, value] of Object.entries(strings)) assert.notEqual(value.trim(), '', key);
  });

  it('writes no text for people into the manifest itself', () => {
    const titles = contributes.commands.map(command => command.title);
    const descriptions = Object.values(contributes.configuration.properties).map(
      setting => setting.markdownDescription,
    );
    for (const title of [...titles, ...descriptions]) assert.match(title, /^%[\w.]+%$/);
  });

  it('shows an icon that is there', () => {
    for (const { icon } of Object.values(contributes.viewsContainers).flat()) {
      assert.ok(existsSync(join(ROOT, icon)), icon);
    }
  });
});
