import type { Message } from '../../agent/model.ts'
import type { ClusterState } from '../../protocol/index.ts'
import { clarified } from './clarified.ts'
import { clauses } from './clauses.ts'
import { followUp } from './follow-up.ts'
import { maxChars, mentions } from './mentions.ts'
import { nearest } from './nearest.ts'
import { carryOut, nodeNames } from './orders.ts'
import { answersTo, type Focus, isQuestion, type PlannedCall } from './questions.ts'
import { sshOrder } from './ssh.ts'

export type Plan = { calls: PlannedCall[]; notes: string[] }

/** Patterns with several gaps in them would try every way to part one. */
const longGap = /[^\S\n]{9,}/g

/**
 * What a message asks for, found by fixed phrases and the names in the cluster.
 * @param earlier the messages before it, for `restart it` and `again`
 * @returns neither calls nor notes where nothing was understood
 */
export function understand(text: string, cluster: ClusterState, earlier: readonly Message[]): Plan {
  const given = withoutName(text.slice(0, maxChars).replace(longGap, ' '), cluster)
  const message = clarified(given, cluster, earlier) ?? given
  const focus = focusOf(earlier, cluster)
  const ssh = sshOrder(message, cluster)
  if (ssh !== undefined) return sshPlan(ssh, cluster, focus)
  if (/^\W*(?:(?:try|do (?:it|that)|once more)\s+)?(?:again|retry|once more)\W*$/i.test(message))
    return { calls: lastCalls(earlier), notes: [] }
  if (/^\W*(?:yes|yep|confirm(?:ed)?|approved?|do it|go ahead|proceed)\b[^,]{0,20}$/i.test(message))
    return { calls: [], notes: ['A confirmation is given on its card, sir; my hearing “yes” does not count as one.'] }

  const kept = /^\W*(?:please )?remember (?:that )?(\S[\s\S]*)$/i.exec(message)?.[1]
  if (kept !== undefined) return { calls: [{ toolName: 'memory_write', toolInput: { text: kept } }], notes: [] }

  const known = /^\W*(?:what|do you) (?:do you )?(?:remember|know) (?:about |of )(\S[^?]*)/i.exec(message)?.[1]
  if (known !== undefined) return { calls: [{ toolName: 'memory_search', toolInput: { query: known } }], notes: [] }
  const followed = followUp(message, cluster, earlier)
  if (followed !== undefined) return { calls: followed, notes: [] }
  if (/^\W*(?:and\s+|(?:what|how) about\s+)?the other (?:ones?|guest|vm|container)\W*$/i.test(message))
    return { calls: [], notes: ['Which one, sir? Name it, or its number.'] }

  const plan: Plan = { calls: [], notes: [] }
  let subject = focus
  const said = clauses(message, isQuestion)
  for (const [i, clause] of said.entries()) {
    if (clause.type === 'refrain') plan.notes.push('Very good, sir. I leave that as it is.')
    if (clause.type === 'order') {
      const outcome = carryOut(clause, cluster, subject)
      plan.calls.push(...outcome.calls)
      plan.notes.push(...outcome.notes)
      if (outcome.guests.length > 0) subject = { guests: outcome.guests, nodes: [] }
    }
    if (clause.type === 'other') {
      const about = named(clause.text, cluster)
      if (about.guests.length + about.nodes.length > 0) subject = about
      const next = said[i + 1]
      // `jellyfin is stuck, restart it` asks nothing before it orders.
      if (
        next?.type === 'order' &&
        !asks.test(clause.text) &&
        next.items.some((item) => mentions(item, cluster).pronoun)
      )
        continue
      const [strange] =
        /^(?:delete|remove|destroy|migrate|clone|snapshot|update|upgrade|install|create|back up)\b/i.exec(
          clause.text,
        ) ?? []
      if (strange === undefined) plan.calls.push(...answersTo(clause.text, cluster, subject))
      else plan.notes.push(`I have no tool for “${strange.toLowerCase()}”.`)
    }
  }
  if (plan.calls.length === 0 && plan.notes.length === 0) plan.notes.push(...misspelled(message, cluster))
  return { calls: distinct(plan.calls), notes: [...new Set(plan.notes)] }
}

const asks =
  /^(?:any|are|can|check|could|did|do|does|give|has|have|how|is|list|show|tell|was|what|when|where|which|who|why|will)\b/i

/** A guest may be called as JARVIS is: at the end of an order for another one it is who is spoken to. */
const withoutName = (text: string, cluster: ClusterState) =>
  text.replace(/^(.*\S)[\s,]+jarvis\W*$/is, (whole, before: string) => {
    const { guests, nodes } = mentions(before, cluster)
    return guests.length + nodes.length === 0 || /(?:\band|[&+])$/i.test(before) ? whole : before
  })

function misspelled(text: string, cluster: ClusterState): string[] {
  return mentions(text, cluster).rest.flatMap((word) => {
    const meant = nearest(word, cluster)
    return meant === undefined ? [] : [`I know of nothing called “${word}”. Do you mean ${meant}?`]
  })
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
