import assert from 'node:assert/strict';
import type { TreeItem } from 'vscode';
import { TreeRows } from '../../src/vscode/tree-rows';

interface Node {
  readonly id: string;
  readonly text: string;
  readonly nodes?: readonly Node[];
}

describe('the rows of a tree', () => {
  let top: readonly Node[];
  let rows: TreeRows<Node>;
  const children = (node: Node | undefined): readonly Node[] => (node === undefined ? top : (node.nodes ?? []));
  const item = ({ id, text }: Node): TreeItem => {
    const shown: object = { id, label: text }; // The class is in VS Code.
    return shown;
  };

  /** Reads the whole tree as VS Code does when all rows are open. */
  const readAll = (node?: Node): void => {
    for (const row of rows.read(node)) {
      rows.item(row);
      readAll(row);
    }
  };
  const changed = (): readonly string[] | 'all' => {
    const found = rows.update();
    return found === 'all' ? found : found.map(({ id }) => id);
  };
  const gate = (text: string, calls: string): Node => ({ id: 'gate', text, nodes: [{ id: 'gate/call', text: calls }] });

  beforeEach(() => {
    top = [gate('live', '1×'), { id: 'other', text: 'live' }];
    rows = new TreeRows<Node>({ children, item });
    readAll();
  });

  it('have their hidden characters marked', () => {
    const row: Node = { id: 'evil', text: 'gate\u202est.\nyes' };
    assert.equal(rows.item(row).label, 'gate⟦U+202E⟧st.⟦U+000A⟧yes');
  });

  it('are left alone while they look the same', () => {
    top = [gate('live', '1×'), { id: 'other', text: 'live' }];
    assert.deepEqual(changed(), []);
  });

  it('are shown anew one by one, and stay the rows that VS Code knows', () => {
    const [known] = rows.read(undefined);
    top = [gate('live', '2×'), { id: 'other', text: 'broken' }];
    assert.deepEqual(changed(), ['gate/call', 'other']);
    top = [gate('stale', '2×'), { id: 'other', text: 'broken' }];
    assert.deepEqual(changed().at(-2), 'gate');
    assert.equal(rows.read(undefined)[0], known);
    assert.equal(known?.text, 'stale', 'a command gets what is true now');
  });

  it('are read again below the row where one came or went', () => {
    top = [
      { id: 'gate', text: 'live', nodes: [] },
      { id: 'other', text: 'live' },
    ];
    assert.deepEqual(changed(), ['gate']);
  });

  it('are all read again when the top rows are others', () => {
    top = [gate('live', '1×')];
    assert.equal(changed(), 'all');
    readAll();
    assert.deepEqual(changed(), []);
  });

  it('are told of only where they changed', () => {
    const told: unknown[] = [];
    rows.onDidChange(changes => told.push(changes?.map(({ id }) => id)));
    rows.redraw();
    top = [gate('live', '2×'), { id: 'other', text: 'live' }];
    rows.redraw();
    top = [gate('live', '2×')];
    rows.redraw();
    assert.deepEqual(told, [['gate/call'], undefined]);
  });

  it('are shown anew when VS Code shows one in another way', () => {
    const [, other] = rows.read(undefined);
    assert.ok(other);
    rows.isShownOtherwise(other);
    assert.deepEqual(changed(), ['other']);
    rows.item(other);
    assert.deepEqual(changed(), []);
  });

  it('are not looked for below a row that was never opened', () => {
    rows = new TreeRows<Node>({ children, item });
    assert.deepEqual(changed(), [], 'nothing is read yet');
    rows.read(undefined);
    top = [gate('live', '2×'), { id: 'other', text: 'live' }];
    assert.deepEqual(changed(), []);
  });
});
