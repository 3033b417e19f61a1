import { JarvisError, maxMessageBytes, personFor } from 'protocol'
import { chosenFor } from '../../agents/bindings.ts'
import { newId } from '../../lib/ids.ts'
import { type ActiveRun, activeRun } from '../active-run.ts'
import { addressed, agentOrder } from '../agent-order.ts'
import { requireSight } from '../attachments.ts'
import { effortOrder } from '../effort.ts'
import type { Origin } from '../origin.ts'
import { rehearsalOrder } from '../rehearsal.ts'
import type { RunAgent } from '../run-agent.ts'
import type { Runs, RunsParts, Sent } from '../runs.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import { titleOf } from '../sessions/title.ts'
import type { RunRow } from '../sessions/transcript-store.ts'
import type { createQueue } from './queue.ts'
import type { createRehearsing } from './rehearsing.ts'

const longestQueue = 50

/** @returns a function that stores a message and starts its run, or queues it */
export function createSend(
  parts: Pick<RunsParts, 'store' | 'models' | 'agents' | 'clock' | 'redact' | 'skills' | 'hasTool' | 'attachments'>,
  door: {
    agent: RunAgent
    live: LiveSessions
    queue: ReturnType<typeof createQueue>
    rehearsing: ReturnType<typeof createRehearsing>
    chatRun(session: LiveSession): ActiveRun | undefined
    liveOrigin(row: RunRow): Origin
    start(session: LiveSession, run: ActiveRun, work: () => Promise<void>): void
    isStopping(): boolean
  },
): Runs['start'] {
  const { store, models, agents, clock, redact } = parts
  const { agent: runAgent, live, queue, chatRun, liveOrigin, start } = door
  const { keepRehearsal, setRehearsal } = door.rehearsing

  /** @throws JarvisError `conflict` where the agent has a model of its own, and this is another */
  function requireModel(agent: string, model: string | undefined) {
    const own = agents.find(agent)?.model
    if (model !== undefined && own !== undefined && model !== own)
      throw new JarvisError('conflict', `${agent} answers with ${own} alone; agents.yaml says so.`)
  }

  /** The skill that a message begins with. @throws JarvisError `invalid_request` where it cannot be used */
  function skillIn(agent: string, text: string): string | undefined {
    const [, name] = /^\/([a-z0-9][a-z0-9-]*)(?:\s|$)/.exec(text.trim()) ?? []
    if (name === undefined || parts.hasTool(name)) return undefined
    const standing = parts.skills.standing(agent, name)
    if (standing?.problem !== undefined) throw new JarvisError('invalid_request', standing.problem)
    return standing && name
  }

  /**
   * Whom a message is for: in a new session the agent that it names, or the one of a binding.
   * @throws JarvisError `unknown_agent`; `conflict` where the session is another agent's
   */
  function meantFor({ sessionId, text, by, agent }: Parameters<Runs['start']>[0]) {
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

  return (message) => {
    const { sessionId, by, requestId, model } = message
    if (door.isStopping()) throw new JarvisError('shutting_down', 'JARVIS is shutting down. Send it again in a moment.')
    if (Buffer.byteLength(message.text) > maxMessageBytes) {
      throw new JarvisError(
        'message_too_large',
        `A message may hold ${maxMessageBytes / 1024} kB. Send less, or in parts.`,
      )
    }
    if (requestId !== undefined) {
      const earlier = store.replyTo('send', by, requestId)
      if (earlier !== undefined) return earlier as Sent
    }
    if (model !== undefined) models.require(model)
    const { text, agent } = meantFor(message)
    requireModel(agent, model)
    const at = clock.now()
    const safe = redact.text(text)
    const skill = skillIn(agent, safe)
    const id = sessionId ?? newId('ses')
    // Takes effect at once, even when the line itself is queued.
    const isRehearsal = rehearsalOrder(safe)?.isRehearsal
    if (sessionId !== undefined && isRehearsal !== undefined) setRehearsal(sessionId, isRehearsal, by)
    const accept = () => {
      if (sessionId === undefined) {
        store.createSession({ id, title: titleOf(safe), source: 'chat', at, agent, ...personFor(by) })
        if (isRehearsal === true) keepRehearsal(id, true, by)
        if (model !== undefined) store.setModel(id, model)
      }
      const effort = effortOrder(safe)?.effort
      if (effort !== undefined) store.setEffort(id, effort ?? undefined)
      const { archivedAt, model: chosen = model } = live.stored(id)
      if (archivedAt !== undefined) store.archiveSession(id, undefined)
      const session = live.open(id)
      const queued = chatRun(session) !== undefined
      if (queued && queue.listOf(id).length >= longestQueue) {
        throw new JarvisError(
          'too_many_requests',
          `${longestQueue} messages wait already. Send it when some are answered.`,
        )
      }
      const attachments = parts.attachments.attach(id, by, message.attachments ?? [])
      requireSight(models.named(agents.find(agent)?.model ?? model ?? chosen ?? '') ?? models.current(), attachments)
      const messageId = newId('msg')
      const asked = chosen === undefined ? {} : { model: model ?? chosen }
      const row: RunRow = {
        id: newId('run'),
        sessionId: id,
        origin: {
          kind: 'chat',
          messageId,
          text: safe,
          by,
          ...asked,
          ...(skill !== undefined && { skill }),
          ...(attachments.length > 0 && { attachments }),
          ...(message.via !== undefined && { via: message.via }),
        },
        status: queued ? 'queued' : 'running',
        at,
      }
      const run = activeRun({ ...row, position: store.addRun(row) }, liveOrigin(row), session.agent)
      if (!queued) run.show = runAgent.begin(session, run)
      const sent = { sessionId: id, runId: row.id, messageId, queued }
      if (requestId !== undefined) store.rememberReply('send', by, requestId, sent, at)
      message.remember?.(sent)
      return { session, sent, run }
    }
    try {
      const { session, sent, run } = store.atomically(accept)
      // Not before the sender has its answer, and has joined the session's room.
      if (sent.queued) queueMicrotask(() => queue.tell(session, sent.runId))
      else start(session, run, () => runAgent.go(session, run))
      return sent
    } catch (error) {
      // Its memory may hold changes that were not stored.
      live.drop(id)
      throw error
    }
  }
}
