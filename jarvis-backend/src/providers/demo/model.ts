import type { Message, Model, ModelRequest } from '../../agent/model.ts'
import { newId } from '../../lib/ids.ts'
import { type ClusterState, type Content, noUsage } from '../../protocol/index.ts'
import { abilities, introduction, report } from './answer.ts'
import { type Plan, understand } from './understand.ts'

const id = 'demo'

/**
 * Answers without a network and without intelligence: the same words for the same messages and cluster.
 * @param cluster what there is to name now
 */
export function demoModel({ cluster }: { cluster: () => ClusterState }): Model {
  return {
    id,
    async generate(request, sink, signal) {
      const { text, calls } = reply(request, cluster())
      for (const [piece] of text.matchAll(/(?:\S+\s*){1,3}/g)) {
        signal.throwIfAborted()
        sink.text(piece)
        // Lets an abort in.
        await new Promise(setImmediate)
      }
      signal.throwIfAborted()
      const content: Content[] = [
        ...(text === '' ? [] : [{ type: 'text' as const, text }]),
        ...calls.map((call) => ({ type: 'tool_call' as const, toolUseId: newId('tu'), ...call })),
      ]
      return { content, stopReason: calls.length > 0 ? 'tool_use' : 'end_turn', usage: noUsage }
    },
  }
}

function reply(request: ModelRequest, cluster: ClusterState): { text: string; calls: Plan['calls'] } {
  const { messages } = request
  const last = messages.findLast((message) => message.role === 'user')
  const isFirst = !messages.some((message) => message.role === 'assistant' && message.model === id)
  const opening = isFirst ? [introduction] : []
  if (last === undefined || last.text === '') {
    const question = messages.findLast((message) => message.role === 'user' && message.text !== '')
    const asked = question?.role === 'user' ? question.text : ''
    return { text: [...opening, report(last?.results ?? [], asked, cluster)].join('\n\n'), calls: [] }
  }
  const { calls, notes } = planned(request, last, cluster)
  return { text: [...opening, ...notes].join('\n\n'), calls }
}

function planned(
  { messages, tools, mayCallTools }: ModelRequest,
  last: Extract<Message, { role: 'user' }>,
  cluster: ClusterState,
): Plan {
  if (greeting.test(last.text)) return { calls: [], notes: [smallTalk(last.text, cluster)] }
  const plan = understand(last.text, cluster, messages.slice(0, messages.indexOf(last)))
  if (plan.calls.length === 0 && plan.notes.length === 0) return { calls: [], notes: [smallTalk(last.text, cluster)] }
  const isKnown = (toolName: string) => mayCallTools && tools.some((tool) => tool.name === toolName)
  const refused = plan.calls
    .filter((call) => !isKnown(call.toolName))
    .map(({ toolName }) => `I may not use ${toolName} now, sir.`)
  return { calls: plan.calls.filter((call) => isKnown(call.toolName)), notes: [...plan.notes, ...new Set(refused)] }
}

/** A guest may be called as JARVIS is. */
const greeting =
  /^\W*(?:hello|hallo|hi|hey|good (?:morning|day|afternoon|evening)|guten (?:morgen|tag|abend)|thanks|thank you|danke|cheers)(?:[\s,]+(?:there|again|sir|jarvis|very much|a lot))*\W*$/i

function smallTalk(text: string, cluster: ClusterState): string {
  if (/^\W*(?:thanks|thank you|danke|cheers)\b/i.test(text)) return 'At your service, sir.'
  if (/^\W*(?:ok|okay|great|nice|good|perfect|fine|no|cancel)\W*$/i.test(text)) return 'Very good, sir.'
  const isAsked =
    /^\W*(?:hello|hallo|hi|hey|good (?:morning|day|afternoon|evening)|guten (?:morgen|tag|abend)|help|what can you do|who are you)\b/i.test(
      text,
    )
  return isAsked ? abilities(cluster) : `That is beyond me, sir. ${abilities(cluster)}`
}
