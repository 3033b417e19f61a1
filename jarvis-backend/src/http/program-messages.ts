import { JarvisError, type SentReply } from 'protocol'
import type { Runs } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { ApiToken } from '../auth/api-tokens.ts'

/** The sessions of programs. Over `/api`, as over `/v1`, a program talks in its own sessions only. */
export type ProgramSessions = {
  /** True if the session belongs to the token. */
  isOf(token: ApiToken, sessionId: string): boolean
  /** An id for a new session of the token. */
  newId(token: ApiToken): string
  /**
   * Returns the agent that answers the token: the one that the program names, or the one of the bindings of the door `v1`.
   * @throws JarvisError `unknown_agent`; `forbidden` for an agent that is closed to the token
   */
  agentOf(token: ApiToken, named: string | undefined): string
  /** Checks the model that a program chose for its message. @throws JarvisError `invalid_request` if the program may not choose it */
  requireModel(agent: string, model: string): void
}

type Message = {
  message: string
  agent?: string | undefined
  requestId?: string | undefined
  model?: string | undefined
  attachments?: readonly string[] | undefined
  isReadOnly?: true | undefined
}

/** The name under which a token's requests and uploads are kept. A later token of the same name is another sender. */
export const senderOf = ({ name, createdAt }: Pick<ApiToken, 'name' | 'createdAt'>): string =>
  `token ${name} ${createdAt}`

export interface ProgramMessages {
  /** Sends a message. @param sessionId absent: in a new session. @throws JarvisError */
  send(token: ApiToken, message: Message, sessionId?: string): SentReply
  /** Stops the present run in a session of the token. @throws JarvisError */
  abort(token: ApiToken, sessionId: string): void
}

/**
 * Starts and stops runs for programs. A program's message does not count as a person's: its runs have the rights of a program, and its cards end
 * with its token.
 */
export function createProgramMessages(parts: {
  runs: Pick<Runs, 'startProgram' | 'abort'>
  store: Pick<TranscriptStore, 'unfinishedRuns' | 'replyTo' | 'rememberReply' | 'session'>
  sessions: ProgramSessions
  now(): number
}): ProgramMessages {
  const { runs, store, sessions } = parts

  /** Requires that the session belongs to the token. @throws JarvisError `unknown_session`, `forbidden` */
  function requireOwn(token: ApiToken, sessionId: string) {
    if (sessions.isOf(token, sessionId) && store.session(sessionId) !== undefined) return
    if (store.session(sessionId) === undefined)
      throw new JarvisError('unknown_session', 'There is no such session. It may have been deleted.')
    throw new JarvisError(
      'forbidden',
      `The token ${token.name} talks in sessions of its own alone. Begin one: POST /api/sessions with a message.`,
    )
  }

  return {
    send(
      token: ApiToken,
      { message, agent: named, requestId, model, attachments, isReadOnly }: Message,
      sessionId?: string,
    ): SentReply {
      if (sessionId !== undefined) requireOwn(token, sessionId)
      const by = senderOf(token)
      const earlier = requestId === undefined ? undefined : store.replyTo('send', by, requestId)
      if (earlier !== undefined) return earlier as SentReply
      const id = sessionId ?? sessions.newId(token)
      const agent = store.session(id)?.agent ?? sessions.agentOf(token, named)
      if (model !== undefined) sessions.requireModel(agent, model)
      let sent: SentReply | undefined
      runs.startProgram({
        origin: {
          text: message,
          by: token.name,
          token: token.name,
          person: token.person,
          ...(isReadOnly && { isReadOnly }),
          ...(model !== undefined && { model }),
        },
        sessionId: id,
        agent,
        ...(attachments && { files: { uploads: { uploader: by, ids: attachments } } }),
        link({ runId, isQueued }) {
          const run = store.unfinishedRuns(id).find((one) => one.id === runId)
          const messageId = run !== undefined && 'messageId' in run.origin ? run.origin.messageId : ''
          sent = { sessionId: id, runId, messageId, queued: isQueued }
          if (requestId !== undefined) store.rememberReply({ kind: 'send', by, requestId }, sent, parts.now())
        },
      })
      if (sent === undefined) throw new JarvisError('internal', 'The message was not stored.')
      return sent
    },
    abort(token: ApiToken, sessionId: string): void {
      requireOwn(token, sessionId)
      runs.abort(sessionId, token.name)
    },
  }
}
