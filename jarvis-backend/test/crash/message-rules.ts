import type { Message } from '../../src/agent/model.ts'

/** The faults for which a provider would refuse a conversation; empty if it is valid. */
export function problemsOf(messages: readonly Message[]): string[] {
  const problems: string[] = []
  let asked: string[] = []
  messages.forEach((message, index) => {
    if (message.role !== (index % 2 === 0 ? 'user' : 'assistant')) problems.push(`message ${index} is out of turn`)
    if (message.role === 'user') {
      const answered = message.results.map(({ toolUseId }) => toolUseId)
      if (answered.join() !== asked.join()) {
        problems.push(`message ${index} answers [${answered.join()}] where [${asked.join()}] was asked`)
      }
      if (message.results.some(({ text }) => text === '')) problems.push(`message ${index} has an empty result`)
      if (answered.length === 0 && message.text === '') problems.push(`message ${index} is empty`)
      asked = []
    } else {
      asked = message.content.flatMap((item) => (item.type === 'tool_call' ? [item.toolUseId] : []))
      if (message.content.length === 0) problems.push(`message ${index} is empty`)
    }
  })
  if (asked.length > 0) problems.push(`[${asked.join()}] is never answered`)
  return problems
}
