import { isIP } from 'node:net'

/** Ports of Proxmox and of Proxmox Backup Server. No web page uses them. */
const clusterPorts = new Set(['8006', '8007'])

/** `host:port` of a URL, in lower case. A missing port becomes the default port of the protocol. */
export function siteOf({ hostname, port, protocol }: URL): string {
  return `${hostname.toLowerCase()}:${port === '' ? (protocol === 'http:' ? 80 : 443) : port}`
}

/**
 * Returns the reason why a URL may not be requested, as the end of a sentence; undefined if it may be. The host's IP addresses are checked later,
 * when the host is resolved. @param isListed policy.yaml lists the site under `web: private`
 */
export function addressProblem(url: URL, isListed: boolean): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'only http and https are read'
  if (url.username !== '' || url.password !== '') return 'a name or password stands in the address'
  if (clusterPorts.has(url.port)) return `port ${url.port} is Proxmox’s own: the other tools tell about the cluster`
  if (!isListed && url.port !== '' && url.port !== '80' && url.port !== '443')
    return `only the ports 80 and 443 are asked, and it names ${url.port}`
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0 && !/^[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_.])?$/i.test(host)) return 'its host is no name'
  return undefined
}
