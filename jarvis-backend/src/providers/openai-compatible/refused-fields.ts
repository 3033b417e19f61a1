import type OpenAI from 'openai'

type Body = OpenAI.ChatCompletionCreateParamsStreaming

/** Optional fields of a request; `reasoning_content` and `extra_content` are in its messages. */
const optional = [
  'max_tokens',
  'max_completion_tokens',
  'stream_options',
  'reasoning_effort',
  'temperature',
  'tool_choice',
  'reasoning_content',
  'extra_content',
] as const
export type OptionalField = (typeof optional)[number]

/** Which optional field a server refused. Servers word it in many ways, but all name the field. @param said the server's answer with 4xx */
export function refusedField(said: string, body: Body): OptionalField | undefined {
  const sent = JSON.stringify(body)
  return optional.find((field) => new RegExp(`(?<!\\w)${field}(?!\\w)`).test(said) && sent.includes(`"${field}":`))
}
