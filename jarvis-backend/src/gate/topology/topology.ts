import { drillPool, type Guest, type Node, type Target } from 'protocol'
import { lockHolder, unlockCommand } from 'protocol/locks'
import { plainWord, quoted } from 'redaction/visible'
import { restartCost, takesVote } from 'ssh-grammar/services'
import type { World } from '../world.ts'

/** Roles of guests on which other guests depend. `jarvis`: JARVIS may run on the guest; only a policy or the cluster can confirm that. */
export type Role = 'dns' | 'gateway' | 'storage' | 'jarvis'
/** The source from which a guest's role is known. Other people choose names and tags, so these can only raise a call. */
export type Source = 'policy' | 'name' | 'tag'

/**
 * `cost`: what others lose while a guest with the role is off. `what`: words for the role. A card shows both under Affects, and `what` also as a
 * reason.
 */
export const roleCosts: Readonly<Record<Role, { cost: string; what: string }>> = {
  gateway: { cost: 'Guests may lose the network, and JARVIS the cluster', what: 'it is the gateway' },
  dns: { cost: 'Guests may lose name resolution', what: 'it is the DNS' },
  storage: { cost: 'Guests whose disks it serves may stall', what: 'it is the storage' },
  jarvis: { cost: 'JARVIS may be cut off', what: 'it may be where JARVIS runs' },
}

/** Words in names and tags that show a role. `products` show it by themselves; `kinds` only if all other words are places or numbers. */
type Marks = { products: ReadonlySet<string>; kinds: ReadonlySet<string> }
const marks: Record<Role, Marks> = {
  dns: {
    products: words('pihole adguard adguardhome unbound technitium dnsmasq coredns powerdns bind9 blocky'),
    kinds: words('dns nameserver resolver'),
  },
  gateway: {
    products: words('opnsense pfsense vyos openwrt ipfire routeros'),
    kinds: words('gateway gw router firewall fw'),
  },
  storage: {
    products: words('truenas freenas openmediavault unraid xigmanas'),
    kinds: words('storage nas nfs smb samba iscsi fileserver'),
  },
  jarvis: { products: words('jarvis'), kinds: new Set() },
}
/** Further services that a name or tag shows. No rule asks because of them alone. */
const services: readonly (Marks & { cost: string; what: string })[] = [
  serves(['iscdhcp kea', 'dhcp'], 'Machines may lose their addresses', 'it hands out addresses'),
  serves(['pbs proxmoxbackup', 'backup backups'], 'Backups may fail', 'it keeps backups'),
  serves(
    ['wireguard tailscale headscale openvpn netbird', 'vpn'],
    'Who comes in through it is cut off',
    'it is the VPN',
  ),
  serves(['postgres postgresql mysql mariadb', 'db database'], 'What keeps data in it may fail', 'it is a database'),
  serves(
    ['traefik nginx caddy haproxy reverseproxy', 'proxy ingress'],
    'What is reached through it is away',
    'it is a proxy',
  ),
  serves(['ldap lldap keycloak authentik authelia', 'sso auth'], 'Signing in elsewhere may fail', 'it signs people in'),
]
const places = words(
  'home house lan core edge main primary secondary master local internal net network vm ct lxc server',
)

function serves([products, kinds]: readonly [products: string, kinds: string], cost: string, what: string) {
  return { products: words(products), kinds: words(kinds), cost, what }
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}

/** Returns the words of a name without numbers, and each pair of neighbouring words joined: `Pi-hole_2` → pi, hole, pihole. */
function wordsOf(text: string): { single: string[]; joined: string[] } {
  const single = text
    .normalize('NFKC')
    .toLowerCase()
    .slice(0, 256)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => /\p{L}/u.test(word))
  return { single, joined: single.slice(1).map((word, at) => `${single[at]}${word}`) }
}

const isSome = (known: ReadonlySet<string>, word: string) =>
  known.has(word) || known.has(word.replace(/(?<!\d)\d+$/, ''))

function says(text: string, { products, kinds }: Marks): boolean {
  const { single, joined } = wordsOf(text)
  return (
    [...single, ...joined].some((word) => isSome(products, word)) ||
    (single.some((word) => isSome(kinds, word)) && single.every((word) => isSome(kinds, word) || isSome(places, word)))
  )
}

/** Returns the guest that a call is about, in its present state. */
export const guestOf = ({ target, world }: { target: Target; world: World }): Guest | undefined =>
  target.kind === 'guest' ? world.cluster.guests.find(({ vmid }) => vmid === target.vmid) : undefined

const isListed = (targets: readonly string[] | undefined, { vmid }: Guest) =>
  targets?.some((target) => target === `vm/${vmid}` || target === `ct/${vmid}`) === true

/** Returns the source from which a guest's role is known; undefined if the guest does not have the role. */
export function roleOf(guest: Guest, role: Role, { policy }: World): Source | undefined {
  if (role !== 'jarvis' && isListed(policy.topology[role], guest)) return 'policy'
  return markedBy(guest, marks[role])
}

function markedBy({ name, tags }: Guest, of: Marks): Source | undefined {
  if (says(name, of)) return 'name'
  return tags.some((tag) => says(tag, of)) ? 'tag' : undefined
}

/** Describes a role with its source: `by its name it is the DNS`. */
export const roleWords = (source: Source, what: string) => (source === 'policy' ? what : `by its ${source} ${what}`)

/** Describes what others lose while the guest is off: `Backups may fail: by its name it keeps backups`. */
export function lossesWithout(guest: Guest, world: World): string[] {
  const known = Object.entries(roleCosts).map(([role, words]) => ({
    ...words,
    source: roleOf(guest, role as Role, world),
  }))
  const told = services.map((service) => ({ ...service, source: markedBy(guest, service) }))
  return [...known, ...told].flatMap(({ cost, what, source }) =>
    source === undefined ? [] : [`${cost}: ${roleWords(source, what)}`],
  )
}

/** Returns true if JARVIS itself runs on the guest, according to the policy or the cluster, and never by a name. */
export const isOwnGuest = (vmid: number, { cluster, policy }: World): boolean =>
  cluster.self?.vmid === vmid || policy.topology.jarvis === `vm/${vmid}` || policy.topology.jarvis === `ct/${vmid}`

/** Returns true if JARVIS itself, or the guest on which it runs, is on the node. */
export function isOwnNode(name: string, world: World): boolean {
  const { cluster, policy } = world
  if (policy.topology.jarvis?.toLowerCase() === `node/${name}`.toLowerCase()) return true
  const own = cluster.guests.filter(({ vmid }) => isOwnGuest(vmid, world))
  // The guest's present node takes precedence over the node that was found at the start.
  return own.length > 0 ? own.some(({ node }) => node === name) : cluster.self?.node === name
}

export type Quorum = { online: number; total: number; needed: number }

/** Counts the votes. Each node has one vote. */
function quorumOf(nodes: readonly Node[]): Quorum {
  const online = nodes.filter(({ status }) => status === 'online').length
  return { online, total: nodes.length, needed: Math.floor(nodes.length / 2) + 1 }
}

/** Returns the votes if the cluster has a quorum now and would lose it without this node; undefined otherwise. */
function quorumMargin(name: string, { cluster }: World): Quorum | undefined {
  const node = cluster.nodes.find((candidate) => candidate.name === name)
  const quorum = quorumOf(cluster.nodes)
  const { online, total, needed } = quorum
  return node?.status === 'online' && total > 1 && online >= needed && online - 1 < needed ? quorum : undefined
}

/** Returns a sentence that warns that the cluster would lose its quorum without this node; undefined if it would not. */
export function quorumLoss(node: string, world: World): string | undefined {
  const margin = quorumMargin(node, world)
  if (margin === undefined) return undefined
  const { online, total, needed } = margin
  return `${online} of ${total} nodes are online and quorum needs ${needed}: without ${node} there is none.`
}

const locks = new Map([
  ['backup', 'a backup of it is running'],
  ['migrate', 'it is being moved to another node'],
  ['snapshot', 'a snapshot of it is being made'],
  ['snapshot-delete', 'a snapshot of it is being deleted'],
  ['rollback', 'it is being put back to a snapshot'],
  ['clone', 'it is being cloned'],
  ['create', 'it is being made or restored'],
  ['disk', 'a disk of it is being moved'],
  ['fstrim', 'its disks are being trimmed'],
  ['suspending', 'it is being suspended'],
  ['suspended', 'it is suspended to disk'],
])
const tasks = new Map([
  ...['vzdump'].map(doing('a backup of it is running')),
  ...['qmigrate', 'vzmigrate', 'hamigrate'].map(doing('it is being moved to another node')),
  ...['qmrestore', 'vzrestore'].map(doing('it is being restored')),
  ...['qmrollback', 'vzrollback'].map(doing('it is being put back to a snapshot')),
  ...['qmclone', 'vzclone'].map(doing('it is being cloned')),
  ...['qmsnapshot', 'vzsnapshot'].map(doing('a snapshot of it is being made')),
  ...['qmdelsnapshot', 'vzdelsnapshot'].map(doing('a snapshot of it is being deleted')),
  ...['qmmove', 'move_volume'].map(doing('a disk of it is being moved')),
])
const haStates = new Map([
  ...['migrate', 'relocate'].map(doing('HA is moving it to another node')),
  ...['fence'].map(doing('HA is fencing its node')),
  ...['recovery'].map(doing('HA is recovering it on another node')),
  ...['error'].map(doing('HA has given up on it and waits for a person')),
  ...['freeze'].map(doing('HA keeps its hands off it while its node restarts')),
])

function doing(what: string) {
  return (word: string): [string, string] => [word, what]
}

/** Explains a guest's lock. If no running task can hold the lock, it was left behind, unless the guest is suspended to disk. */
export function lockWords(guest: Guest, { cluster }: World): string {
  const { lock = '' } = guest
  const holder = lockHolder(guest, cluster)
  if (lock !== 'suspended' && holder === 'unknown' && cluster.hidden?.includes('tasks') === true)
    return 'whether a task holds the lock is not known, because this token does not see all tasks (Sys.Audit on /nodes)'
  if (lock === 'suspended' || holder !== 'none') return locks.get(lock) ?? 'something is at work on it'
  return `no running task that could hold the lock is seen; a person removes a lock that is left on ${plainWord(guest.node)} with ${unlockCommand(guest)}`
}

/** Describes a running task that must not be interrupted: `a backup of it is running`; undefined if there is none. */
export function taskAtWork({ vmid }: Guest, { cluster }: World): string | undefined {
  const found = cluster.tasks?.find((task) => task.vmid === vmid && task.status === 'running' && tasks.has(task.type))
  return found && tasks.get(found.type)
}

/** Describes the transition in which HA has the guest now; undefined if there is none, or if the guest is not under HA. */
export function haTransition({ haState }: Guest): string | undefined {
  if (haState?.startsWith('request_')) return 'HA has yet to do what was asked of it before'
  return haState === undefined ? undefined : haStates.get(haState)
}

export type Group = { name: string; others: Guest[]; running: Guest[] }

const groupTag = /^group-(.+)$/i

/**
 * Returns the groups whose members can replace this guest: groups of the policy, and groups of the tags `group-NAME`. A tag makes a separate group,
 * so that tagging a guest can never make a group of the policy look larger.
 */
export function groupsOf(guest: Guest, { cluster, policy }: World): Group[] {
  const isUp = ({ status, node }: Guest) =>
    status === 'running' && cluster.nodes.some(({ name, status: its }) => name === node && its === 'online')
  const group = (name: string, isMember: (other: Guest) => boolean): Group => {
    // A restore drill's copy has the tags of its original, but does not serve anybody.
    const others = cluster.guests.filter(
      (other) => other.vmid !== guest.vmid && other.pool !== drillPool && isMember(other),
    )
    return { name, others, running: others.filter(isUp) }
  }
  const named = Object.entries(policy.topology.groups ?? {})
    .filter(([, members]) => isListed(members, guest))
    .map(([name, members]) => group(name, (other) => isListed(members, other)))
  const tagged = guest.tags.flatMap((tag) => {
    const name = groupTag.exec(tag)?.[1]
    return name === undefined ? [] : [group(name, (other) => other.tags.includes(tag))]
  })
  return [...named, ...tagged]
}

/**
 * Returns the facts that the topology derives from a guest's name, tags and place, one phrase each. If they change, the rules judge the guest
 * differently.
 */
export const topologyMarks = (guest: Guest, world: World): string[] => [
  ...lossesWithout(guest, world).map((cost) => `what it is known for (${cost})`),
  ...guest.tags
    .filter((tag) => groupTag.test(tag))
    .map((tag) => `a group of guests that stand in for each other (${plainWord(tag)})`),
  ...(isOwnGuest(guest.vmid, world) ? [`the node that JARVIS runs on (${plainWord(guest.node)})`] : []),
]

/** Returns a guest's number and quoted name: `110 "pihole"`. */
export const guestName = ({ vmid, name }: Pick<Guest, 'vmid' | 'name'>): string => `${vmid} ${quoted(name)}`

/**
 * Describes the present cost of restarting or stopping a unit on a node, in sentences; undefined if only the service itself is unavailable. Used by
 * `restart_service`, and for commands that do the same.
 */
export function serviceRisk(unit: string, node: string, world: World): string | undefined {
  const cost = restartCost(unit)
  if (cost === undefined) return undefined
  const said = [`Restarting ${unit} ${cost}.`]
  const margin = takesVote(unit) ? quorumLoss(node, world) : undefined
  if (takesVote(unit) && world.cluster.nodes.some(({ status }) => status === 'unknown')) {
    said.push('How many nodes are online is not known.')
  }
  if (margin !== undefined) said.push(margin)
  if (isOwnNode(node, world)) said.push(`JARVIS itself runs on ${node} and may be cut off.`)
  const purpose = world.cluster.nodes.find(({ name }) => name === node)?.role ?? ''
  for (const role of ['gateway', 'dns', 'storage'] as const) {
    const isNamed = world.policy.topology[role]?.includes(`node/${node}`) === true
    if (isNamed || says(purpose, marks[role])) said.push(`${node} is the ${placeWords[role]}.`)
  }
  return said.join(' ')
}

const placeWords = { gateway: 'gateway', dns: 'DNS', storage: 'storage' }
