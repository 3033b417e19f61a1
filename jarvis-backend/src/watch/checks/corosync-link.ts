import { plainName } from '../../homelab/format.ts'
import { CannotRun, type Check, type Measure } from '../check.ts'
import { printed } from '../command.ts'
import { fromNodes, nodeObject, when } from '../measure.ts'

/** Parses lines such as `nodeid: 2 reachable` and below it `LINK: 0 udp (10.0.0.1->10.0.0.2) enabled connected mtu: 1397` */
export function linksIn(text: string): { peer: string; link: string; isConnected: boolean }[] {
  const links: { peer: string; link: string; isConnected: boolean }[] = []
  let peer = ''
  for (const line of text.split('\n')) {
    peer = /^\s*nodeid:\s*(\d+)/.exec(line)?.[1] ?? peer
    const [, link] = /^\s*LINK:\s*(\d+)\b/.exec(line) ?? []
    if (link !== undefined)
      links.push({ peer, link, isConnected: /\bconnected\b/.test(line) && !/\bdisconnected\b/.test(line) })
  }
  return links
}

/** A link between nodes that is down while other links carry the cluster. Proxmox has no API for it. */
export const corosyncLink: Check = {
  id: 'corosync-link',
  title: 'Cluster link down',
  reads: 'corosync-cfgtool -n over SSH',
  limit: () => 'A link that is not connected.',
  pace: 'sweep',
  from: ['nodes'],
  forMs: 0,
  runbooks: ['quorum'],
  async look(ports) {
    if (ports.state.nodes.length < 2) throw new CannotRun('A single node has no cluster links.')
    const { items, unread } = await fromNodes(ports, async ({ name }) => [
      {
        node: name,
        links: linksIn(await printed(ports.shell, { node: name, stage: ['corosync-cfgtool', '-n'] }, ports.signal)),
      },
    ])
    const away = ports.state.nodes.some(({ status }) => status !== 'online')
    const measures = items.map(({ node, links }): Measure => {
      const down = links.filter(({ isConnected }) => !isConnected)
      const words = links.length === 0 ? 'none seen' : `${links.length - down.length} of ${links.length} links`
      const said = down.map(({ peer, link }) => `link ${link} to node ${peer}`).join(', ')
      return {
        object: nodeObject(node),
        level: links.length === 0 ? 'unseen' : when(down.length > 0, 'look'),
        words,
        sentence:
          down.length === 0
            ? `All cluster links of ${plainName(node)} are connected.`
            : `${plainName(node)} has lost ${said}.`,
        ...(down.length > 0 && away && { explainedBy: 'A node is away.' }),
        inputs: { node },
      }
    })
    return { measures, unread }
  },
}
