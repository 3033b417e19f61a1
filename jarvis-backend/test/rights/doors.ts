import type { Standing } from '../support/persons.ts'

/**
 * Who may come through each door, written down by hand from docs/roles.md and not from what the code says of itself. A door that stands in no
 * row fails the test.
 */
export type Row = {
  persons: readonly Standing[]
  /**
   * Least scope of a program's token, which counts as long as its person is of `persons`, or for `ask` is a member or more. Absent: closed to
   * programs.
   */
  token?: 'read' | 'ask'
  doors: string
}

const all = ['viewer', 'member', 'operator', 'owner'] as const
const whole = ['viewer', 'operator', 'owner'] as const
const asking = ['member', 'operator', 'owner'] as const
const deciding = ['operator', 'owner'] as const

/** Doors open to somebody who is not signed in; no other door is. */
export const open = `
POST /auth/login
POST /auth/passkey/options
POST /auth/passkey
GET /auth/ways
POST /auth/link
POST /auth/join
POST /auth/reset
POST /auth/oidc
GET /auth/oidc/callback
GET /mcp-servers/sign-in/start
GET /mcp-servers/sign-in/callback
GET /mcp-servers/sign-in/client
POST /auth/oidc/finish
POST /push/decide
POST /channel-taps/:channel
`
/** Takes a key of its own, which no person's token is. */
export const keyed = `
POST /hooks/pve
`

export const rest: readonly Row[] = [
  {
    // Doors to a person's own things, and to things that show nothing of the cluster, or only the part that the person sees.
    persons: all,
    token: 'read',
    doors: `
GET /status
GET /cluster
GET /openapi.json
GET /sessions
GET /sessions/:id
GET /sessions/:id/versions
GET /sessions/:id/children
GET /sessions/:id/entries
GET /sessions/:id/images/:imageId
GET /sessions/:id/export
GET /sessions/:id/attachments/:attachmentId
GET /sessions/:id/context
GET /sessions/:id/commands
GET /sessions/:id/checkpoints
GET /sessions/:id/checkpoints/:seq
GET /sessions/:id/snapshot
GET /sessions/:id/events
GET /confirmations
GET /roles
GET /questions
GET /grants
GET /tools
GET /tools/:name
GET /agents
`,
  },
  {
    persons: all,
    doors: `
DELETE /sessions/:id/shares/:person
POST /auth/step-up
POST /auth/password
POST /auth/logout
GET /auth/me
PUT /auth/display
GET /auth/sign-ins
DELETE /auth/sign-ins/:id
POST /auth/sign-out-others
GET /passkeys
POST /passkeys
POST /passkeys/options
POST /passkeys/countersign
PATCH /passkeys/:id
DELETE /passkeys/:id
POST /second-factor
POST /second-factor/confirm
POST /second-factor/recovery-codes
DELETE /second-factor
GET /auth/accounts
POST /auth/accounts
POST /auth/accounts/finish
DELETE /auth/accounts/:id
GET /people
`,
  },
  {
    // The whole cluster, and what is done in it.
    persons: whole,
    token: 'read',
    doors: `
GET /guests/:vmid
GET /guests/:vmid/snapshots/:name
GET /changes
GET /changes/:id
GET /tools/calls
POST /tools/:name/classify
GET /samples
GET /limits
GET /node-roles
GET /proofs
GET /agents/which
GET /agents/:id
POST /agents/:id/classify
GET /jobs
POST /jobs/preview
GET /jobs/:id
GET /jobs/:id/slots
GET /jobs/:id/slots/:slot
GET /budgets
GET /heartbeat
GET /memory/status
GET /runbooks
GET /runbooks/:name
GET /plans
GET /plans/:id
GET /skills
GET /skills/:name
GET /alerts
GET /alerts/history
GET /alerts/:id
GET /checks
GET /workbench
GET /workbench/diff/:toolUseId
GET /windows
GET /journal
GET /journal/verify
GET /events
`,
  },
  {
    persons: whole,
    doors: `
GET /memory/sessions/:id
GET /settings
`,
  },
  {
    // The memory comes from everybody's chats.
    persons: deciding,
    token: 'read',
    doors: `
GET /memory/search
`,
  },
  {
    // Keys by which one signs; they may no more than their person.
    persons: asking,
    doors: `
GET /signers/ssh
POST /signers/ssh
POST /signers/ssh/countersign
DELETE /signers/ssh/:id
`,
  },
  {
    // A member talks to JARVIS, within the scopes of the role.
    persons: asking,
    token: 'ask',
    doors: `
POST /sessions
POST /sessions/:id/messages
POST /sessions/:id/abort
POST /attachments
DELETE /attachments/:id
`,
  },
  {
    // A member's own tokens and devices, and their own voice.
    persons: asking,
    doors: `
POST /sessions/:id/queue/:messageId/send
DELETE /sessions/:id/queue/:messageId
POST /transcriptions
GET /push
POST /push
DELETE /push/:id
POST /push/:id/test
POST /push/:id/seen
GET /tokens
POST /tokens
DELETE /tokens/:name
`,
  },
  {
    // One's own conversations are one's own to keep in order.
    persons: asking,
    doors: `
PATCH /sessions/:id
DELETE /sessions/:id
POST /sessions/:id/branch
POST /sessions/:id/fold
POST /sessions/:id/commands/:commandId/stop
PUT /sessions/:id/entries/:seq/rating
PUT /sessions/:id/shares/:person
`,
  },
  {
    persons: deciding,
    doors: `
GET /memory/files
GET /memory/files/*path
GET /agents/:id/files/*path
PUT /memory/files/*path
DELETE /memory/files/*path
POST /changes/:id/keep
POST /changes/:id/undo
POST /confirmations/:id
POST /confirmations/:id/challenge
POST /confirmations/:id/break-glass
DELETE /confirmations/:id/denial
POST /roles/try
POST /questions/:id
DELETE /grants/:id
POST /executions/:id/check
PUT /limits
POST /agents/try
PUT /agents/:id/files/*path
DELETE /agents/:id/files/*path
POST /jobs
POST /jobs/stop
POST /jobs/start
PATCH /jobs/:id
DELETE /jobs/:id
POST /jobs/:id/run
POST /jobs/:id/approval
DELETE /jobs/:id/approval
POST /budgets/runs/:runId
POST /heartbeat/start
POST /heartbeat/stop
POST /heartbeat/run
POST /memory/reindex
DELETE /memory/sessions/:id
POST /memory/writes/:id/undo
GET /models
GET /mcp-servers
POST /runbooks/check
PUT /runbooks/:name
DELETE /runbooks/:name
POST /runbooks/:name/run
POST /plans/:id/stop
POST /plans/:id/undo
DELETE /skills/:name
POST /skills/:name/approve
POST /skills/:name/off
POST /alerts/:id/acknowledge
POST /alerts/:id/unacknowledge
POST /alerts/:id/silence
POST /alerts/:id/unsilence
PATCH /checks/:id
POST /checks/run
POST /windows
DELETE /windows/:id
GET /journal/export
GET /doctor
GET /mcp-tokens
POST /mcp-tokens
DELETE /mcp-tokens/:name
POST /oauth/requests
POST /oauth/requests/:id
GET /channels
POST /channels/:channel/check
POST /channels/:channel/test
POST /channels/:channel/pairings
GET /channel-pairings
POST /channel-pairings/:id/confirm
DELETE /channel-pairings/:id
PATCH /channel-recipients/:id
DELETE /channel-recipients/:id
GET /channel-deliveries
POST /channel-deliveries/:id/again
GET /channel-rules
`,
  },
  {
    // People, secrets, models, programs, the gate's profile and JARVIS itself.
    persons: ['owner'],
    doors: `
PATCH /people/:id
DELETE /people/:id
DELETE /people/:id/second-factor
POST /people/:id/sign-out
GET /people/:id/sign-ins
GET /people/:id/passkeys
DELETE /people/:id/passkeys/:passkey
GET /people/:id/signers/ssh
DELETE /people/:id/signers/ssh/:key
GET /people/invitations
POST /people/invitations
DELETE /people/invitations/:id
GET /people/accounts
POST /people/accounts/:id/admit
DELETE /people/accounts/:id
PUT /node-roles
PUT /agents/:id
DELETE /agents/:id
PUT /budgets
GET /models/presets
PUT /models/fallbacks
POST /models/use
POST /models/:provider/test
PUT /models/:provider
DELETE /models/:provider
POST /mcp-servers
PUT /mcp-servers/:name
DELETE /mcp-servers/:name
GET /mcp-servers/:name/logs
POST /mcp-servers/:name/connect
POST /mcp-servers/:name/allow
POST /mcp-servers/:name/sign-in
POST /mcp-servers/:name/sign-out
PUT /mcp-servers/tools/:tool/tier
PUT /settings
PUT /workbench
POST /workbench/preview
GET /logs
GET /setup
DELETE /setup
POST /setup/probe
POST /setup/test
POST /setup/save
POST /restart
PUT /channels/:channel
DELETE /channels/:channel
GET /channels/:channel/groups
POST /channels/:channel/groups
PUT /channel-rules
GET /hooks
POST /hooks
DELETE /hooks
`,
  },
]

/** Outside of `/api`. */
export const roots: readonly Row[] = [
  { persons: whole, token: 'read', doors: '\nGET /metrics\n' },
  {
    // Programs talk to a model here; a person has the dashboard.
    persons: [],
    token: 'read',
    doors: `
GET /v1/models
GET /v1/models/:id
GET /v1/responses/:id
POST /v1/responses/:id/cancel
POST /v1/chat/completions
POST /v1/responses
POST /v1/embeddings
POST /v1/audio/transcriptions
`,
  },
]

/** Requests on sockets, by namespace, and who may make them. */
export const sockets: Readonly<Record<string, Readonly<Record<string, readonly Standing[]>>>> = {
  '/': {},
  '/events': {},
  '/cluster': {},
  '/chat': {
    'chat:send': asking,
    'chat:confirm': asking,
    'chat:answer': asking,
    'chat:abort': asking,
    'chat:unqueue': asking,
    'chat:send_held': asking,
    'chat:attach': all,
    'chat:ping': all,
  },
  '/terminal': {
    'terminal:open': deciding,
    'terminal:input': deciding,
    'terminal:resize': deciding,
    'terminal:close': deciding,
  },
}

/**
 * What each command of the command line acts with. `dataDir`: the files of this machine, whose owner is whoever may read them. `program`: a token
 * that asks and never decides, of this machine or kept by `login`. `typed`: besides, a password that is typed at a terminal.
 */
export const commands: Readonly<Record<'dataDir' | 'program' | 'typed' | 'nothing', string>> = {
  dataDir:
    'jobs budgets checks workbench windows changes agents skills token mcp-token setup models doctor profile policy journal secrets backup restore user',
  program:
    'chat ask call sessions replay children context checkpoints tools watch waiting questions plan run alerts mcp runbooks',
  typed: 'channels decide answer grants login logs roles share signers',
  nothing: 'completion help',
}
