import { isIP } from 'node:net'

/** A node in `JARVIS_NODES`, for facts that the cluster's own data lacks. */
export type ConfiguredNode = {
  /** A host name or an address; IPv6 without brackets. */
  host: string
  /** Default: 22. */
  sshPort?: number
  /** Lower case, with colons. */
  mac?: string
}
export type ConfiguredNodes = ReadonlyMap<string, ConfiguredNode>
export type NodeList = { ok: true; nodes: ConfiguredNodes } | { ok: false; problem: string }

const nodeName = /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/
const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/
const macAddress = /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/

/** Parses `name=host[:sshport][@mac],…`; IPv6 addresses are in brackets. An empty list has no nodes. */
export function parseNodes(list: string): NodeList {
  const nodes = new Map<string, ConfiguredNode>()
  for (const part of list.split(',').map((text) => text.trim())) {
    if (part === '') continue
    const [, name = '', address = '', , mac] = /^([^=]*)=([^@]*)(@(.*))?$/.exec(part) ?? []
    const refuse = (problem: string): NodeList => ({
      ok: false,
      problem: `${JSON.stringify(part.slice(0, 80))} ${problem}`,
    })
    if (!nodeName.test(name)) return refuse('does not begin with a node’s name and =')
    if (nodes.has(name)) return refuse(`names ${name} a second time`)
    const [, bracketed, plain = '', , port] = /^(?:\[([^\]]*)\]|([^:]*))(:(\d{1,5}))?$/.exec(address) ?? []
    const host = bracketed ?? plain
    if (bracketed === undefined ? !hostName.test(host) : isIP(host) !== 6) {
      return refuse('has no usable host (an IPv6 address stands in brackets)')
    }
    const sshPort = port === undefined ? undefined : Number(port)
    if (sshPort !== undefined && (sshPort < 1 || sshPort > 65_535)) return refuse('has no usable port')
    const plainMac = mac?.toLowerCase().replaceAll('-', ':')
    if (plainMac !== undefined && !macAddress.test(plainMac)) return refuse('has no usable MAC address')
    nodes.set(name, {
      host,
      sshPort,
      mac: plainMac,
    })
  }
  return { ok: true, nodes }
}
