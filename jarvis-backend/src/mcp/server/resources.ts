import { asShown, type ClusterState } from 'protocol'
import type { ApiToken } from '../../auth/api-tokens.ts'
import type { Resources } from './surface.ts'

const json = 'application/json'
const nodeTemplate = 'jarvis://nodes/{node}'
const guestTemplate = 'jarvis://guests/{vmid}'
export const clusterUri = 'jarvis://cluster'
export const journalUri = 'jarvis://journal/recent'
export const nodeUri = (name: string) => `jarvis://nodes/${encodeURIComponent(name)}`
export const guestUri = (vmid: number) => `jarvis://guests/${vmid}`

const recent = 50

export type ClusterResourceParts = {
  cluster(): ClusterState
  /** Returns a function that reduces the cluster's state to the part that the token's person may see; undefined: the person may see all of it. */
  sightOf(token: ApiToken): ((state: ClusterState) => ClusterState) | undefined
  /** True if the token's person may also see the journal. */
  seesWhole(token: ApiToken): boolean
  /** Returns the newest journal entries, in the form for the token's person. */
  journal(limit: number, token: ApiToken): Promise<{ items: unknown[] }>
  /** Redacts the content of every resource. */
  redact<T>(value: T): T
}

/** The cluster's present state and the journal's newest entries as JSON resources. */
export function clusterResources(parts: ClusterResourceParts): Resources {
  const seenBy = (token: ApiToken) => {
    return { state: parts.sightOf(token)?.(parts.cluster()) ?? parts.cluster(), isWhole: parts.seesWhole(token) }
  }
  const list: Resources['list'] = (token) => {
    const { state, isWhole } = seenBy(token)
    return [
      {
        uri: clusterUri,
        name: 'cluster',
        title: 'The cluster',
        description: 'Nodes, guests, storages and tasks as they are known now.',
        mimeType: json,
      },
      ...(isWhole
        ? [
            {
              uri: journalUri,
              name: 'journal',
              title: 'Recent journal',
              description: `The newest ${recent} entries: calls, decisions, results.`,
              mimeType: json,
            },
          ]
        : []),
      ...state.nodes.map(({ name, status }) => ({
        uri: nodeUri(name),
        name,
        title: `Node ${name}`,
        description: `The node and its guests; ${status} when listed.`,
        mimeType: json,
      })),
      ...state.guests.map(({ vmid, name, type, node }) => ({
        uri: guestUri(vmid),
        name: String(vmid),
        title: `${type === 'vm' ? 'VM' : 'Container'} ${vmid} ${name}`,
        description: `Its state and recent tasks; on ${node} when listed.`,
        mimeType: json,
      })),
    ]
  }
  return {
    list,
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
    async read(uri, token) {
      const { state, isWhole } = seenBy(token)
      if (uri === journalUri && !isWhole) return undefined
      const value = await contentOf(uri, state, () => parts.journal(recent, token))
      return value === undefined ? undefined : { uri, mimeType: json, text: JSON.stringify(parts.redact(value)) }
    },
    complete(uriTemplate, { variable, begun, token }) {
      const { state } = seenBy(token)
      if (uriTemplate === nodeTemplate && variable === 'node') return nodeNames(state, begun)
      if (uriTemplate === guestTemplate && variable === 'vmid') return vmids(state, begun)
      return []
    },
    mayHear: (uri, token) => parts.seesWhole(token) || list(token).some((known) => known.uri === uri),
  }
}

async function contentOf(
  uri: string,
  state: ClusterState,
  journal: () => Promise<{ items: unknown[] }>,
): Promise<object | undefined> {
  if (uri === clusterUri) return asShown(state)
  const { at, missing, unreachableSince } = state
  const standing = { at, missing, unreachableSince }
  if (uri === journalUri) return { entries: (await journal()).items }
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

/** Returns the vmids of guests whose vmid or name begins with `begun`. */
export const vmids = ({ guests }: ClusterState, begun: string) =>
  guests
    .filter(({ vmid, name }) => `${vmid}`.startsWith(begun) || name.toLowerCase().startsWith(begun.toLowerCase()))
    .map(({ vmid }) => String(vmid))
    .sort((a, b) => Number(a) - Number(b))
