import type { ClusterState } from 'protocol'
import { withoutPoliteness } from './clauses.ts'
import { mentions } from './mentions.ts'

/** `unknownNode`: a node's name in the message that does not exist. */
export type SshOrder = { command: string; nodes: string[]; unknownNode?: string }

const programs = new Set(
  `apt arp blkid cat ceph chmod cp curl date dd df dig dmesg dpkg du echo env find findmnt free grep head hostname id ip
  iostat iotop journalctl ls lsblk lscpu lsof lspci lsusb mount mv netstat nft nvme pct ping pkill ps pvecm
  pvesh pvesm pveversion qm rm sed sensors shutdown smartctl ss stat systemctl tail tar timedatectl top
  uname uptime vmstat wget who whoami zfs zpool`.split(/\s+/),
)

/** Programs whose names are also English words with which a sentence may begin. */
const english = new Set('cat date echo env find free head host hostname id ip mount sensors tail top who'.split(' '))

/** Reads a message as a shell command. @returns undefined if it is not one */
export function sshOrder(message: string, cluster: ClusterState): SshOrder | undefined {
  const text = withoutPoliteness(message).replace(/(?<!\s)\s*(?:please|sir|jarvis)?(?<![?!.])[?!.]*$/i, '')
  const [, host, first] =
    /^ssh\s+(?:in ?to\s+|to\s+)?(?:\w+@)?([\w.-]+)[,:]?\s+(?:and\s+)?(?:(?:run|execute)\s+)?(\S.*)$/is.exec(text) ??
    /^on\s+([\w.-]+)[,:]?\s+(?:please\s+)?(?:run|execute)\s+(\S.*)$/is.exec(text) ??
    []
  if (host !== undefined && first !== undefined) return placed(unquoted(first), host, cluster)

  const [, said] = /^(?:run|execute|exec)\s+(?:the\s+)?(?:command\s+)?(\S.*)$/is.exec(text) ?? []
  const [, quoted, where] =
    /^(["'`“][^"'`”]+["'`”]|"[^"]+"|'[^']+'|`[^`]+`)(?:\s+on\s+(.+))?$/is.exec(said ?? text) ?? []
  if (quoted !== undefined && (said !== undefined || where !== undefined))
    return placed(unquoted(quoted), where, cluster)

  const [, command, tail] = /^(\S.*)\s+on\s+(\S.*)$/is.exec(said ?? text) ?? []
  const [program = '', next = ''] = text.split(/\s+/, 2)
  const begins = programs.has(program) && !(english.has(program) && /^[a-z]/i.test(next))
  if (command !== undefined && (said !== undefined || begins)) return placed(unquoted(command), tail, cluster)
  return said === undefined ? undefined : { command: unquoted(said), nodes: [] }
}

function placed(command: string, where: string | undefined, cluster: ClusterState): SshOrder {
  if (where === undefined) return { command, nodes: [] }
  if (/^(?:all|every|each|both)(?: of)?(?: the)? ?(?:nodes?)?$|^everywhere$/i.test(where))
    return { command, nodes: cluster.nodes.map((node) => node.name) }
  const nodes = mentions(`on ${where}`, cluster).nodes.map((node) => node.name)
  return nodes.length > 0 ? { command, nodes } : { command, nodes, unknownNode: where }
}

const unquoted = (text: string) => text.trim().replace(/^["'`“](.*)["'`”]$/s, '$1')
