import { expect, test } from 'vitest'
import { createSight, seesPictures } from './sight.ts'

test.each([
  ['anthropic/claude-sonnet-5-5', true],
  ['bedrock/eu.anthropic.claude-opus-4-6-v1:0', true],
  ['anthropic/claude-2.1', false],
  ['openai/gpt-5.4-mini', true],
  ['openai/gpt-4o', true],
  ['openai/gpt-4.1-nano', true],
  ['openai/gpt-4', false],
  ['openai/gpt-4-0613', false],
  ['openai/gpt-3.5-turbo', false],
  ['openai/o3-mini', false],
  ['openai/o4-mini', true],
  ['openrouter/google/gemini-3-pro', true],
  ['ollama/qwen2.5vl:7b', true],
  ['ollama/qwen2.5-vl:7b', true],
  ['ollama/llama3.2-vision:11b', true],
  ['ollama/llama3.2:3b', undefined],
  ['ollama/llama3.1:8b', false],
  ['ollama/gemma3:1b', undefined],
  ['ollama/gemma3:27b', true],
  ['ollama/gpt-oss:20b', false],
  ['deepseek/deepseek-chat', false],
  ['demo/demo', false],
  ['local/my-model', undefined],
])('%s: whether it sees is %s', (id, sees) => {
  expect(seesPictures(id)).toBe(sees)
})

test.each([
  ['unknown variant `image_url`, expected `text`', true],
  ['Invalid content type. image_url is only supported by certain models.', true],
  ['image input is not supported - hint: if this is unexpected, you may need to provide the mmproj', true],
  ['my-model is not a multimodal model', true],
  ['No endpoints found that support image input', true],
  ['this model does not support images', true],
  ['messages: at least one message is required', false],
  ['model not found', false],
])('a model that the table does not know is blind after "%s": %s', (said, isBlind) => {
  const sight = createSight('local/my-model')
  expect([sight.isBlind(), sight.refused(said), sight.isBlind()]).toEqual([false, isBlind, isBlind])
})

test('of a model that is known to see, what its server says of one picture blinds nothing', () => {
  const sight = createSight('openai/gpt-4o')
  expect([sight.refused('image_url is not valid'), sight.isBlind()]).toEqual([false, false])
})

test('what a server says of its model counts before the table, and a refusal of pictures before both', () => {
  expect(createSight('far/gpt-4o', () => false).isBlind()).toBe(true)
  expect(createSight('far/codellama', () => true).isBlind()).toBe(false)
  expect(createSight('far/gpt-4o', () => undefined).isBlind()).toBe(false)
  const sight = createSight('far/m1', () => true)
  expect(sight.refused('No endpoints found that support image input')).toBe(true)
  expect(sight.isBlind()).toBe(true)
})
