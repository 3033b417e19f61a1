import { TokenArea } from 'protocol'
import type { Standing } from '../support/persons.ts'

/**
 * Who may come through each door, written down by hand from docs/roles.md and not from what the code says of itself. A door without a line fails the
 * tests of rights, of the password and of conversations. A line has these columns:
 *
 * 1. The door: method and path, or namespace and event.
 * 2. Who may come: `public` without signing in, `key` by a key of its own, else persons, by a name in `who`. `+read` and `+ask`: the least scope of a
 *    program's token; `+memory:write`: the area that it has. A token counts as long as its person may come, or for `+ask` is a member or more.
 * 3. `password`: the door asks for the password again. `sometimes`: only if the request allows more than before.
 * 4. `words`: the door shows words of conversations, or acts in one. `resources.ts` then judges the door.
 *
 * A line with `#` says why the lines below it are as they are.
 */
export type Door = {
  door: string
  /** Empty for doors that are no person's. */
  persons: readonly Standing[]
  /** Absent: closed to programs. */
  token?: 'read' | 'ask' | TokenArea
  /** How the door is opened, if not by signing in. */
  opensBy?: 'public' | 'key'
  password: boolean | 'sometimes'
  hasWords: boolean
}

const all = ['viewer', 'member', 'operator', 'owner'] as const
const whole = ['viewer', 'operator', 'owner'] as const
const asking = ['member', 'operator', 'owner'] as const
const deciding = ['operator', 'owner'] as const
const who: Readonly<Record<string, readonly Standing[]>> = {
  // A person's own things, and things that show nothing of the cluster, or only the part that the person sees.
  all,
  // The whole cluster, and what is done in it.
  whole,
  // A member talks to JARVIS within the scopes of the role, and keeps own conversations, keys, tokens and devices in order.
  asking,
  deciding,
  // People, secrets, models, programs, the gate's profile and JARVIS itself.
  owner: ['owner'],
  nobody: [],
  public: [],
  key: [],
}
const passwords: Readonly<Record<string, Door['password']>> = { '-': false, password: true, sometimes: 'sometimes' }
const words: Readonly<Record<string, boolean>> = { '-': false, words: true }

/** @throws Error if a line lacks a column, or has a word that no column knows */
function doorsOf(table: string): Door[] {
  const lines = table.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const [first = '', second = '', comers = '', again = '', shows = '', ...more] = line.split(/ +/)
    const [name = '', token] = comers.split('+')
    const persons = who[name]
    const password = passwords[again]
    const hasWords = words[shows]
    if (persons === undefined || password === undefined || hasWords === undefined || more.length > 0)
      throw new Error(`The line of ${first} ${second} cannot be read.`)
    const area = TokenArea.safeParse(token).data
    if (token !== undefined && token !== 'read' && token !== 'ask' && area === undefined)
      throw new Error(`There is no scope ${token}.`)
    return {
      door: `${first} ${second}`,
      persons,
      password,
      hasWords,
      ...(token !== undefined && { token: area ?? (token as 'read' | 'ask') }),
      ...((name === 'public' || name === 'key') && { opensBy: name }),
    }
  })
}

/** Below `/api`. */
export const rest = doorsOf(`
GET    /agents                                     all+read      -         -
GET    /agents/:id                                 whole+read    -         words
# An agent that may do more, or is gone, leaves its channels and clients with more.
# A program gives an agent no rights, and its token was made with the password.
PUT    /agents/:id                                 owner+agents:write password -
DELETE /agents/:id                                 owner         password  -
POST   /agents/:id/classify                        whole+read    -         -
GET    /agents/:id/files/*path                     deciding+agents:read  - words
PUT    /agents/:id/files/*path                     deciding+agents:write - -
DELETE /agents/:id/files/*path                     deciding+agents:write - -
POST   /agents/try                                 deciding      -         -
GET    /agents/which                               whole+read    -         -

GET    /alerts                                     whole+read    -         -
GET    /alerts/:id                                 whole+read    -         words
# A silenced alert stays on the screens, and its silence ends by itself.
POST   /alerts/:id/acknowledge                     deciding      -         -
POST   /alerts/:id/silence                         deciding      -         -
POST   /alerts/:id/unacknowledge                   deciding      -         -
POST   /alerts/:id/unsilence                       deciding      -         -
GET    /alerts/history                             whole+read    -         -

POST   /attachments                                asking+ask    -         -
DELETE /attachments/:id                            asking+ask    -         -

GET    /auth/accounts                              all           -         -
# A linked account signs in as the person; unlinking takes that away.
POST   /auth/accounts                              all           password  -
DELETE /auth/accounts/:id                          all           -         -
POST   /auth/accounts/finish                       all           -         -
PUT    /auth/display                               all           -         -
# The holder of the link was given it for this.
POST   /auth/join                                  public        -         -
POST   /auth/link                                  public        -         -
POST   /auth/login                                 public        -         -
POST   /auth/logout                                all           -         -
GET    /auth/me                                    all           -         -
POST   /auth/oidc                                  public        -         -
GET    /auth/oidc/callback                         public        -         -
POST   /auth/oidc/finish                           public        -         -
POST   /auth/passkey                               public        -         -
POST   /auth/passkey/options                       public        -         -
POST   /auth/password                              all           -         -
POST   /auth/reset                                 public        -         -
GET    /auth/sign-ins                              all           -         -
DELETE /auth/sign-ins/:id                          all           -         -
POST   /auth/sign-out-others                       all           -         -
POST   /auth/step-up                               all           -         -
GET    /auth/ways                                  public        -         -

# A backup holds everybody's words: it is made and listed here, and read on the machine alone.
GET    /backups                                    owner         -         -
POST   /backups                                    owner         -         -

GET    /budgets                                    whole+read    -         -
PUT    /budgets                                    owner         password  -
POST   /budgets/runs/:runId                        deciding      password  -

GET    /changes                                    whole+read    -         words
GET    /changes/:id                                whole+read    -         words
# Keeping and taking back are decisions as those on cards; what an undo does asks by itself.
POST   /changes/:id/keep                           deciding      -         -
POST   /changes/:id/undo                           deciding      -         -

GET    /channel-deliveries                         deciding      -         -
POST   /channel-deliveries/:id/again               deciding      -         -

GET    /channel-pairings                           deciding      -         -
DELETE /channel-pairings/:id                       deciding      -         -
POST   /channel-pairings/:id/confirm               deciding      password  -

PATCH  /channel-recipients/:id                     deciding      sometimes -
DELETE /channel-recipients/:id                     deciding      -         -

GET    /channel-rules                              deciding      -         -
PUT    /channel-rules                              owner         password  -

POST   /channel-taps/:channel                      public        -         -

GET    /channels                                   deciding      -         -
# A channel is another way to decide; what reaches nobody more, and what ends one, needs no password.
PUT    /channels/:channel                          owner         password  -
DELETE /channels/:channel                          owner         -         -
POST   /channels/:channel/check                    deciding      -         -
GET    /channels/:channel/groups                   owner         -         -
POST   /channels/:channel/groups                   owner         password  -
POST   /channels/:channel/pairings                 deciding      password  -
POST   /channels/:channel/test                     deciding      -         -

GET    /checks                                     whole+read    -         -
PATCH  /checks/:id                                 deciding      -         -
POST   /checks/run                                 deciding      -         -

GET    /cluster                                    all+read      -         -

GET    /confirmations                              all+read      -         words
POST   /confirmations/:id                          deciding      -         -
POST   /confirmations/:id/break-glass              deciding      password  -
# A statement allows nothing before it is signed.
POST   /confirmations/:id/challenge                deciding      -         -
# The call is asked for again, on a card.
DELETE /confirmations/:id/denial                   deciding      -         -

GET    /doctor                                     deciding      -         -

GET    /events                                     whole+read    -         words

POST   /executions/:id/check                       deciding      -         -

# Operators see everybody's, other people their own.
GET    /feedback                                   all+read      -         -
POST   /feedback                                   all           -         -
DELETE /feedback/:id                               all           -         -
GET    /feedback/export                            all           -         -

GET    /grants                                     all+read      -         -
DELETE /grants/:id                                 deciding      -         -

GET    /guests/:vmid                               whole+read    -         -
GET    /guests/:vmid/snapshots/:name               whole+read    -         -

GET    /heartbeat                                  whole+read    -         words
POST   /heartbeat/run                              deciding      -         -
POST   /heartbeat/start                            deciding      -         -
POST   /heartbeat/stop                             deciding      -         -

GET    /hooks                                      owner         -         -
POST   /hooks                                      owner         password  -
DELETE /hooks                                      owner         -         -
POST   /hooks/pve                                  key           -         -

GET    /jobs                                       whole+read    -         words
# A job asks at each of its runs as a chat does, so that making one is like sending a message.
POST   /jobs                                       deciding      -         -
GET    /jobs/:id                                   whole+read    -         words
PATCH  /jobs/:id                                   deciding      -         -
DELETE /jobs/:id                                   deciding      -         -
# It lets red calls run without a card; ending that needs no password.
POST   /jobs/:id/approval                          deciding      password  -
DELETE /jobs/:id/approval                          deciding      -         -
POST   /jobs/:id/run                               deciding      -         -
GET    /jobs/:id/slots                             whole+read    -         words
GET    /jobs/:id/slots/:slot                       whole+read    -         words
POST   /jobs/preview                               whole+read    -         -
POST   /jobs/start                                 deciding      -         -
POST   /jobs/stop                                  deciding      -         -

GET    /journal                                    whole+read    -         words
GET    /journal/export                             deciding      -         -
GET    /journal/verify                             whole+read    -         -

GET    /config                                     deciding      -         -
GET    /config/export                              deciding      -         -
GET    /limits                                     whole+read    -         -
PUT    /limits                                     deciding      -         -

GET    /logs                                       owner         -         -
GET    /logs/export                                owner         -         -

GET    /mcp-servers                                deciding      -         -
POST   /mcp-servers                                owner         password  -
PUT    /mcp-servers/:name                          owner         password  -
DELETE /mcp-servers/:name                          owner         -         -
POST   /mcp-servers/:name/allow                    owner         password  -
POST   /mcp-servers/:name/connect                  owner         password  -
GET    /mcp-servers/:name/logs                     owner         -         -
POST   /mcp-servers/:name/sign-in                  owner         password  -
POST   /mcp-servers/:name/sign-out                 owner         -         -
GET    /mcp-servers/sign-in/callback               public        -         -
GET    /mcp-servers/sign-in/client                 public        -         -
GET    /mcp-servers/sign-in/start                  public        -         -
PUT    /mcp-servers/tools/:tool/tier               owner         sometimes -

GET    /mcp-tokens                                 deciding      -         -
POST   /mcp-tokens                                 deciding      password  -
DELETE /mcp-tokens/:name                           deciding      -         -

GET    /memory/files                               deciding+memory:read  - words
GET    /memory/files/*path                         deciding+memory:read  - words
PUT    /memory/files/*path                         deciding+memory:write - -
DELETE /memory/files/*path                         deciding+memory:write - -
POST   /memory/reindex                             deciding      -         -
GET    /memory/search                              deciding+read -         words
GET    /memory/sessions/:id                        whole+memory:read     - words
DELETE /memory/sessions/:id                        deciding      -         -
GET    /memory/status                              whole+read    -         -
POST   /memory/writes/:id/undo                     deciding      -         -

GET    /models                                     deciding      -         -
PUT    /models/:provider                           owner         password  -
DELETE /models/:provider                           owner         -         -
POST   /models/:provider/test                      owner         -         -
PUT    /models/fallbacks                           owner         password  -
GET    /models/presets                             owner         -         -
# One of the models that were saved with the password; a person who may chat chooses one of them for a conversation by a token too.
POST   /models/use                                 owner         -         -

GET    /node-roles                                 whole+read    -         -
# The role of a node only ever raises a tier.
PUT    /node-roles                                 owner         -         -

POST   /oauth/requests                             deciding      -         -
POST   /oauth/requests/:id                         deciding      sometimes -

GET    /openapi.json                               all+read      -         -

GET    /passkeys                                   all           -         -
# A new key would decide in place of the person.
POST   /passkeys                                   all           password  -
PATCH  /passkeys/:id                               all           -         -
DELETE /passkeys/:id                               all           password  -
POST   /passkeys/countersign                       all           password  -
POST   /passkeys/options                           all           password  -

GET    /people                                     all           -         -
PATCH  /people/:id                                 owner         password  -
DELETE /people/:id                                 owner         password  -
GET    /people/:id/passkeys                        owner         -         -
DELETE /people/:id/passkeys/:passkey               owner         password  -
DELETE /people/:id/second-factor                   owner         password  -
GET    /people/:id/sign-ins                        owner         -         -
POST   /people/:id/sign-out                        owner         -         -
GET    /people/:id/signers/ssh                     owner         -         -
DELETE /people/:id/signers/ssh/:key                owner         password  -
GET    /people/accounts                            owner         -         -
DELETE /people/accounts/:id                        owner         -         -
POST   /people/accounts/:id/admit                  owner         password  -
GET    /people/invitations                         owner         -         -
POST   /people/invitations                         owner         password  -
DELETE /people/invitations/:id                     owner         -         -

GET    /plans                                      whole+read    -         words
GET    /plans/:id                                  whole+read    -         words
POST   /plans/:id/stop                             deciding      -         -
POST   /plans/:id/undo                             deciding      -         -

# The text of the policy, and what a draft of it would do. Nothing is written.
GET    /policy                                     owner         -         -
POST   /policy/check                               owner         -         -
POST   /policy/replay                              owner         -         -

GET    /proofs                                     whole+read    -         -

GET    /push                                       asking        -         -
POST   /push                                       asking        password  -
DELETE /push/:id                                   asking        -         -
POST   /push/:id/seen                              asking        -         -
POST   /push/:id/test                              asking        -         -
POST   /push/decide                                public        -         -

GET    /questions                                  all+read      -         words
# An answer allows nothing.
POST   /questions/:id                              deciding      -         -

POST   /restart                                    owner         password  -

GET    /roles                                      all+read      -         -
POST   /roles/try                                  deciding      -         -

GET    /runbooks                                   whole+read    -         -
GET    /runbooks/:name                             whole+read    -         -
# A runbook has no rights of its own: each of its calls is judged when it runs.
PUT    /runbooks/:name                             deciding      -         -
DELETE /runbooks/:name                             deciding      -         -
POST   /runbooks/:name/run                         deciding      -         -
POST   /runbooks/check                             deciding      -         -

GET    /samples                                    whole+read    -         -

# A stolen token alone could put another app in place of the person's.
POST   /second-factor                              all           password  -
DELETE /second-factor                              all           password  -
POST   /second-factor/confirm                      all           password  -
POST   /second-factor/recovery-codes               all           password  -

GET    /sessions                                   all+read      -         words
POST   /sessions                                   asking+ask    -         -
GET    /sessions/:id                               all+read      -         words
PATCH  /sessions/:id                               asking        -         words
DELETE /sessions/:id                               asking        -         words
POST   /sessions/:id/abort                         asking+ask    -         words
GET    /sessions/:id/attachments/:attachmentId     all+read      -         words
POST   /sessions/:id/branch                        asking        -         words
GET    /sessions/:id/checkpoints                   all+read      -         words
GET    /sessions/:id/checkpoints/:seq              all+read      -         words
GET    /sessions/:id/children                      all+read      -         words
GET    /sessions/:id/commands                      all+read      -         words
POST   /sessions/:id/commands/:commandId/stop      asking        -         words
GET    /sessions/:id/context                       all+read      -         words
GET    /sessions/:id/entries                       all+read      -         words
PUT    /sessions/:id/entries/:seq/rating           asking        -         words
GET    /sessions/:id/events                        all+read      -         words
GET    /sessions/:id/export                        all+read      -         words
GET    /sessions/:id/files                         all+read      -         words
GET    /sessions/:id/files/*path                   all+read      -         words
POST   /sessions/:id/fold                          asking        -         words
GET    /sessions/:id/images/:imageId               all+read      -         words
POST   /sessions/:id/messages                      asking+ask    -         words
DELETE /sessions/:id/queue/:messageId              asking        -         words
POST   /sessions/:id/queue/:messageId/send         asking        -         words
PUT    /sessions/:id/shares/:person                asking        -         words
DELETE /sessions/:id/shares/:person                all           -         -
GET    /sessions/:id/snapshot                      all+read      -         words
GET    /sessions/:id/versions                      all+read      -         words

GET    /settings                                   whole         -         -
PUT    /settings                                   owner         sometimes -

GET    /setup                                      owner         -         -
DELETE /setup                                      owner         password  -
POST   /setup/probe                                owner         -         -
POST   /setup/save                                 owner         password  -
POST   /setup/test                                 owner         -         -

GET    /signers/ssh                                asking        -         -
POST   /signers/ssh                                asking        password  -
DELETE /signers/ssh/:id                            asking        password  -
POST   /signers/ssh/countersign                    asking        password  -

GET    /skills                                     whole+read    -         -
# What is added is a stranger's text: no model gets it before it is approved, and that asks for the password.
POST   /skills                                     deciding      -         -
GET    /skills/:name                               whole+read    -         -
# An approved skill reaches every model; turning it off or deleting it takes something away.
DELETE /skills/:name                               deciding      -         -
POST   /skills/:name/approve                       deciding      password  -
POST   /skills/:name/off                           deciding      -         -

GET    /status                                     all+read      -         -

GET    /storages/:name                             whole+read    -         -

GET    /tokens                                     asking        -         -
POST   /tokens                                     asking        password  -
DELETE /tokens/:name                               asking        -         -

GET    /tools                                      all+read      -         -
GET    /tools/:name                                all+read      -         -
POST   /tools/:name/classify                       whole+read    -         -
GET    /tools/calls                                whole+read    -         -

POST   /transcriptions                             asking        -         -

GET    /windows                                    whole+read    -         -
POST   /windows                                    deciding      -         -
DELETE /windows/:id                                deciding      -         -

GET    /workbench                                  whole+read    -         -
# It lets commands, files and sites of this machine in.
PUT    /workbench                                  owner         password  -
GET    /workbench/diff/:toolUseId                  whole+read    -         words
POST   /workbench/preview                          owner         -         -
`)

/** Outside of `/api`. */
export const roots = doorsOf(`
GET    /metrics               whole+read   -  -
# Programs talk to a model here; a person has the dashboard.
GET    /v1/models             nobody+read  -  -
GET    /v1/models/:id         nobody+read  -  -
GET    /v1/responses/:id      nobody+read  -  -
POST   /v1/responses/:id/cancel  nobody+read  -  -
POST   /v1/chat/completions   nobody+read  -  -
POST   /v1/responses          nobody+read  -  -
POST   /v1/embeddings         nobody+read  -  -
POST   /v1/audio/transcriptions  nobody+read  -  -
`)

/** The namespaces of sockets. A person who is signed in enters each of them; programs and strangers enter none. */
export const namespaces = ['/', '/chat', '/cluster', '/events', '/terminal']

/** Requests on sockets. */
export const requests = doorsOf(`
/chat      chat:send         asking    -         words
/chat      chat:confirm      asking    -         words
/chat      chat:answer       asking    -         words
/chat      chat:abort        asking    -         words
/chat      chat:unqueue      asking    -         words
/chat      chat:send_held    asking    -         words
/chat      chat:attach       all       -         words
/chat      chat:ping         all       -         -
/terminal  terminal:open     deciding  password  -
/terminal  terminal:input    deciding  -         -
/terminal  terminal:resize   deciding  -         -
/terminal  terminal:close    deciding  -         -
`)

/**
 * What each command of the command line acts with. `dataDir`: the files of this machine, whose owner is whoever may read them. `program`: a token
 * that asks and never decides, of this machine or kept by `login`. `typed`: besides, a password that is typed at a terminal.
 */
export const commands: Readonly<Record<'dataDir' | 'program' | 'typed' | 'nothing', string>> = {
  dataDir:
    'jobs budgets checks workbench windows changes agents skills token mcp-token setup models doctor profile policy journal secrets backup restore user config',
  program:
    'chat ask call sessions feedback replay children context checkpoints tools watch waiting questions plan run alerts mcp runbooks',
  typed: 'channels decide answer grants login logs roles share signers',
  nothing: 'completion help version',
}
