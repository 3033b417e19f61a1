import { mainAgentId } from 'protocol'
import type { ChunkView, IndexedView, SourceKind } from './ports.ts'

/** Returns the kind under which the index holds an agent's texts. The kinds of main's texts name no agent. */
export const kindOf = (kind: 'file' | 'session', agent: string): SourceKind =>
  agent === mainAgentId ? kind : `${kind}@${agent}`

/** The kind of main's notes that every agent with a memory reads. No agent's id begins with +. */
export const sharedKind = 'file@+shared' satisfies SourceKind

/** Returns true if a path lies in the folder of main's workspace that every agent with a memory reads. */
export const isSharedPath = (path: string): boolean => path.startsWith('shared/')

/** Returns the id of the agent that the texts of a kind belong to. */
export const agentOfKind = (kind: SourceKind): string =>
  kind === sharedKind ? mainAgentId : (kind.split('@', 2)[1] ?? mainAgentId)

/**
 * Returns the name under which the index holds an agent's file. The name has the agent's id, because two agents may each have a MEMORY.md. No path
 * in a workspace begins with @.
 */
export const indexedName = (path: string, agent: string): string => (agent === mainAgentId ? path : `@${agent}/${path}`)

/** Returns the agent and the path in its workspace that a name in the index stands for. */
export function fileNamed(name: string): { agent: string; path: string } {
  const [, agent, path] = /^@([^/]+)\/(.+)$/.exec(name) ?? []
  return agent === undefined || path === undefined ? { agent: mainAgentId, path: name } : { agent, path }
}

/** Returns a passage as its agent knows it: kind, name and title without the agent's id. */
export function ofAgent<View extends IndexedView>(view: View): Omit<View, 'kind'> & ChunkView {
  const { kind, name, title } = view
  const prefix = `@${agentOfKind(kind)}/`
  const own = (text: string) => (kind.startsWith('file@') && text.startsWith(prefix) ? text.slice(prefix.length) : text)
  return { ...view, kind: kind.split('@', 1)[0] as ChunkView['kind'], name: own(name), title: own(title) }
}

/**
 * Returns the kinds of the index that an agent may recall from. All read main's shared folder. Agents with `shared` memory use all of main's notes, and
 * main also recalls the conversations with them.
 * @param shared ids of the agents that share main's memory
 */
export function placesOf(
  { id, memory }: { id: string; memory: 'own' | 'shared' | 'none' },
  shared: readonly string[],
): SourceKind[] {
  if (memory === 'none') return []
  if (memory === 'own') return [kindOf('file', id), sharedKind, kindOf('session', id)]
  return ['file', sharedKind, 'session', 'journal', ...shared.map((other) => kindOf('session', other))]
}
