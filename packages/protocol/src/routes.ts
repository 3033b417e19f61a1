// Made from the table of routes by: npm run reference
import type { z } from 'zod'
import type * as p from './index.ts'

export type Routes = {
  /** Values for charts. `series` is a comma list of up to 64 of `cluster`, `node/NAME`, `guest/VMID`, `storage/…`. */
  'GET /api/samples': { query: { series: string; range?: z.input<typeof p.SampleRange> }; reply: p.SamplesReply }
  /** The limits from which a figure needs attention. */
  'GET /api/limits': { reply: p.Limits }
  /** Replaces these limits. */
  'PUT /api/limits': { body: z.input<typeof p.Limits>; reply: p.Limits }
  /** The roles of nodes. */
  'GET /api/node-roles': { reply: p.NodeRolesReply }
  /** Replaces all roles of nodes. Those of `policy` take precedence. */
  'PUT /api/node-roles': { body: z.input<typeof p.NodeRolesBody>; reply: p.NodeRolesReply }
  /** Each guest’s newest restore proof, newest first, and the drill that has not ended. */
  'GET /api/proofs': { reply: p.ProofsReply }
  /** The servers with their tools and problems. */
  'GET /api/mcp-servers': { reply: p.AttachedServersReply }
  /** Attaches a server: `name` and an entry as in `mcp.json`. */
  'POST /api/mcp-servers': { body: ({ type?: 'stdio'; command: string; args?: (string)[]; env?: Record<string, string>; cwd?: string; enabled?: boolean; lazy?: boolean; name: string } | { type?: 'http' | 'sse'; url: string; headers?: Record<string, string>; oauth?: { clientId?: string; clientSecret?: string; issuer?: string; scopes?: (string)[] }; enabled?: boolean; lazy?: boolean; name: string }); reply: p.AttachedServer }
  /** Replaces a server’s entry. A `[redacted]` value stays as it was. */
  'PUT /api/mcp-servers/:name': { params: { name: string }; body: ({ type?: 'stdio'; command: string; args?: (string)[]; env?: Record<string, string>; cwd?: string; enabled?: boolean; lazy?: boolean } | { type?: 'http' | 'sse'; url: string; headers?: Record<string, string>; oauth?: { clientId?: string; clientSecret?: string; issuer?: string; scopes?: (string)[] }; enabled?: boolean; lazy?: boolean }); reply: p.AttachedServer }
  /** Ends and removes a server. */
  'DELETE /api/mcp-servers/:name': { params: { name: string }; reply: undefined }
  /** Its newest lines: what it wrote, and what JARVIS remarked. */
  'GET /api/mcp-servers/:name/logs': { params: { name: string }; reply: { items: (p.AttachedLogLine)[] } }
  /** Connects now. */
  'POST /api/mcp-servers/:name/connect': { params: { name: string }; reply: { started: true } }
  /** Lets the program of this hash start, which came into `mcp.json` by another way than this. */
  'POST /api/mcp-servers/:name/allow': { params: { name: string }; body: z.input<typeof p.AttachedAllowBody>; reply: p.AttachedServer }
  /** Sets the tier of a tool’s definition with this `hash`. A looser tier needs the password. */
  'PUT /api/mcp-servers/tools/:tool/tier': { params: { tool: string }; body: z.input<typeof p.AttachedTierBody>; reply: p.AttachedToolInfo }
  /** Begins to sign JARVIS in to a server. The browser that opens `address` goes to the authorization server and back. */
  'POST /api/mcp-servers/:name/sign-in': { params: { name: string }; reply: p.AttachedSignInReply }
  /** Ends the sign-in to a server, and revokes its tokens where the authorization server offers that. */
  'POST /api/mcp-servers/:name/sign-out': { params: { name: string }; reply: undefined }
  /** The client document of JARVIS for authorization servers that read one. At an https address alone. */
  'GET /api/mcp-servers/sign-in/client': { reply: Record<string, unknown> }
  /** People who may sign in, and the roles that can be given. Owners are told more about each. */
  'GET /api/people': { reply: p.PeopleReply }
  /** Renames a person, changes the role, disables or enables. It counts at once, also where the person is signed in. The last owner stays one. */
  'PATCH /api/people/:id': { params: { id: string }; body: z.input<typeof p.PersonPatchBody>; reply: p.Person }
  /** Removes a person: sign-ins, passkeys, tokens, grants and push devices end, jobs are paused, waiting cards are withdrawn. */
  'DELETE /api/people/:id': { params: { id: string }; reply: undefined }
  /** Signs a person out everywhere; channels and web push that they paired end too. */
  'POST /api/people/:id/sign-out': { params: { id: string }; reply: { ok: true } }
  /** Sign-ins of a person, the newest use first. */
  'GET /api/people/:id/sign-ins': { params: { id: string }; reply: { items: (p.SignInInfo)[] } }
  /** The invitations that wait to be used. */
  'GET /api/people/invitations': { reply: { items: (p.Invitation)[] } }
  /** Invites somebody: `link` is shown once, and is used once within 72 h. It ends with your being an owner. */
  'POST /api/people/invitations': { body: z.input<typeof p.InvitationBody>; reply: p.InvitationReply }
  /** Withdraws an invitation. */
  'DELETE /api/people/invitations/:id': { params: { id: string }; reply: undefined }
  /** Providers and their models, never a key. */
  'GET /api/models': { reply: p.ModelsReply }
  /** Known services to begin a named provider from. */
  'GET /api/models/presets': { reply: { presets: (p.ModelPreset)[] } }
  /** Replaces the models that answer while another fails. */
  'PUT /api/models/fallbacks': { body: z.input<typeof p.ModelFallbacksBody>; reply: p.ModelsReply }
  /** Chooses the model that answers. */
  'POST /api/models/use': { body: z.input<typeof p.ModelUseBody>; reply: p.ModelsReply }
  /** Asks a provider one short question; saves nothing. */
  'POST /api/models/:provider/test': { params: { provider: z.input<typeof p.ModelProvider> }; body: z.input<typeof p.ModelTestBody>; reply: p.ModelTestReply }
  /** Saves a provider: of `anthropic` and `openai` `{model, baseUrl?, apiKey?}`, which is then used; of every other name `{kind, baseUrl, apiKey?, headers?, models}`. */
  'PUT /api/models/:provider': { params: { provider: z.input<typeof p.ModelProvider> }; body: ({ model: string; baseUrl?: string; apiKey?: string } | { kind: 'openai-chat' | 'openai-responses' | 'anthropic'; baseUrl: string; apiKey?: string; headers?: Record<string, string>; models: (string)[] }); reply: p.ModelsReply }
  /** Forgets a provider. */
  'DELETE /api/models/:provider': { params: { provider: z.input<typeof p.ModelProvider> }; reply: p.ModelsReply }
  /** The skills of the workspace, or of an `agent`. `catalogue.missing` are enabled ones that do not fit the prompt. */
  'GET /api/skills': { query?: { agent?: string }; reply: p.SkillList }
  /** Puts the files of a skill into a folder of its own, under the name that its SKILL.md gives; approves nothing. 409 where the folder is there. */
  'POST /api/skills': { body: z.input<typeof p.SkillUpload>; reply: p.SkillTree }
  /** A skill with all files, their texts, and what was approved before. Texts hold invisible characters as they are. */
  'GET /api/skills/:name': { params: { name: string }; query?: { agent?: string }; reply: p.SkillTree }
  /** Approves the folder with this `hash`. 409 where it has another one by now, or cannot be approved. */
  'POST /api/skills/:name/approve': { params: { name: string }; body: z.input<typeof p.SkillApproval>; reply: p.SkillTree }
  /** Turns a skill off. */
  'POST /api/skills/:name/off': { params: { name: string }; body: { agent?: string }; reply: p.SkillTree }
  /** Deletes the folder and the approval. */
  'DELETE /api/skills/:name': { params: { name: string }; body: { agent?: string }; reply: undefined }
  /** The areas of the workbench: whether each is on, what it lacks on this machine and how to get it, and the roots. */
  'GET /api/workbench': { reply: p.WorkbenchReply }
  /** The changes of `policy.yaml` that saving a section would make; writes nothing. */
  'POST /api/workbench/preview': { body: z.input<typeof p.WorkbenchBody>; reply: p.WorkbenchPreview }
  /** Writes the section `workbench` of `policy.yaml`, and keeps the rest of the file. 409 where the file is broken or not the one of `hash`. */
  'PUT /api/workbench': { body: z.input<typeof p.WorkbenchBody>; reply: p.WorkbenchReply }
  /** Every line that a card’s call changes, where the card shows the first 200. */
  'GET /api/workbench/diff/:toolUseId': { params: { toolUseId: string }; reply: p.DiffReply }
  /** The files of the session’s own folder, newest first, with the call that wrote each. A file with `isGone` was written and is not there any more. */
  'GET /api/sessions/:id/files': { params: { id: string }; reply: p.SessionFilesReply }
  /** The commands that ran or run in the sandbox for this session, the oldest first. */
  'GET /api/sessions/:id/commands': { params: { id: string }; reply: p.CommandsReply }
  /** Ends a command with all that it started. */
  'POST /api/sessions/:id/commands/:commandId/stop': { params: { id: string; commandId: string }; reply: undefined }
  /** The cards that wait, and those decided in the last day. */
  'GET /api/confirmations': { reply: { items: (p.ConfirmationRow)[] } }
  /** Decides a card. `grant` is `{minutes?, uses?, forHelpers?, scope?}`; `scope` is the id of the card’s `scope`, for calls of its kind in a folder or on a site, and takes both bounds. With a denial, `alternative` is the operator’s own call `{toolName, toolInput}` where the card has `mayHaveAlternative`; `goesBackAfterMin` (1 to 1440) where it has `mayGoBack`. An approval takes `proof`, a signature, where the card has `proof`. */
  'POST /api/confirmations/:id': { params: { id: string }; body: z.input<typeof p.ConfirmBody>; reply: { ok: true } }
  /** The challenge to sign to approve a card, once, within two minutes: `statement` is the exact text, `lines` the same for a person, `options` for `navigator.credentials.get`. */
  'POST /api/confirmations/:id/challenge': { params: { id: string }; body: z.input<typeof p.ChallengeBody>; reply: p.DecisionChallenge }
  /** Approves a card as an owner, without the others who must approve it, where `policy.yaml` allows that. Every owner is told of the reason. It takes `proof` where the card has `proof`: a signature of a challenge with `alone`. */
  'POST /api/confirmations/:id/break-glass': { params: { id: string }; body: z.input<typeof p.BreakGlassBody>; reply: { ok: true } }
  /** Lifts a denial: an MCP client may ask for the call again. */
  'DELETE /api/confirmations/:id/denial': { params: { id: string }; reply: undefined }
  /** The roles, those of JARVIS first, with what each may in plain words. */
  'GET /api/roles': { reply: { items: (p.RoleInfo)[] } }
  /** The verdict on a call if that person, or somebody of that role, asked for it; runs nothing. */
  'POST /api/roles/try': { body: z.input<typeof p.TryRoleBody>; reply: p.TryRoleReply }
  /** Questions that wait, and those that ended in the last day. */
  'GET /api/questions': { reply: p.QuestionsReply }
  /** Answers a question: with `answers`, one `{chosen?, text?}` to each item, with `said` or with `declined`. 409 where it was answered before, 410 where it is over. */
  'POST /api/questions/:id': { params: { id: string }; body: z.input<typeof p.AnswerBody>; reply: { ok: true } }
  /** Grants that count now. */
  'GET /api/grants': { reply: { items: (p.Grant)[] } }
  /** Revokes a grant. */
  'DELETE /api/grants/:id': { params: { id: string }; reply: undefined }
  /** The tools. */
  'GET /api/tools': { reply: { items: (p.ToolInfo)[] } }
  /** How often each tool was called in seven days. */
  'GET /api/tools/calls': { reply: p.ToolCalls }
  /** One tool. */
  'GET /api/tools/:name': { params: { name: string }; reply: p.ToolInfo }
  /** The verdict that a call of yours would get, and what its card would say; runs nothing. Nothing is read for whoever may only look. */
  'POST /api/tools/:name/classify': { params: { name: string }; body: z.input<typeof p.ClassifyBody>; reply: p.ClassifyReply }
  /** Asks the cluster again for the outcome of a lost call; runs nothing. */
  'POST /api/executions/:id/check': { params: { id: string }; reply: { outcome: 'done' | 'failed' | 'unknown'; text: string; upid?: string } }
  /** Passages that fit a question. `limit` is 1 to 50. */
  'GET /api/memory/search': { query: { q: string; limit?: number }; reply: p.MemoryFound }
  /** The state of the index. */
  'GET /api/memory/status': { reply: p.MemoryStatus }
  /** Makes the index anew; `/memory/status` tells how far it is. */
  'POST /api/memory/reindex': { reply: { started: true } }
  /** Notes and prompt files of the workspace. */
  'GET /api/memory/files': { reply: { items: (p.WorkspaceFile)[] } }
  /** A file with its `checksum`. Viewers and programs get it redacted. */
  'GET /api/memory/files/*path': { params: { path: string }; reply: p.WorkspaceText }
  /** Writes a file. 409 where it changed since `checksum`. A program changes only the text of others. */
  'PUT /api/memory/files/*path': { params: { path: string }; body: { text: string; checksum?: string }; reply: p.WorkspaceText }
  /** Deletes a file; a program, one that holds only texts of others. */
  'DELETE /api/memory/files/*path': { params: { path: string }; reply: undefined }
  /** The memory of a session. */
  'GET /api/memory/sessions/:id': { params: { id: string }; reply: { items: (p.MemoryPassage)[] } }
  /** Forgets a session. */
  'DELETE /api/memory/sessions/:id': { params: { id: string }; reply: undefined }
  /** Takes a `memory_write` back. */
  'POST /api/memory/writes/:id/undo': { params: { id: string }; reply: undefined }
  /** Alerts now, gravest first. `checkedAt` is null before the first look, `ended` counts seven days. Alerts has the states. */
  'GET /api/alerts': { reply: p.AlertsReply }
  /** Alerts that ended, newest first. `object` is an id such as `node/pve`. */
  'GET /api/alerts/history': { query?: { limit?: number; before?: string; check?: string; object?: string; node?: string }; reply: p.AlertHistory }
  /** One alert with what is known of it; `missing` says what could not be read. */
  'GET /api/alerts/:id': { params: { id: string }; reply: p.AlertDetail }
  /** Acknowledges an alert. `untilValue`, in the check’s unit, ends that when the value is worse. */
  'POST /api/alerts/:id/acknowledge': { params: { id: string }; body: z.input<typeof p.AcknowledgeBody>; reply: p.Alert }
  /** Takes an acknowledgement back. */
  'POST /api/alerts/:id/unacknowledge': { params: { id: string }; reply: p.Alert }
  /** Silences an alert `until` a time at most 30 days ahead, or without an end. */
  'POST /api/alerts/:id/silence': { params: { id: string }; body: z.input<typeof p.SilenceBody>; reply: p.Alert }
  /** Ends a silence, also of an alert that has ended. */
  'POST /api/alerts/:id/unsilence': { params: { id: string }; reply: p.Alert }
  /** Checks: what each looks at, its limit, when it looked, and what it did not see. */
  'GET /api/checks': { reply: p.ChecksReply }
  /** Switches a check off or on. Its alerts end when it is switched off. */
  'PATCH /api/checks/:id': { params: { id: string }; body: z.input<typeof p.CheckBody>; reply: p.CheckRow }
  /** Lets all checks look now. */
  'POST /api/checks/run': { reply: { ok: true } }
  /** Maintenance windows that have not ended. */
  'GET /api/windows': { reply: { items: (p.MaintenanceWindow)[] } }
  /** Makes a window of at most 30 days. `objects` are ids as in alerts, of which a node stands for all on it, or `*`. */
  'POST /api/windows': { body: z.input<typeof p.WindowBody>; reply: p.MaintenanceWindow }
  /** Ends a window. */
  'DELETE /api/windows/:id': { params: { id: string }; reply: undefined }
  /** Sessions, and on the first page without `q` their `total`. `q` takes words and `"exact words"`; `agent`, `person` and `channel` take ids; `since` and `until` Unix ms, for the time of the last change. */
  'GET /api/sessions': { query?: { limit?: number; before?: string; q?: string; source?: z.input<typeof p.SessionSource>; archived?: 'no' | 'only' | 'all'; agent?: string; person?: string; channel?: string; since?: number; until?: number }; reply: p.SessionsPage }
  /** Makes a session. With `message` its first run begins. */
  'POST /api/sessions': { body: z.input<typeof p.SessionCreateBody>; reply: { id: string; title: string; source: p.SessionSource; createdAt: number; updatedAt: number; isRehearsal: boolean; isRunning: boolean; pendingCount: number; archivedAt?: number; model?: string; effort?: p.Effort; agent?: string; person?: string; sharedWith?: (p.SessionShare)[]; branchedFrom?: p.BranchedFrom; versions?: number; messages?: number; preview?: string; usage?: p.Usage; isUsagePartial?: true; costUsd?: number; context?: { usedTokens: number; limitTokens: number }; found?: { seq: number; text: string }; sessionId?: p.SessionId; runId?: p.RunId; queued?: boolean; messageId?: p.MessageId } }
  /** A session, with how full its model’s window is. */
  'GET /api/sessions/:id': { params: { id: string }; reply: p.SessionSummary }
  /** The versions of each message. */
  'GET /api/sessions/:id/versions': { params: { id: string }; reply: { items: (p.Versions)[]; next?: string } }
  /** Its child runs, oldest first. */
  'GET /api/sessions/:id/children': { params: { id: string }; reply: { items: (p.ChildRunRow)[]; next?: string } }
  /** Its entries, oldest first. */
  'GET /api/sessions/:id/entries': { params: { id: string }; query?: { limit?: number; before?: string }; reply: { items: (p.Entry)[]; next?: string } }
  /** Renames or archives a session, sets its model or effort, turns rehearsal on or off. */
  'PATCH /api/sessions/:id': { params: { id: string }; body: z.input<typeof p.SessionPatchBody>; reply: p.SessionSummary }
  /** `before` a message’s `seq` makes another version of it; `after` an answer’s makes a separate session. With `restoreFiles`, `restored` says what became of each file. */
  'POST /api/sessions/:id/branch': { params: { id: string }; body: z.input<typeof p.SessionBranchBody>; reply: { id: string; title: string; source: p.SessionSource; createdAt: number; updatedAt: number; isRehearsal: boolean; isRunning: boolean; pendingCount: number; archivedAt?: number; model?: string; effort?: p.Effort; agent?: string; person?: string; sharedWith?: (p.SessionShare)[]; branchedFrom?: p.BranchedFrom; versions?: number; messages?: number; preview?: string; usage?: p.Usage; isUsagePartial?: true; costUsd?: number; context?: { usedTokens: number; limitTokens: number }; found?: { seq: number; text: string }; restored?: (p.CheckpointFile)[] } }
  /** Deletes a session with all its versions. */
  'DELETE /api/sessions/:id': { params: { id: string }; reply: undefined }
  /** Shares a session and all its versions with a person: `look` to read it, `talk` to write in it too. */
  'PUT /api/sessions/:id/shares/:person': { params: { id: string; person: string }; body: z.input<typeof p.SessionShareBody>; reply: undefined }
  /** Ends the sharing with a person at once. Whoever it is shared with may end their own. */
  'DELETE /api/sessions/:id/shares/:person': { params: { id: string; person: string }; reply: undefined }
  /** Uploads a picture (PNG, JPEG, WebP, GIF) or a text file for a message: its `id` goes into `attachments`. Kept for a day until it is sent. */
  'POST /api/attachments': { body: z.input<typeof p.AttachmentBody>; reply: p.Attachment }
  /** Forgets an upload that was not sent. */
  'DELETE /api/attachments/:id': { params: { id: string }; reply: undefined }
  /** The parts that fill the model’s window, their cost, and what a fold would take. `count=exact` asks the provider too. */
  'GET /api/sessions/:id/context': { params: { id: string }; query?: { count?: 'exact' }; reply: p.ContextReport }
  /** Folds older turns. 409 with the reason while something is open, or where there is nothing to fold. */
  'POST /api/sessions/:id/fold': { params: { id: string }; reply: { runId: p.RunId } }
  /** The messages that one can go back to, newest first. */
  'GET /api/sessions/:id/checkpoints': { params: { id: string }; reply: { items: (p.Checkpoint)[]; next?: string } }
  /** The files that would go back, and the changes that stay. */
  'GET /api/sessions/:id/checkpoints/:seq': { params: { id: string; seq: string }; reply: p.CheckpointDetail }
  /** Sends a message, as `chat:send` does; a program’s, in a session of its own. `/events` tells what comes of it. */
  'POST /api/sessions/:id/messages': { params: { id: string }; body: z.input<typeof p.MessageBody>; reply: p.SentReply }
  /** Stops the model, withdraws what waits and holds queued messages, as `chat:abort` does. */
  'POST /api/sessions/:id/abort': { params: { id: string }; reply: { ok: true } }
  /** Sends a message that a stop holds, as `chat:send_held` does. Its writer alone may. */
  'POST /api/sessions/:id/queue/:messageId/send': { params: { id: string; messageId: string }; reply: { ok: true } }
  /** Removes a message that waits or is held, as `chat:unqueue` does. */
  'DELETE /api/sessions/:id/queue/:messageId': { params: { id: string; messageId: string }; reply: undefined }
  /** The answer of `chat:attach`. `since` is the newest `seq` that the client has. */
  'GET /api/sessions/:id/snapshot': { params: { id: string }; query?: { since?: number }; reply: p.Snapshot }
  /** Rates an answer of the model. `rating: null` takes a rating back. */
  'PUT /api/sessions/:id/entries/:seq/rating': { params: { id: string; seq: string }; body: z.input<typeof p.RatingBody>; reply: p.RatingBody }
  /** The runbooks with inputs, steps, the checks that offer them, and faults by line. */
  'GET /api/runbooks': { reply: { items: (p.Runbook)[] } }
  /** The faults of a text, and with `inputs` and no fault a dry run; saves nothing. */
  'POST /api/runbooks/check': { body: z.input<typeof p.RunbookCheckBody>; reply: p.RunbookCheck }
  /** A runbook with its text. Viewers get it redacted. */
  'GET /api/runbooks/:name': { params: { name: string }; reply: p.RunbookText }
  /** Saves a runbook. A text with a fault is refused with its line, and what was saved before stays. 409 where it changed since `hash`. */
  'PUT /api/runbooks/:name': { params: { name: string }; body: z.input<typeof p.RunbookBody>; reply: p.RunbookText }
  /** Deletes a runbook. */
  'DELETE /api/runbooks/:name': { params: { name: string }; reply: undefined }
  /** Runs a runbook, in a session where its card or its plan appears. */
  'POST /api/runbooks/:name/run': { params: { name: string }; body: z.input<typeof p.RunbookRunBody>; reply: p.RunbookRunReply }
  /** Plans that began, newest first. `before` is Unix ms. */
  'GET /api/plans': { query?: { before?: number; limit?: number }; reply: p.PlanRunsPage }
  /** One plan. */
  'GET /api/plans/:id': { params: { id: string }; reply: p.PlanRun }
  /** Stops a plan after its present step, or at once where a step waits. 409 where it is over. */
  'POST /api/plans/:id/stop': { params: { id: string }; reply: p.PlanRun }
  /** Starts the plan that takes its changes back, in a session where its card appears. 409 where it is not over or nothing can be taken back. */
  'POST /api/plans/:id/undo': { params: { id: string }; reply: p.RunbookRunReply }
  /** Ratings of answers and texts on JARVIS, newest first: operators see everybody’s, other people their own. Nothing of it leaves this machine. */
  'GET /api/feedback': { query?: { limit?: number; before?: string; about?: z.input<typeof p.FeedbackAbout> }; reply: p.FeedbackPage }
  /** Says something of JARVIS. An answer is rated with `PUT /api/sessions/:id/entries/:seq/rating`. */
  'POST /api/feedback': { body: z.input<typeof p.FeedbackBody>; reply: p.Feedback }
  /** Deletes a text on JARVIS; whoever is no operator, one of their own. */
  'DELETE /api/feedback/:id': { params: { id: string }; reply: undefined }
  /** Jobs, with the next five times and the last ten slots of each. Automations has the states. */
  'GET /api/jobs': { reply: p.JobsReply }
  /** Makes a job. 400 with the reason where it cannot run, and nothing is saved. */
  'POST /api/jobs': { body: z.input<typeof p.JobBody>; reply: p.Job }
  /** A schedule in words, with its next times; saves nothing. */
  'POST /api/jobs/preview': { body: z.input<typeof p.SchedulePreviewBody>; reply: p.SchedulePreview }
  /** Stops all jobs. */
  'POST /api/jobs/stop': { reply: p.JobsReply }
  /** Lets jobs run again. */
  'POST /api/jobs/start': { reply: p.JobsReply }
  /** One job. */
  'GET /api/jobs/:id': { params: { id: string }; reply: p.Job }
  /** Changes or pauses a job. */
  'PATCH /api/jobs/:id': { params: { id: string }; body: z.input<typeof p.JobPatchBody>; reply: p.Job }
  /** Deletes a job; one that comes with JARVIS cannot be. */
  'DELETE /api/jobs/:id': { params: { id: string }; reply: undefined }
  /** Runs a job now. 409 while a run of it goes on. */
  'POST /api/jobs/:id/run': { params: { id: string }; reply: { slot: number } }
  /** Allows the drills of a drill job beforehand, until `approvedUntil`. */
  'POST /api/jobs/:id/approval': { params: { id: string }; reply: p.Job }
  /** Ends that. */
  'DELETE /api/jobs/:id/approval': { params: { id: string }; reply: p.Job }
  /** The job’s slots, newest first. `limit` is 1 to 500, `before` Unix ms. */
  'GET /api/jobs/:id/slots': { params: { id: string }; query?: { before?: number; limit?: number }; reply: p.JobSlotsPage }
  /** A slot with `steps`, each call of its run, and `said`. */
  'GET /api/jobs/:id/slots/:slot': { params: { id: string; slot: string }; reply: p.JobTrace }
  /** The heartbeat. Times are Unix ms, `interval` is minutes, `cost_today_usd` is null where a price is not known. */
  'GET /api/heartbeat': { reply: p.HeartbeatReply }
  /** Switches the heartbeat on. */
  'POST /api/heartbeat/start': { reply: p.HeartbeatReply }
  /** Switches the heartbeat off. */
  'POST /api/heartbeat/stop': { reply: p.HeartbeatReply }
  /** Runs the heartbeat now. */
  'POST /api/heartbeat/run': { reply: p.HeartbeatReply }
  /** The channels, whom they reach, and what a tap there may do. */
  'GET /api/channels': { reply: p.ChannelsReply }
  /** Sets a channel up, or changes its settings. With other settings, everything that was paired is void. */
  'PUT /api/channels/:channel': { params: { channel: string }; body: z.input<typeof p.ChannelBody>; reply: p.ChannelInfo }
  /** Takes a channel out, with whom it reached. */
  'DELETE /api/channels/:channel': { params: { channel: string }; reply: undefined }
  /** Asks a channel’s service whether all is well. */
  'POST /api/channels/:channel/check': { params: { channel: string }; reply: p.ChannelInfo }
  /** Sends a test to one recipient of a channel; without one, to your own, or to its first. */
  'POST /api/channels/:channel/test': { params: { channel: string }; body: z.input<typeof p.ChannelTestBody>; reply: p.ChannelDelivery }
  /** Begins to pair you with a channel: a code for ten minutes and one use. */
  'POST /api/channels/:channel/pairings': { params: { channel: string }; reply: p.ChannelPairingBegun }
  /** Your pairings that wait, and who used their codes. */
  'GET /api/channel-pairings': { reply: p.ChannelPairings }
  /** Confirms that the number which used the code is yours. */
  'POST /api/channel-pairings/:id/confirm': { params: { id: string }; body: z.input<typeof p.ChannelPairingBody>; reply: p.ChannelRecipient }
  /** Ends a pairing that waits. */
  'DELETE /api/channel-pairings/:id': { params: { id: string }; reply: undefined }
  /** Group chats that JARVIS is in and does not tell. */
  'GET /api/channels/:channel/groups': { params: { channel: string }; reply: p.ChannelGroups }
  /** Has a group chat told from now on, by the service’s number of it. It is never heard. */
  'POST /api/channels/:channel/groups': { params: { channel: string }; body: z.input<typeof p.ChannelGroupBody>; reply: p.ChannelRecipient }
  /** Changes what a tap of yours may do, and whether names are hidden. The password is asked for where it allows more. */
  'PATCH /api/channel-recipients/:id': { params: { id: string }; body: z.input<typeof p.ChannelRecipientBody>; reply: p.ChannelRecipient }
  /** Ends a pairing of yours; an owner ends any. */
  'DELETE /api/channel-recipients/:id': { params: { id: string }; reply: undefined }
  /** Messages and what became of them, newest first. */
  'GET /api/channel-deliveries': { query?: { before?: number; limit?: number }; reply: p.ChannelDeliveries }
  /** Sends a message again that was not sent. */
  'POST /api/channel-deliveries/:id/again': { params: { id: string }; reply: p.ChannelDelivery }
  /** Denies a card as a button of a message was pressed on a phone: by its token, once. It approves nothing (ntfy). */
  'POST /api/channel-taps/:channel': { params: { channel: string }; body: z.input<typeof p.ChannelTapBody>; reply: p.ChannelTapReply }
  /** The rules of messages: who is told what, and when. */
  'GET /api/channel-rules': { reply: p.ChannelRules }
  /** Replaces the rules: quiet hours, routes and escalation. */
  'PUT /api/channel-rules': { body: z.input<typeof p.ChannelRules>; reply: p.ChannelRules }
  /** Your browsers that web push reaches: an operator’s hear of everything, a member’s of their own. */
  'GET /api/push': { reply: p.PushReply }
  /** Adds a browser by its push subscription. */
  'POST /api/push': { body: z.input<typeof p.PushBody>; reply: p.PushDevice }
  /** Removes a browser. */
  'DELETE /api/push/:id': { params: { id: string }; reply: undefined }
  /** Decides a card as a button of a notification was pressed: signed with the key of the device, once. 403 where it does not count. */
  'POST /api/push/decide': { body: z.input<typeof p.PushDecideBody>; reply: { ok: true } }
  /** Says that the browser is here. One that was not for 90 days is marked (`isUnseen`); whoever has it is told of cards still. One that lost its subscription has a `problem`. */
  'POST /api/push/:id/seen': { params: { id: string }; body: z.input<typeof p.PushSeenBody>; reply: { ok: true } }
  /** Sends a browser a test. */
  'POST /api/push/:id/test': { params: { id: string }; reply: p.PushDevice }
  /** Turns a recording of up to two minutes into text. Nothing is sent: the text is for the composer. */
  'POST /api/transcriptions': { body: z.input<typeof p.TranscriptionBody>; reply: p.TranscriptionReply }
  /** The agents. */
  'GET /api/agents': { reply: p.AgentsReply }
  /** The agent that answers at a `door`, and by which binding. */
  'GET /api/agents/which': { query?: { door?: 'dashboard' | 'mcp' | 'job' | 'channel' | 'v1'; person?: string; token?: string; job?: string; channel?: string; account?: string; chat?: string }; reply: p.AgentWhichReply }
  /** Says something to one or two agents, each in a rehearsal. */
  'POST /api/agents/try': { body: z.input<typeof p.AgentTryBody>; reply: p.AgentTryReply }
  /** One agent, with its `body` in `agents.yaml`, files, tools offered, and what it did lately. */
  'GET /api/agents/:id': { params: { id: string }; reply: p.AgentDetail }
  /** Makes or changes an agent. 409 where the file is not the one of `hash`. A program gives an agent no rights. */
  'PUT /api/agents/:id': { params: { id: z.input<typeof p.AgentId> }; body: z.input<typeof p.AgentPutBody>; reply: p.AgentDetail }
  /** Removes an agent; its folder and conversations stay. */
  'DELETE /api/agents/:id': { params: { id: string }; reply: undefined }
  /** The verdict on a call of the agent’s in your name, and of the main agent’s; runs nothing. */
  'POST /api/agents/:id/classify': { params: { id: string }; body: z.input<typeof p.AgentClassifyBody>; reply: p.AgentClassifyReply }
  /** A file of the agent’s folder with its `checksum`. Not for those who may only look. Programs get it redacted. */
  'GET /api/agents/:id/files/*path': { params: { id: string; path: string }; reply: p.WorkspaceText }
  /** Writes a file. 409 where it changed since `checksum`. A program writes prompt files of agents other than main, and texts of others. */
  'PUT /api/agents/:id/files/*path': { params: { id: string; path: string }; body: z.input<typeof p.AgentFileBody>; reply: p.WorkspaceText }
  /** Deletes a file; a program, one that it may write. */
  'DELETE /api/agents/:id/files/*path': { params: { id: string; path: string }; reply: undefined }
  /** The use of models, and its limits: Limits. */
  'GET /api/budgets': { reply: p.BudgetsReply }
  /** Sets limits. */
  'PUT /api/budgets': { body: z.input<typeof p.BudgetsChange>; reply: p.BudgetsReply }
  /** Allows a run `usd` dollars more. 409 where it has ended. */
  'POST /api/budgets/runs/:runId': { params: { runId: string }; body: z.input<typeof p.BudgetRaise>; reply: p.RunBudget }
  /** A guest’s configuration, snapshots, backups and the rest beside its live state. A part that could not be read is null, and `missing` says why. */
  'GET /api/guests/:vmid': { params: { vmid: string }; reply: p.GuestReply }
  /** The configuration that a snapshot would bring back, without secrets. */
  'GET /api/guests/:vmid/snapshots/:name': { params: { vmid: string; name: string }; reply: p.SnapshotConfigReply }
  /** The volumes on a storage. `node`: for a storage that is not shared. */
  'GET /api/storages/:name': { params: { name: string }; query?: { node?: string }; reply: p.StorageReply }
  /** Changes that JARVIS made, newest first, and `now`, the server’s clock. `target` is such as `vm/101`, `before` Unix ms. With `armed`: changes that go back by themselves, soonest first. */
  'GET /api/changes': { query?: { target?: string; before?: number; limit?: number; armed?: 'true' }; reply: p.ChangesReply }
  /** One change. */
  'GET /api/changes/:id': { params: { id: string }; reply: p.Change }
  /** Keeps a change that would go back by itself. 409 where it does not any more. */
  'POST /api/changes/:id/keep': { params: { id: string }; reply: { ok: true } }
  /** Starts the run that takes a change back, by a call through the gate. */
  'POST /api/changes/:id/undo': { params: { id: string }; reply: p.SentReply }
  /** Signs in. Without `name` the first owner signs in, or the only one. A person with a second factor is told `second_factor_required`, and gives `code` too. `expiresIn` is seconds. */
  'POST /api/auth/login': { body: z.input<typeof p.LoginBody>; reply: p.SignInReply }
  /** Gives the password, with a `code` where there is a second factor, or a passkey again, which counts for this token for `expiresIn` seconds. */
  'POST /api/auth/step-up': { body: z.input<typeof p.StepUpBody>; reply: p.StepUpReply }
  /** Changes the password and ends all other sign-ins and the pairings of this person, which `ended` names. A person with a second factor gives `code` too. */
  'POST /api/auth/password': { body: z.input<typeof p.PasswordBody>; reply: p.SignInReply }
  /** Revokes the token and ends its sockets. */
  'POST /api/auth/logout': { reply: { ok: true } }
  /** The purpose of a link that somebody was given: `secret` is the part after the last `/`. A link that does not count is 404, whatever the reason. */
  'POST /api/auth/link': { body: z.input<typeof p.LinkBody>; reply: p.LinkReply }
  /** Uses an invitation: makes the person, with the role that it has, and signs in. */
  'POST /api/auth/join': { body: z.input<typeof p.JoinBody>; reply: p.SignInReply }
  /** Uses a link for a new password: sets it, ends all sign-ins of that person, and signs in. A person with a second factor gives `code` too. */
  'POST /api/auth/reset': { body: z.input<typeof p.ResetBody>; reply: p.SignInReply }
  /** Begins to sign in elsewhere: the browser goes to `redirectTo`. Only our own page may. */
  'POST /api/auth/oidc': { body: z.input<typeof p.ElsewhereBody>; reply: p.ElsewhereReply }
  /** Ends a sign-in elsewhere with the secret of the page that began it. An account of nobody is refused and waits for an owner. */
  'POST /api/auth/oidc/finish': { body: z.input<typeof p.ElsewhereFinishBody>; reply: p.SignInReply }
  /** Accounts of another service that you sign in with. */
  'GET /api/auth/accounts': { reply: p.ForeignAccountsReply }
  /** Begins to link an account of another service, as `POST /api/auth/oidc` does to sign in. */
  'POST /api/auth/accounts': { body: z.input<typeof p.ElsewhereBody>; reply: p.ElsewhereReply }
  /** Links the account, for the sign-in that began it. */
  'POST /api/auth/accounts/finish': { body: z.input<typeof p.ElsewhereFinishBody>; reply: p.ForeignAccount }
  /** Unlinks an account of yours; what was signed in with an account of another service ends. */
  'DELETE /api/auth/accounts/:id': { params: { id: string }; reply: undefined }
  /** Everybody’s accounts of another service, and those that wait to be let in (without `person`). */
  'GET /api/people/accounts': { reply: { items: (p.ForeignAccount)[] } }
  /** Lets a waiting account in as a new person, who has no password. */
  'POST /api/people/accounts/:id/admit': { params: { id: string }; body: z.input<typeof p.AdmitBody>; reply: p.Person }
  /** Unlinks anybody’s account, or refuses one that waits. */
  'DELETE /api/people/accounts/:id': { params: { id: string }; reply: undefined }
  /** Your passkeys. `problem` says why none works at this address, and what to do. */
  'GET /api/passkeys': { reply: p.PasskeysReply }
  /** Options for `navigator.credentials.create`; they count for five minutes. */
  'POST /api/passkeys/options': { reply: p.WebAuthnOptions }
  /** Enrols your first passkey. Beside others the reply has `countersign`: options by which an older one signs the new one. */
  'POST /api/passkeys': { body: z.input<typeof p.PasskeyBody>; reply: p.PasskeyReply }
  /** Enrols a passkey that an older one of yours has signed now. */
  'POST /api/passkeys/countersign': { body: z.input<typeof p.PasskeyCountersignBody>; reply: p.Passkey }
  /** Renames a passkey of yours. */
  'PATCH /api/passkeys/:id': { params: { id: string }; body: z.input<typeof p.PasskeyPatchBody>; reply: undefined }
  /** Removes a passkey of yours. It signs in and decides no more, and the sign-ins made with it end, except this one; what it has signed stays valid. */
  'DELETE /api/passkeys/:id': { params: { id: string }; reply: undefined }
  /** A person’s passkeys. */
  'GET /api/people/:id/passkeys': { params: { id: string }; reply: { items: (p.Passkey)[] } }
  /** Removes a passkey of a person who has lost it. It signs in and decides no more, and the sign-ins made with it end; what it has signed stays valid. */
  'DELETE /api/people/:id/passkeys/:passkey': { params: { id: string; passkey: string }; reply: undefined }
  /** Options for `navigator.credentials.get`, to sign in or to step up. They count once, for five minutes. Refused with what to do at an address where passkeys do not work. */
  'POST /api/auth/passkey/options': { reply: p.WebAuthnOptions }
  /** Signs in with a passkey. `expiresIn` is seconds. */
  'POST /api/auth/passkey': { body: z.input<typeof p.PasskeySignInBody>; reply: p.SignInReply }
  /** Facts for somebody who is not signed in: whether a name is asked for, whether passkeys are there and work at this address, and which other service people sign in at. */
  'GET /api/auth/ways': { reply: p.WaysReply }
  /** The person who is signed in, since when and with what. */
  'GET /api/auth/me': { reply: p.MeReply }
  /** Sets how the dashboard looks for you, in browsers where you chose nothing else. What is left out is as it comes. */
  'PUT /api/auth/display': { body: z.input<typeof p.Display>; reply: p.Display }
  /** Your sign-ins, the newest use first, and until when each lasts at most: `idleEndsAt` without another use, `endsAt` whatever happens. */
  'GET /api/auth/sign-ins': { reply: { items: (p.SignInInfo)[] } }
  /** Ends one of them. */
  'DELETE /api/auth/sign-ins/:id': { params: { id: string }; reply: undefined }
  /** Ends all of them but this one, and what you paired with channels and web push. */
  'POST /api/auth/sign-out-others': { reply: { ok: true; ended: p.EndedAccess } }
  /** Offers a seed for your authenticator app. It counts once its first code was given, within 15 minutes; until then what was before does. */
  'POST /api/second-factor': { reply: p.SecondFactorOffer }
  /** Turns the offered second factor on, by a code of it. The recovery codes are shown this once. */
  'POST /api/second-factor/confirm': { body: z.input<typeof p.SecondFactorBody>; reply: p.RecoveryCodesReply }
  /** Makes new recovery codes; the ones before count no more. */
  'POST /api/second-factor/recovery-codes': { reply: p.RecoveryCodesReply }
  /** Turns your second factor off. Your password alone signs in then. */
  'DELETE /api/second-factor': { reply: undefined }
  /** Turns a person’s second factor off who has lost the device and the recovery codes. */
  'DELETE /api/people/:id/second-factor': { params: { id: string }; reply: undefined }
  /** Your SSH keys that sign decisions. */
  'GET /api/signers/ssh': { reply: p.SshKeysReply }
  /** Enrols your first key. Beside other keys or passkeys the reply has `countersign`: what an older one must sign within five minutes. */
  'POST /api/signers/ssh': { body: z.input<typeof p.SshKeyBody>; reply: p.SshKeyReply }
  /** Enrols a key that an older key or passkey of yours has signed now. */
  'POST /api/signers/ssh/countersign': { body: z.input<typeof p.SshCountersignBody>; reply: p.SshKeyInfo }
  /** Removes a key of yours. It decides no more; what it has signed stays valid. */
  'DELETE /api/signers/ssh/:id': { params: { id: string }; reply: undefined }
  /** A person’s SSH keys. */
  'GET /api/people/:id/signers/ssh': { params: { id: string }; reply: { items: (p.SshKeyInfo)[] } }
  /** Removes an SSH key of a person who has lost it. It decides no more; what it has signed stays valid. */
  'DELETE /api/people/:id/signers/ssh/:key': { params: { id: string; key: string }; reply: undefined }
  /** The state of the running server: version, models, policy and the health of each part. */
  'GET /api/status': { reply: p.Status }
  /** Nodes, guests, storages and tasks; `missing` says what could not be read. */
  'GET /api/cluster': { reply: p.ShownCluster }
  /** Profile, protected targets, SSH. */
  'GET /api/settings': { reply: p.SettingsReply }
  /** Sets the safety profile. A looser one needs the password. */
  'PUT /api/settings': { body: z.input<typeof p.SettingsBody>; reply: p.SettingsReply }
  /** The text of `policy.yaml`, and the whole policy in force in words. */
  'GET /api/policy': { reply: p.PolicyReply }
  /** Checks a draft of `policy.yaml`: every problem with its line and column, or what the draft changes. Writes nothing. */
  'POST /api/policy/check': { body: z.input<typeof p.PolicyDraft>; reply: p.PolicyCheckReply }
  /** The calls among the newest journal entries that a draft would have judged differently. Writes nothing. 400 where the draft cannot be used. */
  'POST /api/policy/replay': { body: z.input<typeof p.PolicyReplayBody>; reply: p.PolicyReplayReply }
  /** The backups of JARVIS’s own data in the data dir, newest first. Operating says how to restore one. */
  'GET /api/backups': { reply: p.OwnBackupsReply }
  /** Makes a backup now, and answers when it is finished and checked. 409 while another one is made, where 20 are there, or where the disk is almost full. */
  'POST /api/backups': { reply: p.OwnBackupMade }
  /** Every setting with its value, where it comes from, its default, and where it is changed. A secret’s value is `set`. */
  'GET /api/config': { reply: { items: (p.SettingInForce)[] } }
  /** Entries, newest first. Whoever may only look gets no words of conversations that are closed to them. */
  'GET /api/journal': { query?: { limit?: number; before?: number; kind?: string; toolUseId?: string; sessionId?: string; toolName?: string; actor?: string; tier?: z.input<typeof p.Tier>; outcome?: string; signed?: 'true'; words?: string; from?: number; to?: number }; reply: p.JournalPage }
  /** Checks the chain of all entries. */
  'GET /api/journal/verify': { reply: p.JournalVerification }
  /** The newest 500 lines of the log, oldest first. `q`: only lines with this text. */
  'GET /api/logs': { query?: { level?: 'error' | 'warn' | 'info' | 'debug'; q?: string }; reply: { items: (p.LogLine)[] } }
  /** The line that makes role, user and token on a node, and what is configured. `choices` are wider sets of rights. */
  'GET /api/setup': { reply: p.SetupReply }
  /** The certificate of an address. */
  'POST /api/setup/probe': { body: z.input<typeof p.SetupProbeBody>; reply: p.SetupProbeReply }
  /** Tries addresses and token; changes nothing. `choices` are those that the token does not have. */
  'POST /api/setup/test': { body: z.input<typeof p.SetupClusterBody>; reply: p.SetupTestReply }
  /** Saves the cluster for the next start. */
  'POST /api/setup/save': { body: z.input<typeof p.SetupClusterBody>; reply: p.SetupSaveReply }
  /** Forgets the cluster: the demo serves from the next start on. */
  'DELETE /api/setup': { reply: undefined }
  /** Closes everything and starts again with the saved settings. 409 where that start would fail. */
  'POST /api/restart': { reply: p.RestartReply }
  /** Runs the doctor’s checks. `model=0` leaves the model’s server out. */
  'GET /api/doctor': { query?: { model?: '0' | '1' }; reply: p.DoctorReply }
  /** The tokens of programs; of whoever is no operator, their own. */
  'GET /api/tokens': { reply: { items: (p.ApiTokenInfo)[] } }
  /** Makes a token. `token` is shown once. It acts in your name and never does more than you may. */
  'POST /api/tokens': { body: z.input<typeof p.ApiTokenBody>; reply: p.ApiTokenReply }
  /** Revokes a token; whoever is no operator, one of their own. */
  'DELETE /api/tokens/:name': { params: { name: string }; reply: undefined }
  /** Tokens of the door `mcp`, in an older form of `/api/tokens`. */
  'GET /api/mcp-tokens': { reply: { items: (p.McpTokenInfo)[] } }
  /** Makes a token of the door `mcp`. `token` is shown once. */
  'POST /api/mcp-tokens': { body: z.input<typeof p.McpTokenBody>; reply: p.McpTokenReply }
  /** Revokes a token of the door `mcp`. */
  'DELETE /api/mcp-tokens/:name': { params: { name: string }; reply: undefined }
  /** Tells if there is a key of the webhook. */
  'GET /api/hooks': { reply: { pve: ({ createdAt: number; lastUsedAt: number | null } | null) } }
  /** Makes the webhook’s `key`, which is shown once and replaces the one before. */
  'POST /api/hooks': { reply: { pve: ({ createdAt: number; lastUsedAt: number | null } | null); key: string } }
  /** Takes the key back. */
  'DELETE /api/hooks': { reply: undefined }
  /** A hint of Proxmox’s to look, once a minute at most. Asks for the webhook’s key. */
  'POST /api/hooks/pve': { reply: { ok: true } }
  /** Opens an MCP client’s request to sign in, by the query of the consent page. */
  'POST /api/oauth/requests': { body: z.input<typeof p.OAuthOpenBody>; reply: (p.OAuthAsk | p.OAuthProblem) }
  /** Allows or refuses an MCP client. Allowing needs the password. */
  'POST /api/oauth/requests/:id': { params: { id: string }; body: z.input<typeof p.OAuthDecisionBody>; reply: p.OAuthDecisionReply }
  /** This API as an OpenAPI 3.1 document. */
  'GET /api/openapi.json': { reply: Record<string, unknown> }
}

export type Files = {
  /** Opens a sign-in that an owner began, once: this browser alone brings the answer back. */
  'GET /api/mcp-servers/sign-in/start': { query: { flow: string } }
  /** The address to which the authorization server sends the browser back. Its answer counts once, in the browser that began. */
  'GET /api/mcp-servers/sign-in/callback': {  }
  /** One of these files, at most 50 MB, whole or a `Range` of it. Secrets in a text are replaced; `Jarvis-Redacted: true` then says so. */
  'GET /api/sessions/:id/files/*path': { params: { id: string; path: string } }
  /** A tool’s picture. */
  'GET /api/sessions/:id/images/:imageId': { params: { id: string; imageId: string } }
  /** A session as a file. */
  'GET /api/sessions/:id/export': { params: { id: string }; query?: { format?: 'jsonl' | 'markdown' } }
  /** An attached file. */
  'GET /api/sessions/:id/attachments/:attachmentId': { params: { id: string; attachmentId: string } }
  /** All that happens in a session, as server-sent events. */
  'GET /api/sessions/:id/events': { params: { id: string }; query?: { after?: number } }
  /** The same as JSON lines. */
  'GET /api/feedback/export': { query?: { about?: z.input<typeof p.FeedbackAbout> } }
  /** The address to which the other service sends the browser back. Its answer counts once, in the browser that began, and the browser goes on to a page. */
  'GET /api/auth/oidc/callback': {  }
  /** The settings that somebody set, as a JSON file `{name: value}`. Secrets are left out. */
  'GET /api/config/export': {  }
  /** The whole journal as JSON lines. */
  'GET /api/journal/export': {  }
  /** The same lines as a text file. */
  'GET /api/logs/export': { query?: { level?: 'error' | 'warn' | 'info' | 'debug'; q?: string } }
  /** The activity feed, as server-sent events. */
  'GET /api/events': {  }
}
