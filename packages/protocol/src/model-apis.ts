/** The APIs that a provider of models may speak, by their names in settings, with the titles that people read. */
export const modelApiTitles = {
  'openai-chat': 'OpenAI Chat Completions',
  'openai-responses': 'OpenAI Responses',
  anthropic: 'Anthropic Messages',
} as const
