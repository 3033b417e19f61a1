import { BlockList, isIP } from 'node:net'
import { isOwnAddress } from './own-address.ts'

const special = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  special.addSubnet(net, prefix, 'ipv4')
}
// IPv6 ranges inside the global range that are not public: tunnels, documentation, and other special uses.
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  special.addSubnet(net, prefix, 'ipv6')
}
const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')

/** True if an IP address is public: not of this machine, of its network, or of a tunnel into either. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4') && !isOwnAddress(address)
    case 6:
      return global.check(address, 'ipv6') && !special.check(address, 'ipv6') && !isOwnAddress(address)
    default:
      return false
  }
}
