import type { Said } from '../act-inputs.ts'
import { mentions } from '../mentions.ts'
import { offer } from '../offers.ts'
import { plain } from '../words.ts'
import { gaps, type Inquiry, read } from './inquiry.ts'

/** Tells the address of a guest or node, from its configuration. Proxmox's configuration of a guest names none that DHCP or the guest itself sets. */
export function addressOf({ words, cluster, focus }: Said): Inquiry {
  const { guests, nodes, pronoun } = mentions(words.who ?? '', cluster)
  const guest = guests[0] ?? (pronoun === undefined ? undefined : focus.guests[0])
  const node = nodes[0]?.name ?? (pronoun === undefined ? undefined : focus.nodes[0])
  if (guest === undefined && node === undefined)
    return { find: () => ({ say: 'Of which guest or node, sir? Name it.' }) }
  const call = guest === undefined ? read('get_node_network', { node }) : read('get_guest_config', { vmid: guest.vmid })
  const who = guest === undefined ? plain(node ?? '') : `${guest.vmid} ${plain(guest.name)}`
  return {
    find(seen) {
      if (seen.of(call) === undefined) return { reads: [call] }
      const text = seen.text(call)
      if (text === undefined) return { say: `The network of ${who} I could not read. ${gaps(seen, [call])}` }
      const found = [...text.matchAll(/(?:\bip=|\baddress )(\d{1,3}(?:\.\d{1,3}){3})(?:\/\d+)?/g)].map(([, ip]) => ip)
      if (found.length > 0) return { say: `${who} has ${[...new Set(found)].join(' and ')}, by its configuration.` }
      const mac = /([0-9A-F]{2}(?::[0-9A-F]{2}){5})/i.exec(text)?.[1]
      const how = /ip=dhcp/.test(text) ? 'It gets one from DHCP' : 'It is set inside the guest'
      return {
        say: `The configuration of ${who} names no address. ${how}${mac === undefined ? '' : `; its network card is ${mac}, by which your router knows it`}.${guest?.type === 'vm' ? ` Say ${offer(`run "ip -4 addr" in ${guest.vmid}`)} to ask the guest itself.` : ''}`,
      }
    },
  }
}
