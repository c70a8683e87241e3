import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DisposableStore } from '../../../src/base/disposable';
import { Emitter } from '../../../src/base/event';
import { silentLog } from '../../../src/base/log';
import { WorkspaceCommandStore } from '../../../src/vscode/palette/workspace-command-store';
import { showsExactly, type PaletteCommand } from '../../../src/vscode/palette/companion-manifest';
import {
  PaletteSync,
  type Companion,
  type Consent,
  type PaletteChoice,
  type PaletteState,
} from '../../../src/vscode/palette/palette-sync';

/** The extensions of one profile, as all its windows see them. */
class Profile {
  readonly changeEmitter = new Emitter<void>();
  installed: unknown;
  readonly installs: object[] = [];
  atOnce = 0;
  mostAtOnce = 0;
  allowed = true;
  enabled = true;

  window(): Companion & { readonly visible: boolean } {
    let visible = false;
    return {
      get visible() {
        return visible;
      },
      manifest: () => (this.enabled ? this.installed : undefined),
      onDidChange: this.changeEmitter.event,
      install: async manifest => {
        this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce);
        await new Promise(resolve => setImmediate(resolve));
        this.atOnce -= 1;
        this.installs.push(manifest);
        if (!this.allowed) return;
        this.installed = JSON.parse(JSON.stringify(manifest)) as unknown;
        this.changeEmitter.fire();
      },
      show: value => {
        visible = value;
      },
    };
  }
}

/** What a person answers who is asked. */
class Person implements Consent {
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;
  asked = 0;

  constructor(
    public current: PaletteChoice,
    private readonly answer: boolean,
  ) {}

  ask(): Promise<boolean> {
    this.asked += 1;
    return Promise.resolve(this.answer);
  }

  choose(choice: PaletteChoice): void {
    this.current = choice;
    this.changeEmitter.fire();
  }
}

const stats: PaletteCommand = { name: 'stats', description: 'Show session statistics' };
const deploy: PaletteCommand = { name: 'deploy', description: 'Ship it' };

describe('palette entries of hook commands', () => {
  let root: string;
  let profile: Profile;
  let store: DisposableStore;
  const warnings: string[] = [];

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookline palette ü-'));
    profile = new Profile();
    store = new DisposableStore();
    warnings.length = 0;
  });

  afterEach(() => {
    store.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  /** A window on a folder of that name. */
  function open(
    name: string,
    consent: Consent = new Person('always', true),
  ): { sync: PaletteSync; window: ReturnType<Profile['window']>; shows: () => boolean } {
    const folder = join(root, name);
    mkdirSync(folder, { recursive: true });
    const window = profile.window();
    const log = { ...silentLog, warn: (message: string) => warnings.push(message) };
    const commandStore = new WorkspaceCommandStore(join(root, 'store'));
    const options = {
      companion: window,
      consent,
      commandStore,
      hash: name,
      folder,
      log,
      debounceMs: 5,
      showTimeoutMs: 60,
    };
    const sync = store.add(new PaletteSync(options));
    return { sync, window, shows: () => window.visible };
  }

  const shown = (hash: string, commands: readonly PaletteCommand[]): boolean =>
    showsExactly(profile.installed, { hash, commands });

  async function settles(sync: PaletteSync, state: PaletteState): Promise<void> {
    await until(() => sync.state === state, `the state ${state}; it is ${sync.state}`);
  }

  it('are added, changed and removed with the commands', async () => {
    const { sync, shows } = open('a');
    sync.update([stats]);
    await settles(sync, 'shown');
    assert.ok(shows() && shown('a', [stats]));
    sync.update([stats, deploy]);
    await until(() => shown('a', [stats, deploy]), 'the second command');
    sync.update([deploy]);
    await until(() => shown('a', [deploy]), 'the first gone');
    sync.update([]);
    assert.equal(sync.state, 'none');
    assert.equal(shows(), false);
  });

  it('are added when the user agrees, and the user is asked only once', async () => {
    const person = new Person('ask', true);
    const { sync, shows } = open('a', person);
    sync.update([stats]);
    await settles(sync, 'shown');
    sync.update([stats, deploy]);
    await until(() => shown('a', [stats, deploy]), 'the second command');
    assert.deepEqual([person.asked, shows()], [1, true]);
  });

  it('are not added after a no, are added when the user wants them later, and are hidden when the user does not', async () => {
    const person = new Person('ask', false);
    const { sync, shows } = open('a', person);
    sync.update([stats]);
    await settles(sync, 'declined');
    assert.deepEqual([profile.installs.length, warnings], [0, []]);
    person.choose('always');
    await settles(sync, 'shown');
    assert.ok(shows() && shown('a', [stats]));
    person.choose('never');
    await settles(sync, 'declined');
    assert.deepEqual([person.asked, shows(), profile.installs.length], [1, false, 1]);
  });

  it('are not installed while no hook has a command', async () => {
    const { sync } = open('a');
    sync.update([]);
    await turns();
    assert.deepEqual([profile.installs.length, sync.state], [0, 'none']);
  });

  it('are installed once for a burst of changes, and not again when nothing changed', async () => {
    const { sync } = open('a');
    for (const each of ['one', 'two', 'three']) sync.update([{ ...stats, description: each }]);
    await settles(sync, 'shown');
    sync.update([{ ...stats, description: 'three' }]);
    await turns();
    assert.equal(profile.installs.length, 1);
    const again = open('a');
    again.sync.update([{ ...stats, description: 'three' }]);
    assert.ok(again.shows(), 'at once in a window that is opened again');
    await turns();
    assert.equal(profile.installs.length, 1);
  });

  it('of one window are never installed twice at the same time', async () => {
    const { sync } = open('a');
    for (let round = 0; round < 6; round += 1) {
      sync.update([{ ...stats, description: `round ${round}` }]);
      await new Promise(resolve => setTimeout(resolve, 6));
    }
    await until(() => shown('a', [{ ...stats, description: 'round 5' }]), 'the last round');
    assert.equal(profile.mostAtOnce, 1);
  });

  it('of several windows are all listed, whichever window is the last', async () => {
    const [a, b, c] = [open('a'), open('b'), open('c')];
    a.sync.update([stats]);
    b.sync.update([deploy]);
    c.sync.update([{ ...stats, description: 'another meaning' }]);
    await until(
      () => shown('a', [stats]) && shown('b', [deploy]) && shown('c', [{ ...stats, description: 'another meaning' }]),
      'all three',
    );
    await settles(a.sync, 'shown');
    await settles(c.sync, 'shown');
    b.sync.update([]);
    assert.ok(a.shows() && !b.shows() && c.shows());
  });

  it('are restored when another window replaced them', async () => {
    const { sync } = open('a');
    sync.update([stats]);
    await settles(sync, 'shown');
    profile.installed = { contributes: { commands: [], menus: { commandPalette: [] } } };
    profile.changeEmitter.fire();
    await until(() => shown('a', [stats]), 'the entries again');
  });

  it('are not installed again and again when two windows of a folder run different versions of a hook', async () => {
    const [one, other] = [open('a'), open('a')];
    one.sync.update([stats]);
    await settles(one.sync, 'shown');
    other.sync.update([{ ...stats, description: 'held back' }]);
    let last = -1;
    await until(() => {
      const quiet = profile.installs.length === last && profile.atOnce === 0;
      last = profile.installs.length;
      return quiet && profile.installs.length > 1;
    }, 'the first calm');
    for (let round = 0; round < 10; round += 1) await turns();
    const settled = profile.installs.length;
    for (let round = 0; round < 5; round += 1) await turns();
    assert.equal(profile.installs.length, settled, 'nobody installs any more');
    assert.ok(settled <= 10, `${settled} installations`);
    one.sync.update([stats, deploy]);
    await until(() => shown('a', [stats, deploy]), 'a change of its own is still brought in');
  });

  it('are unavailable when VS Code does not install the companion, and the log names the other way to run commands', async () => {
    profile.allowed = false;
    const { sync, shows } = open('a');
    sync.update([stats]);
    await settles(sync, 'unavailable');
    assert.equal(shows(), false);
    assert.match(warnings.join('\n'), /extensions\.allowed.*Run Hook Command/s);
    profile.changeEmitter.fire();
    await turns();
    assert.equal(profile.installs.length, 1, 'it does not try again and again');
    profile.allowed = true;
    sync.update([stats, deploy]);
    await settles(sync, 'shown');
  });

  it('are hidden when VS Code refuses to update them', async () => {
    const { sync, shows } = open('a');
    sync.update([stats]);
    await settles(sync, 'shown');
    profile.allowed = false;
    sync.update([deploy]);
    await settles(sync, 'unavailable');
    assert.equal(shows(), false);
  });

  it('are hidden when the user disables the companion, and shown when the user enables it', async () => {
    const { sync, shows } = open('a');
    sync.update([stats]);
    await settles(sync, 'shown');
    profile.enabled = false;
    profile.changeEmitter.fire();
    await settles(sync, 'unavailable');
    sync.update([stats, deploy]);
    await settles(sync, 'unavailable');
    assert.equal(profile.installs.length, 1, 'it is not installed against the person’s will');
    sync.update([stats]);
    profile.enabled = true;
    profile.changeEmitter.fire();
    await settles(sync, 'shown');
    assert.ok(shows());
  });

  it('are shown by a window although the installation failed in another window', async () => {
    const { sync } = open('a');
    const window = profile.window();
    const log = { ...silentLog, error: (message: string) => warnings.push(message) };
    const failing: Companion = { ...window, install: () => Promise.reject(new Error('no space left')) };
    const commandStore = new WorkspaceCommandStore(join(root, 'store'));
    const options = {
      companion: failing,
      consent: new Person('always', true),
      commandStore,
      hash: 'f',
      folder: root,
      log,
      debounceMs: 5,
      showTimeoutMs: 60,
    };
    const other = store.add(new PaletteSync(options));
    other.update([stats]);
    await settles(other, 'unavailable');
    assert.match(warnings.join('\n'), /no space left/);
    sync.update([deploy]);
    await settles(sync, 'shown');
  });

  it('of workspaces that were deleted or cannot be read are left out', async () => {
    const gone = open('gone');
    gone.sync.update([stats]);
    await settles(gone.sync, 'shown');
    gone.sync.dispose();
    rmSync(join(root, 'gone'), { recursive: true });
    writeFileSync(join(root, 'store', 'torn.json'), '{"commands":[');
    const { sync } = open('a');
    sync.update([deploy]);
    await settles(sync, 'shown');
    assert.ok(!shown('gone', [stats]));
    assert.ok(shown('a', [deploy]));
  });
});

/** Lets everything that was started have its turn. */
async function turns(): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, 40));
}

async function until(look: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!look()) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise(resolve => setTimeout(resolve, 2));
  }
}
