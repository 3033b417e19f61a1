import type { ClusterState, Guest } from 'protocol'
import { mentions } from './mentions.ts'
import type { PlannedCall } from './questions.ts'
import type { Message } from './request.ts'

const pattern =
  /^\W*(?:(?:and|now|also|then|next)\s+|(?:and\s+)?(?:what|how) about\s+|(?:and\s+)?(?:the )?same\s+)(\S.*?)(?:\s+(?:too|as well|please|now|next))*\W*$/is

/**
 * Repeats the last message's calls for other targets: `and gitea?`, `what about agent1`, `same on the others`.
 * @returns undefined if the message does not ask for that, or there is nothing to repeat
 */
export function followUp(text: string, cluster: ClusterState, earlier: readonly Message[]): PlannedCall[] | undefined {
  const named = pattern.exec(text)?.[1]
  const last = callsBefore(earlier)
  if (named === undefined || last.length === 0) return undefined
  const places = last.flatMap(({ toolInput }) => (typeof toolInput.node === 'string' ? [toolInput.node] : []))
  if (/^(?:(?:on|of|for) )?(?:all )?(?:the )?(?:others?|other (?:nodes?|ones?)|rest)$/i.test(named)) {
    const others = cluster.nodes.filter(({ name }) => !places.includes(name))
    return places.length > 0 && last.every(isOfNode) ? forNodes(last, others) : undefined
  }
  const found = mentions(named, cluster)
  if (found.rest.length + found.ambiguous.length + found.unknownIds.length > 0) return undefined
  if (found.guests.length > 0) return forGuests(last, found.guests)
  return found.nodes.length > 0 && last.every(isOfNode) ? forNodes(last, found.nodes) : undefined
}

const isOfNode = ({ toolName, toolInput }: PlannedCall) =>
  toolInput.vmid === undefined && (toolInput.node !== undefined || /^get_(?!cluster_)/.test(toolName))

const forNodes = (last: readonly PlannedCall[], nodes: readonly { name: string }[]): PlannedCall[] =>
  nodes.flatMap(({ name }) =>
    last.map(({ toolName, toolInput }) => ({ toolName, toolInput: { ...toolInput, node: name } })),
  )

/** Returns the calls for other guests; undefined if the last calls had no guest, because the message is then an ordinary question. */
function forGuests([last]: readonly PlannedCall[], guests: readonly Guest[]): PlannedCall[] | undefined {
  // A copy is not repeated, because the second one would need an id and a name of its own.
  if (last?.toolInput.vmid === undefined || last.toolInput.newId !== undefined) return undefined
  const { vmid: _, node: __, ...rest } = last.toolInput
  return guests.map(({ vmid, type, name }) => ({
    toolName: last.toolName.replace(/_(?:vm|container)$/, type === 'vm' ? '_vm' : '_container'),
    toolInput: { vmid, ...rest, ...(last.toolName === 'destroy_guest' && { name }) },
  }))
}

/** Returns the calls that followed the last message. */
function callsBefore(earlier: readonly Message[]): PlannedCall[] {
  const from = earlier.findLastIndex((message) => message.role === 'user' && message.text !== '')
  const turns = earlier.slice(from + 1).filter((message) => message.role === 'assistant')
  const calls = turns.flatMap(({ content }) => content.filter((piece) => piece.type === 'tool_call'))
  return calls
    .filter((call) => call.malformed === undefined)
    .map(({ toolName, toolInput }) => ({ toolName, toolInput }))
}
