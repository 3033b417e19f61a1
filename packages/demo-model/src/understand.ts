import type { ClusterState } from 'protocol'
import { actIn, wholeActs } from './acts.ts'
import { askedBack } from './asked-back.ts'
import { carryOutAct } from './carry-act.ts'
import { clarified } from './clarified.ts'
import { clauses, withoutPoliteness } from './clauses.ts'
import { isConsent } from './consent.ts'
import { followUp } from './follow-up.ts'
import type { Inquiry } from './inquiries/inquiry.ts'
import { maxChars, mentions } from './mentions.ts'
import { didYouMean, nearest } from './nearest.ts'
import { carryOut, nodeNames, noSentence } from './orders.ts'
import { answersTo, type Focus, isQuestion, type PlannedCall } from './questions.ts'
import type { Message } from './request.ts'
import { spelled } from './spelling.ts'
import { type SshOrder, sshOrder } from './ssh.ts'
import { strangeVerb, timed } from './strange.ts'
import { inquiriesInto } from './wanted.ts'

/**
 * `inquiries`: questions that take several steps; then there are no calls. `isStrange`: a change was asked for that no rule reads; the notes say so.
 */
export type Plan = { calls: PlannedCall[]; notes: string[]; inquiries?: Inquiry[]; isStrange?: true }

/** Gaps that are shortened, because patterns with several gaps would backtrack over long ones. */
const longGap = /\s{9,}/g

/**
 * Interprets a message by fixed phrases and the cluster's names.
 * @param earlier the messages before it, for `restart it` and `again`
 * @returns neither calls nor notes if nothing was understood
 */
export function understand(message: string, cluster: ClusterState, earlier: readonly Message[]): Plan {
  const given = withoutName(
    message.slice(0, maxChars).replace(longGap, (gap) => (gap.includes('\n') ? '\n' : ' ')),
    cluster,
  )
  const typed = clarified(given, cluster, earlier) ?? given
  const focus = focusOf(earlier, cluster)
  const scene = { cluster, ownCalls: callIds(earlier) }
  const text = withoutPoliteness(typed)
  const whole = actIn(text, wholeActs)
  if (whole?.act.on === 'nothing' || (whole && mentions(whole.words.who ?? '', cluster).guests.length > 0)) {
    const { calls, notes, inquiries } = carryOutAct(
      { ...whole, text, items: [whole.words.who ?? ''] },
      { ...scene, focus },
    )
    return { calls, notes, ...(inquiries.length > 0 && { inquiries }) }
  }
  const ssh = sshOrder(typed, cluster)
  if (ssh !== undefined) return sshPlan(ssh, cluster, focus)
  if (onceMore.test(typed)) {
    const at = earlier.findLastIndex((message) => message.role === 'user' && message.text !== '')
    const before = earlier[at]
    const same = before?.role === 'user' ? understand(before.text, cluster, earlier.slice(0, at)) : undefined
    if (same?.inquiries !== undefined) return same
  }
  if (/^\W*(?:(?:try|do (?:it|that)|once more)\s+)?(?:again|retry|once more)\W*$/i.test(typed))
    return { calls: lastCalls(earlier), notes: [] }
  if (isConsent(typed))
    return {
      calls: [],
      notes: ['I offered nothing just now that a yes could mean, sir. A call is confirmed on its card.'],
    }

  const kept = /^\W*(?:please )?remember (?:that )?(\S[\s\S]*)$/i.exec(typed)?.[1]
  if (kept !== undefined) return { calls: [{ toolName: 'memory_write', toolInput: { text: kept } }], notes: [] }

  const asking = askedBack(typed, cluster)
  if (asking !== undefined) return { calls: [asking], notes: [] }

  const mended = corrected(typed, cluster)
  const known = /^\W*(?:what|do you) (?:do you )?(?:remember|know) (?:about |of )(\S[^?]*)/i.exec(mended)?.[1]
  if (known !== undefined) return { calls: [{ toolName: 'memory_search', toolInput: { query: known } }], notes: [] }
  const followed = followUp(mended, cluster, earlier)
  if (followed !== undefined) return { calls: followed, notes: [] }
  if (/^\W*(?:and\s+|(?:what|how) about\s+)?the other (?:ones?|guest|vm|container)\W*$/i.test(mended))
    return { calls: [], notes: ['Which one, sir? Name it, or its number.'] }

  const later = scheduled(mended, cluster, earlier)
  if (later !== undefined) return later

  const plan: Plan = { calls: [], notes: [] }
  const inquiries: Inquiry[] = []
  let subject = focus
  const said = clauses(mended, isQuestion)
  const strange = said.flatMap((clause) => (clause.type === 'other' ? (strangeVerb(clause.text) ?? []) : []))
  if (strange.length === 0 && said.every(({ type }) => type === 'other')) {
    inquiries.push(...inquiriesInto(mended.toLowerCase(), cluster, focus))
    if (inquiries.length > 0) return { ...plan, inquiries }
  }
  for (const [i, clause] of said.entries()) {
    if (clause.type === 'refrain') plan.notes.push('Very good, sir. I leave that as it is.')
    if (clause.type === 'order' || clause.type === 'act') {
      const outcome =
        clause.type === 'act' ? carryOutAct(clause, { ...scene, focus: subject }) : carryOut(clause, cluster, subject)
      inquiries.push(...(outcome.inquiries ?? []))
      plan.calls.push(...outcome.calls)
      plan.notes.push(...outcome.notes)
      if (outcome.guests.length > 0) subject = { guests: outcome.guests, nodes: [] }
    }
    if (clause.type === 'other') {
      const about = named(clause.text, cluster)
      if (about.guests.length + about.nodes.length > 0) subject = about
      const next = said[i + 1]
      // In `jellyfin is stuck, restart it` the first clause asks nothing, so only the order counts.
      if (
        (next?.type === 'order' || next?.type === 'act') &&
        !asks.test(clause.text) &&
        next.items.some((item) => mentions(item, cluster).pronoun)
      )
        continue
      const verb = strangeVerb(clause.text)
      if (verb === undefined) plan.calls.push(...answersTo(clause.text, cluster, subject))
      else plan.notes.push(noSentence(verb))
    }
  }
  const isAlone = plan.calls.length + plan.notes.length === 0
  if (inquiries.length > 0 && isAlone) return { ...plan, inquiries }
  if (inquiries.length > 0) plan.notes.push('I look up one thing at a time, sir: say the rest in a message of its own.')
  if (plan.calls.length === 0 && plan.notes.length === 0) plan.notes.push(...misspelled(mended, cluster))
  const isStrange = plan.notes.some((note) => note.startsWith(noSentence('').slice(0, 20)))
  return { calls: distinct(plan.calls), notes: [...new Set(plan.notes)], ...(isStrange && { isStrange }) }
}

const isAsked = /^\W*(?:what|when|where|who|why|how|is|are|was|were|does|do|did|has|have|which|any|will|should)\b/i

/** Plans an order that is to be carried out at another time; undefined: the text is no such order. */
function scheduled(text: string, cluster: ClusterState, earlier: readonly Message[]): Plan | undefined {
  const found = isAsked.test(text) || /[“"`]/.test(text) ? undefined : timed(withoutPoliteness(text), cluster.at)
  const wish = /^(?:schedule|plan)\s+(?:(?:an?|the)\s+)?/i
  if (found === undefined) return undefined
  const isWish = wish.test(found.rest)
  const order = asOrder(found.rest.replace(wish, '').replace(/^[\s,:]+/, ''))
  const [first] = clauses(order, isQuestion)
  const isOrder = first?.type === 'order' || first?.type === 'act'
  const isFirst = withoutPoliteness(text).toLowerCase().startsWith(found.words.toLowerCase())
  if (!isOrder && !isWish && !isFirst) return undefined
  if (found.when === undefined)
    return { calls: [], notes: [`“${found.words}” is over, sir, or I cannot read it as a time. Nothing is planned.`] }
  if (isWish && !isOrder && !isAsked.test(order)) return { calls: [], notes: [noSentence('schedule')], isStrange: true }
  const plan = understand(order, cluster, earlier)
  const [call, ...others] = plan.calls
  const name = capital(order).slice(0, 80)
  const of = (work: object) => [{ toolName: 'schedule', toolInput: { name, ...work, when: found.when } }]
  if (call === undefined && plan.inquiries === undefined) {
    return isOrder && plan.notes.length > 0 ? plan : undefined
  }
  if (!isOrder || call === undefined || /^(?:get|list)_/.test(call.toolName))
    return { calls: of({ prompt: order }), notes: [] }
  if (others.length > 0) return { calls: [], notes: ['I schedule one call at a time, sir: name one of them.'] }
  return { calls: of({ tool: call.toolName, input: call.toolInput }), notes: plan.notes }
}

/** Rewrites `backup of 104` as `back up 104`. */
const asOrder = (text: string): string =>
  text
    .replace(/^(?:back(?: |-)?up)(?: (?:of|for))?(?= |$)/i, 'back up')
    .replace(/^(restart|reboot|stop|start) of /i, '$1 ')
    .replace(/^(?:restore )?drill (?:of|for) /i, 'run a drill of ')
    .replace(/^(?:snapshot) (?:of|for) /i, 'take a snapshot of ')

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Corrects typing errors in a question, and in the name that it asks about. */
export function corrected(text: string, cluster: ClusterState): string {
  const plain = text.replace(/\b(what|how|where|who)s\b/gi, "$1's")
  const mended = spelled(plain, (word) => mentions(word, cluster).rest.length === 0)
  if (!/^\W*(?:(?:and|so)\s+)?(?:is|are|was|how|how's|what about|when|why|does|status of)\b/i.test(mended))
    return mended
  const { guests, nodes, rest } = mentions(mended, cluster)
  if (guests.length + nodes.length > 0) return mended
  const [slip] = rest.flatMap((word) => {
    const id = word.length < 5 ? undefined : /\((\d+)\)$/.exec(nearest(word, cluster) ?? '')?.[1]
    return id === undefined ? [] : [{ word, id }]
  })
  return slip === undefined
    ? mended
    : mended.replace(
        new RegExp(`(?<![\\p{L}\\p{N}])${slip.word.replace(/[.+]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'iu'),
        slip.id,
      )
}

const onceMore =
  /^\W*(?:and\s+)?(?:(?:how|what) (?:is|about|does) (?:it|that|things)(?: look| doing)?\s*)?(?:now|again|check again|once more|better now|is (?:it|that) better(?: now)?|did (?:it|that) help)\W*$/i

const asks =
  /^(?:any|are|can|check|could|did|do|does|give|has|have|how|is|list|show|tell|was|what|when|where|which|who|why|will)\b/i

/** Removes `jarvis` at the end of an order that names a guest or node. There the word addresses JARVIS and does not name a guest. */
const withoutName = (text: string, cluster: ClusterState) =>
  text.replace(/^(.*\S)[\s,]+jarvis\W*$/is, (whole, before: string) => {
    const { guests, nodes } = mentions(before, cluster)
    return guests.length + nodes.length === 0 || /(?:\band|[&+])$/i.test(before) ? whole : before
  })

function misspelled(text: string, cluster: ClusterState): string[] {
  return mentions(text, cluster).rest.flatMap((word) => {
    const meant = didYouMean(word, text, cluster)
    return meant === undefined ? [] : [`I know of nothing called “${word}”. ${meant}`]
  })
}

function sshPlan({ command, nodes, unknownNode }: SshOrder, cluster: ClusterState, focus: Focus): Plan {
  if (unknownNode !== undefined)
    return { calls: [], notes: [`There is no node called “${unknownNode}”. ${nodeNames(cluster)}.`] }
  const [only] = cluster.nodes
  const places = nodes.length > 0 ? nodes : cluster.nodes.length === 1 && only ? [only.name] : focus.nodes
  if (places.length === 0) return { calls: [], notes: [`On which node, sir? ${nodeNames(cluster)}.`] }
  return { calls: places.map((node) => ({ toolName: 'execute_ssh', toolInput: { node, command } })), notes: [] }
}

/** Returns the guests, or otherwise the nodes, that were last called or named. */
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
  // Lists of guests are ignored here: such a list was read for one guest, which the preceding message names.
  const placed = inputs.filter(({ toolName }) => toolName !== 'get_vms' && toolName !== 'get_containers')
  const nodes = placed.flatMap(({ toolInput }) => (typeof toolInput.node === 'string' ? [toolInput.node] : []))
  return { guests, nodes: guests.length > 0 ? [] : [...new Set(nodes)] }
}

/** Returns the ids of this chat's calls. */
const callIds = (earlier: readonly Message[]): string[] =>
  earlier.flatMap((message) =>
    message.role === 'user'
      ? []
      : message.content.flatMap((piece) => (piece.type === 'tool_call' ? [piece.toolUseId] : [])),
  )

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
