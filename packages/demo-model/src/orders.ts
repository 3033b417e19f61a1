import type { ClusterState, Guest } from 'protocol'
import type { Clause, Verb } from './clauses.ts'
import type { Inquiry } from './inquiries/inquiry.ts'
import { type Mentions, mentions } from './mentions.ts'
import { didYouMean } from './nearest.ts'
import type { Focus, PlannedCall } from './questions.ts'

type Order = Extract<Clause, { type: 'order' }>
/** `notes`: what JARVIS will not do, or not yet, and why. `inquiries`: questions that take several steps. */
export type Outcome = { calls: PlannedCall[]; notes: string[]; guests: Guest[]; inquiries?: Inquiry[] }

/** Matches words for things that a sentence about guests does not name. */
export const beyond =
  /^(?:backups?|snapshots?|replication|migrat\w*|clon\w*|creat\w*|delet\w*|remov\w*|destroy|updat\w*|upgrad\w*|install\w*)$/

export const noSentence = (word: string): string =>
  `I have no sentence like that with “${word}”, sir, so I did nothing.`

/** Turns an order into calls, one for each target. */
export function carryOut(order: Order, cluster: ClusterState, focus: Focus): Outcome {
  const outcome: Outcome = { calls: [], notes: [], guests: [] }
  for (const item of order.items) {
    const found = mentions(item, cluster)
    const strange = found.rest.find((word) => beyond.test(word)) ?? otherObject(order, item, found)
    if (strange !== undefined) outcome.notes.push(noSentence(strange))
    else carryOutItem(order, { item, found }, { cluster, focus, outcome })
  }
  const isEmpty = outcome.calls.length === 0 && outcome.notes.length === 0
  if (isEmpty) outcome.notes.push(`Which one, sir? I can ${order.verb} what you name.`)
  return outcome
}

/** Words of an order that change nothing about its object. */
export const manners = new Set(
  `app asap careful carefully clean cleanly clear completely dear everything every each entire entirely fully first
  fine gently gracefully immediately instantly it's just kind kindly later little nicely normally once online offline only properly really safely
  soon straight safe sure thing think today tonight today too us very whole wait away working would like both two three either else other others
  computer instances application`.split(/\s+/),
)

/**
 * Returns a word that names something else than a guest or node, next to a target: `alerts` in `turn off the alerts for jellyfin`. Undefined: there is
 * none.
 */
function otherObject({ verb }: Order, item: string, found: Mentions): string | undefined {
  const { guests, ambiguous, unknownIds, nodes, pronoun, rest } = found
  if (/\bservice\b/i.test(item)) return undefined
  const isGuest = guests.length + ambiguous.length + unknownIds.length > 0 || pronoun !== undefined
  // The other word of `restart nginx on pve` is a service.
  const isNode = nodes.length > 0 && verb !== 'restart'
  const isAll = /\b(?:all|every|everything)\b/i.test(item)
  return isGuest || isNode || isAll ? rest.find((word) => !manners.has(word)) : undefined
}

function carryOutItem(
  { verb, isForced }: Order,
  { item, found }: { item: string; found: Mentions },
  { cluster, focus, outcome }: { cluster: ClusterState; focus: Focus; outcome: Outcome },
) {
  const { calls, notes, guests } = outcome
  const all = () => cluster.guests.filter((guest) => isMeant(guest, verb, found))
  const isAll = /\b(?:all|every|everything)\b/i.test(item)
  const asked: string[] = []
  const { guests: targets, isNamed } = guestsMeant(found, { cluster, focus, all: isAll ? all : undefined }, asked)

  const [word] = found.rest
  const isService = /\bservice\b/i.test(item) || (verb === 'restart' && found.nodes.length > 0 && word !== undefined)
  if (isService && !(isNamed && !/\bservice\b/i.test(item))) {
    const service = word ?? found.guests[0]?.name
    if (service !== undefined) return restartService({ verb, service }, { found, cluster }, outcome)
  }

  notes.push(...asked)
  if (asked.length > 0 && !isNamed) return
  const place = found.nodes.length === 1 && !isAll ? { node: found.nodes[0]?.name } : {}
  for (const guest of targets) calls.push(power(guest, { verb, isForced }, place))
  guests.push(...targets)
  if (isNamed || targets.length > 0) return

  const nodes = found.nodes.length > 0 ? found.nodes.map((node) => node.name) : found.pronoun ? focus.nodes : []
  for (const node of nodes) {
    if (verb === 'wake' || verb === 'start') calls.push({ toolName: 'wake_node', toolInput: { node } })
    else calls.push({ toolName: verb === 'stop' ? 'shutdown_node' : 'reboot_node', toolInput: { node } })
  }
  if (nodes.length > 0 || found.rest.length === 0) return
  const sentence = `${isForced ? 'force ' : ''}${verb} ${item.trim()}`
  const meant = found.rest.flatMap((word) => didYouMean(word, sentence, cluster) ?? [])
  const help = meant.length > 0 ? meant.join(' ') : whatExists(cluster)
  notes.push(`I know of nothing called “${found.rest.join(' ')}”. ${help}`)
}

/**
 * Returns the guests that a part of a sentence means. Questions to the person are added to `notes`.
 * @param scene.all returns the guests that the word `all` means; undefined: the word does not occur
 */
export function guestsMeant(
  found: Mentions,
  { cluster, focus, all }: { cluster: ClusterState; focus: Focus; all?: (() => Guest[]) | undefined },
  notes: string[],
): { guests: Guest[]; isNamed: boolean } {
  for (const same of found.ambiguous) notes.push(`Which one, sir? ${same.map(described).join(', or ')}?`)
  for (const id of found.unknownIds) notes.push(`There is no guest ${id}. ${whatExists(cluster)}`)
  const isNamed = found.guests.length > 0 || found.ambiguous.length > 0 || found.unknownIds.length > 0
  if (isNamed) return { guests: found.guests, isNamed }
  const guests = all?.() ?? (found.pronoun === undefined ? [] : focus.guests)
  if (found.pronoun !== 'it' || guests.length < 2) return { guests, isNamed }
  notes.push(`Which one, sir? ${guests.map(described).join(', or ')}?`)
  return { guests: [], isNamed }
}

function restartService(
  { verb, service }: { verb: Verb; service: string },
  { found, cluster }: { found: Mentions; cluster: ClusterState },
  { calls, notes }: Outcome,
) {
  const nodes = found.nodes.length > 0 ? found.nodes : cluster.nodes.length === 1 ? cluster.nodes : []
  if (verb !== 'restart') notes.push(`I can restart a service, sir, but not ${verb} one.`)
  else if (nodes.length === 0) notes.push(`On which node, sir? ${nodeNames(cluster)}.`)
  for (const node of verb === 'restart' ? nodes : [])
    calls.push({ toolName: 'restart_service', toolInput: { node: node.name, service } })
}

function power(
  { vmid, type }: Guest,
  { verb, isForced }: { verb: Verb; isForced: boolean },
  place: object,
): PlannedCall {
  const action = verb === 'wake' ? 'start' : verb
  return {
    toolName: `${action}_${type === 'vm' ? 'vm' : 'container'}`,
    toolInput: { vmid, ...place, ...(isForced && action !== 'start' && { force: true }) },
  }
}

const isMeant = (guest: Guest, verb: Verb, { nodes, type }: Mentions) =>
  guest.status === (verb === 'start' || verb === 'wake' ? 'stopped' : 'running') &&
  (type === undefined || type === guest.type) &&
  (nodes.length === 0 || nodes.some((node) => node.name === guest.node))

const described = ({ vmid, name, type, node }: Guest) =>
  `${vmid} (${name}, a ${type === 'vm' ? 'VM' : 'container'} on ${node})`

export const nodeNames = (cluster: ClusterState): string =>
  `There are ${cluster.nodes.map((node) => node.name).join(', ')}`

/** Returns a list of the guests (at most 30) and nodes. */
export function whatExists(cluster: ClusterState): string {
  const most = 30
  const names = cluster.guests.slice(0, most).map(({ vmid, name }) => `${vmid} ${name}`)
  const more = cluster.guests.length > most ? `, and ${cluster.guests.length - most} more` : ''
  return `There are ${names.join(', ')}${more}; and the nodes ${cluster.nodes.map((node) => node.name).join(', ')}.`
}
