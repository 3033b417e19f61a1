import { expect, test } from 'vitest'
import { listedFacts, llamaFacts, ollamaFacts } from './listed-facts.ts'
import { namedFacts } from './named-facts.ts'

test.each<[string, unknown, object]>([
  [
    'OpenRouter',
    {
      id: 'qwen/qwen3-32b',
      context_length: 131_072,
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
      pricing: { prompt: '0.0000001', completion: '0.0000003', input_cache_read: '0.00000005', image: '0' },
      top_provider: { context_length: 40_960, max_completion_tokens: 16_384 },
      supported_parameters: ['max_tokens', 'tools', 'tool_choice', 'reasoning'],
    },
    {
      tools: true,
      pictures: true,
      thinking: true,
      windowTokens: 40_960,
      price: { input: 0.1, output: 0.3, cacheRead: 0.05 },
    },
  ],
  [
    'OpenRouter, a model that only talks, whose price depends on the request',
    {
      id: 'openrouter/auto',
      architecture: { input_modalities: ['text'] },
      pricing: { prompt: '-1', completion: '-1' },
      supported_parameters: ['temperature'],
    },
    { tools: false, pictures: false, thinking: false },
  ],
  [
    'OpenRouter, a free model',
    { pricing: { prompt: '0', completion: '0' }, context_length: 32_768, supported_parameters: [] },
    { windowTokens: 32_768, price: { input: 0, output: 0 } },
  ],
  [
    'Mistral',
    {
      id: 'mistral-small-latest',
      capabilities: { completion_chat: true, function_calling: true, vision: true, fine_tuning: false },
      max_context_length: 131_072,
    },
    { tools: true, pictures: true, windowTokens: 131_072 },
  ],
  ['Groq', { id: 'm', active: true, context_window: 131_072 }, { windowTokens: 131_072 }],
  ['vLLM', { id: 'm', owned_by: 'vllm', max_model_len: 32_768 }, { windowTokens: 32_768 }],
  ['llama.cpp', { id: 'm', owned_by: 'llamacpp', meta: { n_ctx_train: 40_960 } }, { windowTokens: 40_960 }],
  ['llama.cpp with its window', { meta: { n_ctx_train: 40_960, n_ctx: 8_192 } }, { windowTokens: 8_192 }],
  [
    'LM Studio, loaded',
    { id: 'm', type: 'vlm', capabilities: ['tool_use'], max_context_length: 131_072, loaded_context_length: 4_096 },
    { tools: true, pictures: true, windowTokens: 4_096 },
  ],
  [
    'LM Studio, not made for tools: it gives them all the same',
    { id: 'm', type: 'llm', max_context_length: 8_192 },
    { pictures: false, windowTokens: 8_192 },
  ],
  [
    'Google',
    { name: 'models/gemini-3-pro', inputTokenLimit: 1_048_576, outputTokenLimit: 65_536, thinking: true },
    { thinking: true, windowTokens: 1_048_576 },
  ],
  [
    'Anthropic',
    {
      type: 'model',
      id: 'claude-sonnet-5-5',
      max_input_tokens: 1_000_000,
      capabilities: { image_input: { supported: true }, thinking: { supported: true, types: {} } },
    },
    { pictures: true, thinking: true, windowTokens: 1_000_000 },
  ],
  [
    'LiteLLM',
    {
      model_name: 'work',
      model_info: {
        max_input_tokens: 200_000,
        supports_function_calling: true,
        supports_vision: false,
        input_cost_per_token: 3e-6,
        output_cost_per_token: 1.5e-5,
      },
    },
    { tools: true, pictures: false, windowTokens: 200_000, price: { input: 3, output: 15 } },
  ],
  [
    'Together',
    { id: 'm', context_length: 8_192, pricing: { input: 0.2, output: 0.6, base: 0 } },
    { windowTokens: 8_192, price: { input: 0.2, output: 0.6 } },
  ],
  ['Fireworks', { id: 'm', supports_tools: false, supports_image_input: true }, { tools: false, pictures: true }],
  ['a list of names', { id: 'm1', object: 'model' }, {}],
  ['null', null, {}],
  [
    'odd values',
    {
      context_length: '8k',
      max_model_len: 0,
      context_window: -1,
      supported_parameters: [1],
      capabilities: 'all',
      pricing: { prompt: '', completion: 'free' },
      architecture: null,
    },
    {},
  ],
])('%s', (_, entry, facts) => {
  expect(listedFacts(entry)).toEqual(facts)
})

test('Ollama’s window is what it was started with, never what the model was trained for', () => {
  const shown = {
    capabilities: ['completion', 'vision'],
    model_info: { 'gemma3.context_length': 131_072 },
    parameters: 'temperature 1\nnum_ctx                        8192',
  }
  expect(ollamaFacts(shown, 4_096)).toEqual({ tools: false, pictures: true, thinking: false, windowTokens: 4_096 })
  expect(ollamaFacts(shown, undefined)).toMatchObject({ windowTokens: 8_192 })
  expect(ollamaFacts({ ...shown, parameters: '' }, undefined)).not.toHaveProperty('windowTokens')
  expect(ollamaFacts({}, undefined)).toEqual({})
})

test('llama-server says what a slot has', () => {
  const props = {
    default_generation_settings: { n_ctx: 32_768 },
    modalities: { vision: false, audio: false },
    chat_template_caps: { supports_tools: true },
  }
  expect(llamaFacts(props)).toEqual({ tools: true, pictures: false, windowTokens: 32_768 })
  expect(llamaFacts({})).toEqual({})
})

test.each<[string, object]>([
  ['anthropic/claude-opus-5-5', { tools: true, pictures: true, thinking: true, windowTokens: 200_000 }],
  ['work/us.anthropic.claude-3-haiku', { tools: true, pictures: true, thinking: false, windowTokens: 200_000 }],
  ['openai/o1-mini', { tools: false, pictures: false, thinking: true, windowTokens: 128_000 }],
  ['openai/gpt-4o', { tools: true, pictures: true, thinking: false, windowTokens: 128_000 }],
  ['gpu/qwen3:14b', { tools: true }],
  ['gpu/phi:2', {}],
  ['gpu/constructor', {}],
])('%s by its name', (id, facts) => {
  expect(namedFacts(id)).toEqual(facts)
})
