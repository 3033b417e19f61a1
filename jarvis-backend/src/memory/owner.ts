import { mainAgentId } from 'protocol'
import type { ChunkView, IndexedView, SourceKind } from './ports.ts'

/** The kind under which an agent's texts stand in the index. Main's have no agent in theirs. */
export const kindOf = (kind: 'file' | 'session', agent: string): SourceKind =>
  agent === mainAgentId ? kind : `${kind}@${agent}`

/** The agent whose texts these are. */
export const agentOfKind = (kind: SourceKind): string => kind.split('@', 2)[1] ?? mainAgentId

/** The name under which an agent's file stands in the index: two agents may each have a MEMORY.md. No file of a workspace begins with @. */
export const indexedName = (path: string, agent: string): string => (agent === mainAgentId ? path : `@${agent}/${path}`)

/** The agent and the path in its workspace of a name in the index. */
export function fileNamed(name: string): { agent: string; path: string } {
  const [, agent, path] = /^@([^/]+)\/(.+)$/.exec(name) ?? []
  return agent === undefined || path === undefined ? { agent: mainAgentId, path: name } : { agent, path }
}

/** A passage as its agent has it. */
export function ofAgent<View extends IndexedView>(view: View): Omit<View, 'kind'> & ChunkView {
  const { kind, name, title } = view
  const prefix = `@${agentOfKind(kind)}/`
  const own = (text: string) => (kind.startsWith('file@') && text.startsWith(prefix) ? text.slice(prefix.length) : text)
  return { ...view, kind: kind.split('@', 1)[0] as ChunkView['kind'], name: own(name), title: own(title) }
}

/**
 * What an agent may recall, as kinds of the index. `shared` agents see main's notes, and what was said to them is main's to recall.
 * @param shared ids of the agents that share main's memory
 */
export function placesOf(
  { id, memory }: { id: string; memory: 'own' | 'shared' | 'none' },
  shared: readonly string[],
): SourceKind[] {
  if (memory === 'none') return []
  if (memory === 'own') return [kindOf('file', id), kindOf('session', id)]
  return ['file', 'session', 'journal', ...shared.map((other) => kindOf('session', other))]
}
