import assert from 'node:assert/strict';
import {
  commandIdsOf,
  companionManifest,
  contextKeyOf,
  showsExactly,
  paletteTitle,
  workspaceHash,
  type WorkspaceCommands,
} from '../../../src/vscode/palette/companion-manifest';

interface Contributes {
  readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string }[];
  readonly menus: { readonly commandPalette: readonly { readonly command: string; readonly when: string }[] };
}

const contributesOf = (workspaces: readonly WorkspaceCommands[]): Contributes =>
  companionManifest(workspaces)['contributes'] as Contributes;

describe('the companion extension’s manifest', () => {
  const here: WorkspaceCommands = {
    hash: 'aaa',
    commands: [{ name: 'stats', description: 'Show session statistics' }],
  };

  it('shows a command as "Hookline: /name — description", only in its workspace', () => {
    const { commands, menus } = contributesOf([here]);
    assert.deepEqual(commands, [
      { command: 'pi.hook.stats', title: '/stats — Show session statistics', category: 'Hookline' },
    ]);
    assert.deepEqual(menus.commandPalette, [{ command: 'pi.hook.stats', when: 'pi.hooks.aaa' }]);
  });

  it('has no code, always the same version, and works in untrusted workspaces', () => {
    const manifest = companionManifest([here]);
    assert.equal('main' in manifest || 'browser' in manifest || 'activationEvents' in manifest, false);
    assert.equal(manifest['version'], companionManifest([])['version']);
    assert.deepEqual(manifest['extensionKind'], ['workspace']);
    assert.deepEqual(manifest['capabilities'], { untrustedWorkspaces: { supported: true }, virtualWorkspaces: true });
  });

  it('gives a command one id when it has the same title in several workspaces', () => {
    const { commands, menus } = contributesOf([here, { ...here, hash: 'bbb' }]);
    assert.deepEqual(
      commands.map(({ command }) => command),
      ['pi.hook.stats'],
    );
    assert.deepEqual(
      menus.commandPalette.map(({ when }) => when),
      ['pi.hooks.aaa', 'pi.hooks.bbb'],
    );
  });

  it('gives a command two ids when its titles differ between two workspaces', () => {
    const there: WorkspaceCommands = { hash: 'bbb', commands: [{ name: 'stats', description: 'Something else' }] };
    const both = companionManifest([here, there]);
    assert.ok(showsExactly(both, here) && showsExactly(both, there));
    const { commands } = contributesOf([here, there]);
    assert.deepEqual(
      commands.map(({ command, title }) => [command, title]),
      [
        ['pi.hook.stats.aaa', '/stats — Show session statistics'],
        ['pi.hook.stats.bbb', '/stats — Something else'],
      ],
    );
    assert.ok(commandIdsOf('stats', 'aaa').includes('pi.hook.stats.aaa'));
  });

  it('has titles of one line and at most 120 characters', () => {
    assert.equal(paletteTitle({ name: 'x', description: '' }), '/x');
    assert.equal(paletteTitle({ name: 'x', description: ' two\n\tlines\u0007 ' }), '/x — two lines');
    const long = paletteTitle({ name: 'x', description: 'word '.repeat(100) });
    assert.ok(long.length <= 120 && long.endsWith('…'));
  });

  it('shows exactly the commands of a workspace, or not', () => {
    const installed = companionManifest([here]);
    assert.ok(showsExactly(installed, here));
    assert.ok(!showsExactly(installed, { ...here, hash: 'bbb' }));
    assert.ok(!showsExactly(installed, { hash: 'aaa', commands: [{ name: 'stats', description: 'New text' }] }));
    assert.ok(!showsExactly(installed, { hash: 'aaa', commands: [] }), 'a removed command must go');
    for (const rubbish of [undefined, null, 'x', {}, { contributes: { commands: 1 } }]) {
      assert.ok(!showsExactly(rubbish, here));
    }
  });

  it('names each folder by a hash that a context key can contain', () => {
    assert.match(contextKeyOf(workspaceHash('/some where/ü')), /^pi\.hooks\.[0-9a-f]{12}$/);
    assert.notEqual(workspaceHash('/a'), workspaceHash('/b'));
    assert.equal(workspaceHash(undefined), workspaceHash(undefined));
  });
});
