export { type AnthropicOptions, anthropicModel } from './anthropic/model.ts'
export { askAboutModel, type ModelAnswer } from './ask-about-model.ts'
export { demoModel } from './demo/model.ts'
export { type OpenAiCompatibleOptions, openAiCompatibleModel } from './openai-compatible/model.ts'
