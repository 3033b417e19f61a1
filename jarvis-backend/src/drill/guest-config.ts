/** A guest's configuration, key by key. */
export type GuestConfig = Readonly<Record<string, string>>
export type GuestType = 'vm' | 'ct'

const units: Record<string, number> = { '': 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 }
const diskKeys = { vm: /^(?:(?:scsi|virtio|sata|ide)\d+|efidisk0|tpmstate0)$/, ct: /^(?:rootfs|mp\d+)$/ }
const isNet = (key: string) => /^net\d+$/.test(key)
const partsOf = (value: string) => value.split(',').map((part) => part.trim())

/** Reads the text of a configuration in a backup. Snapshots follow after a line `[name]`, and are left out. */
export function readConfigText(text: string): GuestConfig {
  const [current = ''] = text.split(/^\[/m)
  return Object.fromEntries(
    current.split('\n').flatMap((line) => {
      const [, key, value] = /^([a-z][\w.]*):(.*)$/is.exec(line) ?? []
      return key === undefined || value === undefined ? [] : [[key, value.trim()]]
    }),
  )
}

/** Reads the answer of `GET …/config`. A container's raw lines are in it under `lxc`, as pairs. */
export function readConfigAnswer(answer: unknown): GuestConfig {
  const raw = (pairs: unknown) =>
    Array.isArray(pairs) ? pairs.map((pair: unknown) => (Array.isArray(pair) ? pair.map(String) : [String(pair)])) : []
  return Object.fromEntries(
    Object.entries((answer ?? {}) as Record<string, unknown>).flatMap(([key, value]) =>
      key === 'lxc' ? raw(value).map(([name = 'lxc', ...rest]) => [name, rest.join(' ')]) : [[key, String(value)]],
    ),
  )
}

export type DiskLine = { key: string; volume: string; bytes: number | undefined; isInBackup: boolean }

/** The disks that are on storages or on the host, without CD drives. */
export function disksOf(type: GuestType, config: GuestConfig): DiskLine[] {
  return Object.entries(config).flatMap(([key, value]) => {
    if (!diskKeys[type].test(key)) return []
    const [first = '', ...options] = partsOf(value)
    const volume = first.replace(/^(?:file|volume)=/, '')
    if (volume === 'none' || options.includes('media=cdrom')) return []
    const of = (name: string) => options.find((option) => option.startsWith(`${name}=`))?.slice(name.length + 1)
    const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)$/.exec(of('size') ?? '') ?? []
    const isInBackup = type === 'vm' ? of('backup') !== '0' : key === 'rootfs' || of('backup') === '1'
    return [{ key, volume, bytes: number === undefined ? undefined : Number(number) * (units[unit] ?? 1), isInBackup }]
  })
}

/** The most memory that the guest may take, MiB; undefined if it cannot be read. */
export const memoryOf = ({ memory = '512' }: GuestConfig): number | undefined => {
  const [, amount] = /^(?:current=)?(\d+)(?:,|$)/.exec(memory) ?? []
  return amount === undefined ? undefined : Number(amount)
}

export const hasAgent = ({ agent = '' }: GuestConfig): boolean => /^(?:enabled=)?1(?:,|$)/.test(agent)

/** The network cards of a configuration. */
export const netsOf = (config: GuestConfig): [key: string, value: string][] =>
  Object.entries(config).filter(([key]) => isNet(key))

/**
 * The same network cards with their link down, for the restore request, which Proxmox merges last. Their MAC addresses are left out, so that the
 * copy gets other ones.
 */
export const pulledNets = (type: GuestType, config: GuestConfig): Record<string, string> =>
  Object.fromEntries(
    netsOf(config).map(([key, value]) => {
      const kept = partsOf(value).filter((part) => !/^(?:link_down|macaddr|hwaddr)=/.test(part))
      const [model = '', ...rest] = kept
      const first = type === 'vm' ? model.replace(/^(\w+)=[0-9a-f:]{17}$/i, '$1') : model
      return [key, [first, ...rest, 'link_down=1'].join(',')]
    }),
  )

/** Returns true if a network card's link is certainly down. */
const isPulled = (value: string) => {
  const links = partsOf(value).filter((part) => part.startsWith('link_down='))
  return links.length === 1 && links[0] === 'link_down=1'
}
const hasBridge = (value: string) => partsOf(value).some((part) => /^bridge=.+/.test(part))

/**
 * Returns the reasons why a copy with this configuration must not be made or started: it uses devices or files of the host, or runs something on the
 * host.
 */
export function dangersIn(type: GuestType, config: GuestConfig): string[] {
  const dangers = Object.entries(config).flatMap(([key, value]) => {
    if (/^(?:args|hookscript)$/.test(key)) return [`${key} runs on the node itself`]
    if (/^lxc(?:\.|$)/.test(key)) return [`${key} is a raw setting of LXC`]
    if (/^(?:hostpci|virtiofs|parallel|dev)\d+$/.test(key) || key === 'ivshmem') return [`${key} is of the node`]
    if (/^usb\d+$/.test(key) && !/^(?:host=)?spice(?:,|$)/.test(value)) return [`${key} is a device of the node`]
    if (/^serial\d+$/.test(key) && value !== 'socket') return [`${key} is a device of the node`]
    if (type === 'vm' && isNet(key) && !hasBridge(value))
      return [`${key} has no bridge, so that Proxmox itself connects it to the outside`]
    return []
  })
  const hostDisks = disksOf(type, config).filter(({ volume }) => volume.startsWith('/'))
  return [
    ...dangers,
    ...hostDisks.map(({ key }) => (type === 'ct' ? `${key} is a folder of the node` : `${key} is a disk of the node`)),
    ...(type === 'ct' && config.unprivileged !== '1' ? ['the container is privileged'] : []),
    ...(config.template === '1' ? ['it is a template, which cannot start'] : []),
  ]
}

/** Returns the reasons why a restored copy is not proven to be isolated. If there is any, the copy is not started. */
export function leaksIn(
  type: GuestType,
  config: GuestConfig,
  { copy, mark, nets }: { copy: number; mark: string; nets: readonly string[] },
): string[] {
  const own = new RegExp(`(?:^|[:/])(?:${copy}/)?(?:vm|subvol|base)-${copy}-`)
  const cards = netsOf(config)
  return [
    ...dangersIn(type, config),
    ...cards.filter(([, value]) => !isPulled(value)).map(([key]) => `${key} is not down`),
    ...cards.filter(([key]) => !nets.includes(key)).map(([key]) => `${key} was not in the backup`),
    ...disksOf(type, config)
      .filter(({ volume }) => !own.test(volume))
      .map(({ key }) => `${key} is a volume of another guest`),
    ...(config.onboot === '1' ? ['it would start with its node'] : []),
    ...(config.description?.trim() === mark ? [] : ['its description is not the drill’s']),
  ]
}
