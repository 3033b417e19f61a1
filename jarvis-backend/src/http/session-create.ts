import { JarvisError, personFor, SentReply, SessionCreateBody, SessionSummary } from 'protocol'
import type { Runs } from '../agent/runs.ts'
import { untitled } from '../agent/sessions/title.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { wireEntry } from '../agent/sessions/wire-entry.ts'
import type { Agents } from '../agents/agent.ts'
import { newId } from '../lib/ids.ts'
import type { ProgramMessages } from './program-messages.ts'
import { type Route, route } from './route.ts'
import type { SessionView } from './session-view.ts'

const onlyPrograms = 'isReadOnly: only a program’s message has it. A rehearsal changes nothing either.'

/** `POST /api/sessions`: creates a session, either empty, with a person's first message, or with a program's message. */
export function createRoutes(parts: {
  runs: Runs
  store: TranscriptStore
  agents: Pick<Agents, 'require'>
  redact: Parameters<typeof wireEntry>[1]
  now(): number
  programs: ProgramMessages
  summary: SessionView['summary']
}): Route[] {
  const { runs, store, summary } = parts
  return [
    route('/sessions').post(
      'Makes a session. With `message` its first run begins.',
      {
        role: 'member',
        token: 'ask',
        status: 201,
        body: SessionCreateBody,
        reply: SessionSummary.extend(SentReply.partial().shape),
      },
      ({ body, by, identity: { token } }) => {
        const { title, agent, message, requestId, model, attachments, isReadOnly, isRehearsal } = body
        // The run begins after this request was handled, so it is a rehearsal from its start.
        const rehearse = (id: string) => isRehearsal && runs.setRehearsal(id, true, by)
        if (token !== undefined) {
          if (message === undefined || title !== undefined)
            throw new JarvisError('invalid_request', 'A program begins a session with a message, and names no title.')
          const asked = {
            message,
            agent,
            requestId,
            model,
            attachments,
            ...(isReadOnly && { isReadOnly }),
          }
          const sent = parts.programs.send(token, asked)
          rehearse(sent.sessionId)
          return { ...summary(sent.sessionId), ...sent }
        }
        if (isReadOnly === true) throw new JarvisError('invalid_request', onlyPrograms)
        if (message !== undefined) {
          const sent = runs.start({
            text: message,
            by,
            requestId,
            model,
            attachments,
            agent,
          })
          rehearse(sent.sessionId)
          if (title !== undefined) runs.rename(sent.sessionId, title)
          return { ...summary(sent.sessionId), ...sent }
        }
        const id = newId('ses')
        const safe = title === undefined ? untitled : parts.redact.text(title)
        if (agent !== undefined) parts.agents.require(agent)
        const whose = { agent, ...personFor(by) }
        store.createSession({ id, title: safe, source: 'chat', at: parts.now(), ...whose })
        return summary(id)
      },
    ),
  ]
}
