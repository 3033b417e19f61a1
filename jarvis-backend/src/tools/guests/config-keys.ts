import type { Guest } from 'protocol'

/** A setting that JARVIS may change. `say` completes the sentence "must be …". */
export type ConfigKey = { key: RegExp; value: RegExp; say: string; type?: Guest['type']; isSmall?: true; isDisk?: true }

const flag = { value: /^[01]$/, say: '0 or 1' }
const whole = { value: /^(?:0|[1-9]\d{0,8})$/, say: 'a whole number' }
const count = { value: /^[1-9]\d{0,3}$/, say: 'a whole number from 1' }
const options = { value: /^[\w.:/+;=, -]{1,500}$/, say: 'options as Proxmox writes them, key=value with commas' }
const host = { value: /^(?=.{1,63}$)[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/, say: 'a host name' }

/**
 * Every setting that may be changed. All others are refused: `args` and `hookscript` run on the node; devices and folders of the node reach out of
 * the guest; passwords and keys give access; and the effects of all others are not described here.
 */
const keys: readonly ConfigKey[] = [
  { key: /^description$/, value: /^[^\0]{0,8000}$/su, say: 'a text of up to 8,000 characters', isSmall: true },
  {
    key: /^tags$/,
    value: /^(?:[\w][\w+.-]*(?:[;, ][\w][\w+.-]*)*)?$/,
    say: 'tags of letters and digits with ; between them',
    isSmall: true,
  },
  { key: /^name$/, ...host, type: 'vm' },
  { key: /^hostname$/, ...host, type: 'ct' },
  { key: /^cores$/, ...count },
  { key: /^(?:sockets|vcpus)$/, ...count, type: 'vm' },
  { key: /^memory$/, value: /^(?:current=)?[1-9]\d{1,7}$/, say: 'MiB, a whole number from 16' },
  { key: /^(?:balloon|shares)$/, ...whole, type: 'vm' },
  { key: /^swap$/, ...whole, type: 'ct' },
  { key: /^cpulimit$/, value: /^\d{1,4}(?:\.\d+)?$/, say: 'a number' },
  { key: /^cpuunits$/, ...whole },
  { key: /^cpu$/, value: /^[\w.,=+;-]{1,200}$/, say: 'a CPU type such as host', type: 'vm' },
  {
    key: /^hotplug$/,
    value: /^(?:[01]|(?:network|disk|cpu|memory|usb|cloudinit)(?:,(?:network|disk|cpu|memory|usb|cloudinit))*)$/,
    say: '0, 1 or of network, disk, cpu, memory, usb, cloudinit',
    type: 'vm',
  },
  { key: /^(?:onboot|protection)$/, ...flag },
  { key: /^(?:numa|tablet|acpi|kvm|localtime)$/, ...flag, type: 'vm' },
  { key: /^console$/, ...flag, type: 'ct' },
  { key: /^startup$/, value: /^(?:order=)?\d{1,6}(?:,(?:up|down)=\d{1,6})*$/, say: 'order=1,up=30,down=60' },
  { key: /^(?:agent|boot|scsihw|vga|machine|bios|ostype|audio0|rng0|watchdog)$/, ...options, type: 'vm' },
  { key: /^(?:tty|cmode|timezone)$/, value: /^[\w+/-]{1,64}$/, say: 'a word', type: 'ct' },
  { key: /^net\d{1,2}$/, ...options },
  { key: /^ipconfig\d{1,2}$/, ...options, type: 'vm' },
  { key: /^(?:nameserver|searchdomain)$/, value: /^[\w.: -]{1,200}$/, say: 'names or addresses with blanks' },
  { key: /^(?:scsi|virtio|sata|ide)\d{1,2}$/, ...options, type: 'vm', isDisk: true },
  { key: /^mp\d{1,3}$/, ...options, type: 'ct', isDisk: true },
]

export const configKey = (key: string): ConfigKey | undefined => keys.find((known) => known.key.test(key))

/** Tells if a disk's value reaches outside the guest: to a device or folder of the node, or to a file that is imported. */
export const reachesOut = (value: string): boolean =>
  /^\s*(?:file=|volume=)?\//.test(value) || /import-from|(?:^|,)file=\//.test(value)

/**
 * Tells if a setting has the wanted value. Proxmox completes a value, which does not count as a difference: an address for `virtio,bridge=vmbr0`, a
 * volume for `local-zfs:32`, the order of tags.
 */
export function isAs(key: string, wanted: string | undefined, actual: string | undefined): boolean {
  if (wanted === actual) return true
  if (wanted === undefined || actual === undefined) return false
  if (key === 'tags') return tagsIn(wanted) === tagsIn(actual)
  if (key === 'description') return wanted.trim() === actual.trim()
  const known = configKey(key)
  if (known?.isDisk !== true && !/^net\d+$/.test(key)) return false
  const [asked, there] = [partsOf(wanted), partsOf(actual)]
  const grown = /^([\w.-]+):(\d+)$/.exec(asked.first)
  const isMade = grown !== null && there.first.startsWith(`${grown[1]}:`) && there.more.get('size') === `${grown[2]}G`
  if (!isMade && there.first !== asked.first && !there.first.startsWith(`${asked.first}=`)) return false
  const isKept = [...asked.more].every(([name, value]) => there.more.get(name) === value)
  return isKept && [...there.more.keys()].every((name) => asked.more.has(name) || added.includes(name))
}

/** Keys that Proxmox adds to a value by itself. */
const added = ['size', 'hwaddr', 'macaddr', 'type']
const tagsIn = (tags: string) => [...new Set(tags.toLowerCase().split(/[;, ]+/))].sort().join(';')

function partsOf(value: string): { first: string; more: Map<string, string> } {
  const [first = '', ...more] = value.split(',')
  const pairs = more.map((part): [string, string] => {
    const at = part.indexOf('=')
    return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]
  })
  return { first, more: new Map(pairs) }
}
