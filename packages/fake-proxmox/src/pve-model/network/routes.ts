import type { Model } from '../model.ts'
import { misfit } from '../refusal.ts'
import { anything, flag, need, type Parts, type Route, type Values, Whole, whole, wordShape } from '../route.ts'
import { networkChanged } from './files.ts'
import { type Interface, parseInterfaces, writeInterfaces } from './interfaces.ts'

const onNetwork = (rest: string) => new RegExp(`^/nodes/(?<node>[^/]+)/network${rest}$`)
const modify: Route['needs'] = ({ node }) => [need(`/nodes/${node}`, 'Sys.Modify')]
const reloadMs = 2_000
const cidr = /^\d{1,3}(\.\d{1,3}){3}\/\d{1,2}$/
const shapes = {
  type: /^(bridge|bond|eth|alias|vlan|OVSBridge|OVSBond|OVSPort|OVSIntPort|unknown)$/,
  cidr,
  cidr6: /^[0-9a-f:]+\/\d{1,3}$/i,
  gateway: /^\d{1,3}(\.\d{1,3}){3}$/,
  gateway6: /^[0-9a-f:]+$/i,
  mtu: /^(1[2-9]\d\d|[2-9]\d{3}|[1-5]\d{4}|6[0-5]\d{3})$/,
  autostart: flag,
  bridge_ports: /^([\w.-]+( [\w.-]+)*)?$/,
  bridge_vlan_aware: flag,
  bridge_vids: /^[\d\s-]+$/,
  slaves: /^[\w.-]+( [\w.-]+)*$/,
  bond_mode: /^(balance-(rr|xor|tlb|alb|slb)|active-backup|broadcast|802\.3ad|lacp-balance-(slb|tcp))$/,
  comments: anything,
  'vlan-id': whole,
  'vlan-raw-device': /^[\w.-]+$/,
}

const isBridge = (type: string | undefined) => type === 'bridge' || type === 'OVSBridge'

/** Returns the configured interfaces. Like Proxmox, reads the staged file if there is one. */
const configured = ({ host }: Model, { node = '' }: Parts) => {
  const { read, staged } = host.facts.node(node).network
  return parseInterfaces(staged() ?? read())
}

function found(model: Model, parts: Parts): { all: Map<string, Interface>; one: Interface } {
  const all = configured(model, parts)
  const one = all.get(parts.iface ?? '')
  if (one === undefined) throw misfit({ iface: 'interface does not exist' })
  return { all, one }
}

/** An interface in the form in which Proxmox returns it: the address in two forms, flags as numbers. */
function rowOf(values: Interface) {
  const { cidr: address, autostart, bridge_vlan_aware: aware } = values
  const method = address === undefined ? 'manual' : 'static'
  const [ip, bits] = address?.split('/') ?? []
  return {
    ...values,
    method,
    method6: values.cidr6 === undefined ? 'manual' : 'static',
    priority: 3,
    families: ['inet', ...(values.cidr6 === undefined ? [] : ['inet6'])],
    ...(ip !== undefined && { address: ip, netmask: bits }),
    ...(autostart !== undefined && { autostart: Number(autostart) }),
    ...(aware !== undefined && { bridge_vlan_aware: Number(aware) }),
  }
}

function update(model: Model, parts: Parts, values: Values) {
  const { all, one } = found(model, parts)
  const { delete: gone = '', type, ...set } = values
  if (type !== one.type) throw misfit({ type: `interface type changed from '${one.type}' to '${type}'` })
  const next: Interface = { ...one }
  for (const key of gone.split(/[,; ]+/)) delete next[key]
  for (const key of ['gateway', 'gateway6']) {
    const other = [...all].find(([name, of]) => name !== parts.iface && of[key] !== undefined)
    if (set[key] !== undefined && other !== undefined)
      throw misfit({ [key]: `Default gateway already exists on interface '${other[0]}'.` })
  }
  Object.assign(next, set)
  all.set(parts.iface ?? '', next)
  model.host.facts.node(parts.node ?? '').network.stage(writeInterfaces(all))
}

export const networkRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: onNetwork(''),
    allowed: { type: wordShape },
    needs: () => [],
    run(view, parts) {
      const { host, may } = view
      const { read, staged } = host.facts.node(parts.node ?? '').network
      const now = staged()
      const { bridgesDown } = host.facts.node(parts.node ?? '')
      const shown = [...configured(view, parts)].filter(
        ([iface, { type }]) => !isBridge(type) || may(need(`/sdn/zones/localnetwork/${iface}`, 'SDN.Audit', 'SDN.Use')),
      )
      const data = shown.map(([iface, values]) => ({
        iface,
        ...(!bridgesDown.has(iface) && { active: 1 }),
        ...rowOf(values),
      }))
      return new Whole({ data, ...(now !== undefined && { changes: diffOf(read(), now) }) })
    },
  },
  {
    method: 'GET',
    pattern: onNetwork('/(?<iface>[^/]+)'),
    allowed: {},
    needs: ({ node }) => [need(`/nodes/${node}`, 'Sys.Audit')],
    run: (model, parts) => rowOf(found(model, parts).one),
  },
  {
    method: 'PUT',
    pattern: onNetwork('/(?<iface>[^/]+)'),
    allowed: { ...shapes, delete: /^[\w-]+(,[\w-]+)*$/ },
    required: ['type'],
    needs: modify,
    run: update,
  },
  {
    method: 'DELETE',
    pattern: onNetwork(''),
    allowed: {},
    needs: modify,
    run: ({ host }, { node = '' }) => host.facts.node(node).network.drop(),
  },
  {
    method: 'PUT',
    pattern: onNetwork(''),
    allowed: { 'regenerate-frr': flag },
    needs: modify,
    run(model, { node = '' }) {
      const { host, faults } = model
      const upid = host.beginTask(node, 'srvreload', 'networking')
      const failure = faults.failReload
      delete faults.failReload
      host.later(reloadMs, () => {
        // Proxmox replaces the file before it reloads the network, so the new file stays even if the reload fails.
        host.facts.node(node).network.apply()
        networkChanged(model, node)
        host.endTask(upid, failure ?? 'OK')
      })
      return upid
    },
  },
]

/** Returns the lines that were removed and added between two texts. */
function diffOf(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')]
  return [
    '--- /etc/network/interfaces',
    '+++ /etc/network/interfaces.new',
    ...old.filter((line) => !now.includes(line)).map((line) => `-${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+${line}`),
    '',
  ].join('\n')
}
