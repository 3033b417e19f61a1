/** An interface of /etc/network/interfaces, by the names of Proxmox's API. */
export type Interface = Record<string, string>

/** Option names in the file, by option name in the API. */
const fileNames: Record<string, string> = {
  cidr: 'address',
  gateway: 'gateway',
  mtu: 'mtu',
  bridge_ports: 'bridge-ports',
  bridge_vids: 'bridge-vids',
  bridge_vlan_aware: 'bridge-vlan-aware',
  slaves: 'bond-slaves',
  bond_mode: 'bond-mode',
}
const apiNames = new Map(Object.entries(fileNames).map(([api, file]) => [file, api]))

/** Parses a file of ifupdown2, in the form in which Proxmox writes it. Leaves out `lo`. */
export function parseInterfaces(text: string): Map<string, Interface> {
  const found = new Map<string, Interface>()
  const at = (name: string) => {
    const known = found.get(name) ?? { type: typeOf(name) }
    found.set(name, known)
    return known
  }
  let current: Interface | undefined
  let family = ''
  for (const line of text.split('\n')) {
    const [word = '', name = '', second = ''] = line.trim().split(/\s+/)
    if (word === 'auto' && name !== 'lo') at(name).autostart = '1'
    else if (word === 'iface') {
      current = name === 'lo' ? undefined : at(name)
      family = second === 'inet6' ? '6' : ''
    } else if (word.startsWith('#') && current !== undefined) current.comments = `${line.trim().slice(1)}\n`
    else if (current !== undefined && apiNames.has(word)) {
      const key = apiNames.get(word) ?? ''
      const value = line.trim().slice(word.length).trim()
      const isFamily = key === 'cidr' || key === 'gateway'
      current[isFamily ? `${key}${family}` : key] =
        key === 'bridge_vlan_aware' ? String(Number(value === 'yes')) : value
    }
  }
  return found
}

/** Returns the text of the file for these interfaces. */
export function writeInterfaces(interfaces: ReadonlyMap<string, Interface>): string {
  const blocks = [...interfaces].map(([name, values]) => {
    const method = values.cidr === undefined ? 'manual' : 'static'
    const lines = Object.entries(fileNames).flatMap(([api, file]) => {
      const value = values[api]
      if (value === undefined || (api === 'bridge_vlan_aware' && value !== '1')) return []
      return [`\t${file} ${api === 'bridge_vlan_aware' ? 'yes' : value}`]
    })
    const second =
      values.cidr6 === undefined
        ? []
        : [
            '',
            `iface ${name} inet6 static`,
            `\taddress ${values.cidr6}`,
            ...(values.gateway6 === undefined ? [] : [`\tgateway ${values.gateway6}`]),
          ]
    return [
      ...(values.autostart === '1' ? [`auto ${name}`] : []),
      `iface ${name} inet ${method}`,
      ...lines,
      ...(values.comments === undefined ? [] : [`#${values.comments.trim()}`]),
      ...second,
    ].join('\n')
  })
  return ['auto lo\niface lo inet loopback', ...blocks, ''].join('\n\n')
}

const typeOf = (name: string) =>
  /^vmbr\d+$/.test(name) ? 'bridge' : /^bond\d+$/.test(name) ? 'bond' : name.includes('.') ? 'vlan' : 'eth'
