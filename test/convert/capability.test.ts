import { describe, expect, it } from 'vitest';
import {
  type AnthropicModel,
  findAnthropic,
  findGoogle,
  findOpenai,
  type GoogleModel,
  listModels,
  type OpenaiModel,
} from '../../sim/models.ts';
import { getCapabilities } from '../../src/protocol/capability/table.ts';

const present = <T>(model: T | undefined): model is T => model !== undefined;
const openai = listModels('openai')
  .map(({ name }) => findOpenai(name))
  .filter(present);
const anthropic = listModels('anthropic')
  .map(({ name }) => findAnthropic(name))
  .filter(present);
const google = listModels('google')
  .map(({ name }) => findGoogle(name))
  .filter(present);

/** Two lists kept apart on purpose: what one says the gateway may send, the other must take. */
describe('the capability table agrees with the simulated vendors', () => {
  it.each(
    openai
      .filter(({ kind }) => kind === 'chat' || kind === 'reasoning')
      .map((model): [string, OpenaiModel] => [model.name, model]),
  )('of %s', (name, model) => {
    const reasons = model.kind === 'reasoning';
    const samples = !reasons && model.search === undefined;
    for (const protocol of ['chat', 'responses'] as const) {
      const found = getCapabilities(protocol, name);
      expect(found).toMatchObject({
        thinking: reasons ? 'effort' : 'none',
        thinkingOff: model.efforts.includes('none'),
        thinksByDefault: reasons,
        efforts: model.efforts,
        sampling: samples ? 'all' : 'none',
        penalties: samples && protocol === 'chat',
        webSearch: (model.search === 'always') === (protocol === 'chat'),
        stopSequences: !reasons && protocol === 'chat',
        chatToolsWithThinking: model.chatTools === 'with-reasoning',
      });
      expect(found.maxOutputTokens).toBeLessThanOrEqual(model.outputTokensMax);
      expect(getCapabilities(protocol, model.snapshot)).toEqual(found);
    }
  });

  it.each(anthropic.map((model): [string, AnthropicModel] => [model.name, model]))('of %s', (name, model) => {
    const found = getCapabilities('messages', name);
    expect(found).toMatchObject({
      thinking: model.thinking.includes('enabled') ? 'budget' : 'adaptive',
      thinkingOff: model.thinking.includes('disabled'),
      efforts: model.efforts,
      sampling: model.sampling === 'fixed' ? 'none' : 'one-of',
      prefill: model.prefill === 'allowed',
      systemTurns: model.systemTurns === 'allowed',
      forcedToolChoice: model.forcedTool === 'allowed',
      maxOutputTokens: model.outputTokensMax,
    });
    expect(getCapabilities('messages', model.snapshot)).toEqual(found);
  });

  it.each(
    google
      .filter(({ output }) => output !== 'vector')
      .map((model): [string, GoogleModel] => [model.name, model]),
  )('of %s', (name, model) => {
    const found = getCapabilities('gemini', name);
    const { levels, budget, generation } = model;
    expect(found).toMatchObject({
      thinking: levels.length > 0 ? 'level' : budget === undefined ? 'none' : 'budget',
      thinkingOff: budget?.zero === 'allowed',
      efforts: levels.map((level) => level.toLowerCase()),
      penalties: false,
      prefill: model.prefill === 'allowed',
      structuredOutputWithTools: generation >= 3,
      signaturesRequired: generation >= 3,
    });
    if (budget !== undefined) {
      expect([found.budgetTokensMin, found.budgetTokensMax]).toEqual([budget.min, budget.max]);
    }
    expect(found.maxOutputTokens).toBeLessThanOrEqual(model.outputTokensMax);
  });
});
