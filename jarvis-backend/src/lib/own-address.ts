import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Tests if an IP address in any form is an address of this machine now. */
export function isOwnAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 0) return false
  const own = new BlockList()
  for (const { address: known, family } of Object.values(networkInterfaces()).flatMap((all = []) => all))
    own.addAddress(known.split('%', 1)[0] ?? known, family === 'IPv4' ? 'ipv4' : 'ipv6')
  return own.check(address, version === 4 ? 'ipv4' : 'ipv6')
}
