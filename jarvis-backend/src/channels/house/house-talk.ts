import { JarvisError } from 'protocol'
import type { ComposedRuns } from '../../agent/room.ts'
import { wireEntry } from '../../agent/sessions/wire-entry.ts'
import type { ActiveAgents } from '../../agents/active.ts'
import { chosenFor } from '../../agents/bindings.ts'
import type { Gate } from '../../calls/room.ts'
import type { Foundation } from '../../foundation.ts'
import type { ComposedHomelab } from '../../homelab/room.ts'
import { clusterSummary } from '../../homelab/summary.ts'
import type { Watch } from '../../watch/watch.ts'
import type { SessionFiles } from '../../workbench/session-files.ts'
import type { TalkPorts } from '../talk/ports.ts'

/** The age up to which a conversation on a channel finds a question, ms. */
const questionsForMs = 2 * 24 * 60 * 60_000

export type HouseTalkParts = {
  foundation: Pick<Foundation, 'redactor' | 'now'>
  sessions: Pick<ComposedRuns, 'runs' | 'store' | 'attachments' | 'picture'>
  files: Pick<SessionFiles, 'open'>
  agents: ActiveAgents
  gate: Pick<Gate, 'confirmations' | 'questions' | 'changes' | 'sightOf'>
  homelab: Pick<ComposedHomelab, 'cluster'>
  watch: Pick<Watch, 'present'>
  transcribe: TalkPorts['transcribe']
}

/** The sessions, questions and cards of JARVIS, for conversations on channels. */
export class HouseTalk implements TalkPorts {
  readonly transcribe: TalkPorts['transcribe']
  readonly #parts: HouseTalkParts

  constructor(parts: HouseTalkParts) {
    this.#parts = parts
    this.transcribe = parts.transcribe
  }

  start(said: Parameters<TalkPorts['start']>[0]): ReturnType<TalkPorts['start']> {
    return this.#parts.sessions.runs.start(said)
  }

  async upload(by: string, file: { name: string; data: Buffer }): Promise<string> {
    return (await this.#parts.sessions.attachments.upload(by, file)).id
  }

  abort(sessionId: string, by: string): void {
    this.#parts.sessions.runs.abort(sessionId, by)
  }

  held(sessionId: string, by: string): ReturnType<TalkPorts['held']> {
    const { runs } = this.#parts.sessions
    const messages = runs.queued(sessionId).filter((message) => message.heldBy !== undefined && message.by === by)
    return messages.map(({ messageId, text }) => ({
      text,
      send: () => runs.sendHeld(sessionId, messageId, by),
      drop: () => runs.unqueue(sessionId, messageId),
    }))
  }

  agentFor(arrival: Parameters<TalkPorts['agentFor']>[0]): string {
    return chosenFor(this.#parts.agents.list(), { door: 'channel', ...arrival })[0].agent
  }

  hasAgent(id: string): boolean {
    return this.#parts.agents.find(id) !== undefined
  }

  session(id: string): ReturnType<TalkPorts['session']> {
    const { store, runs } = this.#parts.sessions
    const found = store.session(id)
    return found && { title: found.title, agent: found.agent, isRunning: runs.isRunning(id) }
  }

  /**
   * Watches a session. The watcher does not count as an operator, because sending a card to a chat does not show it to a person. The card's waiting
   * time begins when a screen shows the card, or at a tap.
   */
  watch(sessionId: string, tell: Parameters<TalkPorts['watch']>[1]): (() => void) | undefined {
    const watch = this.#parts.sessions.runs.watch(sessionId, { isOperator: false, tell })
    return () => watch.end()
  }

  entriesFrom(sessionId: string, from: number, limit: number): ReturnType<TalkPorts['entriesFrom']> {
    const { sessions, foundation } = this.#parts
    return sessions.store.entriesFrom(sessionId, from, limit).map((entry) => wireEntry(entry, foundation.redactor))
  }

  entry(sessionId: string, seq: number): ReturnType<TalkPorts['entry']> {
    const { sessions, foundation } = this.#parts
    const found = sessions.store.entry(sessionId, seq)
    return found && wireEntry(found, foundation.redactor)
  }

  entriesOfRun(runId: string): ReturnType<TalkPorts['entriesOfRun']> {
    const { sessions, foundation } = this.#parts
    return sessions.store.entriesOfRun(runId).map((entry) => wireEntry(entry, foundation.redactor))
  }

  picture(sessionId: string, id: string): ReturnType<TalkPorts['picture']> {
    return this.#parts.sessions.picture(sessionId, id)
  }

  async written(
    { sessionId, path }: Parameters<TalkPorts['written']>[0],
    mostBytes: number,
  ): ReturnType<TalkPorts['written']> {
    const file = await this.#parts.files.open(sessionId, path).catch((error: unknown) => {
      if (error instanceof JarvisError) return undefined
      throw error
    })
    if (file === undefined) return undefined
    const { name, mimeType, size: bytes } = file
    if (bytes <= mostBytes && bytes > 0)
      return { name, mimeType, bytes, data: Buffer.concat(await file.read(0, bytes - 1).toArray()) }
    file.close()
    return { name, mimeType, bytes }
  }

  waiting(): ReturnType<TalkPorts['waiting']> {
    const { confirmations, questions, changes } = this.#parts.gate
    return { cards: confirmations.pending(), questions: questions.open(), changes: changes.armed() }
  }

  questions(sessionId: string): ReturnType<TalkPorts['questions']> {
    return this.#parts.gate.questions.open(sessionId)
  }

  question(questionId: string): ReturnType<TalkPorts['question']> {
    const { gate, foundation } = this.#parts
    const found = gate.questions.list(foundation.now() - questionsForMs).find((one) => one.questionId === questionId)
    return found && { question: found, sessionId: found.sessionId, isOpen: found.end === undefined }
  }

  answer({ remember, ...request }: Parameters<TalkPorts['answer']>[0]): void {
    this.#parts.gate.questions.answer({ ...request, once: { isAnswered: () => false, remember } })
  }

  status(person: string): string {
    const { homelab, gate, watch } = this.#parts
    const sees = gate.sightOf({ person })
    const state = homelab.cluster.state()
    return sees === undefined ? clusterSummary(state, watch.present()) : clusterSummary(sees(state), [])
  }
}
