import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { eachWithUnknownModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';

/** What a compiler leaves of an extension: without types, nothing says which pi it was written for. */
const COMPILED = (notes: string): string => `import { appendFileSync } from 'node:fs';
import { Type } from '@sinclair/typebox';
import { Type as Newer } from 'typebox';
export default function (pi) {
  const note = (...words) => appendFileSync(${JSON.stringify(notes)}, words.join(' ') + '\\n');
  note('loaded', Type === Newer);
  for (const name of ['session_start', 'session_shutdown']) pi.on(name, event => note(name, event.reason));
}`;

describe('a package of compiled code', function () {
  this.timeout(60_000);
  const { place, llm } = eachWithUnknownModel();

  /** What its extension noted, from the start of the program over a new session to its end. */
  async function notedWith(peer: string): Promise<readonly string[]> {
    place.useLlm(llm, { packages: ['../mine'] });
    const notes = place.file('notes', '');
    const pi = { extensions: ['dist/index.js'] };
    place.file('mine/package.json', JSON.stringify({ name: 'mine', peerDependencies: { [peer]: '*' }, pi }));
    place.file('mine/dist/index.js', COMPILED(notes));
    const host = RpcHost.start(place, ['--no-session']);
    await host.data('get_state');
    await host.data('new_session');
    const { stderr } = await host.close();
    assert.equal(stderr, '');
    return readFileSync(notes, 'utf8').trimEnd().split('\n');
  }

  it("is one of today's pi if it needs its packages", async () => {
    const [start, end] = ['session_start startup', 'session_shutdown quit'];
    const between = ['session_shutdown new', 'loaded true', 'session_start new'];
    assert.deepEqual(await notedWith('@earendil-works/pi-coding-agent'), ['loaded true', start, ...between, end]);
  });

  it('is one of older versions if it needs theirs', async () => {
    const [start, end] = ['session_start startup', 'session_shutdown quit'];
    const noted = await notedWith('@mariozechner/pi-coding-agent');
    assert.deepEqual(noted, ['loaded false', start, 'session_start new', end]);
  });
});
