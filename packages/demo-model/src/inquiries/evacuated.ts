import type { ClusterState, Guest, Node } from 'protocol'
import type { Said } from '../act-inputs.ts'
import { offer } from '../offers.ts'
import { planWords } from '../plans.ts'
import type { PlannedCall } from '../questions.ts'
import type { Outcome, Seen } from '../seen.ts'
import { listed, plain } from '../words.ts'
import { type Finding, type Inquiry, notDone, type Reads, read, unread } from './inquiry.ts'

/** The order for the node after its guests have moved. */
type Then = 'reboot' | 'shut down' | 'update'
/** The node that a guest can move to, or why it has to stay. */
type Move = { guest: Guest; to: string } | { guest: Guest; stays: string }

/** Tools of the last step. An answer calls exactly one of them. */
const deeds = ['propose_plan', 'migrate_guest', 'reboot_node', 'shutdown_node', 'refresh_package_lists']

/** Maximum number of steps in a plan. */
const mostSteps = 20

/**
 * Moves the guests of a node to other nodes, as one plan that ends with the order for the node. First reads where the guests' disks are, because a
 * plan with one wrong step is refused whole.
 */
export function evacuated({ words, cluster }: Said): Inquiry {
  const node = cluster.nodes.find(({ name }) => name.toLowerCase() === words.node?.toLowerCase())
  if (node === undefined) {
    const names = cluster.nodes.map(({ name }) => name).join(', ')
    return { find: () => ({ say: `There is no node called “${words.node}”. There are ${names}.` }) }
  }
  const then = thenOf(words.then)
  const who = plain(node.name)
  const guests = cluster.guests.filter(
    (guest) => guest.node === node.name && guest.status !== 'stopped' && !guest.isTemplate,
  )
  return {
    find(seen): Reads | Finding {
      // After the action the cluster is different, so the plan is not made again.
      const done = seen.all.find(({ toolName }) => deeds.includes(toolName))
      if (done !== undefined) return { say: '', act: read(done.toolName, done.toolInput) }
      const missing = unread(seen, guests.map(configOf))
      if (missing.length > 0) return { reads: missing }
      const moves = movesOf(guests, { cluster, from: node }, seen)
      const stuck = moves.flatMap((move) => ('stays' in move ? [`- ${named(move.guest)}: ${move.stays}`] : []))
      const free = moves.flatMap((move) => ('to' in move ? [move] : []))
      if (stuck.length > 0) {
        const others = free.map(({ guest, to }) => `“move ${guest.vmid} to ${to}”`)
        const rest = others.length === 0 ? '' : ` The others can go: say ${listed(others)}.`
        return { say: `Not everything can leave ${who}, sir:\n\n${stuck.join('\n')}\n\nSo I propose no plan.${rest}` }
      }
      return proposal(node.name, free, then)
    },
    check(_: Seen, act: Outcome): Finding {
      const failed = isNamedByResult.test(act.text) ? byName(act) : notDone(act, who)
      if (failed !== undefined) return { say: failed }
      return { say: [planWords(act.text), ...(then === 'update' ? [installWords(who)] : [])].join('\n\n') }
    },
  }
}

function thenOf(said: string | undefined): Then | undefined {
  if (said === undefined) return undefined
  if (/^(?:update|upgrade)/i.test(said)) return 'update'
  return /^(?:reboot|restart)/i.test(said) ? 'reboot' : 'shut down'
}

function proposal(node: string, moves: readonly { guest: Guest; to: string }[], then: Then | undefined): Finding {
  const steps = [
    ...(then === 'update' ? [{ id: 'lists', tool: 'refresh_package_lists', input: { node } }] : []),
    ...moves.map(({ guest, to }) => moveStep(guest, to)),
    ...(then === undefined || then === 'update'
      ? []
      : [
          {
            id: 'node',
            tool: then === 'reboot' ? 'reboot_node' : 'shutdown_node',
            input: { node },
            ...(moves.length > 0 && { after: moves.map(({ guest }) => idOf(guest)) }),
          },
        ]),
  ]
  const [only] = steps
  if (only === undefined) return { say: `Nothing runs on ${plain(node)}, sir: there is nothing to move.` }
  if (steps.length > mostSteps)
    return { say: `That takes ${steps.length} steps, and a plan has at most ${mostSteps}, sir.` }
  if (steps.length === 1) return { say: '', act: read(only.tool, only.input) }
  const goal = `Move what runs on ${node} elsewhere${then === undefined ? '' : `, then ${then === 'update' ? 'update it' : `${then} it`}`}`
  const where = listed(moves.map(({ guest, to }) => `${named(guest)} to ${plain(to)}`))
  const say = `${moves.length === 0 ? `Nothing runs on ${plain(node)} that has to move.` : `I would move ${where}.`} One card shows every step, sir.`
  return { say, act: read('propose_plan', { goal, steps }) }
}

/** Matches the gate's refusal of a change whose target occurs in an earlier note or result. */
const isNamedByResult = /^Refused by the safety rules[\s\S]* repeats text from /

/** Tells the orders that the person can give instead, with each target by name. */
function byName({ toolName, toolInput, text }: Outcome): string {
  const steps = (toolInput.steps ?? [{ tool: toolName, input: toolInput }]) as { tool: string; input: Call['input'] }[]
  const said = steps.flatMap(({ tool, input: { vmid, target, node } }) =>
    tool === 'migrate_guest'
      ? `move ${vmid} to ${target}`
      : tool === 'refresh_package_lists'
        ? []
        : `${tool === 'reboot_node' ? 'reboot' : 'shut down'} ${node}`,
  )
  const wish = said.length > 1 ? ', in one go' : ''
  return `${text}\n\nAn earlier note or result named it, so I may not. Say “${said.join(', then ')}${wish}”, and it is you who names it.`
}
type Call = { input: { vmid?: number; target?: string; node?: string } }

const moveStep = (guest: Guest, to: string) => ({
  id: idOf(guest),
  tool: 'migrate_guest',
  input: { vmid: guest.vmid, target: to },
  check: {
    tool: guest.type === 'vm' ? 'get_vms' : 'get_containers',
    input: {},
    path: `guests(vmid=${guest.vmid}).node`,
    op: '=',
    value: to,
    withinS: 120,
  },
})

const idOf = ({ vmid }: Guest) => `move_${vmid}`
const named = ({ vmid, name }: Guest) => `${vmid} ${plain(name)}`
const configOf = ({ vmid }: Guest): PlannedCall => read('get_guest_config', { vmid })

const installWords = (node: string) =>
  `Now install the packages in the console of ${node}: \`apt update && apt dist-upgrade\`. No tool of mine does that. Then say ${offer(`reboot ${node}`)}.`

/** Plans the moves. Each guest goes to the node with the most free memory that has the guest's storages. */
function movesOf(
  guests: readonly Guest[],
  { cluster, from }: { cluster: ClusterState; from: Node },
  seen: Seen,
): Move[] {
  const others = cluster.nodes.filter(({ name, status }) => name !== from.name && status === 'online')
  const free = new Map(others.map(({ name, ramBytes = 0, ramTotalBytes = 0 }) => [name, ramTotalBytes - ramBytes]))
  return guests.map((guest): Move => {
    const config = seen.text(configOf(guest))
    if (config === undefined) return { guest, stays: 'its configuration could not be read.' }
    const bound = boundIn(config)
    if (bound !== undefined) return { guest, stays: `${bound} of ${plain(from.name)}.` }
    const storages = storagesIn(config)
    const has = (node: string, storage: string) =>
      cluster.storages.some((one) => one.name === storage && one.isActive && (one.node ?? node) === node)
    const fit = others.filter(({ name }) => storages.every((storage) => has(name, storage)))
    if (fit.length === 0)
      return { guest, stays: `its disk is on ${listed(storages.map(plain))}, which no other node that is up has.` }
    const needs = guest.ramTotalBytes ?? 0
    const [best] = fit.toSorted((a, b) => (free.get(b.name) ?? 0) - (free.get(a.name) ?? 0))
    if (best === undefined || (free.get(best.name) ?? 0) < needs)
      return { guest, stays: 'no other node that has its storage has the memory for it.' }
    free.set(best.name, (free.get(best.name) ?? 0) - needs)
    return { guest, to: best.name }
  })
}

/** Returns the device or folder that ties a guest to its node; undefined: there is none. */
function boundIn(config: string): string | undefined {
  const [, key] = /^(mp\d+): \//m.exec(config) ?? []
  if (key !== undefined) return `${key} is a folder`
  const [, device] = /^(hostpci\d+|usb\d+): (?!spice)/m.exec(config) ?? []
  return device === undefined ? undefined : `${device} is a device`
}

const storagesIn = (config: string): string[] => [
  ...new Set(
    [...config.matchAll(/^(?:rootfs|(?:mp|scsi|virtio|sata|ide|efidisk|tpmstate)\d+): ([\w.-]+):(?!iso\/)/gm)].flatMap(
      ([, storage]) => storage ?? [],
    ),
  ),
]
