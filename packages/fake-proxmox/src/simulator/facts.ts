import type { UnitState } from 'protocol'

export const pveVersion = 'pve-manager/9.0.11/3bf5476b8a4699e2'
export const kernel = '6.14.11-4-pve'

/** Services of the demo nodes, by systemd's names without `.service`. */
export const knownServices: ReadonlySet<string> = new Set([
  ...['chrony', 'corosync', 'cron', 'ksmtuned', 'lxcfs', 'networking', 'nginx', 'postfix', 'prometheus-node-exporter'],
  ...[
    'pve-cluster',
    'pve-firewall',
    'pve-ha-crm',
    'pve-ha-lrm',
    'pvedaemon',
    'pvefw-logger',
    'pveproxy',
    'pvescheduler',
  ],
  ...['pvestatd', 'qmeventd', 'rsyslog', 'smartmontools', 'spiceproxy', 'ssh', 'sshd', 'zfs-zed'],
])

const aliases: Record<string, string> = { sshd: 'ssh', chronyd: 'chrony', syslog: 'rsyslog', smartd: 'smartmontools' }
const oneshots: ReadonlySet<string> = new Set(['networking'])

/** Returns a unit by any of its names. It is the same on every node. @param changes changes made by tests, by unit name */
export function unitOf(service: string, changes: ReadonlyMap<string, Partial<UnitState>>): UnitState {
  const name = serviceName(service)
  const id = aliases[name] ?? name
  const names = [id, ...Object.keys(aliases).filter((alias) => aliases[alias] === id)]
  const change = changes.get(id)
  if (!knownServices.has(id) && change === undefined) {
    return { id, names: [id], loadState: 'not-found', activeState: 'inactive', subState: 'dead' }
  }
  const isOneshot = oneshots.has(id)
  const type = isOneshot ? 'oneshot' : 'simple'
  const subState = isOneshot ? 'exited' : 'running'
  return { id, names, type, loadState: 'loaded', activeState: 'active', subState, ...change }
}

export const serviceName = (unit: string): string => unit.replace(/\.service$/, '')
