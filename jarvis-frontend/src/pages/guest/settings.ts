import type { GuestReply } from 'protocol'

type Config = NonNullable<GuestReply['config']>

/** A setting that the form offers. `key`: its name in Proxmox. */
export type Setting = { key: string; label: string; kind: 'text' | 'number' | 'flag' | 'long'; unit?: string }

const before: Record<'vm' | 'ct', readonly Setting[]> = {
  vm: [
    { key: 'name', label: 'Name', kind: 'text' },
    { key: 'cores', label: 'Cores', kind: 'number' },
    { key: 'memory', label: 'Memory', kind: 'number', unit: 'MiB' },
    { key: 'balloon', label: 'Least memory', kind: 'number', unit: 'MiB' },
  ],
  ct: [
    { key: 'hostname', label: 'Name', kind: 'text' },
    { key: 'cores', label: 'Cores', kind: 'number' },
    { key: 'memory', label: 'Memory', kind: 'number', unit: 'MiB' },
    { key: 'swap', label: 'Swap', kind: 'number', unit: 'MiB' },
  ],
}
const both: readonly Setting[] = [
  { key: 'cpulimit', label: 'CPU limit', kind: 'number', unit: 'cores' },
  { key: 'startup', label: 'Start order', kind: 'text' },
  { key: 'tags', label: 'Tags', kind: 'text' },
  { key: 'onboot', label: 'Starts with its node', kind: 'flag' },
  { key: 'protection', label: 'Proxmox refuses to remove it', kind: 'flag' },
  { key: 'description', label: 'Description', kind: 'long' },
]
export const settingsOf = (type: 'vm' | 'ct'): readonly Setting[] => [...before[type], ...both]

/** The value of a key with pending changes applied; empty if the key is not set. */
export const configured = ({ values, pending }: Config, key: string): string =>
  (Object.hasOwn(pending, key) ? pending[key] : values[key]) ?? ''

/**
 * The call's input for the edited settings: only keys that differ from the present ones. An emptied key is removed. Without
 * a difference, the input has neither `set` nor `remove`.
 */
export function inputOf(vmid: number, config: Config, edits: Readonly<Record<string, string>>) {
  const changed = Object.entries(edits)
    .map(([key, value]) => [key.trim(), value] as const)
    .filter(([key, value]) => key !== '' && value !== configured(config, key))
  const set = Object.fromEntries(changed.filter(([, value]) => value !== ''))
  const remove = changed.flatMap(([key, value]) => (value === '' ? [key] : []))
  return { vmid, ...(Object.keys(set).length > 0 && { set }), ...(remove.length > 0 && { remove }) }
}
