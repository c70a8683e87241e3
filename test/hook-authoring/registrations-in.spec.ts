import assert from 'node:assert/strict';
import { linesNow, registrationsIn } from '../../src/hook-authoring/registrations-in';

const TEXT = `import { x } from 'y';

export default pi => {
  pi.on('tool_call', a);
  pi
    .on("tool_call", b);
  api.registerCommand(\`stats\`, {});
  bus.once('tool_call', c);
};
`;

describe('registrations in a text', () => {
  it('are found by line, counted per name', () =>
    assert.deepEqual(registrationsIn(TEXT), [
      { registeredAs: 'tool_call', nth: 0, line: 4 },
      { registeredAs: 'tool_call', nth: 1, line: 6 },
      { registeredAs: 'command:stats', nth: 0, line: 7 },
    ]));

  it('move with the lines typed above them', () => {
    const loaded = [
      { registeredAs: 'tool_call', line: 4 },
      { registeredAs: 'tool_call', line: 6 },
      { registeredAs: 'command:stats', line: 7 },
    ];
    const lines = linesNow(loaded, `// new\n// lines\n${TEXT}`).map(({ line }) => line);
    assert.deepEqual(lines, [6, 8, 9]);
  });

  it('stay where they were loaded when the text does not tell', () => {
    const loaded = ['a', 'b'].map(name => ({ registeredAs: name, line: 3 }));
    assert.deepEqual(
      linesNow(loaded, "for (const n of ['a', 'b']) pi.on(n, f);").map(({ line }) => line),
      [3, 3],
    );
    assert.deepEqual(linesNow([{ registeredAs: 'a', line: undefined }], ''), []);
  });
});
