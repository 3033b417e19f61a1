import { JarvisError, maxMessageBytes, personFor } from 'protocol'
import { chosenFor } from '../../agents/bindings.ts'
import { newId } from '../../lib/ids.ts'
import { addressed, agentOrder } from '../agent-order.ts'
import { requireSight } from '../attachments.ts'
import { effortOrder } from '../effort.ts'
import type { StoredOrigin } from '../origin.ts'
import type { RunParts } from '../ports.ts'
import { rehearsalOrder } from '../rehearsal.ts'
import { Run } from '../run.ts'
import type { RunAgent } from '../run-agent.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import { titleOf } from '../sessions/title.ts'
import type { RunRow } from '../sessions/transcript-store.ts'
import type { ActiveRuns } from './active-runs.ts'
import type { Queue } from './queue.ts'
import type { Rehearsing } from './rehearsing.ts'

/** Maximum queued messages in one session. */
const longestQueue = 50

/** A person's message. */
export type NewMessage = {
  /** Undefined: a new session is created. */
  sessionId?: string
  text: string
  by: string
  /** An id of the request, chosen by the sender. A repeated request with the same id gets the reply of the first one. */
  requestId?: string
  /** The model `provider/model` for this answer; in a new session, the model of the session. Undefined: the session’s model. */
  model?: string
  /** Ids of files that `by` uploaded. */
  attachments?: readonly string[]
  /** The agent of a new session. Undefined: the agent that the text names, otherwise the agent of a binding, otherwise `main`. */
  agent?: string
  /** The channel through which the person wrote. */
  via?: string
  /** Called in the transaction that stores the message; not called for a repeated request. */
  remember?(sent: Sent): void
}

export type Sent = { sessionId: string; runId: string; messageId: string; queued: boolean }

type Parts = Pick<
  RunParts,
  'store' | 'models' | 'agents' | 'clock' | 'redact' | 'skills' | 'toolFacts' | 'attachments'
> & { live: LiveSessions }
type Made = { agent: RunAgent; active: ActiveRuns; queue: Queue; rehearsing: Rehearsing }
/** A message as it is stored. `safe`: its text without secrets. */
type Message = NewMessage & {
  id: string
  safe: string
  agent: string
  skill: string | undefined
  isRehearsal?: boolean
}

/** Stores messages of people and starts their runs. */
export class Sending {
  readonly #parts: Parts
  readonly #made: Made

  constructor(parts: Parts, made: Made) {
    this.#parts = parts
    this.#made = made
  }

  /** Stores a message and starts its run, or queues it if a run of the session is in progress. @throws JarvisError; then nothing is stored */
  send(message: NewMessage): Sent {
    const { store, models, live, redact } = this.#parts
    const { active, queue, rehearsing } = this.#made
    const { sessionId, by, requestId, model } = message
    active.requireOpen()
    if (Buffer.byteLength(message.text) > maxMessageBytes)
      throw new JarvisError(
        'message_too_large',
        `A message may hold ${maxMessageBytes / 1024} kB. Send less, or in parts.`,
      )
    if (requestId !== undefined) {
      const earlier = store.replyTo('send', by, requestId)
      if (earlier !== undefined) return earlier as Sent
    }
    if (model !== undefined) models.choice.require(model)
    const { text, agent } = this.#meantFor(message)
    this.#requireModel(agent, model)
    const safe = redact.text(text)
    const skill = this.#skillIn(agent, safe)
    const id = sessionId ?? newId('ses')
    // A change of rehearsal takes effect at once, even if the message itself is queued.
    const isRehearsal = rehearsalOrder(safe)?.isRehearsal
    if (sessionId !== undefined && isRehearsal !== undefined) rehearsing.set(sessionId, isRehearsal, by)
    try {
      const { sent, run } = store.atomically(() => this.#accept({ ...message, id, safe, agent, skill, isRehearsal }))
      // Begin the run later, after the sender has its reply and has joined the session’s room.
      if (sent.queued) queueMicrotask(() => queue.tell(run.session, sent.runId))
      else active.begin(run)
      return sent
    } catch (error) {
      // Drop the session from memory, because it may hold changes that were not stored.
      live.drop(id)
      throw error
    }
  }

  /** Stores the message and its run, in the caller’s transaction. */
  #accept(message: Message): { sent: Sent; run: Run } {
    const { store, clock, live } = this.#parts
    const { agent: runAgent, active, queue } = this.#made
    const { id, by, requestId } = message
    const at = clock.now()
    if (message.sessionId === undefined) this.#createSession(message, at)
    const effort = effortOrder(message.safe)?.effort
    if (effort !== undefined) store.setEffort(id, effort ?? undefined)
    const { archivedAt, model: chosen = message.model } = live.stored(id)
    if (archivedAt !== undefined) store.archiveSession(id, undefined)
    const session = live.open(id)
    const queued = active.chatRun(session) !== undefined
    if (queued && queue.list(id).length >= longestQueue)
      throw new JarvisError(
        'too_many_requests',
        `${longestQueue} messages wait already. Send it when some are answered.`,
      )
    const origin = this.#originOf(message, chosen)
    const row: RunRow = { id: newId('run'), sessionId: id, origin, status: queued ? 'queued' : 'running', at }
    const run = new Run(session, { ...row, position: store.addRun(row) }, { origin: active.liveOrigin(row) })
    if (!queued) run.opens(runAgent.begin(run))
    const sent = { sessionId: id, runId: row.id, messageId: origin.messageId, queued }
    if (requestId !== undefined) store.rememberReply({ kind: 'send', by, requestId }, sent, at)
    message.remember?.(sent)
    return { sent, run }
  }

  #createSession({ id, safe, agent, by, isRehearsal, model }: Message, at: number): void {
    const { store } = this.#parts
    store.createSession({ id, title: titleOf(safe), source: 'chat', at, agent, ...personFor(by) })
    if (isRehearsal === true) this.#made.rehearsing.keep(id, true, by)
    if (model !== undefined) store.setModel(id, model)
  }

  /** Returns the origin as it is stored, and moves the attached files to the session. @param chosen the session’s model */
  #originOf(message: Message, chosen: string | undefined): Extract<StoredOrigin, { kind: 'chat' }> {
    const { models, agents, attachments: files } = this.#parts
    const { id, safe, agent, by, skill, model, via } = message
    const attachments = files.attach(id, by, message.attachments ?? [])
    const answering = agents.find(agent)?.model ?? model ?? chosen ?? ''
    requireSight(models.choice.named(answering) ?? models.choice.current(), attachments)
    const asked = chosen === undefined ? {} : { model: model ?? chosen }
    return {
      kind: 'chat',
      messageId: newId('msg'),
      text: safe,
      by,
      ...asked,
      skill,
      ...(attachments.length > 0 && { attachments }),
      via,
    }
  }

  /** Checks the model that a message names. @throws JarvisError `conflict` if the agent has a model of its own and the message names another one */
  #requireModel(agent: string, model: string | undefined): void {
    const own = this.#parts.agents.find(agent)?.model
    if (model !== undefined && own !== undefined && model !== own)
      throw new JarvisError('conflict', `${agent} answers with ${own} alone; agents.yaml says so.`)
  }

  /**
   * Returns the name of the skill with which a message begins; undefined if there is none. @throws JarvisError `invalid_request` if the skill cannot
   * be used
   */
  #skillIn(agent: string, text: string): string | undefined {
    const { skills, toolFacts } = this.#parts
    const [, name] = /^\/([a-z0-9][a-z0-9-]*)(?:\s|$)/.exec(text.trim()) ?? []
    if (name === undefined || toolFacts.has(name)) return undefined
    const standing = skills.standing(agent, name)
    if (standing?.problem !== undefined) throw new JarvisError('invalid_request', standing.problem)
    return standing && name
  }

  /**
   * Returns the agent to which a message is addressed. In a new session: the agent that the message names, otherwise the agent of a binding.
   * @throws JarvisError `unknown_agent`; `conflict` if the session belongs to another agent
   */
  #meantFor({ sessionId, text, by, agent }: NewMessage): { text: string; agent: string } {
    const { agents, live } = this.#parts
    const named = addressed(text)
    if (sessionId === undefined) {
      const wanted = agent ?? named?.agent ?? agentOrder(text)?.agent
      const { id } = agents.require(wanted ?? chosenFor(agents.list(), { door: 'dashboard', person: by })[0].agent)
      return { text: named !== undefined && agent === undefined ? named.text : text, agent: id }
    }
    const { agent: own } = live.stored(sessionId)
    const other = agent ?? (named !== undefined && agents.find(named.agent) ? named.agent : undefined)
    if (other !== undefined && other !== own)
      throw new JarvisError('conflict', `This conversation is with ${own}. Begin a new one to talk to ${other}.`)
    agents.require(own)
    return { text, agent: own }
  }
}
