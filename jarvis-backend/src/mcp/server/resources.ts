import { asShown, type ClusterState } from '../../protocol/index.ts'
import type { Resources } from './surface.ts'

const json = 'application/json'
const nodeTemplate = 'jarvis://nodes/{node}'
const guestTemplate = 'jarvis://guests/{vmid}'
export const clusterUri = 'jarvis://cluster'
export const journalUri = 'jarvis://journal/recent'
export const nodeUri = (name: string) => `jarvis://nodes/${encodeURIComponent(name)}`
export const guestUri = (vmid: number) => `jarvis://guests/${vmid}`

const recent = 50

/** The cluster's present state and the journal's newest entries as JSON resources. @param redact applied to all of it */
export function clusterResources(parts: {
  cluster(): ClusterState
  journal(limit: number): Promise<{ items: unknown[] }>
  redact<T>(value: T): T
}): Resources {
  const { cluster } = parts
  return {
    list: () => [
      {
        uri: clusterUri,
        name: 'cluster',
        title: 'The cluster',
        description: 'Nodes, guests, storages and tasks as they are known now.',
        mimeType: json,
      },
      {
        uri: journalUri,
        name: 'journal',
        title: 'Recent journal',
        description: `The newest ${recent} entries: calls, decisions, results.`,
        mimeType: json,
      },
      ...cluster().nodes.map(({ name, status }) => ({
        uri: nodeUri(name),
        name,
        title: `Node ${name}`,
        description: `The node and its guests; ${status} when listed.`,
        mimeType: json,
      })),
      ...cluster().guests.map(({ vmid, name, type, node }) => ({
        uri: guestUri(vmid),
        name: String(vmid),
        title: `${type === 'vm' ? 'VM' : 'Container'} ${vmid} ${name}`,
        description: `Its state and recent tasks; on ${node} when listed.`,
        mimeType: json,
      })),
    ],
    templates: [
      {
        uriTemplate: nodeTemplate,
        name: 'node',
        title: 'A node',
        description: 'One node and its guests.',
        mimeType: json,
      },
      {
        uriTemplate: guestTemplate,
        name: 'guest',
        title: 'A guest',
        description: 'One virtual machine or container with its recent tasks.',
        mimeType: json,
      },
    ],
    async read(uri) {
      const value = await contentOf(uri, parts)
      return value === undefined ? undefined : { uri, mimeType: json, text: JSON.stringify(parts.redact(value)) }
    },
    complete(uriTemplate, variable, begun) {
      if (uriTemplate === nodeTemplate && variable === 'node') return nodeNames(cluster(), begun)
      if (uriTemplate === guestTemplate && variable === 'vmid') return vmids(cluster(), begun)
      return []
    },
  }
}

async function contentOf(uri: string, parts: Parameters<typeof clusterResources>[0]): Promise<object | undefined> {
  const state = parts.cluster()
  if (uri === clusterUri) return asShown(state)
  const { at, missing, unreachableSince } = state
  const standing = { at, missing, ...(unreachableSince !== undefined && { unreachableSince }) }
  if (uri === journalUri) return { entries: (await parts.journal(recent)).items }
  const node = state.nodes.find(({ name }) => nodeUri(name) === uri)
  if (node !== undefined) {
    return { ...standing, node, guests: state.guests.filter((guest) => guest.node === node.name) }
  }
  const guest = state.guests.find(({ vmid }) => guestUri(vmid) === uri)
  return (
    guest && {
      ...standing,
      guest,
      tasks: state.unread?.includes('tasks') ? null : state.tasks.filter(({ vmid }) => vmid === guest.vmid),
    }
  )
}

export const nodeNames = ({ nodes }: ClusterState, begun: string) =>
  nodes.map(({ name }) => name).filter((name) => name.toLowerCase().startsWith(begun.toLowerCase()))

/** Ids that begin with `begun`, and ids of guests whose names do. */
export const vmids = ({ guests }: ClusterState, begun: string) =>
  guests
    .filter(({ vmid, name }) => `${vmid}`.startsWith(begun) || name.toLowerCase().startsWith(begun.toLowerCase()))
    .map(({ vmid }) => String(vmid))
    .sort((a, b) => Number(a) - Number(b))
