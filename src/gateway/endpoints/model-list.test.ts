import { describe, expect, it } from 'vitest';
import { sampleModel, sampleRoute } from '../../../test/support/samples.ts';
import type { Model, Route } from '../../catalog/contract.ts';
import type { Protocol } from '../../kernel/protocol-name.ts';
import { describeModel, type ListStyle, listModels } from './model-list.ts';

const MODELS = ['a', 'b', 'c', 'd', 'e'].map(makeModel);

function makeModel(modelId: string): Model {
  return { modelId, name: modelId.toUpperCase(), routes: [] as Model['routes'] } as Model;
}

interface AnthropicPage {
  readonly data: readonly { readonly id: string }[];
  readonly has_more: boolean;
  readonly first_id: string | null;
  readonly last_id: string | null;
}

interface GooglePage {
  readonly models: readonly { readonly name: string }[];
  readonly nextPageToken?: string;
}

const page = (style: ListStyle, query: string, models: readonly Model[] = MODELS): unknown =>
  listModels(style, models, new URLSearchParams(query));

describe('a page of Anthropic’s list', () => {
  const read = (query: string): string => {
    const { data, has_more, first_id, last_id } = page('anthropic', query) as AnthropicPage;
    return `${data.map(({ id }) => id).join('')} ${first_id}-${last_id}${has_more ? ' more' : ''}`;
  };

  it.each([
    ['', 'abcde a-e'],
    ['limit=2', 'ab a-b more'],
    ['limit=2&after_id=b', 'cd c-d more'],
    ['limit=2&after_id=d', 'e e-e'],
    ['after_id=e', ' null-null'],
    ['limit=2&before_id=d', 'bc b-c more'],
    ['limit=2&before_id=c', 'ab a-b'],
    ['before_id=a', ' null-null'],
    ['limit=99999', 'abcde a-e'],
    ['limit=0', 'abcde a-e'],
    ['limit=many', 'abcde a-e'],
  ])('%s is %s', (query, expected) => {
    expect(read(query)).toBe(expected);
  });

  it('continues behind a model that is gone', () => {
    const { data } = page('anthropic', 'after_id=bb') as AnthropicPage;
    expect(data.map(({ id }) => id)).toEqual(['c', 'd', 'e']);
  });

  it('has twenty models by default, and never more than a thousand', () => {
    const many = Array.from({ length: 1_200 }, (_, index) => makeModel(String(index).padStart(4, '0')));
    expect((page('anthropic', '', many) as AnthropicPage).data).toHaveLength(20);
    expect((page('anthropic', 'limit=5000', many) as AnthropicPage).data).toHaveLength(1_000);
    expect((page('google', '', many) as GooglePage).models).toHaveLength(50);
    expect((page('google', 'pageSize=5000', many) as GooglePage).models).toHaveLength(1_000);
  });
});

describe('the pages of Google’s list', () => {
  it('lead from one to the next until all models are listed', () => {
    const described: string[] = [];
    let token: string | undefined = '';
    for (let pages = 0; token !== undefined && pages < 9; pages++) {
      const { models, nextPageToken } = page('google', `pageSize=2&pageToken=${token}`) as GooglePage;
      described.push(models.map(({ name }) => name).join(' '));
      token = nextPageToken;
    }
    expect(described).toEqual(['models/a models/b', 'models/c models/d', 'models/e']);
  });

  it('are found in both spellings', () => {
    const { nextPageToken = '' } = page('google', 'page_size=4') as GooglePage;
    expect((page('google', `page_token=${nextPageToken}`) as GooglePage).models).toHaveLength(1);
  });
});

describe('the date of a model', () => {
  const of = (createdAtMs: number | undefined) => {
    const model = { ...sampleModel(), createdAtMs };
    return [describeModel('openai', model), describeModel('anthropic', model)];
  };

  it('is when it entered the catalogue', () => {
    expect(of(Date.UTC(2026, 10, 19, 5, 22, 22, 999))).toMatchObject([
      { created: Date.UTC(2026, 10, 19, 5, 22, 22) / 1_000 },
      { created_at: '2026-11-19T05:22:22Z' },
    ]);
  });

  it('is the epoch if the catalogue does not know it', () => {
    expect(of(undefined)).toMatchObject([{ created: 0 }, { created_at: '1970-01-01T00:00:00Z' }]);
  });
});

describe('the endpoints of a model', () => {
  const endpoints = (changes: Partial<Model>, ...routes: readonly Partial<Route>[]): unknown => {
    const model = sampleModel({ ...changes, routes: routes.map((route) => sampleRoute(route)) });
    return describeModel('openai', model);
  };
  const noImages = { prices: { ...sampleModel().prices, imageMicro: 0n } };
  const text = ['/v1/chat/completions', '/v1/messages', '/v1/responses'];

  it.each<[Protocol[], string[]]>([
    [['chat'], text],
    [['gemini'], text],
    [['embeddings'], ['/v1/embeddings']],
    [['gemini-embeddings'], ['/v1/embeddings']],
    [['images'], ['/v1/images/generations']],
    [['speech'], ['/v1/audio/speech']],
    [['transcriptions'], ['/v1/audio/transcriptions']],
    [['rerank'], ['/v1/rerank']],
    [['moderations'], ['/v1/moderations']],
    [['completions'], ['/v1/completions']],
    [['videos'], ['/v1/videos']],
  ])('of a route that speaks %j are %j', (protocols, expected) => {
    expect(endpoints(noImages, { protocols })).toMatchObject({ supported_endpoints: expected });
  });

  it('include images of a Gemini model that has a price of images', () => {
    expect(endpoints({}, { protocols: ['gemini'] })).toMatchObject({
      supported_endpoints: [...text, '/v1/images/generations'].sort(),
    });
  });

  it('are those of all routes that are enabled', () => {
    const described = endpoints(
      noImages,
      { protocols: ['speech'] },
      { protocols: ['rerank'] },
      { protocols: ['videos'], status: 'disabled' },
    );
    expect(described).toMatchObject({ supported_endpoints: ['/v1/audio/speech', '/v1/rerank'] });
  });
});

describe('a model', () => {
  const model = { ...makeModel('acme/模型'), contextWindow: 200_000, maxOutputTokens: 64_000 };

  it('has its context window and its longest answer where the vendor’s list has them', () => {
    expect(describeModel('anthropic', model)).toMatchObject({
      type: 'model',
      id: 'acme/模型',
      max_input_tokens: 200_000,
      max_tokens: 64_000,
      created_at: '1970-01-01T00:00:00Z',
    });
    expect(describeModel('google', model)).toMatchObject({
      name: 'models/acme/模型',
      displayName: 'ACME/模型',
      inputTokenLimit: 200_000,
      outputTokenLimit: 64_000,
    });
  });

  it('has neither of them when the catalogue does not contain them', () => {
    const [unknown = model] = MODELS;
    expect(describeModel('anthropic', unknown)).toMatchObject({ max_input_tokens: null, max_tokens: null });
    expect(Object.keys(describeModel('google', unknown))).toEqual([
      'name',
      'displayName',
      'supportedGenerationMethods',
    ]);
  });
});
