import type { ClusterState, Guest } from 'protocol'
import { mentions } from './mentions.ts'

export type PlannedCall = { toolName: string; toolInput: Record<string, unknown> }
/** The guests and nodes that the conversation was last about. */
export type Focus = { guests: Guest[]; nodes: string[] }

type Subject = { guests: Guest[]; nodes: string[]; text: string; cluster: ClusterState; limit: { limit?: number } }

const topics: [RegExp, (subject: Subject) => PlannedCall[]][] = [
  [/\b(?:temperatures?|temps?|hot|warm|cool|cold|heat|overheat\w*|thermals?)\b/, temperatures],
  [/\bback(?:ed)?[- ]?ups?\b/, backups],
  [
    /\b(?:tasks?|what (?:has )?(?:happened|failed)|recent activity)\b/,
    ({ nodes, limit }) => eachNode('get_recent_tasks', nodes, limit),
  ],
  [
    /\b(?:storages?|datastores?|disks?|space|full|pools?)\b/,
    ({ nodes, limit }) => eachNode('get_storage', nodes, limit),
  ],
  [/\bresources?\b/, () => [{ toolName: 'get_cluster_resources', toolInput: {} }]],
]
const guestWords =
  /\b(?:vms?|virtual machines?|containers?|cts?|lxcs?|guests?|machines?|runs?|running|stopped|paused|is up|are up)\b/
const clusterWords =
  /\b(?:cluster|quorum|quorate|health|healthy|overview|nodes?|status|everything|things|homelab|problems?|issues?|trouble|wrong|alright|worry|worried|worrying|concerned|attention|broken|all (?:good|ok|okay|well|fine|quiet|clear)|how are you|how(?:'s| is) it going|what's up|sitrep|report)\b/
const loadWords = /\b(?:cpu|load|memory|ram|busy|busiest|heaviest)\b/
/** Matches questions about the guests that use a node's resources: `what uses the memory of pve`. */
const consumers =
  /\b(?:what|which|who)\b.*\b(?:uses?|using|takes?|taking|eats?|eating|needs?|consum\w*|hogs?|hogging)\b/
const nodeWords =
  /\b(?:status|state|load|cpu|memory|ram|uptime|doing|how is|how's|health|healthy|online|up|node|about|details?)\b/

export const isQuestion = (text: string): boolean =>
  [...topics.map(([pattern]) => pattern), /\b(?:vms|containers|guests|cluster|status|health)\b/].some((p) =>
    p.test(text.toLowerCase()),
  )

/** @returns the calls that answer the text; empty if the text asks nothing that the demo knows */
export function answersTo(original: string, cluster: ClusterState, focus: Focus): PlannedCall[] {
  const lower = original.toLowerCase()
  const [said, count] = /\b(?:last|latest|newest|top|first) (\d{1,3})\b/.exec(lower) ?? []
  const text = said === undefined ? lower : lower.replace(said, '')
  const limit = count === undefined ? {} : { limit: Math.min(200, Math.max(1, Number(count))) }
  const found = mentions(text, cluster)
  const isNamed = found.guests.length > 0 || found.nodes.length > 0
  const follows = !isNamed && found.pronoun !== undefined
  const guests = follows ? focus.guests : found.guests
  const nodes = follows ? focus.nodes : found.nodes.map((node) => node.name)
  const subject: Subject = { guests, nodes, text, cluster, limit }

  const topic = topics.find(([pattern]) => pattern.test(text))
  if (topic !== undefined) return topic[1](subject)
  if (guests.length > 0) return guests.map(guestList)
  if (consumers.test(text) && loadWords.test(text)) return guestLists(subject)
  if (guestWords.test(text)) return guestLists(subject)
  if (nodes.length > 0 && (nodeWords.test(text) || found.rest.length === 0))
    return eachNode('get_node_status', nodes, {})
  if (loadWords.test(text)) return guestLists(subject)
  return clusterWords.test(text) ? [{ toolName: 'get_cluster_status', toolInput: {} }] : []
}

/** Returns the call that lists a guest among others, because no tool reads a single guest. */
const guestList = ({ type, node }: Guest): PlannedCall => ({
  toolName: type === 'vm' ? 'get_vms' : 'get_containers',
  toolInput: { node },
})

function guestLists({ text, nodes, limit }: Subject): PlannedCall[] {
  const [status] = /\b(?:running|stopped|paused)\b/.exec(text) ?? (/\b(?:is|are) up\b/.test(text) ? ['running'] : [])
  const isVms = /\b(?:vms?|virtual machines?)\b/.test(text)
  const isContainers = /\b(?:containers?|cts?|lxcs?)\b/.test(text)
  const input = { ...limit, ...(status !== undefined && { status }) }
  return [
    ...(isVms || !isContainers ? eachNode('get_vms', nodes, input) : []),
    ...(isContainers || !isVms ? eachNode('get_containers', nodes, input) : []),
  ]
}

function temperatures({ nodes, guests, cluster }: Subject): PlannedCall[] {
  const named = nodes.length > 0 ? nodes : guests.map((guest) => guest.node)
  const online = cluster.nodes.filter((node) => node.status === 'online').map((node) => node.name)
  return eachNode('get_node_temperature', named.length > 0 ? named : online, {})
}

function backups({ guests, nodes }: Subject): PlannedCall[] {
  if (guests.length === 0) return eachNode('get_backups', nodes, {})
  return guests.map(({ vmid }) => ({ toolName: 'get_backups', toolInput: { vmid } }))
}

const eachNode = (toolName: string, nodes: readonly string[], input: object): PlannedCall[] =>
  nodes.length === 0
    ? [{ toolName, toolInput: { ...input } }]
    : nodes.map((node) => ({ toolName, toolInput: { node, ...input } }))
