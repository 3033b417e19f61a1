import { readChatRequest } from 'openai-door/chat/request'
import { chunksOf, completion } from 'openai-door/chat/wire'
import { toApiError } from 'openai-door/errors'
import { noUsage } from 'protocol'

const checkFile = () => ({ mimeType: 'text/plain' as const })
const head = { id: 'chatcmpl-1', created: 1_800_000_000, model: 'jarvis' }

/** Reads a request, and answers it in one piece and as the first two chunks of a stream. */
export function example() {
  const request = readChatRequest(
    {
      model: 'jarvis',
      temperature: 0.2,
      messages: [
        { role: 'system', content: 'Answer in one word.' },
        { role: 'user', content: 'Is VM 103 running?' },
      ],
    },
    checkFile,
  )
  const chunks = chunksOf(head, { wantsUsage: request.wantsUsage, isLegacy: request.isLegacy })
  return {
    turn: request.turn(false),
    ignored: request.ignored,
    whole: completion(head, { text: 'Yes.', finish: 'stop', usage: noUsage, own: {} }).choices[0]?.message.content,
    streamed: [chunks.role({}), chunks.text('Yes.')],
  }
}

/** The reason why a body is refused. */
export function refusal(body: unknown): { status?: number; param?: string | null } {
  try {
    readChatRequest(body, checkFile)
    return {}
  } catch (error) {
    const { status, param } = toApiError(error) ?? {}
    return { status, param }
  }
}
