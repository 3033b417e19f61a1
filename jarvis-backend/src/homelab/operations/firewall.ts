import type { PveApi, PvePath } from 'homelab-ports/ports'
import { present } from 'node-kit/present'
import type { Guest } from 'protocol'
import { z } from 'zod'
import { figure, flag, GuestConfig, readAs, rowsOf, said, words } from '../pve/answers.ts'

const Options = z.object({ enable: said, policy_in: words, policy_out: words, policy_forward: words })
const RuleRow = z.object({
  pos: figure,
  type: words,
  action: words,
  enable: flag,
  macro: words,
  proto: words,
  source: words,
  dest: words,
  sport: words,
  dport: words,
  iface: words,
  comment: words,
})

export type FirewallRule = {
  position: number
  isEnabled: boolean
  /** `in`, `out`, `forward`, or `group`: the rules of a security group apply at this point. */
  direction: string
  /** `ACCEPT`, `DROP`, `REJECT`, or the group's name. */
  action: string
  /** The condition of a match, as in `tcp dport 22 source 10.0.0.0/8`; empty: everything. */
  match: string
  comment?: string
}

export type Firewall = {
  /** True if the firewall is on for the cluster, the node or the guest that was asked about. */
  isEnabled: boolean
  /** True if the firewall is on for the cluster; if false, no rule applies anywhere. Null: not known. */
  isClusterEnabled: boolean | null
  policyIn?: string
  policyOut?: string
  /** The rules in the order in which they are tried. */
  rules: FirewallRule[]
  /** For a guest: its network cards for which the firewall is off; null: not known. */
  openCards?: string[] | null
}

/** The owner of firewall rules: the whole cluster, a node, or a guest on its node. */
export type FirewallPlace = { node?: undefined } | { node: string; guest?: Pick<Guest, 'vmid' | 'type'> | undefined }

/** Reads the firewall's options and rules of one place. @throws ApiError; the signal's reason */
export async function readFirewall(api: PveApi, place: FirewallPlace, signal: AbortSignal): Promise<Firewall> {
  const cluster: PvePath = ['cluster', 'firewall']
  const guest = place.node === undefined ? undefined : place.guest
  const at = guest && ['nodes', place.node ?? '', guest.type === 'vm' ? 'qemu' : 'lxc', guest.vmid]
  const base = at ? [...at, 'firewall'] : place.node === undefined ? cluster : ['nodes', place.node, 'firewall']
  const optionsAt = async (path: PvePath) =>
    readAs(Options, await api.get([...path, 'options'], {}, { signal }), 'The firewall')
  const orNull = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work()
    } catch {
      signal.throwIfAborted()
      return null
    }
  }
  const [options, rules, whole, openCards] = await Promise.all([
    optionsAt(base),
    api.get([...base, 'rules'], {}, { signal }),
    base === cluster ? undefined : orNull(() => optionsAt(cluster)),
    at && orNull(async () => openCardsIn(await api.get([...at, 'config'], {}, { signal }))),
  ])
  // The default differs: a node's firewall is on unless switched off, the cluster's and the guests' firewalls are off unless switched on.
  const isEnabled = options.enable ?? (place.node !== undefined && guest === undefined)
  return {
    isEnabled,
    isClusterEnabled: whole === undefined ? isEnabled : whole && whole.enable === true,
    ...present({ policyIn: options.policy_in, policyOut: options.policy_out }),
    rules: rowsOf(RuleRow, rules).rows.map(ruleOf),
    openCards,
  }
}

function ruleOf(row: z.output<typeof RuleRow>, index: number): FirewallRule {
  const { pos = index, type = 'unknown', action = 'unknown', enable, comment } = row
  const parts = [row.macro, row.proto].filter((part) => part !== undefined)
  for (const key of ['source', 'sport', 'dest', 'dport', 'iface'] as const) {
    if (row[key] !== undefined) parts.push(`${key} ${row[key]}`)
  }
  return {
    position: pos,
    isEnabled: enable,
    direction: type,
    action,
    match: parts.join(' '),
    ...present({ comment: comment?.trim() }),
  }
}

function openCardsIn(config: unknown): string[] {
  return Object.entries(readAs(GuestConfig, config, 'The guest')).flatMap(([key, value]) =>
    /^net\d+$/.test(key) && !/(?:^|,)firewall=1(?:,|$)/.test(String(value)) ? [key] : [],
  )
}
