/**
 * Each door to words of conversations, beside the thing that it names and the check that guards it, written down by hand: doors to one thing stand in
 * one row, so that they agree. A route or a request of a socket that `doors.ts` marks with `words` and that stands in no row fails the test.
 */

/**
 * Who comes to a conversation of the first of them. `writer`, `reader`: members with whom it is shared. `other`: a member with whom it is not.
 * `guest`: a viewer with whom it is shared to read.
 */
export const comers = ['owner', 'writer', 'reader', 'other', 'viewer', 'guest', 'operator'] as const
export type Comer = (typeof comers)[number]

/** `words`: what was said in the conversation. `facts`: an answer without it. `no`: refused, or hears nothing. */
export type Answer = 'words' | 'facts' | 'no'

export type Row = {
  thing: string
  /** By which check. */
  guard: string
  answers: Readonly<Record<Comer, Answer>>
  /** `GET /…`: of REST. `chat:…`: a request. `tool …`, `resource …`: of MCP. `socket …`: what a namespace sends by itself. */
  doors: string
}

const answers = (
  owner: Answer,
  writer: Answer,
  reader: Answer,
  other: Answer,
  viewer: Answer,
  guest: Answer,
  operator: Answer,
) => ({ owner, writer, reader, other, viewer, guest, operator })

const ofConversation = answers('words', 'words', 'words', 'no', 'no', 'words', 'words')
/** Members have no business with what the whole cluster underwent; a viewer gets it without words. */
const ofWhole = answers('no', 'no', 'no', 'no', 'facts', 'words', 'words')

export const reads: readonly Row[] = [
  // These show the newest alone, and each question below adds to them.
  {
    thing: 'line of activity',
    guard: 'whole sight, shownTo.reads',
    answers: ofWhole,
    doors: `
GET /events
socket /events
`,
  },
  {
    thing: 'entry of the journal',
    guard: 'whole sight, shownTo.journal',
    answers: ofWhole,
    doors: `
GET /journal
resource jarvis://journal/recent
`,
  },
  { thing: 'deed of an agent', guard: 'whole sight, shownTo.deed', answers: ofWhole, doors: '\nGET /agents/:id\n' },
  {
    thing: 'conversation',
    guard: 'session: look',
    answers: ofConversation,
    doors: `
GET /sessions/:id
GET /sessions/:id/entries
GET /sessions/:id/snapshot
GET /sessions/:id/export
GET /sessions/:id/events
GET /sessions/:id/checkpoints
GET /sessions/:id/checkpoints/:seq
chat:attach
`,
  },
  {
    thing: 'conversation, nothing of it in words',
    guard: 'session: look',
    answers: answers('facts', 'facts', 'facts', 'no', 'no', 'facts', 'facts'),
    doors: `
GET /sessions/:id/versions
GET /sessions/:id/children
GET /sessions/:id/context
GET /sessions/:id/commands
GET /sessions/:id/files
GET /sessions/:id/files/*path
GET /sessions/:id/images/:imageId
GET /sessions/:id/attachments/:attachmentId
`,
  },
  {
    thing: 'what is remembered of a conversation',
    guard: 'whole sight, session: look',
    answers: answers('no', 'no', 'no', 'no', 'no', 'words', 'words'),
    doors: '\nGET /memory/sessions/:id\n',
  },
  {
    thing: 'list of conversations, cards and questions',
    guard: 'reach.reads, each item',
    answers: answers('words', 'words', 'words', 'facts', 'facts', 'words', 'words'),
    doors: `
GET /sessions
GET /confirmations
GET /questions
`,
  },
  {
    thing: 'difference on a card',
    guard: 'whole sight, reach.reads',
    answers: answers('no', 'no', 'no', 'no', 'no', 'facts', 'facts'),
    doors: '\nGET /workbench/diff/:toolUseId\n',
  },
  {
    thing: 'change',
    guard: 'whole sight, shownTo.change',
    answers: ofWhole,
    doors: `
GET /changes
GET /changes/:id
GET /alerts/:id
tool list_changes
`,
  },
  {
    thing: 'plan',
    guard: 'whole sight, shownTo.plan',
    answers: ofWhole,
    doors: `
GET /plans
GET /plans/:id
`,
  },
  {
    thing: 'job and its runs',
    guard: 'whole sight, shownTo.job, .slot, .trace',
    answers: ofWhole,
    doors: `
GET /jobs
GET /jobs/:id
GET /jobs/:id/slots
GET /jobs/:id/slots/:slot
GET /heartbeat
tool list_jobs
`,
  },
  {
    thing: 'file of memory',
    guard: 'requireHouse',
    answers: answers('no', 'no', 'no', 'no', 'no', 'no', 'words'),
    doors: `
GET /memory/files/*path
GET /agents/:id/files/*path
GET /memory/search
tool memory_get
tool memory_search
`,
  },
  {
    thing: 'list of the files of memory',
    guard: 'requireHouse',
    answers: answers('no', 'no', 'no', 'no', 'no', 'no', 'facts'),
    doors: '\nGET /memory/files\n',
  },
]

/** Acts in a conversation. `words`: it comes as far as what it names or brings is looked at; here that is nothing. */
export const acts: readonly Omit<Row, 'answers'>[] = [
  {
    thing: 'conversation',
    guard: 'session: talk',
    doors: `
POST /sessions/:id/messages
POST /sessions/:id/abort
POST /sessions/:id/queue/:messageId/send
DELETE /sessions/:id/queue/:messageId
PUT /sessions/:id/entries/:seq/rating
POST /sessions/:id/commands/:commandId/stop
chat:send
chat:confirm
chat:answer
chat:abort
chat:unqueue
chat:send_held
`,
  },
  {
    thing: 'conversation',
    guard: 'session: own',
    doors: `
POST /sessions/:id/branch
POST /sessions/:id/fold
PUT /sessions/:id/shares/:person
PATCH /sessions/:id
DELETE /sessions/:id
`,
  },
]

/**
 * Who comes to what a member's program asked for. `own`: the token that asked. `sibling`: another token of the member's. `foreign`: another
 * member's. `deciding`: an operator's. `later`: a new token of the same name, after `own` was revoked. Only `own` comes in.
 */
export const bearers = ['own', 'sibling', 'foreign', 'deciding', 'later'] as const
export type Bearer = (typeof bearers)[number]

/** Doors that take an id of something that a program asked for. Each answers any other token as if there were no such thing. */
export const ofPrograms: readonly Omit<Row, 'answers'>[] = [
  {
    thing: 'response of /v1',
    guard: 'token, in the id',
    doors: `
GET /v1/responses/:id
GET /v1/responses/:id?stream=true
POST /v1/responses/:id/cancel
POST /v1/responses previous_response_id
POST /v1/responses item_reference
`,
  },
  {
    thing: 'conversation of /v1',
    guard: 'token, in the id',
    doors: `
POST /v1/responses Jarvis-Session
POST /v1/chat/completions Jarvis-Session
`,
  },
  {
    thing: 'conversation of the dashboard, by its id over /v1',
    guard: 'token, in the id',
    doors: `
POST /v1/responses Jarvis-Session of the dashboard
POST /v1/chat/completions Jarvis-Session of the dashboard
`,
  },
  {
    thing: 'task of MCP',
    guard: 'tasks.find',
    doors: `
2026-07-28 tasks/get
2026-07-28 tasks/update
2026-07-28 tasks/cancel
2025-11-25 tasks/get
2025-11-25 tasks/result
2025-11-25 tasks/list
2025-11-25 tasks/cancel
tool get_confirmation
`,
  },
]

/** The rights of a paired person in a private chat of a channel. `words`: answered, whatever the role was when they paired. */
export const talk: Row = {
  thing: 'talk on a channel',
  guard: 'conversation.listenedTo',
  answers: answers('no', 'no', 'no', 'no', 'no', 'no', 'words'),
  doors: `
/waiting
/sessions
/status
/stop
/help
a message
`,
}
