import { isIPv4, isIPv6 } from 'node:net'

type Key = { fits(value: string): boolean; must: string }
const interfaces = /^[A-Za-z][\w.-]{1,19}( [A-Za-z][\w.-]{1,19})*$/
const isFlag: Key = { fits: (value) => /^[01]$/.test(value), must: '0 or 1' }

function isCidr(value: string, isAddress: (text: string) => boolean, most: number): boolean {
  const [address = '', bits = '', ...more] = value.split('/')
  return isAddress(address) && /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most && more.length === 0
}

/** The keys of an interface that JARVIS sets, with the form of their values. */
export const networkKeys: Readonly<Record<string, Key>> = {
  cidr: { fits: (value) => isCidr(value, isIPv4, 32), must: 'an IPv4 address with its prefix, as in 10.0.4.11/24' },
  cidr6: { fits: (value) => isCidr(value, isIPv6, 128), must: 'an IPv6 address with its prefix' },
  gateway: { fits: isIPv4, must: 'an IPv4 address' },
  gateway6: { fits: isIPv6, must: 'an IPv6 address' },
  mtu: {
    fits: (value) => /^\d{4,5}$/.test(value) && Number(value) >= 1280 && Number(value) <= 65520,
    must: 'a number from 1280 to 65520',
  },
  autostart: isFlag,
  bridge_ports: { fits: (value) => value === '' || interfaces.test(value), must: 'names of interfaces' },
  bridge_vlan_aware: isFlag,
  bridge_vids: {
    fits: (value) => /^\d{1,4}(-\d{1,4})?( \d{1,4}(-\d{1,4})?)*$/.test(value),
    must: 'VLAN ids, as in 2 4 100-200',
  },
  slaves: { fits: (value) => interfaces.test(value), must: 'names of interfaces' },
  bond_mode: {
    fits: (value) => /^(balance-(rr|xor|tlb|alb)|active-backup|broadcast|802\.3ad)$/.test(value),
    must: 'a mode of Linux bonds',
  },
  comments: { fits: (value) => /^\P{Cc}{0,200}$/u.test(value), must: 'one line of at most 200 characters' },
}

/** The keys that Proxmox accepts. A change of other keys sends them along unchanged. */
export const keptKeys = new Set([
  ...Object.keys(networkKeys),
  ...['bond-primary', 'bond_xmit_hash_policy', 'comments6', 'vlan-id', 'vlan-raw-device'],
])
/** The types of interfaces that JARVIS changes. Other types have other keys. */
export const knownTypes = new Set(['bridge', 'bond', 'eth', 'vlan'])
