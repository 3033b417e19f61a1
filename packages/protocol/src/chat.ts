import { z } from 'zod'
import { AgentId } from './agent.ts'
import { Alternative } from './alternative.ts'
import { Attachment, AttachmentIds } from './attachment.ts'
import { GrantRequest } from './grant.ts'
import { MessageId, RequestId, RunId, SessionId, ToolUseId } from './ids.ts'
import { Effort } from './models.ts'
import { DecisionProof } from './passkey.ts'
import { TodoItem } from './plan.ts'
import { AnswerBody, Question, QuestionId } from './question.ts'
import { Card } from './tier.ts'
import { Entry, type EntryOf } from './transcript.ts'
import { GoesBackAfterMin } from './undo.ts'

/** Maximum length of a message, in UTF-8 bytes. */
export const maxMessageBytes = 64 * 1024

/** A message to a session over REST. */
const message = z.string().regex(/\S/, 'is empty')
export const MessageBody = z.strictObject({
  message,
  /** A repeated request with the same id gets the first reply and starts nothing. */
  requestId: RequestId.optional(),
  /** One of `models` in `/api/status`, for this answer. */
  model: z.string().max(200).optional(),
  /** Files from `POST /api/attachments`. */
  attachments: AttachmentIds.optional(),
  /** The run's calls may only read. Only programs may set this. */
  isReadOnly: z.literal(true).optional(),
})
/** `after`: the newest `seq` that the client has; absent: none. The header `Last-Event-ID` takes precedence. */
export const SessionEventsQuery = z.strictObject({ after: z.coerce.number().int().min(-1).optional() })
/** `since`: the newest `seq` that the client has. */
export const SnapshotQuery = z.strictObject({ since: z.coerce.number().int().optional() })

const noteText = z.string().max(2_000)

/** Requests on `/chat`. Unknown fields are refused. */
export const chatRequests = {
  'chat:send': z.strictObject({
    sessionId: SessionId.optional(),
    message,
    requestId: RequestId.optional(),
    /** One of `models` in `/api/status`. It answers this message, or every message of a new session. */
    model: z.string().max(200).optional(),
    /** Files from `POST /api/attachments`. */
    attachments: AttachmentIds.optional(),
    /** The agent that a new session belongs to. */
    agent: AgentId.optional(),
  }),
  'chat:confirm': z.strictObject({
    sessionId: SessionId,
    toolUseId: ToolUseId,
    confirmed: z.boolean(),
    note: noteText.optional(),
    alternative: Alternative.optional(),
    grant: GrantRequest.optional(),
    goesBackAfterMin: GoesBackAfterMin.optional(),
    proof: DecisionProof.optional(),
    requestId: RequestId.optional(),
  }),
  /** Answers a question. Only the first answer counts. It decides no card and allows no call. */
  'chat:answer': AnswerBody.extend({
    sessionId: SessionId,
    questionId: QuestionId,
    requestId: RequestId.optional(),
  }),
  /** Stops runs. `runId`: only this run, for example the run of an agent that works for another agent; absent: all runs of the session. */
  'chat:abort': z.strictObject({ sessionId: SessionId, runId: RunId.optional() }),
  /** `since`: the newest seq that the client has. The snapshot then holds only later entries, where possible. */
  'chat:attach': z.strictObject({ sessionId: SessionId, since: z.int().optional() }),
  /** Tests the connection; does nothing. */
  'chat:ping': z.strictObject({}),
  /** Removes a queued message before it is answered. */
  'chat:unqueue': z.strictObject({ sessionId: SessionId, messageId: MessageId }),
  /** Sends a message that a stop held back: it begins now, or waits for its turn. Only its writer may send it. */
  'chat:send_held': z.strictObject({ sessionId: SessionId, messageId: MessageId }),
} as const
export type ChatRequests = { [K in keyof typeof chatRequests]: z.infer<(typeof chatRequests)[K]> }

/**
 * The entry before or after which a session was branched off. `title`: the other session's title; absent if that session was deleted. `isVersion`:
 * the session holds another version of the message there, and lists show one row for all versions.
 */
export const BranchedFrom = z.object({
  sessionId: SessionId,
  entry: z.int(),
  title: z.string().optional(),
  isVersion: z.literal(true).optional(),
})
export type BranchedFrom = z.infer<typeof BranchedFrom>

export const QueuedMessage = z.object({
  messageId: MessageId,
  text: z.string(),
  by: z.string(),
  at: z.int(),
  attachments: z.array(Attachment).optional(),
  /** The person who stopped the session while the message waited. The message begins only when its writer sends it with `chat:send_held`. */
  heldBy: z.string().optional(),
})
export type QueuedMessage = z.infer<typeof QueuedMessage>

/** The state that a new screen needs. Events with a greater `seq` continue from it. */
export const Snapshot = z.object({
  sessionId: SessionId,
  title: z.string(),
  isRehearsal: z.boolean(),
  /** The model chosen for the session; absent: the one in use. */
  model: z.string().optional(),
  /** The effort chosen for the session; absent: as in the settings. */
  effort: Effort.optional(),
  /** The agent that the session belongs to; absent: `main`. */
  agent: z.string().optional(),
  branchedFrom: BranchedFrom.optional(),
  seq: z.int(),
  runId: RunId.optional(),
  /** The newest entries, beginning with the start of a run. `hasEarlier`: older ones can be read over REST. */
  entries: z.array(Entry),
  hasEarlier: z.boolean(),
  /** The request's `since`, if `entries` holds only the entries after it. */
  since: z.int().optional(),
  /** The text of the turn that streams now. */
  partial: z.object({ text: z.string(), thinking: z.string() }),
  pending: z.array(Card),
  /** Questions that wait for a person; absent in a snapshot of an older release. */
  questions: z.array(Question).optional(),
  queued: z.array(QueuedMessage),
  /** The model's own to-do list, as the model set it last. */
  todo: z.array(TodoItem).optional(),
  /** The newest progress line of each running call, keyed by toolUseId. */
  progress: z.record(z.string(), z.string()),
  notice: z.object({ message: z.string(), retryAt: z.int().optional() }).optional(),
})
export type Snapshot = z.infer<typeof Snapshot>

/** A message was accepted. `queued`: it waits until the current run ends. */
export const SentReply = z.object({ sessionId: SessionId, runId: RunId, queued: z.boolean(), messageId: MessageId })
export type SentReply = z.infer<typeof SentReply>

/** Fields of an acknowledgement besides `ok: true`. */
export type ChatReplies = {
  'chat:send': SentReply
  'chat:confirm': Record<never, never>
  'chat:answer': Record<never, never>
  'chat:abort': Record<never, never>
  'chat:attach': { snapshot: Snapshot }
  'chat:ping': Record<never, never>
  'chat:unqueue': Record<never, never>
  'chat:send_held': Record<never, never>
}

/** Fields of every event of `/chat`. `seq` grows by one within a session. */
export type EventBase = { sessionId: SessionId; runId: RunId; seq: number }

type EntryEvents = { [T in Entry['type'] as `chat:${T}`]: { sessionId: SessionId } & Omit<EntryOf<T>, 'type'> }

/** Events of `/chat`, sent to every socket attached to the session. */
export type ChatEvents = EntryEvents & {
  'chat:token': EventBase & { text: string }
  'chat:thinking': EventBase & { text: string }
  /** The text that streamed in this turn so far was thinking and is no part of the answer. */
  'chat:taken_back': EventBase
  'chat:tool_progress': EventBase & { toolUseId: ToolUseId; message: string }
  'chat:notice': EventBase & { message: string; retryInMs?: number }
  /** The whole queue after a change. */
  'chat:queued': EventBase & { queued: QueuedMessage[] }
  'chat:title': EventBase & { title: string }
  'chat:rehearsal': EventBase & { isRehearsal: boolean; by: string }
}

/**
 * Events of `GET /api/sessions/:id/events`. First come the entries that the client missed, then `chat:partial` with the text of the turn that
 * streams now.
 */
export type StreamEvents = ChatEvents & {
  'chat:partial': Omit<EventBase, 'runId'> & { runId?: RunId; text: string; thinking: string }
}
