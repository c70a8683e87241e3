import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/support/paths.ts';
import { DIALECTS, exampleHooks } from '../support/example-hooks';

/** Whose package the examples of a dialect import; where absent, that of the older pi. */
const SCOPES: Readonly<Record<string, string>> = { omp: '@oh-my-pi/', pi: '@earendil-works/' };
const EXAMPLES = join(ROOT, 'examples');
const SPECS = join(ROOT, 'test', 'examples');

describe('examples', () => {
  for (const dialect of DIALECTS) {
    const hooks = exampleHooks(dialect);
    const specs = readdirSync(SPECS).filter(name => name.endsWith('.spec.ts') && name.split(/[-.]/).includes(dialect));
    const spec = specs.map(name => readFileSync(join(SPECS, name), 'utf8')).join('\n  describe(');

    const least = dialect === 'pi' ? 25 : 4;
    it(`of ${dialect} are at least ${least}`, () =>
      assert.ok(hooks.length >= least, hooks.map(({ name }) => name).join()));

    for (const { name: file, text } of hooks) {
      it(`${dialect}/${file} is driven by a test of its name`, () => {
        const at = spec.indexOf(`describe('${file}', `);
        assert.ok(at >= 0, `${specs.join(' or ')} describes ${file}`);
        const next = spec.indexOf('\n  describe(', at + 1);
        const own = spec.slice(at, next < 0 ? undefined : next);
        assert.match(own, /\bit\(['`]/);
        assert.ok(own.split(`'${file}'`).length > 2, 'the test loads the file');
      });

      it(`${dialect}/${file} says at its head what it does, and imports only the package of its dialect`, () => {
        assert.match(text, /\/\*\*[\s\S]+?\*\/\nexport default function/);
        const specifiers = [...text.matchAll(/from '([^']+)'/g)].map(([, specifier = '']) => specifier);
        const scope = SCOPES[dialect] ?? '@mariozechner/';
        const schemas = dialect === 'pi' ? 'typebox' : '@sinclair/typebox';
        const foreign = specifiers.filter(
          name => !name.startsWith('node:') && name !== schemas && !name.startsWith(scope),
        );
        assert.deepEqual(foreign, []);
      });
    }
  }

  it('are all listed in their README', () => {
    const readme = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
    for (const dialect of DIALECTS) {
      for (const file of readdirSync(join(EXAMPLES, dialect))) {
        assert.ok(readme.includes(`(${dialect}/${file})`), `${dialect}/${file}`);
      }
    }
    for (const [, link = ''] of readme.matchAll(/\]\(([^)#:]+)\)/g)) {
      assert.ok(existsSync(join(EXAMPLES, link)), link);
    }
  });
});
