import type { Message } from '../../agent/model.ts'
import type { ClusterState } from '../../protocol/index.ts'
import { clauses } from './clauses.ts'
import { maxChars, mentions } from './mentions.ts'
import { carryOut, nodeNames } from './orders.ts'
import { answersTo, type Focus, isQuestion, type PlannedCall } from './questions.ts'
import { sshOrder } from './ssh.ts'

export type Plan = { calls: PlannedCall[]; notes: string[] }

/**
 * What a message asks for, found by fixed phrases and the names in the cluster.
 * @param earlier the messages before it, for `restart it` and `again`
 * @returns neither calls nor notes where nothing was understood
 */
export function understand(text: string, cluster: ClusterState, earlier: readonly Message[]): Plan {
  const message = text.slice(0, maxChars)
  const focus = focusOf(earlier, cluster)
  const ssh = sshOrder(message, cluster)
  if (ssh !== undefined) return sshPlan(ssh, cluster, focus)
  if (/^\W*(?:(?:try|do (?:it|that)|once more)\s+)?(?:again|retry|once more)\W*$/i.test(message))
    return { calls: lastCalls(earlier), notes: [] }
  if (/^\W*(?:yes|yep|confirm(?:ed)?|approved?|do it|go ahead|proceed)\b[^,]{0,20}$/i.test(message))
    return { calls: [], notes: ['A confirmation is given on its card, sir; my hearing “yes” does not count as one.'] }

  const kept = /^\W*(?:please )?remember (?:that )?(\S[\s\S]*)$/i.exec(message)?.[1]
  if (kept !== undefined) return { calls: [{ toolName: 'memory_write', toolInput: { text: kept } }], notes: [] }

  const plan: Plan = { calls: [], notes: [] }
  let subject = focus
  for (const clause of clauses(message, isQuestion)) {
    if (clause.type === 'refrain') plan.notes.push('Very good, sir. I leave that as it is.')
    if (clause.type === 'order') {
      const outcome = carryOut(clause, cluster, subject)
      plan.calls.push(...outcome.calls)
      plan.notes.push(...outcome.notes)
      if (outcome.guests.length > 0) subject = { guests: outcome.guests, nodes: [] }
    }
    if (clause.type === 'other') {
      const [strange] =
        /^(?:delete|remove|destroy|migrate|clone|snapshot|upgrade|install|create)\b/i.exec(clause.text) ?? []
      if (strange === undefined) plan.calls.push(...answersTo(clause.text, cluster, subject))
      else plan.notes.push(`I have no tool for “${strange.toLowerCase()}”.`)
    }
  }
  return { calls: distinct(plan.calls), notes: [...new Set(plan.notes)] }
}

function sshPlan(
  { command, nodes, unknownNode }: NonNullable<ReturnType<typeof sshOrder>>,
  cluster: ClusterState,
  focus: Focus,
): Plan {
  if (unknownNode !== undefined)
    return { calls: [], notes: [`There is no node called “${unknownNode}”. ${nodeNames(cluster)}.`] }
  const [only] = cluster.nodes
  const places = nodes.length > 0 ? nodes : cluster.nodes.length === 1 && only ? [only.name] : focus.nodes
  if (places.length === 0) return { calls: [], notes: [`On which node, sir? ${nodeNames(cluster)}.`] }
  return { calls: places.map((node) => ({ toolName: 'execute_ssh', toolInput: { node, command } })), notes: [] }
}

/** The guests, or else the nodes, that were last called for or last named. */
function focusOf(earlier: readonly Message[], cluster: ClusterState): Focus {
  for (const message of earlier.toReversed()) {
    const focus = message.role === 'user' ? named(message.text, cluster) : called(message, cluster)
    if (focus.guests.length > 0 || focus.nodes.length > 0) return focus
  }
  return { guests: [], nodes: [] }
}

function named(text: string, cluster: ClusterState): Focus {
  const { guests, nodes } = mentions(text, cluster)
  return { guests, nodes: guests.length > 0 ? [] : nodes.map((node) => node.name) }
}

function called({ content }: Extract<Message, { role: 'assistant' }>, cluster: ClusterState): Focus {
  const inputs = content.flatMap((piece) => (piece.type === 'tool_call' ? [piece] : []))
  const guests = cluster.guests.filter((guest) => inputs.some(({ toolInput }) => toolInput.vmid === guest.vmid))
  // A list of guests was looked up for a guest, whom the message before it names.
  const placed = inputs.filter(({ toolName }) => toolName !== 'get_vms' && toolName !== 'get_containers')
  const nodes = placed.flatMap(({ toolInput }) => (typeof toolInput.node === 'string' ? [toolInput.node] : []))
  return { guests, nodes: guests.length > 0 ? [] : [...new Set(nodes)] }
}

function lastCalls(earlier: readonly Message[]): PlannedCall[] {
  for (const message of earlier.toReversed()) {
    if (message.role === 'user') continue
    const calls = message.content.flatMap((piece) =>
      piece.type === 'tool_call' && piece.malformed === undefined ? [piece] : [],
    )
    if (calls.length > 0) return calls.map(({ toolName, toolInput }) => ({ toolName, toolInput }))
  }
  return []
}

function distinct(calls: readonly PlannedCall[]): PlannedCall[] {
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()]
}
