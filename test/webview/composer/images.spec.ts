import assert from 'node:assert/strict';
import { imageProblem, LARGEST_IMAGE } from '../../../webview/composer/attach';

describe('attached images', () => {
  it('takes pictures up to 5 MB', () => {
    assert.equal(imageProblem({ name: 'a.png', type: 'image/png', size: LARGEST_IMAGE }), undefined);
  });

  it('names the file that is too large, its size and the limit', () => {
    const problem = imageProblem({ name: 'big.png', type: 'image/png', size: 7.25 * 1024 * 1024 });
    assert.equal(problem, 'big.png is 7.3 MB; images of up to 5 MB can be attached.');
  });

  it('names the file that is no picture it can send', () => {
    assert.match(imageProblem({ name: 'x.svg', type: 'image/svg+xml', size: 1 }) ?? '', /^x\.svg cannot be attached/);
    assert.match(imageProblem({ name: '', type: '', size: 1 }) ?? '', /^The pasted file cannot be attached/);
  });
});
