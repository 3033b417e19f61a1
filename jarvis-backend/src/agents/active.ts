import { type AgentBody, JarvisError, mainAgentId } from 'protocol'
import { type Agent, type Agents, agentOf } from './agent.ts'
import { type Known, parseAgents, withAgent } from './file.ts'
import { agentsIn } from './registry.ts'

/** `agents.yaml` as read. `hash`: SHA-256 of its bytes, hex. */
export type WrittenAgents =
  | { kind: 'absent' }
  | { kind: 'read'; hash: string; text: string }
  | { kind: 'unreadable'; problem: string }

/**
 * The hash of the version of the file that is in use, and the faults of the present file. While the file has problems, its last valid version stays
 * in use.
 */
export type AgentsStatus = { hash?: string; problems: string[]; warnings: string[] }

export type ActiveAgents = Agents & {
  status(): AgentsStatus
  /** Reads the file again. Call it when the file, the models or the attached tools may have changed. */
  look(): void
  /**
   * Writes an agent into the file, or removes it if `agent` is undefined.
   * @param change.hash the hash of the file that the caller had read; undefined: the file is not compared
   * @throws JarvisError `invalid_request` naming the field, `conflict`, `not_found`
   */
  save(id: string, change: { agent?: AgentBody | undefined; hash?: string | undefined }, by: string): void
}

const goodKey = 'agents_good'
const hashKey = 'agents_hash'
const name = 'agents.yaml'

/** Manages the agents in use. The database stores the last valid file, so that a file that became invalid while JARVIS was down changes nothing. */
export function createActiveAgents(parts: {
  read(): WrittenAgents
  write(text: string): void
  known(): Known
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  journal: { append(kind: 'agent', body: Record<string, unknown>): void }
  durably<T>(work: () => T): T
  changed(): void
  announce(text: string, level: 'info' | 'warning'): void
}): ActiveAgents {
  const { settings, journal, durably } = parts
  let agents: readonly Agent[] = [agentOf(mainAgentId, {})]
  let status: AgentsStatus = { problems: [], warnings: [] }
  let read: string | undefined

  function take(text: string, hash: string): string[] {
    const parsed = parseAgents(text, parts.known())
    if (!parsed.ok) return parsed.problems.map(({ line, column, message }) => `${name}:${line}:${column}  ${message}`)
    agents = parsed.agents
    status = { ...(hash !== '' && { hash }), problems: [], warnings: parsed.warnings }
    if (settings.get(hashKey) === hash && settings.get(goodKey) === text) return []
    durably(() => {
      const before = settings.get(hashKey) ?? ''
      settings.set(hashKey, hash)
      settings.set(goodKey, text)
      if (before !== hash)
        journal.append('agent', { change: 'file', ...(hash && { hash }), ...(before && { before }), by: 'file' })
    })
    return []
  }

  /** Puts the last good file in force. Models are not checked: an agent whose model is no longer configured does not answer. */
  function takeLastGood() {
    const parsed = parseAgents(settings.get(goodKey) ?? '', { tools: parts.known().tools })
    if (parsed.ok) agents = parsed.agents
  }

  function look(isFirst = false) {
    const written = parts.read()
    const key = JSON.stringify([written, parts.known()])
    if (key === read) return
    read = key
    const before = status.problems.join('\n')
    const problems =
      written.kind === 'unreadable'
        ? [written.problem]
        : written.kind === 'absent'
          ? take('', '')
          : take(written.text, written.hash)
    if (problems.length > 0) {
      if (isFirst) takeLastGood()
      status = { ...status, problems }
      if (problems.join('\n') !== before) {
        const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
        parts.announce(`${name} has ${count}; the agents before stay as they were. ${problems[0]}`, 'warning')
      }
    } else if (!isFirst && written.kind !== 'unreadable') {
      const others = agents.length - 1
      parts.announce(`${name} is in force: main and ${others} other ${others === 1 ? 'agent' : 'agents'}.`, 'info')
    }
    if (!isFirst) parts.changed()
  }

  look(true)

  return {
    ...agentsIn(() => agents),
    status: () => status,
    look: () => look(),
    save(id, { agent: body, hash }, by) {
      const written = parts.read()
      if (written.kind === 'unreadable' || status.problems.length > 0)
        throw new JarvisError(
          'conflict',
          `${status.problems[0] ?? name} Mend the file by hand first; nothing was changed.`,
        )
      const present = written.kind === 'read' ? written.hash : ''
      if (hash !== undefined && hash !== present)
        throw new JarvisError('conflict', `${name} was changed meanwhile. Look at it again; nothing was changed.`)
      const isThere = agents.some((agent) => agent.id === id)
      if (body === undefined && (id === mainAgentId || !isThere))
        throw new JarvisError('not_found', id === mainAgentId ? 'main is always there.' : `There is no agent ${id}.`)
      const text = withAgent(written.kind === 'read' ? written.text : '', id, body)
      const parsed = parseAgents(text, parts.known())
      if (!parsed.ok) throw new JarvisError('invalid_request', parsed.problems.map(({ message }) => message).join(' '))
      durably(() => {
        journal.append('agent', {
          change: body === undefined ? 'deleted' : isThere ? 'changed' : 'made',
          agent: id,
          by,
          ...(body && { body }),
        })
        parts.write(text)
      })
      look()
    },
  }
}
