import type { ModelRequest } from '../../agent/model.ts'
import { conversation } from '../conversation.ts'

/** The same request in the form of `POST /v1/responses/input_tokens`, where OpenAI counts the input tokens of a request. */
export function countingRequest({ system, messages, tools }: ModelRequest, model: string) {
  const input = conversation(messages, () => false).flatMap((turn): object[] =>
    turn.role === 'user'
      ? [
          ...turn.results.map(({ toolUseId, text }) => ({
            type: 'function_call_output',
            call_id: toolUseId,
            output: text,
          })),
          ...turn.texts.map((content) => ({ role: 'user', content })),
        ]
      : turn.content.flatMap((item): object[] => {
          if (item.type === 'text') return [{ role: 'assistant', content: item.text }]
          if (item.type !== 'tool_call') return []
          const { toolUseId, toolName, toolInput } = item
          return [{ type: 'function_call', call_id: toolUseId, name: toolName, arguments: JSON.stringify(toolInput) }]
        }),
  )
  return {
    model,
    instructions: system,
    input,
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      parameters: inputSchema,
    })),
  }
}
