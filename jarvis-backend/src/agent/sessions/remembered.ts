import { mainAgentId, type Principal } from 'protocol'
import type { ActiveAgents } from '../../agents/active.ts'
import type { ListedSession, SessionList, SessionQuery } from './session-list.ts'
import type { StoredEntry, TranscriptStore } from './transcript-store.ts'

/** Longest part of a conversation that is read at once, characters, and the number of entries that are looked at for it. */
const mostChars = 12_000
const mostEntries = 400

export type RememberedParts = {
  list: SessionList
  store: Pick<TranscriptStore, 'session' | 'entriesFrom'>
  agents: Pick<ActiveAgents, 'list' | 'find'>
  /**
   * Returns which sessions a person may read; undefined if the person is gone. `person`: the id by which lists are limited; absent: all may be read.
   * @param id undefined: the first owner
   */
  sightOf(id: string | undefined): { person?: string; reads(sessionId: string): boolean } | undefined
  nameOf(id: string): string
}

/**
 * The conversations that a model may read: those that the person whom it serves may read, and that its agent remembers. An agent with a memory of
 * its own remembers its own conversations; the others remember those of main and of all agents that share main's memory.
 */
export class RememberedSessions {
  readonly #parts: RememberedParts

  constructor(parts: RememberedParts) {
    this.#parts = parts
  }

  /** Lists conversations, newest first. */
  find(asked: Pick<SessionQuery, 'limit' | 'words'>, asker: Principal | undefined): ListedSession[] {
    const sight = this.#parts.sightOf(asker?.person)
    if (sight === undefined) return []
    const { items } = this.#parts.list.page({
      ...asked,
      archived: 'all',
      agents: this.#agentsOf(asker),
      ...(sight.person !== undefined && { person: sight.person }),
    })
    return items
  }

  /** Reads messages and answers from the entry `from` on. @returns undefined if the conversation may not be read */
  read(id: string, from: number, asker: Principal | undefined) {
    const { store, sightOf } = this.#parts
    const session = store.session(id)
    if (session === undefined || sightOf(asker?.person)?.reads(id) !== true) return undefined
    if (!this.#agentsOf(asker).includes(session.agent)) return undefined
    const entries = store.entriesFrom(id, from, mostEntries)
    const messages: { seq: number; at: number; by: string; text: string }[] = []
    let chars = 0
    let next = entries.length < mostEntries ? undefined : (entries.at(-1)?.seq ?? from) + 1
    for (const entry of entries) {
      const said = this.#saidIn(entry)
      if (said === undefined) continue
      if (messages.length > 0 && chars + said.text.length > mostChars) {
        next = entry.seq
        break
      }
      chars += said.text.length
      messages.push({ seq: entry.seq, at: entry.at, by: said.by, text: said.text.slice(0, mostChars) })
    }
    return { title: session.title, agent: session.agent, messages, ...(next !== undefined && { next }) }
  }

  #saidIn(entry: StoredEntry): { by: string; text: string } | undefined {
    if (entry.type === 'user') return { by: this.#parts.nameOf(entry.by), text: entry.text }
    if (entry.type !== 'assistant') return undefined
    const text = entry.content.flatMap((item) => (item.type === 'text' ? item.text : [])).join('\n')
    return text.trim() === '' ? undefined : { by: 'JARVIS', text }
  }

  #agentsOf(asker: Principal | undefined): string[] {
    const { agents } = this.#parts
    const id = asker?.agent ?? mainAgentId
    const memory = agents.find(id)?.memory
    if (memory === 'none') return []
    if (memory === 'own' && id !== mainAgentId) return [id]
    return [mainAgentId, ...agents.list().flatMap((one) => (one.memory === 'shared' ? one.id : []))]
  }
}
