import type OpenAI from 'openai'

type Body = OpenAI.ChatCompletionCreateParamsStreaming

/** Optional fields of a request; `reasoning_content` and `extra_content` are in its messages. */
const optional = [
  'max_tokens',
  'max_completion_tokens',
  'stream_options',
  'reasoning_effort',
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

type Refusal = Error & { error: unknown; param?: unknown }

/** A server's refusal with all fields of its error. */
export const saidIn = (error: unknown): string =>
  error instanceof Error && 'error' in error
    ? JSON.stringify([error.message, (error as Refusal).error, (error as Refusal).param])
    : ''

/** Moves an error of another form under `error`, the only place where the SDK reads it. */
export const withErrorUnderError =
  (fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>) =>
  async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init)
    if (response.ok) return response
    const text = await response.text()
    return { ...response, text: async () => wrapped(text) }
  }

function wrapped(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null || 'error' in body) return text
    return JSON.stringify({ error: { message: text } })
  } catch {
    return text
  }
}
