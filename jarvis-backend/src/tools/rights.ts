import { type Need, type Rights, reachOf } from '../homelab/pve/rights.ts'
import { houseTools } from './house.ts'

/**
 * `granted`: `some` if the token has the rights only on a part of the cluster, so that the tool shows or changes only that part. `choice`: the wider
 * set of rights that the tool needs, which the base role leaves out on purpose.
 */
export type ToolRights = {
  toolName: string
  granted: 'all' | 'some' | 'none'
  missing: Need[]
  choice?: Choice
}

/** A set of rights beyond the base role, which an operator may add. `gives` completes the sentence "it lets JARVIS …". */
export type Choice = { name: string; gives: string; rights: readonly string[] }

/** The rights of the base role: reads, power and services of existing guests and nodes. */
export const baseRights: readonly string[] = [
  ...['Datastore.AllocateSpace', 'Datastore.Audit', 'SDN.Audit', 'Sys.Audit', 'Sys.Modify'],
  ...['VM.Audit', 'VM.Backup', 'VM.PowerMgmt'],
]

/** The sets of rights beyond the base role. Every right that a tool needs is in the base role or in one of these sets. */
export const choices: readonly Choice[] = [
  { name: 'journal', gives: 'read the nodes’ journals', rights: ['Sys.Syslog'] },
  { name: 'node-power', gives: 'reboot nodes and shut them down', rights: ['Sys.PowerMgmt'] },
  { name: 'replication', gives: 'run a replication now', rights: ['VM.Replicate'] },
  { name: 'snapshots', gives: 'take, delete and roll back snapshots', rights: ['VM.Snapshot', 'VM.Snapshot.Rollback'] },
  {
    name: 'guests',
    gives: 'configure, clone, create, restore, migrate and destroy guests',
    rights: [
      ...['VM.Allocate', 'VM.Clone', 'VM.Config.CDROM', 'VM.Config.CPU', 'VM.Config.Cloudinit', 'VM.Config.Disk'],
      ...['VM.Config.HWType', 'VM.Config.Memory', 'VM.Config.Network', 'VM.Config.Options', 'VM.Migrate'],
      ...['Datastore.AllocateTemplate', 'Pool.Allocate', 'Pool.Audit', 'SDN.Use'],
    ],
  },
  {
    name: 'agent',
    gives: 'ask guests and run programs in them by their agent',
    rights: ['VM.GuestAgent.Audit', 'VM.GuestAgent.Unrestricted'],
  },
  { name: 'console', gives: 'open a guest’s screen for an operator', rights: ['VM.Console'] },
]

const choiceOf = (missing: readonly Need[]) => {
  const left = missing.filter(({ right }) => !baseRights.includes(right))
  return choices.find(({ rights }) => left.some(({ right }) => rights.includes(right)))
}

/** The rights that each tool needs. A tool without an entry uses only SSH or the network. */
export const toolNeeds: ReadonlyMap<string, readonly Need[]> = new Map(
  houseTools.flatMap(({ name, needs }) => (needs === undefined ? [] : [[name, needs] as const])),
)

/**
 * Tells for each tool if the token's rights are enough, and which rights it lacks. @returns undefined if the cluster does not report the token's
 * rights
 */
export function toolRights(rights: Rights): ToolRights[] | undefined {
  if (rights === undefined) return undefined
  return [...toolNeeds].map(([toolName, needs]) => {
    const reaches = needs
      .filter(
        ({ unless, base, shows }) =>
          unless === undefined || reachOf(rights, unless, shows === undefined ? '/storage' : base) !== 'all',
      )
      .map((need) => ({ need, reach: reachOf(rights, need.right, need.base) }))
    const missing = reaches.filter(({ reach }) => reach !== 'all').map(({ need }) => need)
    const isRefused = reaches.some(({ need, reach }) => reach === 'none' && need.shows === undefined)
    const granted = isRefused ? 'none' : missing.length > 0 ? 'some' : 'all'
    const choice = choiceOf(missing)
    return { toolName, granted, missing, choice }
  })
}

/** The tools that need one of these rights. */
export const toolsOf = (rights: readonly string[]): string[] =>
  [...toolNeeds].flatMap(([name, needs]) => (needs.some(({ right }) => rights.includes(right)) ? [name] : []))

/** Every right that at least one tool needs, sorted and without duplicates. */
export const allRights: readonly string[] = [
  ...new Set([...toolNeeds.values()].flat().map(({ right }) => right)),
].sort()

/** One shell line for a node: makes the base role, its user and the token, and prints the token's secret. */
export const pveumLine = [
  `pveum role add JARVIS --privs "${baseRights.join(' ')}"`,
  'pveum user add jarvis@pve',
  'pveum acl modify / --users jarvis@pve --roles JARVIS',
  'pveum user token add jarvis@pve jarvis --privsep 0',
].join(' && ')

/** One shell line for a node: makes the base role and gives it to the user of an existing token. @param user quoted for a shell */
export const grantLine = (user: string): string =>
  `pveum role add JARVIS --privs "${baseRights.join(' ')}"; pveum acl modify / --users ${user} --roles JARVIS`

/** One line for a node's shell that adds the missing rights to the role of `pveumLine`. */
export const roleLine = (missing: readonly string[]): string =>
  `pveum role modify JARVIS --append 1 --privs "${[...new Set(missing)].join(' ')}"`

/** The sets of `choices` whose rights the token lacks, with the tools that need them. */
export function openChoices(tools: readonly ToolRights[]): { choice: Choice; toolNames: string[]; line: string }[] {
  return choices.flatMap((choice) => {
    const waiting = tools.filter((tool) => tool.choice === choice)
    if (waiting.length === 0) return []
    return [{ choice, toolNames: waiting.map(({ toolName }) => toolName), line: roleLine(choice.rights) }]
  })
}
