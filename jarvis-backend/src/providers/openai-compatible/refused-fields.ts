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

/** Finds the optional field that a server refused. Servers word refusals in many ways, but all name the field. @param said the server's answer with 4xx */
export function refusedField(said: string, body: Body): OptionalField | undefined {
  const sent = JSON.stringify(body)
  const isNamed = (field: string) => new RegExp(`(?<!\\w)(?:${field}|${camel(field)})(?!\\w)`).test(said)
  return optional.find((field) => isNamed(field) && sent.includes(`"${field}":`))
}

/** The name of a field in xAI's messages, in camel case. */
const camel = (field: string) => field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
