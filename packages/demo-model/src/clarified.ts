import type { ClusterState } from 'protocol'
import { clauses } from './clauses.ts'
import { mentions } from './mentions.ts'
import { isQuestion } from './questions.ts'
import type { Message } from './request.ts'

/**
 * Interprets an answer to the demo's own question: `104`, `the container`, `pve`.
 * @returns the earlier message completed with the answer; undefined if the demo asked nothing, or this is not an answer
 */
export function clarified(text: string, cluster: ClusterState, earlier: readonly Message[]): string | undefined {
  const [before, last] = earlier.slice(-2)
  // An answer right after the person's words repeats no text of a tool, so a question in it is the demo's own.
  if (last?.role !== 'assistant' || before?.role !== 'user' || before.text === '') return undefined
  const asked = last.content.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')

  const { guests, nodes, type, rest, unknownIds, ambiguous } = mentions(text, cluster)
  const isAnswer = rest.length + unknownIds.length + ambiguous.length === 0
  if (!isAnswer || guests.length + nodes.length + (type === undefined ? 0 : 1) === 0) return undefined
  if (/On which node, sir\?/.test(asked)) {
    const places = nodes.map(({ name }) => name).join(' and ')
    return places === '' ? undefined : `${before.text} on ${places}`
  }
  if (/To which node, sir\?/.test(asked)) return nodes[0] && `${before.text} to ${nodes[0].name}`
  const said = clauses(before.text, isQuestion)
  const act = said.findLast((clause) => clause.type === 'act')
  const isAsked = /Which one, sir\?|There is no guest|I know of nothing/.test(asked)
  if (act !== undefined && isAsked && guests.length > 0) {
    const which = guests.map(({ vmid }) => vmid).join(' and ')
    const item = act.items.at(-1) ?? ''
    return item === '' || item === act.text ? `${before.text} of ${which}` : before.text.replace(item, which)
  }
  const order = said.findLast((clause) => clause.type === 'order')
  if (!isAsked || order === undefined) return undefined
  const verb = `${order.isForced ? 'force ' : ''}${order.verb}`
  return guests.length > 0 ? `${verb} ${text}` : `${verb} ${order.items.at(-1) ?? ''} ${text}`
}
