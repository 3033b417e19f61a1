import type OpenAI from 'openai'

type Body = OpenAI.Responses.ResponseCreateParamsStreaming

/**
 * Optional parts of a request, each with a pattern for its refusal. `input_image` is in the items of the input. The first part that was sent and
 * matches counts.
 */
const optional = {
  include: /(?<!\w)include(?!\w)|encrypted[ _]content/i,
  'reasoning.summary': /(?<!\w)reasoning\.summary|reasoning summar/i,
  'reasoning.effort': /(?<!\w)reasoning\.effort/i,
  reasoning: /(?<!\w)reasoning(?!\w)/,
  temperature: /(?<!\w)temperature(?!\w)/,
  max_output_tokens: /(?<!\w)max_output_tokens(?!\w)/,
  tool_choice: /(?<!\w)tool_choice(?!\w)/,
  input_image: /(?<!\w)input_image(?!\w)/,
} as const
export type OptionalPart = keyof typeof optional
const parts = Object.keys(optional) as OptionalPart[]

/**
 * Finds reasoning of earlier turns that a server cannot read, for example because another account made it. New reasoning is not affected.
 * @returns the ids of all reasoning that was sent, if the refusal is about reasoning; otherwise empty
 */
export function refusedReasoning(said: string, { input }: Body): string[] {
  if (!/invalid_encrypted_content|could not be (?:verified|decrypted)|\brs_\w/i.test(said)) return []
  return typeof input === 'object' ? input.flatMap((item) => (item.type === 'reasoning' ? [item.id ?? ''] : [])) : []
}

/** Finds the optional part that a server refused; undefined if the refusal names no part that was sent. @param said the server's answer with 4xx */
export const refusedPart = (said: string, body: Body): OptionalPart | undefined =>
  parts.find((part) => optional[part].test(said) && isSent(part, body))

function isSent(part: OptionalPart, body: Body): boolean {
  switch (part) {
    case 'reasoning.summary':
      return body.reasoning?.summary !== undefined
    case 'reasoning.effort':
      return body.reasoning?.effort !== undefined
    case 'input_image':
      return JSON.stringify(body.input).includes('"type":"input_image"')
    default:
      return body[part] !== undefined
  }
}
