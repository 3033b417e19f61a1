import { BlockList, isIP } from 'node:net'

const home = new BlockList()
home.addSubnet('10.0.0.0', 8, 'ipv4')
home.addSubnet('172.16.0.0', 12, 'ipv4')
home.addSubnet('192.168.0.0', 16, 'ipv4')
home.addSubnet('fc00::', 7, 'ipv6')

/**
 * True if an IP address belongs to a home network. Excluded are public addresses, this machine, and link-local addresses, where cloud providers
 * serve secrets.
 */
export function isHomeAddress(address: string): boolean {
  const version = isIP(address)
  return version !== 0 && home.check(address, version === 4 ? 'ipv4' : 'ipv6')
}
