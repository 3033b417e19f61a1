import type { Message, ModelRequest } from './model.ts'

const talkWords =
  'You have no tools in this conversation: you can only talk. Where looking something up or doing something would be needed, say so, and guess nothing.'

/** A request for a model that takes no tools. Earlier calls and results become words, because the server of such a model refuses them too. */
export function talkOnly({ toolChoice: _, ...request }: ModelRequest): ModelRequest {
  return {
    ...request,
    system: `${request.system}\n\n${talkWords}`.trimStart(),
    messages: request.messages.map(inWords),
    tools: [],
  }
}

function inWords(message: Message): Message {
  if (message.role === 'user') {
    const results = message.results.map(({ toolName, text }) => `[A result of ${toolName}] ${text}`)
    return { ...message, results: [], text: [...results, message.text].filter((text) => text !== '').join('\n\n') }
  }
  return {
    ...message,
    content: message.content.map((piece) =>
      piece.type === 'tool_call'
        ? { type: 'text', text: `[Called ${piece.toolName} with ${JSON.stringify(piece.toolInput)}]` }
        : piece,
    ),
  }
}
