export { type AnthropicOptions, anthropicModel } from './anthropic/model.ts'
export { type OpenAiCompatibleOptions, openAiCompatibleModel } from './openai-compatible/model.ts'
