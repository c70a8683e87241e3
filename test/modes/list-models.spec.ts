import assert from 'node:assert/strict';
import type { Api, Model } from '@mariozechner/pi-ai';
import { DEMO_MODEL } from '../../src/demo-model/demo-model';
import { modelTable } from '../../src/modes/start/list-models';

describe('the list of models', () => {
  const models: readonly Model<Api>[] = [
    { ...DEMO_MODEL, provider: 'zoo', id: 'gnu', contextWindow: 1_048_576, maxTokens: 900, reasoning: true },
    {
      ...DEMO_MODEL,
      provider: 'lab',
      id: 'one-5',
      contextWindow: 128_000,
      maxTokens: 16_384,
      reasoning: false,
      input: ['text'],
    },
  ];

  it('is sorted and laid out in columns, as in pi', () =>
    assert.equal(
      modelTable(models, ''),
      [
        'provider  model  context  max-out  thinking  images',
        'lab       one-5  128K     16.4K    no        no    ',
        'zoo       gnu    1.0M     900      yes       yes   ',
        '',
      ].join('\n'),
    ));

  it('holds what fits, letters in order being enough', () => {
    assert.match(modelTable(models, 'on5'), /lab +one-5/);
    assert.doesNotMatch(modelTable(models, 'on5'), /zoo/);
    assert.match(modelTable(models, 'ZOO g'), /zoo +gnu/);
    assert.equal(modelTable(models, 'tiger'), 'No models matching "tiger"\n');
    assert.match(modelTable([], ''), /no API key is known/);
  });
});
