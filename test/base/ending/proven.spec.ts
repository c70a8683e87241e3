import assert from 'node:assert/strict';
import fc from 'fast-check';
import { newMark, type Mark } from '../../../src/base/ending/mark';
import { provenProcesses, type Roots } from '../../../src/base/ending/proven';
import { OURS, SELF, standing, tableOf, type Standing } from './support';

const MARK = newMark();
const OTHER = newMark();

function provenOf(rows: readonly Standing[], roots: Partial<Roots> = {}, gone?: readonly number[]): readonly number[] {
  const whole = { children: [], mark: MARK, byMark: true, known: new Map<number, number>(), ...roots };
  const members = provenProcesses(tableOf([...OURS, ...rows], gone), whole, SELF);
  return members.map(({ pid }) => pid).sort((a, b) => a - b);
}

describe('what is proven to be ours', () => {
  it('is a child, the group that it leads, and all that descends from these', () => {
    const rows = [
      standing(110, SELF),
      standing(111, 110),
      standing(112, 111),
      standing(120, 1, { group: 110 }),
      standing(121, 120),
      standing(130, 1),
    ];
    assert.deepEqual(provenOf(rows, { children: [110] }), [110, 111, 112, 120, 121]);
  });

  it('is what has the mark, and what descends from it', () => {
    const rows = [standing(110, 1, { flags: ['A', MARK] }), standing(111, 110), standing(112, 1, { flags: [OTHER] })];
    assert.deepEqual(provenOf(rows), [110, 111]);
  });

  it('is nothing for its mark where only descent counts', () => {
    const rows = [standing(110, SELF), standing(111, 1, { flags: [MARK] })];
    assert.deepEqual(provenOf(rows, { children: [110], byMark: false }), [110]);
  });

  it('is what was proven before, but not a later process with its pid', () => {
    const rows = [standing(110, 1), standing(111, 1, { startedAt: 500 })];
    const known = new Map([
      [110, 110],
      [111, 111],
    ]);
    assert.deepEqual(provenOf(rows, { known }), [110]);
  });

  it('does not include a child whose end was reported, as others can have its pid and its group', () =>
    assert.deepEqual(provenOf([standing(110, 1), standing(111, 110), standing(112, 1, { group: 110 })]), []));

  for (const mark of ['', '=', 'HOOKLINE_TREE_', 'HOOKLINE_TREE_1234', 'PATH', `${MARK}0`]) {
    it(`does not include anything for a mark of another form: "${mark.replace(MARK, '…')}"`, () =>
      assert.deepEqual(provenOf([standing(110, 1, { flags: [mark] })], { mark: mark as Mark }), []));
  }

  const NEVER: Readonly<Record<string, Standing>> = {
    'pid 0': standing(0, 0, { startedAt: 200 }),
    'the first process of the system': standing(1, 0, { startedAt: 200 }),
    'its own ancestor': standing(50, 1, { startedAt: 200 }),
    itself: standing(SELF, 50, { startedAt: 200 }),
    'a process that is older than it': standing(110, 1, { startedAt: SELF - 1 }),
    "another user's process": standing(110, 1, { user: 8 }),
  };
  for (const [name, process] of Object.entries(NEVER)) {
    it(`does not include ${name}, however it is found`, () => {
      const rows = [{ ...process, flags: [MARK] }, ...OURS.filter(({ pid }) => pid !== process.pid)];
      const found = provenProcesses(
        tableOf(rows),
        {
          children: [process.pid, process.group],
          mark: MARK,
          byMark: true,
          known: new Map([[process.pid, process.startedAt]]),
        },
        SELF,
      );
      assert.deepEqual(found, []);
    });
  }

  it("reaches our processes below another user's, but not that one", () =>
    assert.deepEqual(
      provenOf([standing(110, SELF), standing(111, 110, { user: 0 }), standing(112, 111)], { children: [110] }),
      [110, 112],
    ));

  it('does not follow a parent that is younger than the child: its pid was given away', () =>
    assert.deepEqual(
      provenOf([standing(110, SELF, { startedAt: 120 }), standing(111, 110)], { children: [110] }),
      [110],
    ));

  it('does not follow a parent that ended while the table was read: another process can have its pid', () => {
    const rows = [standing(110, SELF), standing(111, 110), standing(112, 111)];
    assert.deepEqual(provenOf(rows, { children: [110] }, [111]), [110, 111]);
    assert.deepEqual(provenOf(rows, { children: [110] }, [110]), [110]);
  });

  it('does not include a process with the pid of a child that ended a moment ago, nor its group', () => {
    const rows = [standing(110, 1), standing(111, 110), standing(112, 1, { group: 110 }), standing(120, SELF)];
    assert.deepEqual(provenOf(rows, { children: [110, 120] }), [120]);
  });

  it('leaves out what an agent below has let go, which has a mark of its own, with what it started', () => {
    const rows = [
      standing(110, SELF, { flags: [MARK] }),
      standing(111, 110, { flags: [MARK, OTHER] }),
      standing(112, 111, { flags: [OTHER] }),
      standing(113, 112, { flags: [OTHER] }),
      standing(114, 110),
    ];
    assert.deepEqual(provenOf(rows, { children: [110] }), [110, 111, 114]);
  });

  it('is nothing where this process is not in the table', () => {
    const roots = { children: [110], mark: MARK, byMark: true, known: new Map<number, number>() };
    assert.deepEqual(provenProcesses(tableOf([standing(110, SELF, { flags: [MARK] })]), roots, SELF), []);
  });

  it('is always below a child or marked, ours, and no older than we are, whatever the table holds', () => {
    const pid = fc.integer({ min: 0, max: 130 });
    const row = fc.record({
      pid,
      parent: pid,
      group: pid,
      startedAt: fc.integer({ min: 90, max: 130 }),
      user: fc.constantFrom(7, 7, 8),
      flags: fc.constantFrom<readonly string[]>([], [], [MARK], [OTHER], ['HOOKLINE_TREE_']),
    });
    const tables = fc.uniqueArray(row, { selector: each => each.pid, maxLength: 40 });
    fc.assert(
      fc.property(tables, fc.array(pid, { maxLength: 3 }), (others, children) => {
        const rows: readonly Standing[] = [
          ...OURS,
          ...others.filter(each => !OURS.some(ours => ours.pid === each.pid)),
        ];
        const roots = { children, mark: MARK, byMark: true, known: new Map<number, number>() };
        const members: readonly Standing[] = provenProcesses(tableOf(rows), roots, SELF);
        for (const member of members) {
          assert.ok(member.pid > 1 && member.user === 7 && member.startedAt >= SELF);
          assert.ok(!OURS.some(ours => ours.pid === member.pid));
          assert.ok(leadsTo(member, rows, each => isRoot(each, children, rows)));
        }
      }),
    );
  });
});

function isRoot({ pid, group, flags }: Standing, children: readonly number[], rows: readonly Standing[]): boolean {
  const isOurs = (child: number): boolean => (rows.find(row => row.pid === child)?.parent ?? SELF) === SELF;
  return children.some(child => isOurs(child) && [pid, group].includes(child)) || flags?.includes(MARK) === true;
}

/** Whether the process, or one of its ancestors with no younger parent between, fits. */
function leadsTo(
  row: Standing,
  rows: readonly Standing[],
  fits: (row: Standing) => boolean,
  seen = new Set<number>(),
): boolean {
  if (fits(row)) return true;
  const parent = rows.find(({ pid }) => pid === row.parent);
  if (parent === undefined || seen.has(row.pid) || parent.startedAt > row.startedAt) return false;
  return leadsTo(parent, rows, fits, seen.add(row.pid));
}
