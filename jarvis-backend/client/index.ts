// Made from GET /api/openapi.json by: npm run reference
/** A failure that JARVIS answered with. `code` is one of the table in docs/api.md. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  constructor(code: string, message: string, status: number) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.status = status
  }
}

export type AcknowledgeBody = { note?: string; untilValue?: number }
export type AdmitBody = { name: PersonName; role: PersonRole }
export type AgentBinding = { door: "dashboard" | "mcp" | "job" | "channel" | "v1"; person?: string; token?: string; job?: string; channel?: string; account?: string; chat?: string }
export type AgentBindingInput = { door: "dashboard" | "mcp" | "job" | "channel" | "v1"; person?: string; token?: string; job?: string; channel?: string; account?: string; chat?: string }
export type AgentBody = { name?: string; about?: string; model?: string; effort?: Effort; temperature?: number; tools?: { allow?: (string)[]; deny?: (string)[] }; skills?: (string)[]; ceiling?: Ceiling; memory?: AgentMemory; budget?: { calls?: number; tokens?: number; usd?: number; minutes?: number; run?: BudgetLimits }; bindings?: (AgentBinding)[] }
export type AgentBodyInput = { name?: string; about?: string; model?: string; effort?: Effort; temperature?: number; tools?: { allow?: (string)[]; deny?: (string)[] }; skills?: (string)[]; ceiling?: Ceiling; memory?: AgentMemory; budget?: { calls?: number; tokens?: number; usd?: number; minutes?: number; run?: BudgetLimitsInput }; bindings?: (AgentBindingInput)[] }
export type AgentChoice = { agent: string; binding?: AgentBinding; number?: number }
export type AgentClassifyBody = { toolName: string; toolInput?: ToolInput }
export type AgentClassifyReply = { verdict: Verdict; main: Verdict }
export type AgentDeed = { seq: number; at: number; kind: string; toolName?: string; target?: string; outcome?: string; reason?: string; sessionId?: string }
export type AgentDetail = { name: string; about: string; model?: string; effort?: Effort; temperature?: number; tools?: { allow?: (string)[]; deny?: (string)[] }; skills?: (string)[]; ceiling: Ceiling; memory: AgentMemory; budget: { calls?: number; tokens?: number; usd?: number; minutes?: number; run?: BudgetLimits }; bindings: (AgentBinding)[]; id: string; toolCount: number; waiting: number; usedToday: Spending; problem?: string; body: AgentBody; offered: (string)[]; files: (AgentFile)[]; lately: (AgentDeed)[] }
export type AgentFile = { path: string; bytes: number; changedAt: number; by?: string; isPrompt?: true }
export type AgentFileBody = { text: string; checksum?: string }
export type AgentId = string
export type AgentInfo = { name: string; about: string; model?: string; effort?: Effort; temperature?: number; tools?: { allow?: (string)[]; deny?: (string)[] }; skills?: (string)[]; ceiling: Ceiling; memory: AgentMemory; budget: { calls?: number; tokens?: number; usd?: number; minutes?: number; run?: BudgetLimits }; bindings: (AgentBinding)[]; id: string; toolCount: number; waiting: number; usedToday: Spending; problem?: string }
export type AgentMemory = "own" | "shared" | "none"
export type AgentPutBody = { agent: AgentBodyInput; hash?: string }
export type AgentTryBody = { agents: (AgentId)[]; message: string }
export type AgentTryReply = { items: ({ agent: string; sessionId: string; runId: string })[] }
export type AgentWhichReply = { agent: string; binding?: AgentBinding; number?: number; others: (AgentChoice)[] }
export type AgentsReply = { items: (AgentInfo)[]; allTools: number; hash?: string; problems: (string)[]; warnings: (string)[] }
export type Alert = { id: string; check: string; object: AlertObject; severity: Severity; state: "pending" | "firing" | "held" | "resolved"; sentence: string; limit?: string; value?: string; chart?: { series: string; field: string; limit?: number; clears?: number }; since: number; firesAt?: number; firedAt?: number; notSeenSince?: number; resolvedAt?: number; ending?: string; acknowledged?: { by: string; at: number; note?: string; until?: string }; silenced?: { by: string; until?: number; note?: string; window?: string }; flapping?: { until: number; changes: number; since?: number }; hiddenBy?: string; hides?: number; explainedBy?: string; near?: string; told: ({ at: number; what: "fired" | "resolved"; words: string })[] }
export type AlertDetail = { id: string; check: string; object: AlertObject; severity: Severity; state: "pending" | "firing" | "held" | "resolved"; sentence: string; limit?: string; value?: string; chart?: { series: string; field: string; limit?: number; clears?: number }; since: number; firesAt?: number; firedAt?: number; notSeenSince?: number; resolvedAt?: number; ending?: string; acknowledged?: { by: string; at: number; note?: string; until?: string }; silenced?: { by: string; until?: number; note?: string; window?: string }; flapping?: { until: number; changes: number; since?: number }; hiddenBy?: string; hides?: number; explainedBy?: string; near?: string; told: ({ at: number; what: "fired" | "resolved"; words: string })[]; title: string; evidence: { read: string; at: number; durationMs?: number; values: (string)[]; usual?: string; before: { count: number; longestMs?: number; lastAt?: number } }; changes: ({ at: number; sentence: string; by: string; isOurs: boolean; entry?: number })[]; also: (Alert)[]; hidden: (Alert)[]; runbooks: (OfferedRunbook)[]; missing: (string)[] }
export type AlertHistory = { items: (Alert)[]; next?: string }
export type AlertObject = { id: string; name?: string; node?: string; vmid?: number; guest?: { id: string; since: number } }
export type AlertsReply = { items: (Alert)[]; now: number; checkedAt: unknown; checks: { on: number; cannotRun: number }; ended: number; silences: ({ alert: string; check: string; object: string; sentence: string; hasEnded: boolean; by: string; note: string; until?: number })[] }
export type Alternative = { toolName: string; toolInput: unknown }
export type Answer = { chosen?: (number)[]; text?: string }
export type AnswerBody = { answers?: (AnswerInput)[]; said?: string; declined?: true }
export type AnswerInput = { chosen?: (number)[]; text?: string }
export type ApiTokenBody = { name: string; doors: (Door)[]; scope?: TokenScope; expiresInDays?: number; requestsPerMinute?: RequestsPerMinute }
export type ApiTokenInfo = { name: string; doors: (Door)[]; scope: TokenScope; hint?: string; requestsPerMinute?: number; calls: number; createdAt: number; expiresAt?: number; lastUsedAt?: number; person?: string; clientName?: string }
export type ApiTokenReply = { name: string; doors: (Door)[]; scope: TokenScope; hint?: string; requestsPerMinute?: number; calls: number; createdAt: number; expiresAt?: number; lastUsedAt?: number; person?: string; clientName?: string; token: string }
export type Approvals = { needed: number; by: ({ person: string; name: string; at: number })[]; roles: (string)[]; notAsker?: true; oneMore?: string; problem?: string }
export type Approve = { count: number; by: (string)[]; notAsker: boolean }
export type AreaName = "files" | "exec" | "web" | "browser" | "git" | "docker"
export type AttachedAllowBody = { program: string }
export type AttachedLogLine = { id: number; at: number; source: "stderr" | "server" | "jarvis"; text: string }
export type AttachedServer = { name: string; type: "stdio" | "http" | "sse"; config: AttachedServerConfig; state: AttachedState; program?: string; server?: { name: string; version: string; protocolVersion?: string }; lastError?: { at: number; message: string }; retryAt?: number; reconnectedAt?: number; goneSince?: number; signIn?: AttachedSignIn; tools: (AttachedToolInfo)[]; refused: ({ toolName: string; problem: string })[] }
export type AttachedServerConfig = ({ type: "stdio"; command: string; args: (string)[]; env: Record<string, string>; cwd?: string; enabled: boolean; lazy: boolean } | { type: "http" | "sse"; url: string; headers: Record<string, string>; oauth?: { clientId?: string; clientSecret?: string; issuer?: string; scopes?: (string)[] }; enabled: boolean; lazy: boolean })
export type AttachedServersReply = { items: (AttachedServer)[]; problems: (string)[] }
export type AttachedSignIn = { state: "needed" | "signed_in" | "again" | "more"; issuer?: string; scopes: (string)[]; wants: (string)[]; expiresAt?: number; isRenewed: boolean; by?: string; at?: number; problem?: string }
export type AttachedSignInReply = { address: string; issuer: string; scopes: (string)[] }
export type AttachedState = "disabled" | "waiting" | "idle" | "connecting" | "connected" | "failed"
export type AttachedTier = "green" | "yellow" | "red"
export type AttachedTierBody = { tier: AttachedTier; hash: string }
export type AttachedToolInfo = { name: string; toolName: string; title?: string; description: string; inputSchema: Record<string, unknown>; hash: string; tier: Tier; suggestedTier: Tier; setBy?: string; setAt?: number; changedAt?: number }
export type Attachment = { id: AttachmentId; name: string; mimeType: "image/png" | "image/jpeg" | "image/webp" | "image/gif" | "text/plain"; bytes: number; widthPx?: number; heightPx?: number }
export type AttachmentBody = { name: string; data: string }
export type AttachmentId = string
export type AttachmentIds = (AttachmentId)[]
export type Backup = { volumeId: string; vmid: number; storage: string; node?: string; createdAt: number; sizeBytes: number; format: string; verification?: "ok" | "failed" | "none"; notes?: string; owner?: string; whose?: "own" | "earlier" | "other" | "unknown"; whoseWords?: string }
export type BranchedFrom = { sessionId: SessionId; entry: number; title?: string; isVersion?: true }
export type BreakGlassBody = { reason: string; proof?: DecisionProof }
export type BudgetLimits = { calls?: number; tokens?: number; usd?: number; minutes?: number }
export type BudgetLimitsInput = { calls?: number; tokens?: number; usd?: number; minutes?: number }
export type BudgetRaise = { usd: number }
export type BudgetState = { limits: BudgetLimits; spent: Spending }
export type BudgetsChange = { run?: BudgetLimitsInput; day?: BudgetLimitsInput; jobs?: BudgetLimitsInput; agents?: Record<string, BudgetLimitsInput> }
export type BudgetsReply = { since: number; zone: string; run: BudgetLimits; callsPerRun: number; day: BudgetState; jobs: BudgetState; agents: ({ id: string; limits: BudgetLimits; spent: Spending })[]; eachJob: ({ id: string; name: string; limits: BudgetLimits; spent: Spending })[]; kinds: ({ kind: string; spent: Spending })[]; unpriced: (string)[]; running: (RunBudget)[] }
export type Card = { toolUseId: string; callId?: string; changed?: string; toolName: string; toolInput: Record<string, unknown>; tier: "red"; sentence?: string; deed?: string; reason: string; reasons?: (string)[]; rule: string; target: Target; effect?: Effect; now: string; then: string; affects: string; requestedBy: Principal; isAfterAnother?: true; undo?: UndoFacts; mayGoBack?: true; later?: { sentence: string; at: number }; diff?: (FileDiff)[]; basis?: Record<string, string>; plan?: PlanFacts; mayHaveAlternative?: true; approvals?: Approvals; proof?: "passkey"; isGrantable?: true; scope?: GrantScope; createdAt: number; expiresAt: number }
export type Ceiling = "green" | "yellow" | "red"
export type ChallengeBody = { grant?: GrantRequest; goesBackAfterMin?: GoesBackAfterMin; alone?: true; decision?: "approved" }
export type Change = { id: string; sessionId: string; toolName: string; toolInput: Record<string, unknown>; target: Target; requestedBy: Principal; sentence: string; at: number; state: "running" | "made" | "armed" | "failed" | "unknown" | "undoing" | "undone"; undo: UndoFacts; goesBackAt?: number; timerOn?: string; undoes?: string; decidedBy?: string; decidedAt?: number; problem?: string }
export type ChangesReply = { items: (Change)[]; now: number }
export type ChannelBody = { settings: Record<string, (string | null)> }
export type ChannelDeliveries = { items: (ChannelDelivery)[] }
export type ChannelDelivery = { id: string; seq: number; channel: string; to: string; act: "deliver" | "revise" | "withdraw"; kind: "card" | "notice" | "digest" | "test" | "pairing" | "talk"; level: "card" | "failed" | "warning" | "info"; title: string; at: number; state: "waiting" | "sending" | "sent" | "held" | "dropped" | "failed"; endedAt?: number; nextAt?: number; attempts: number; why?: string }
export type ChannelGroupBody = { group: string }
export type ChannelGroups = { items: ({ id: string; name: string })[] }
export type ChannelInfo = { id: string; name: string; readers: string; atMost: Decides; pairs: boolean; subscribes: boolean; talks: boolean; groups: boolean; state: "off" | "on" | "broken"; from?: "environment" | "settings"; place?: string; account?: string; problem?: string; settings: (ChannelSetting)[]; recipients: (ChannelRecipient)[]; waiting: number }
export type ChannelPairing = { id: string; channel: string; expiresAt: number; opened?: { user: string; name: string; at: number } }
export type ChannelPairingBegun = { id: string; channel: string; expiresAt: number; opened?: { user: string; name: string; at: number }; code: string; link?: string }
export type ChannelPairingBody = { user: string }
export type ChannelPairings = { items: (ChannelPairing)[] }
export type ChannelRecipient = { id: string; person: string; personName: string; user: string; name: string; isGroup: boolean; decides: Decides; hidesNames: boolean; talks: boolean; agent?: string; createdAt: number; problem?: string }
export type ChannelRecipientBody = { decides?: Decides; hidesNames?: boolean; talks?: boolean; agent?: (AgentId | null) }
export type ChannelRules = { quiet?: string; routes: ({ channel: string; person?: string; kinds: ("card" | "question" | "alert" | "change" | "glass" | "observed" | "job" | "sign-in" | "share")[]; least: "info" | "warning" | "failed"; hours?: string })[]; escalation: Record<string, number> }
export type ChannelRulesInput = { quiet?: string; routes: ({ channel: string; person?: string; kinds: ("card" | "question" | "alert" | "change" | "glass" | "observed" | "job" | "sign-in" | "share")[]; least: "info" | "warning" | "failed"; hours?: string })[]; escalation: Record<string, number> }
export type ChannelSetting = { name: string; label: string; isRequired: boolean; isSecret: boolean; example: string; isSet: boolean; value?: string }
export type ChannelTapBody = { token: string }
export type ChannelTapReply = { answer: string }
export type ChannelTestBody = { recipient?: string }
export type ChannelsReply = { items: (ChannelInfo)[]; today: { sent: number; held: number; dropped: number; failed: number }; zone: string }
export type CheckBody = { isOff: boolean }
export type CheckRow = { id: string; title: string; reads: string; limit: string; state: "ok" | "alerts" | "off" | "cannot_run" | "unknown"; problem?: string; lastAt?: number; everyMs: number; firing: number; isOwn?: true }
export type Checkpoint = { seq: number; text: string; at: number; changes: number; files: number }
export type CheckpointChange = { toolUseId: string; seq: number; line: string; outcome: "done" | "failed" | "unknown"; text: string; at: number }
export type CheckpointDetail = { seq: number; text: string; at: number; files: (CheckpointFile)[]; notUndone: (CheckpointChange)[] }
export type CheckpointFile = { path: string; writes: number; goesBack: boolean; because?: string }
export type ChecksReply = { items: (CheckRow)[]; problems: (string)[] }
export type ChildRunRow = { runId: RunId; parentRunId: RunId; toolUseId: ToolUseId; agent: string; for: string; task: string; tools?: (string)[]; mostTokens?: number; state: "done" | "failed" | "stopped" | "unknown" | "working"; summary?: string; calls: number; tokens: number; costUsd?: number; startedAt: number; endedAt?: number }
export type ClassifyBody = { input: unknown }
export type ClassifyReply = { tier: Tier; rule: string; reason: string; preview?: { now?: string; then?: string; undo: UndoFacts; mayGoBack?: true } }
export type ClusterPart = "nodes" | "guests" | "storages" | "tasks"
export type CommandRow = { id: string; toolUseId?: string; command: string; folder: string; isBackground: boolean; level: "full" | "landlock" | "none"; startedAt: number; endsBy: number; status: "running" | "ended"; endedAt?: number; words?: string; exitCode?: number; lastLines: (string)[]; changes?: number }
export type CommandsReply = { items: (CommandRow)[]; now: number }
export type ConfirmBody = { confirmed: boolean; note?: string; alternative?: Alternative; grant?: GrantRequest; goesBackAfterMin?: GoesBackAfterMin; proof?: DecisionProof }
export type ConfirmationRow = { toolUseId: string; callId?: string; changed?: string; toolName: string; toolInput: Record<string, unknown>; tier: "red"; sentence?: string; deed?: string; reason: string; reasons?: (string)[]; rule: string; target: Target; effect?: Effect; now: string; then: string; affects: string; requestedBy: Principal; isAfterAnother?: true; undo?: UndoFacts; mayGoBack?: true; later?: { sentence: string; at: number }; diff?: (FileDiff)[]; basis?: Record<string, string>; plan?: PlanFacts; mayHaveAlternative?: true; approvals?: Approvals; proof?: "passkey"; isGrantable?: true; scope?: GrantScope; createdAt: number; expiresAt: number; sessionId: string; decision?: Decision; decidedBy?: string; decidedAt?: number; via?: string; note?: string; replacedBy?: string; liftedAt?: number; refusedUntil?: number; outcome?: "done" | "failed" | "unknown" }
export type Content = ({ type: "text"; text: string } | { type: "thinking"; text: string; signature?: string; after?: string; isWantedBack?: true } | { type: "redacted_thinking"; data: string; after?: string } | { type: "tool_call"; toolUseId: ToolUseId; toolName: string; toolInput: ToolInput; malformed?: string; extra?: Record<string, unknown> })
export type ContextItem = { name: string; tokens: number; seq?: number }
export type ContextPart = { part: "system" | "tools" | "skills" | "memory" | "folded" | "transcript" | "results" | "reserved" | "free"; tokens: number; count: number; largest?: ContextItem; items?: (ContextItem)[] }
export type ContextReport = { model: string; windowTokens: number; usedTokens: number; countedTokens: number; exactTokens?: number; exactProblem?: string; resultsAt: number; turnsAt: number; parts: (ContextPart)[]; spent: { usage: Usage; costUsd?: number; isUsagePartial?: true; folds: number; foldingUsd?: number }; fold: { entries: number; because?: string } }
export type Decides = "none" | "deny" | "approve"
export type Decision = "approved" | "denied" | "expired" | "cancelled"
export type DecisionChallenge = { challenge: string; statement: string; lines: (string)[]; expiresAt: number; options?: WebAuthnOptions; problem?: string; sshKeys?: (string)[] }
export type DecisionProof = ({ type: "passkey"; response: PasskeyAssertion } | { type: "ssh"; challenge: string; signature: string })
export type DiffReply = { items: (FileDiff)[] }
export type Display = { theme?: "system" | "dark" | "light"; density?: "compact" | "comfortable"; letters?: boolean }
export type DisplayInput = { theme?: "system" | "dark" | "light"; density?: "compact" | "comfortable"; letters?: boolean }
export type DoctorCheck = { area: string; health: "ok" | "warn" | "bad"; text: string; fix?: string }
export type DoctorReply = { ok: boolean; at: number; tookMs: number; checks: (DoctorCheck)[] }
export type Door = "mcp" | "v1" | "api" | "metrics"
export type Effect = { kind: string; on: string; action?: "start" | "stop" | "restart"; type?: "vm" | "ct"; isForced?: boolean }
export type Effort = "off" | "low" | "medium" | "high"
export type ElsewhereBody = { page: string }
export type ElsewhereFinishBody = { secret: string }
export type ElsewhereReply = { redirectTo: string }
export type Entry = ({ seq: number; runId: RunId; at: number; type: "user"; messageId: MessageId; text: string; by: string; via?: string; token?: string; job?: { id: string; slot: number; isForeign?: true }; attachments?: (Attachment)[] } | { seq: number; runId: RunId; at: number; type: "recalled"; items: (Recalled)[] } | { seq: number; runId: RunId; at: number; type: "skill"; name: string; hash: string; text: string } | { seq: number; runId: RunId; at: number; type: "assistant"; model?: string; madeBy?: "operator" | "client" | "jarvis"; insteadOf?: { toolUseId: ToolUseId; by: string }; content: (Content)[]; usage: Usage; isUsagePartial?: true; stopReason: TurnStop; unmade?: { why: "text" | "cut"; toolNames: (string)[] }; suggestions?: (string)[] } | { seq: number; runId: RunId; at: number; type: "tool_use"; toolUseId: ToolUseId; toolName: string; toolInput: ToolInput; tier: Tier; isRead?: true; view?: View; grantId?: string; by?: string } | { seq: number; runId: RunId; at: number; type: "tool_result"; toolUseId: ToolUseId; result: string; isError: boolean; summary: string; durationMs: number; isUnknown?: true; isRehearsal?: true; isHandedOut?: true; data?: unknown; images?: (Image)[] } | { seq: number; runId: RunId; at: number; type: "plan"; toolUseId: ToolUseId; items: (TodoItem)[] } | { seq: number; runId: RunId; at: number; type: "confirm_needed"; toolUseId: string; callId?: string; changed?: string; toolName: string; toolInput: Record<string, unknown>; tier: "red"; sentence?: string; deed?: string; reason: string; reasons?: (string)[]; rule: string; target: Target; effect?: Effect; now: string; then: string; affects: string; requestedBy: Principal; isAfterAnother?: true; undo?: UndoFacts; mayGoBack?: true; later?: { sentence: string; at: number }; diff?: (FileDiff)[]; basis?: Record<string, string>; plan?: PlanFacts; mayHaveAlternative?: true; approvals?: Approvals; proof?: "passkey"; isGrantable?: true; scope?: GrantScope; createdAt: number; expiresAt: number } | { seq: number; runId: RunId; at: number; type: "confirm_resolved"; toolUseId: ToolUseId; decision: Decision; by: string; via?: string; note?: string; alternative?: { toolUseId: ToolUseId; toolName: string; toolInput: ToolInput }; callId?: ToolUseId; replacedBy?: ToolUseId; signed?: SignedBy } | { seq: number; runId: RunId; at: number; type: "blocked"; toolUseId: ToolUseId; toolName: string; toolInput: ToolInput; reason: string; rule: string; tier: "black" } | { seq: number; runId: RunId; at: number; type: "question"; server?: string; message?: string; url?: string; items: (QuestionItem)[]; questionId: QuestionId; toolUseId: string; requestedBy: Principal; createdAt: number; expiresAt: number } | { seq: number; runId: RunId; at: number; type: "question_resolved"; questionId: QuestionId; toolUseId: ToolUseId; server?: string; end: QuestionEnd; by: string; answers?: (Answer)[]; said?: string } | { seq: number; runId: RunId; at: number; type: "reconciled"; toolUseId: ToolUseId; toolName: string; outcome: "done" | "failed"; text: string } | ({ seq: number; runId: RunId; at: number; type: "subrun"; toolUseId: ToolUseId; agent: string; for: string; change: "begin"; task: string; tools?: (string)[]; mostTokens?: number } | { seq: number; runId: RunId; at: number; type: "subrun"; toolUseId: ToolUseId; agent: string; for: string; change: "end"; state: SubrunState; by?: string; summary: string; calls: number; tokens: number; costUsd?: number; durationMs: number }) | { seq: number; runId: RunId; at: number; type: "rating"; of: number; rating: ("up" | "down" | null); note?: string; by: string } | { seq: number; runId: RunId; at: number; type: "compaction"; what: "turns" | "results"; why: "asked" | "runs" | "window" | "refused"; upTo: number; count: number; facts: (Fact)[]; text: string; tokensBefore: number; tokensAfter: number; model?: string; usage?: Usage; isUsagePartial?: true } | { seq: number; runId: RunId; at: number; type: "budget"; what: "near" | "raised" | "stopped"; text: string; by?: string; usd?: number; isUnpriced?: true } | { seq: number; runId: RunId; at: number; type: "stuck"; text: string } | { seq: number; runId: RunId; at: number; type: "picture_refused"; pictures: (string)[]; text: string } | { seq: number; runId: RunId; at: number; type: "done"; usage: Usage; stopReason: StopReason; isUsagePartial?: true; costUsd?: number } | { seq: number; runId: RunId; at: number; type: "error"; error: string; code: string; usage?: Usage; isUsagePartial?: true; costUsd?: number })
export type ErrorReply = { error: { code: "invalid_request" | "unauthorized" | "token_expired" | "invalid_credentials" | "second_factor_required" | "forbidden" | "step_up_required" | "proof_required" | "proof_refused" | "not_found" | "unknown_session" | "unknown_agent" | "unknown_confirmation" | "already_decided" | "conflict" | "expired" | "message_too_large" | "too_many_requests" | "internal" | "cluster_unreachable" | "cluster_refused" | "outcome_unknown" | "shutting_down" | "storage_failed"; message: string } }
export type Fact = { kind: string; id?: string; of: string; text: string; at: number }
export type Factors = { password: boolean; passkeys: number; totp: boolean; totpLocked?: true; recoveryCodesLeft: number }
export type Fault = { line: number; column?: number; message: string; nearest?: string }
export type FileDiff = { path: string; change: "added" | "changed" | "deleted" | "mode" | "named"; old?: string; new?: string; mode?: string; added: number; removed: number; lines: (string)[]; left: number; note?: string }
export type ForeignAccount = { id: string; issuer: string; subject: string; name?: string; email?: string; person?: string; createdAt: number; lastSeenAt: number }
export type ForeignAccountsReply = { items: (ForeignAccount)[]; service?: string; problem?: string }
export type GlassBroken = { toolUseId: string; toolName: string; person: string; name: string; reason: string; at: number }
export type GoesBackAfterMin = number
export type Grant = { id: string; toolName: string; toolInput: Record<string, unknown>; target: Target; rule: string; requestedBy: Principal; forHelpers?: true; scope?: GrantScope; by: string; toolUseId: string; createdAt: number; expiresAt: number; uses: number; usesLeft: number }
export type GrantRequest = { minutes?: number; uses?: number; forHelpers?: true; scope?: string }
export type GrantScope = { id: string; words: string }
export type Guest = { vmid: number; name: string; type: "vm" | "ct"; node: string; status: "running" | "stopped" | "paused" | "unknown"; isProtected: boolean; uptimeS: unknown; cpuRatio: unknown; cpuCount: unknown; ramBytes: unknown; ramTotalBytes: unknown; diskBytes: unknown; diskTotalBytes: unknown; netInBps?: number; netOutBps?: number; diskBps?: number; lock?: string; isHa: boolean; haState?: string; tags: (string)[]; pool?: string; isTemplate?: boolean; identity?: GuestIdentity; backupAt?: unknown; backupDoubt?: string; madeAt?: number }
export type GuestIdentity = { id: string; since: number; notBefore?: number; earlier?: { name: string; until: number }; isDoubtful?: true }
export type GuestReply = { vmid: number; config: ({ digest: string; lock?: string; values: Record<string, string>; pending: Record<string, unknown> } | null); snapshots: ({ items: ({ name: string; takenAt?: number; hasRam: boolean; description: string })[]; parent?: string } | null); backups: ({ items: (Backup)[]; total: number; isPartial: boolean } | null); otherBackups: (string)[]; proof?: (RestoreProof | null); leansOn: (string)[]; groups: ({ name: string; others: ({ vmid: number; name: string; status: "running" | "stopped" | "paused" | "unknown" })[] })[]; isOwn: boolean; missing: (string)[] }
export type HeartbeatReply = { enabled: boolean; interval: number; is_running: boolean; last_run: unknown; last_result: unknown; heartbeat_file: string; has_heartbeat_file: boolean; next_run: unknown; tokens_today: number; cost_today_usd: unknown; tokens_per_day: number }
export type Image = { id: string; mimeType: "image/png" | "image/jpeg" | "image/webp" | "image/gif"; bytes: number }
export type Invitation = { id: string; role: string; name?: string; by: string; createdAt: number; expiresAt: number }
export type InvitationBody = { role: PersonRole; name?: PersonName }
export type InvitationReply = { id: string; role: string; name?: string; by: string; createdAt: number; expiresAt: number; link: string }
export type Job = { id: string; name: string; work: JobWork; schedule: Schedule; words: string; budget: JobBudget; state: "active" | "paused" | "ended"; paused?: { by: string; at: number; why: string }; by: string; askedBy?: Principal; isChanging: boolean; approvedUntil?: unknown; createdAt: number; isShipped?: true; next: (number)[]; clockChange?: string; last: (JobSlot)[]; failures: number }
export type JobBody = { name: string; work: JobWorkInput; schedule: ScheduleInput; budget?: JobBudgetInput }
export type JobBudget = { tokensPerRun?: number; tokensPerDay?: number; usdPerRun?: number; usdPerDay?: number; callsPerRun?: number; callsPerDay?: number; minutesPerRun?: number; minutesPerDay?: number }
export type JobBudgetInput = { tokensPerRun?: number; tokensPerDay?: number; usdPerRun?: number; usdPerDay?: number; callsPerRun?: number; callsPerDay?: number; minutesPerRun?: number; minutesPerDay?: number }
export type JobPatchBody = { name?: string; work?: JobWorkInput; schedule?: ScheduleInput; budget?: JobBudgetInput; isPaused?: boolean }
export type JobSlot = { jobId: string; slot: number; state: SlotState; isByHand?: true; startedBy?: string; caughtUpAt?: number; startedAt?: number; endedAt?: number; summary?: string; sessionId?: string; runId?: string; tokens?: number; costUsd?: number }
export type JobSlotsPage = { items: (JobSlot)[]; next?: string }
export type JobTrace = { jobId: string; slot: number; state: SlotState; isByHand?: true; startedBy?: string; caughtUpAt?: number; startedAt?: number; endedAt?: number; summary?: string; sessionId?: string; runId?: string; tokens?: number; costUsd?: number; steps: (TraceStep)[]; said?: string }
export type JobWork = ({ kind: "prompt"; text: string } | { kind: "call"; toolName: string; toolInput: ToolInput } | { kind: "runbook"; name: string; inputs: ToolInput } | { kind: "heartbeat"; activeHours?: string; digestAt?: string } | { kind: "drill"; bwlimitKiBps?: number; window?: string })
export type JobWorkInput = ({ kind: "prompt"; text: string } | { kind: "call"; toolName: string; toolInput: ToolInput } | { kind: "runbook"; name: string; inputs: ToolInput } | { kind: "heartbeat"; activeHours?: string; digestAt?: string } | { kind: "drill"; bwlimitKiBps?: number; window?: string })
export type JobsReply = { items: (Job)[]; stopped: ({ by: string; at: number } | null); zone: string; now: number }
export type JoinBody = { secret: string; name: PersonName; password: string }
export type JournalEntry = { seq: number; at: number; kind: string; body: unknown; hash: string }
export type JournalPage = { items: (JournalEntry)[]; next?: string; besides?: (JournalEntry)[] }
export type JournalVerification = { ok: boolean; entries: number; brokenAt?: number; reason?: string }
export type Limits = { storageRatio: [number, number]; ramRatio: [number, number]; temperatureC: [number, number]; backupHours: [number, number]; cpuRatio: number; cpuMinutes: number; leaveOut?: { names: (string)[]; types: (string)[]; belowBytes?: number } }
export type LimitsInput = { storageRatio: [number, number]; ramRatio: [number, number]; temperatureC: [number, number]; backupHours: [number, number]; cpuRatio: number; cpuMinutes: number; leaveOut?: { names: (string)[]; types: (string)[]; belowBytes?: number } }
export type LinkBody = { secret: string }
export type LinkReply = ({ kind: "join"; role: string; name?: string; by?: string; expiresAt: number } | { kind: "reset"; name: string; expiresAt: number })
export type LogLine = { id: number; at: number; level: string; message: string; detail?: string }
export type LoginBody = { name?: string; password: string; code?: string }
export type MaintenanceWindow = { id: string; name: string; objects: (string)[]; from: number; until: number; by: string }
export type McpTokenBody = { name: string; isReadOnly?: boolean; expiresInDays?: number }
export type McpTokenInfo = { name: string; doors: (Door)[]; scope: TokenScope; hint?: string; requestsPerMinute?: number; calls: number; createdAt: number; expiresAt?: number; lastUsedAt?: number; person?: string; clientName?: string; isReadOnly: boolean }
export type McpTokenReply = { name: string; doors: (Door)[]; scope: TokenScope; hint?: string; requestsPerMinute?: number; calls: number; createdAt: number; expiresAt?: number; lastUsedAt?: number; person?: string; clientName?: string; isReadOnly: boolean; token: string }
export type MeReply = { person: PersonRef; role: Role; signIn?: SignInInfo; factors: Factors; display: Display }
export type MemoryFound = { hits: (MemoryHit)[]; byKeywordsAlone: boolean; waiting?: number; others: (string)[]; ignored: (string)[] }
export type MemoryHit = { id: number; kind: MemorySourceKind; name: string; title: string; firstLine: number; lastLine: number; heading: string; text: string; changedAt: number; isFromTools: boolean; score: number; vectorRank?: number; keywordRank?: number; folded: number }
export type MemoryPassage = { id: number; kind: MemorySourceKind; name: string; title: string; firstLine: number; lastLine: number; heading: string; text: string; changedAt: number; isFromTools: boolean }
export type MemorySourceKind = "file" | "session" | "journal"
export type MemoryStatus = { state: "loading" | "indexing" | "ready"; share?: number; sources: number; chunks: number; embeddable: number; embedded: number; waiting?: number; model?: (string | unknown); problem?: (string | unknown); problems: ({ name: string; problem: string })[]; remade?: { at: number; why: string } }
export type MessageBody = { message: string; requestId?: RequestId; model?: string; attachments?: AttachmentIds; isReadOnly?: true }
export type MessageId = string
export type Missing = { what: string; remedy: string }
export type ModelFacts = { tools?: boolean; pictures?: boolean; thinking?: boolean; windowTokens?: number; price?: { input: number; output: number; cacheRead?: number; cacheWrite?: number } }
export type ModelFallback = { model: string; then: (string)[]; consented?: (string)[] }
export type ModelFallbackInput = { model: string; then: (string)[]; consented?: (string)[] }
export type ModelFallbacksBody = { fallbacks: (ModelFallbackInput)[] }
export type ModelHeaders = Record<string, string>
export type ModelKind = "openai-chat" | "openai-responses" | "anthropic"
export type ModelPreset = { id: string; title: string; kind: ModelKind; baseUrl: string; example: string; key: "needed" | "optional"; note?: string }
export type ModelProvider = string
export type ModelProviderInfo = { provider: ModelProvider; kind: ModelKind; source: "none" | "environment" | "settings"; model: string; models?: (string)[]; baseUrl?: string; keyEnd?: string; headers?: (string)[]; leftOut?: ({ tool: string; why: string })[] }
export type ModelTestBody = { model?: string; baseUrl?: string; apiKey?: string; kind?: ModelKind; headers?: ModelHeaders }
export type ModelTestReply = { verdict: "works" | "key_refused" | "unknown_model" | "unreachable" | "busy" | "refused"; text: string; models?: (string)[]; tookMs: number }
export type ModelUseBody = { model: string }
export type ModelsReply = { inUse: string; isFixed: boolean; providers: (ModelProviderInfo)[]; fallbacks: (ModelFallback)[]; facts: Record<string, ModelFacts> }
export type NextStart = { urls?: (string)[]; hasNewSsh: boolean; isAnotherCluster: boolean }
export type Node = { name: string; status: "online" | "offline" | "unknown"; role?: string; isProtected: boolean; cpuRatio?: number; cpuCount?: number; ramBytes?: number; ramTotalBytes?: number; ramCacheBytes?: number; uptimeS?: number; load1?: number; temperatureC?: unknown; lastSeenAt?: number }
export type NodeRole = string
export type NodeRoles = Record<string, NodeRole>
export type NodeRolesBody = { roles: NodeRoles }
export type NodeRolesReply = { roles: NodeRoles; policy: NodeRoles }
export type OAuthAsk = { id: string; clientName: string; documentHost?: string; redirectHost: string; isOnThisMachine: boolean; mayAsk: boolean }
export type OAuthDecisionBody = { allow: boolean; isReadOnly?: boolean; requestsPerMinute?: RequestsPerMinute }
export type OAuthDecisionReply = { redirectTo: string }
export type OAuthOpenBody = { query: string }
export type OAuthProblem = { problem: string; redirectHost: string; returnTo: string }
export type OfferedRunbook = { name: string; title: string; inputs: Record<string, unknown> }
export type OpenDrill = { id: string; vmid: number; copy: number; node: string; step: string; at: number; problem?: string }
export type PartStatus = { name: string; health: "ok" | "warn" | "bad" | "unknown"; text: string; effect?: string; at?: number }
export type Passkey = { id: string; name: string; isSynced: boolean; createdAt: number; lastUsedAt?: number }
export type PasskeyAssertion = { id: string; rawId: string; type: "public-key"; response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string } }
export type PasskeyBody = { name: string; response: PasskeyRegistration }
export type PasskeyCountersignBody = { response: PasskeyAssertion }
export type PasskeyPatchBody = { name: string }
export type PasskeyRegistration = { id: string; rawId: string; type: "public-key"; response: { clientDataJSON: string; attestationObject: string; transports?: (string)[] } }
export type PasskeyReply = { passkey?: Passkey; countersign?: WebAuthnOptions }
export type PasskeySignInBody = { response: PasskeyAssertion }
export type PasskeysReply = { items: (Passkey)[]; problem?: string }
export type PasswordBody = { current: string; next: string; code?: string }
export type PeopleReply = { items: ({ id: string; name: string; role: string; createdAt?: number; disabledAt?: number; lastSeenAt?: number; signIns?: number; secondFactor?: true })[]; removed: ({ id: string; name: string })[]; roles: (string)[] }
export type Person = { id: string; name: string; role: string; createdAt: number; disabledAt?: number; lastSeenAt?: number }
export type PersonName = string
export type PersonPatchBody = { name?: PersonName; role?: PersonRole; disabled?: boolean }
export type PersonRef = { id: string; name: string; role: string }
export type PersonRole = string
export type PlanFacts = { id: string; hash: string; title: string; runbook?: string; goal?: string; criteria?: string; undoes?: { id: string; hash: string; steps: number }; inputs: Record<string, unknown>; steps: (PlanStep)[] }
export type PlanRun = { id: string; hash: string; title: string; runbook?: string; goal?: string; criteria?: string; undoes?: { id: string; hash: string; steps: number }; inputs: Record<string, unknown>; steps: (PlanStep)[]; state: "running" | "asks" | "done" | "stopped" | "unknown"; why?: string; sessionId: string; startedAt: number; endedAt?: number; by: string }
export type PlanRunsPage = { items: (PlanRun)[]; next?: string }
export type PlanStep = { number: number; title: string; tier: "green" | "yellow" | "red"; toolName: string; toolInput: Record<string, unknown>; sentence: string; now?: string; then?: string; affects?: string; undo?: UndoFacts; check?: string; onFailure?: "skip"; isLater?: true; when?: string; read?: string; state: StepState; outcome?: string; startedAt?: number; endedAt?: number; toolUseId?: string }
export type PolicyStatus = { profile: ProfileName; hash?: string; problems?: (string)[]; warnings?: (string)[]; mayBreakGlass?: true }
export type Principal = { kind: string; name: string; token?: string; job?: string; agent?: string; for?: string; person?: string; causedBy?: (string)[] }
export type ProfileName = "lockdown" | "restricted" | "balanced" | "permissive" | "unrestricted"
export type ProofsReply = { items: (RestoreProof)[]; open: (OpenDrill | null) }
export type PushBody = { endpoint: string; keys: { p256dh: string; auth: string }; label: string; hidesNames?: boolean; key?: string }
export type PushDecideBody = { device: string; challenge: string; decision: "approved" | "denied"; signature: string }
export type PushDevice = { id: string; label: string; hidesNames: boolean; decides: boolean; createdAt: number; lastSentAt?: number; lastSeenAt: number; isUnseen?: true; problem?: string }
export type PushReply = { publicKey: string; items: (PushDevice)[] }
export type PushSeenBody = { endpoint?: (string | null) }
export type Question = { server?: string; message?: string; url?: string; items: (QuestionItem)[]; questionId: QuestionId; toolUseId: string; requestedBy: Principal; createdAt: number; expiresAt: number }
export type QuestionEnd = "answered" | "declined" | "unanswered" | "withdrawn"
export type QuestionId = string
export type QuestionItem = { text: string; options: (QuestionOption)[]; isMultiple?: true; typed: "text" | "number" | "integer" | "none"; isRequired?: true; hint?: string }
export type QuestionOption = { label: string; note?: string }
export type QuestionRow = { server?: string; message?: string; url?: string; items: (QuestionItem)[]; questionId: QuestionId; toolUseId: string; requestedBy: Principal; createdAt: number; expiresAt: number; sessionId: string; end?: QuestionEnd; by?: string; answers?: (Answer)[]; said?: string; endedAt?: number }
export type QuestionsReply = { items: (QuestionRow)[] }
export type QueuedMessage = { messageId: MessageId; text: string; by: string; at: number; attachments?: (Attachment)[]; heldBy?: string }
export type RatingBody = { rating: ("up" | "down" | null); note?: string }
export type RatingBodyInput = { rating: ("up" | "down" | null); note?: string }
export type Recalled = { kind: "file" | "session" | "journal"; name: string; title: string; firstLine: number; lastLine: number; changedAt: number; isFromTools: boolean; isOwnNote?: true; text: string }
export type RecoveryCodesReply = { recoveryCodes: (string)[] }
export type RequestId = string
export type RequestsPerMinute = number
export type ResetBody = { secret: string; password: string; code?: string }
export type RestartReply = { isRestarting: true }
export type RestoreProof = { id: string; vmid: number; type: "vm" | "ct"; name: string; level: number; verdict: "proven" | "failed"; at: number; archive: string; archiveAt: number; restoreMs?: number; bootMs?: number; system?: string; notProven: (string)[]; problem?: string; identity?: { id: string }; doubt?: string }
export type Role = "operator" | "viewer"
export type RoleInfo = { name: string; builtIn: boolean; sentence: string; scopes: (string)[]; people: number }
export type RunBudget = { runId: string; sessionId: string; limits: BudgetLimits; spent: Spending; raisedUsd?: number }
export type RunId = string
export type Runbook = { name: string; title: string; about: string; inputs: (RunbookInput)[]; steps: ({ number: number; title: string; toolName: string; tier: (Tier | null); line: number })[]; alerts: (string)[]; faults: (Fault)[]; isShipped: boolean; changedAt: number; hash: string; lastRun?: { at: number; state: string } }
export type RunbookBody = { text: string; hash?: string }
export type RunbookCheck = { runbook: Runbook; plan?: { hash: string; steps: (PlanStep)[]; binds: ({ what: string; value: string })[]; problem?: { step: number; message: string; line?: number }; at: number; durationMs: number } }
export type RunbookCheckBody = { text: string; inputs?: Record<string, unknown> }
export type RunbookInput = { name: string; type: "text" | "number" | "boolean" | "node" | "guest" | "storage"; about?: string; isRequired: boolean; default?: unknown }
export type RunbookRunBody = { inputs?: Record<string, unknown> }
export type RunbookRunReply = { sessionId: string }
export type RunbookText = { name: string; title: string; about: string; inputs: (RunbookInput)[]; steps: ({ number: number; title: string; toolName: string; tier: (Tier | null); line: number })[]; alerts: (string)[]; faults: (Fault)[]; isShipped: boolean; changedAt: number; hash: string; lastRun?: { at: number; state: string }; text: string }
export type SampleRange = "1h" | "24h" | "7d"
export type SamplesReply = { from: number; stepMs: number; items: ({ name: string; values: Record<string, (unknown)[]> })[] }
export type Schedule = ({ kind: "once"; at: number } | { kind: "interval"; minutes: number } | { kind: "cron"; line: string; zone: string })
export type ScheduleInput = ({ kind: "once"; at: number } | { kind: "interval"; minutes: number } | { kind: "cron"; line: string; zone: string })
export type SchedulePreview = { words: string; next: (number)[]; clockChange?: string }
export type SchedulePreviewBody = { schedule: ScheduleInput }
export type SecondFactorBody = { code: string }
export type SecondFactorOffer = { secret: string; uri: string }
export type SentReply = { sessionId: SessionId; runId: RunId; queued: boolean; messageId: MessageId }
export type SessionBranchBody = { before?: number; after?: number; model?: string; restoreFiles?: boolean }
export type SessionCreateBody = { title?: string; agent?: AgentId; message?: string; requestId?: RequestId; model?: string; attachments?: AttachmentIds; isReadOnly?: true; isRehearsal?: true }
export type SessionId = string
export type SessionPatchBody = { title?: string; isRehearsal?: boolean; isArchived?: boolean; model?: (string | null); effort?: (Effort | null) }
export type SessionShare = { person: string; name: string; may: ShareMay; by: string; at: number }
export type SessionShareBody = { may: ShareMay }
export type SessionSource = "chat" | "mcp" | "job" | "v1"
export type SessionSummary = { id: string; title: string; source: SessionSource; createdAt: number; updatedAt: number; isRehearsal: boolean; isRunning: boolean; pendingCount: number; archivedAt?: number; model?: string; effort?: Effort; agent?: string; person?: string; sharedWith?: (SessionShare)[]; branchedFrom?: BranchedFrom; versions?: number; usage?: Usage; isUsagePartial?: true; costUsd?: number; context?: { usedTokens: number; limitTokens: number }; found?: { seq: number; text: string } }
export type SessionsPage = { items: (SessionSummary)[]; next?: string; isIndexing?: true; total?: number }
export type SettingsBody = { profile: ProfileName }
export type SettingsReply = { profile: ProfileName; profiles: ({ name: ProfileName; description: string })[]; protectedTargets: (string)[]; unseenTargets: (string)[]; ssh: { user: string; keyPath?: string; hasAgent: boolean; knownHostsPath: string }; shippedPersona: string }
export type SetupChoice = { name: string; gives: string; toolNames: (string)[]; command: string }
export type SetupClusterBody = { urls: (string)[]; tokenId: string; tokenSecret: string; fingerprints?: (string)[] }
export type SetupProbeBody = { url: string }
export type SetupProbeReply = { url: string; fingerprint: string; isTrusted: boolean; subject: string; issuer: string; validTo: number; version?: string; node?: string }
export type SetupReply = { command: string; choices: (SetupChoice)[]; source: "demo" | "environment" | "settings"; urls: (string)[]; tokenId?: string; fingerprints: (string)[] }
export type SetupSaveReply = { savedTo: string; needsRestart: true }
export type SetupTestReply = { ok: boolean; entries: ({ url: string; version?: string; problem?: string })[]; nodes: ({ name: string; isOnline: unknown })[]; tools?: (SetupToolRights)[]; choices?: (SetupChoice)[]; fix?: string }
export type SetupToolRights = { toolName: string; granted: "all" | "some" | "none"; missing: (string)[] }
export type Severity = "info" | "look" | "failed"
export type ShareMay = "look" | "talk"
export type ShownCluster = { name: string; isDemo: boolean; at: number; nodes: ((Node)[] | null); guests: ((Guest)[] | null); storages: ((Storage)[] | null); tasks: ((Task)[] | null); isQuorate: unknown; self?: { node?: string; vmid?: number }; missing: (string)[]; unread?: (ClusterPart)[]; hidden?: (ClusterPart)[]; clockOffMs?: number; unreachableSince?: number }
export type SignInInfo = { id: string; client: string; address: string; method: SignInMethod; createdAt: number; lastSeenAt: number; idleEndsAt: number; endsAt: number; isThis?: true }
export type SignInMethod = string
export type SignInReply = { token?: string; expiresIn: number; role: Role; person: PersonRef }
export type SignedBy = "passkey" | "ssh" | "device"
export type SilenceBody = { until?: number; note: string }
export type Skill = { name: string; state: SkillState; isShipped: boolean; description: string; license?: string; compatibility?: string; metadata: Record<string, string>; wants: (string)[]; others: (string)[]; faults: (SkillFault)[]; hints: (SkillHint)[]; hash: unknown; fileCount: number; bytes: number; tokens: { line: number; body: number }; isInCatalogue: boolean; approved?: { hash: string; at: number; by: string }; off?: { at: number; by: string }; lastUse?: { at: number; sessionId: string } }
export type SkillApproval = { hash: string; agent?: string }
export type SkillFault = { path?: string; line?: number; message: string }
export type SkillFile = { path: string; kind: "text" | "binary" | "link" | "other"; bytes: number; hash: string; change: "same" | "changed" | "new" | "gone"; text?: string; before?: string }
export type SkillHint = { path: string; line: number; kind: "download" | "paste" | "run" | "encoded" | "unasked"; message: string }
export type SkillList = { items: (Skill)[]; catalogue: { tokens: number; most: number; missing: (string)[] }; problem?: string }
export type SkillState = "approved" | "changed" | "off" | "new" | "faulty"
export type SkillTree = { name: string; state: SkillState; isShipped: boolean; description: string; license?: string; compatibility?: string; metadata: Record<string, string>; wants: (string)[]; others: (string)[]; faults: (SkillFault)[]; hints: (SkillHint)[]; hash: unknown; fileCount: number; bytes: number; tokens: { line: number; body: number }; isInCatalogue: boolean; approved?: { hash: string; at: number; by: string }; off?: { at: number; by: string }; lastUse?: { at: number; sessionId: string }; files: (SkillFile)[] }
export type SlotState = "claimed" | "running" | "waiting" | "done" | "failed" | "missed" | "skipped" | "unknown"
export type Snapshot = { sessionId: SessionId; title: string; isRehearsal: boolean; model?: string; effort?: Effort; agent?: string; branchedFrom?: BranchedFrom; seq: number; runId?: RunId; entries: (Entry)[]; hasEarlier: boolean; since?: number; partial: { text: string; thinking: string }; pending: (Card)[]; questions?: (Question)[]; queued: (QueuedMessage)[]; todo?: (TodoItem)[]; progress: Record<string, string>; notice?: { message: string; retryAt?: number } }
export type SnapshotConfigReply = { name: string; values: Record<string, string> }
export type Spending = { calls: number; tokens: number; usd: number; unpriced: number; minutes: number; isPartial?: true }
export type SshCountersignBody = ({ response: PasskeyAssertion } | { statement: string; signature: string })
export type SshKeyBody = { key: string; name?: string }
export type SshKeyInfo = { id: string; name: string; createdAt: number; lastUsedAt?: number }
export type SshKeyReply = { key?: SshKeyInfo; countersign?: { statement: string; namespace: string; sshKeys: (string)[]; options?: WebAuthnOptions } }
export type SshKeysReply = { items: (SshKeyInfo)[] }
export type Status = { version: string; uptimeS: number; model: string; models: (string)[]; isDemoModel: boolean; isDemoCluster: boolean; hasTerminal: boolean; hasSpeech?: true; policy: PolicyStatus; glassBroken?: (GlassBroken)[]; parts: (PartStatus)[]; nextStart?: NextStart; cannotStart?: string }
export type StepState = "waits" | "running" | "asks" | "checking" | "done" | "skipped" | "failed" | "surprise" | "unknown" | "not_begun"
export type StepUpBody = { password?: string; code?: string; passkey?: PasskeyAssertion }
export type StepUpReply = { expiresIn: number }
export type StopReason = "end_turn" | "max_tokens" | "refusal" | "loop_limit" | "stuck" | "budget" | "aborted" | "unanswered"
export type Storage = { name: string; node?: string; type: string; content: (string)[]; isActive: unknown; usedBytes: unknown; totalBytes: unknown }
export type SubrunState = "done" | "failed" | "stopped" | "unknown"
export type Target = { kind: "guest" | "node" | "service" | "storage" | "none"; id: string; name?: string; node?: string; vmid?: number; type?: "vm" | "ct"; status?: string; lock?: string; haState?: string; madeAt?: number; identity?: GuestIdentity; unit?: UnitState; unitMissing?: string }
export type Task = { upid: string; node: string; type: string; vmid?: number; user: string; startedAt: number; endedAt?: number; status: "running" | "ok" | "warnings" | "failed"; exitStatus?: string; reason?: string }
export type Tier = "green" | "yellow" | "red" | "black"
export type TodoItem = { text: string; state: "open" | "doing" | "done" }
export type TokenScope = "read" | "ask"
export type ToolCalls = { since: number; calls: Record<string, number>; refused: number }
export type ToolInfo = { name: string; description: string; tier: Tier; effects?: (Effect)[]; raises?: ({ tier: Tier; rule: string; words: string })[]; inputSchema: Record<string, unknown> }
export type ToolInput = Record<string, unknown>
export type ToolUseId = string
export type TraceStep = { at: number; toolName: string; toolInput: ToolInput; tier: string; summary: string; state: "done" | "failed" | "unknown" | "refused" | "waits"; durationMs?: number; entry?: number }
export type TranscriptionBody = { name: string; data: string }
export type TranscriptionReply = { text: string }
export type TryRoleBody = { person?: string; role?: string; toolName: string; toolInput: Record<string, unknown> }
export type TryRoleReply = { verdict: "runs" | "asks" | "refused" | "black"; tier: Tier; rule: string; because: string; who?: string; approve?: Approve }
export type TurnStop = "end_turn" | "tool_use" | "max_tokens" | "refusal" | "pause_turn" | "interrupted"
export type UndoFacts = { kind: "call" | "none"; sentence: string; until?: number; loses?: string }
export type UnitState = { id: string; names: (string)[]; type?: string; loadState: string; activeState: string; subState: string }
export type Usage = { inputTokens: number; outputTokens: number; cacheReadTokens: number; cacheWriteTokens: number }
export type Verdict = { tier: Tier; rule: string; reason: string; reasons?: (string)[]; approve?: Approve; proof?: "passkey" }
export type Versions = { entry: number; sessionIds: (string)[]; shown: number }
export type View = "command" | "page" | "hits" | "picture" | "files"
export type WaysReply = { named: boolean; passkeys: boolean; problem?: string; elsewhere?: { name: string; problem?: string } }
export type WebAuthnOptions = { challenge: string }
export type WindowBody = { name: string; objects: (string)[]; from: number; until: number }
export type WorkbenchArea = { name: AreaName; isOn: boolean; allows: string; key: string; missing: (Missing)[]; facts: (string)[]; tools: (string)[] }
export type WorkbenchBody = { section: WorkbenchSectionInput; hash: string }
export type WorkbenchPreview = { diff: (FileDiff)[]; turnsOn: (AreaName)[]; turnsOff: (AreaName)[] }
export type WorkbenchReply = { areas: (WorkbenchArea)[]; roots: (WorkbenchRoot)[]; section: WorkbenchSection; hash: string; problem?: string }
export type WorkbenchRoot = { name: string; path: string; write: boolean; problem?: string }
export type WorkbenchSection = { roots?: ({ name: string; path: string; write: boolean })[]; exec: boolean; landlock?: boolean; web: { fetch?: boolean; private: (string)[] }; browser: boolean; git: boolean; docker?: string; egress: (string)[] }
export type WorkbenchSectionInput = { roots?: ({ name: string; path: string; write: boolean })[]; exec: boolean; landlock?: boolean; web: { fetch?: boolean; private: (string)[] }; browser: boolean; git: boolean; docker?: string; egress: (string)[] }
export type WorkspaceFile = { path: string; bytes: number; changedAt: number }
export type WorkspaceText = { path: string; text: string; checksum: string; changedAt: number; problem?: string }

export type Operations = {
  /** Values for charts. `series` is a comma list of up to 64 of `cluster`, `node/NAME`, `guest/VMID`, `storage/…`. */
  'GET /api/samples': { input: { query: { series: string; range?: SampleRange } }; reply: SamplesReply }
  /** The limits from which a figure needs attention. */
  'GET /api/limits': { input: {  }; reply: Limits }
  /** Replaces these limits. */
  'PUT /api/limits': { input: { body: LimitsInput }; reply: Limits }
  /** The roles of nodes. */
  'GET /api/node-roles': { input: {  }; reply: NodeRolesReply }
  /** Replaces all roles of nodes. Those of `policy` take precedence. */
  'PUT /api/node-roles': { input: { body: NodeRolesBody }; reply: NodeRolesReply }
  /** Each guest’s newest restore proof, newest first, and the drill that has not ended. */
  'GET /api/proofs': { input: {  }; reply: ProofsReply }
  /** The servers with their tools and problems. */
  'GET /api/mcp-servers': { input: {  }; reply: AttachedServersReply }
  /** Attaches a server: `name` and an entry as in `mcp.json`. */
  'POST /api/mcp-servers': { input: { body: ({ type?: "stdio"; command: string; args?: (string)[]; env?: Record<string, string>; cwd?: string; enabled?: boolean; lazy?: boolean; name: string } | { type?: "http" | "sse"; url: string; headers?: Record<string, string>; oauth?: { clientId?: string; clientSecret?: string; issuer?: string; scopes?: (string)[] }; enabled?: boolean; lazy?: boolean; name: string }) }; reply: AttachedServer }
  /** Replaces a server’s entry. A `[redacted]` value stays as it was. */
  'PUT /api/mcp-servers/{name}': { input: { params: { name: string }; body: ({ type?: "stdio"; command: string; args?: (string)[]; env?: Record<string, string>; cwd?: string; enabled?: boolean; lazy?: boolean } | { type?: "http" | "sse"; url: string; headers?: Record<string, string>; oauth?: { clientId?: string; clientSecret?: string; issuer?: string; scopes?: (string)[] }; enabled?: boolean; lazy?: boolean }) }; reply: AttachedServer }
  /** Ends and removes a server. */
  'DELETE /api/mcp-servers/{name}': { input: { params: { name: string } }; reply: undefined }
  /** Its newest lines: what it wrote, and what JARVIS remarked. */
  'GET /api/mcp-servers/{name}/logs': { input: { params: { name: string } }; reply: { items: (AttachedLogLine)[] } }
  /** Connects now. */
  'POST /api/mcp-servers/{name}/connect': { input: { params: { name: string } }; reply: { started: true } }
  /** Lets the program of this hash start, which came into `mcp.json` by another way than this. */
  'POST /api/mcp-servers/{name}/allow': { input: { params: { name: string }; body: AttachedAllowBody }; reply: AttachedServer }
  /** Sets the tier of a tool’s definition with this `hash`. A looser tier needs the password. */
  'PUT /api/mcp-servers/tools/{tool}/tier': { input: { params: { tool: string }; body: AttachedTierBody }; reply: AttachedToolInfo }
  /** Begins to sign JARVIS in to a server. The browser that opens `address` goes to the authorization server and back. */
  'POST /api/mcp-servers/{name}/sign-in': { input: { params: { name: string } }; reply: AttachedSignInReply }
  /** Ends the sign-in to a server, and revokes its tokens where the authorization server offers that. */
  'POST /api/mcp-servers/{name}/sign-out': { input: { params: { name: string } }; reply: undefined }
  /** Opens a sign-in that an owner began, once: this browser alone brings the answer back. */
  'GET /api/mcp-servers/sign-in/start': { input: { query: { flow: string } }; reply: Response }
  /** The address to which the authorization server sends the browser back. Its answer counts once, in the browser that began. */
  'GET /api/mcp-servers/sign-in/callback': { input: {  }; reply: Response }
  /** The client document of JARVIS for authorization servers that read one. At an https address alone. */
  'GET /api/mcp-servers/sign-in/client': { input: {  }; reply: Record<string, unknown> }
  /** People who may sign in, and the roles that can be given. Owners are told more about each. */
  'GET /api/people': { input: {  }; reply: PeopleReply }
  /** Renames a person, changes the role, disables or enables. It counts at once, also where the person is signed in. The last owner stays one. */
  'PATCH /api/people/{id}': { input: { params: { id: string }; body: PersonPatchBody }; reply: Person }
  /** Removes a person: sign-ins, passkeys, tokens, grants and push devices end, jobs are paused, waiting cards are withdrawn. */
  'DELETE /api/people/{id}': { input: { params: { id: string } }; reply: undefined }
  /** Signs a person out everywhere; channels and web push that they paired end too. */
  'POST /api/people/{id}/sign-out': { input: { params: { id: string } }; reply: { ok: true } }
  /** Sign-ins of a person, the newest use first. */
  'GET /api/people/{id}/sign-ins': { input: { params: { id: string } }; reply: { items: (SignInInfo)[] } }
  /** The invitations that wait to be used. */
  'GET /api/people/invitations': { input: {  }; reply: { items: (Invitation)[] } }
  /** Invites somebody: `link` is shown once, and is used once within 72 h. It ends with your being an owner. */
  'POST /api/people/invitations': { input: { body: InvitationBody }; reply: InvitationReply }
  /** Withdraws an invitation. */
  'DELETE /api/people/invitations/{id}': { input: { params: { id: string } }; reply: undefined }
  /** Providers and their models, never a key. */
  'GET /api/models': { input: {  }; reply: ModelsReply }
  /** Known services to begin a named provider from. */
  'GET /api/models/presets': { input: {  }; reply: { presets: (ModelPreset)[] } }
  /** Replaces the models that answer while another fails. */
  'PUT /api/models/fallbacks': { input: { body: ModelFallbacksBody }; reply: ModelsReply }
  /** Chooses the model that answers. */
  'POST /api/models/use': { input: { body: ModelUseBody }; reply: ModelsReply }
  /** Asks a provider one short question; saves nothing. */
  'POST /api/models/{provider}/test': { input: { params: { provider: ModelProvider }; body: ModelTestBody }; reply: ModelTestReply }
  /** Saves a provider: of `anthropic` and `openai` `{model, baseUrl?, apiKey?}`, which is then used; of every other name `{kind, baseUrl, apiKey?, headers?, models}`. */
  'PUT /api/models/{provider}': { input: { params: { provider: ModelProvider }; body: ({ model: string; baseUrl?: string; apiKey?: string } | { kind: "openai-chat" | "openai-responses" | "anthropic"; baseUrl: string; apiKey?: string; headers?: Record<string, string>; models: (string)[] }) }; reply: ModelsReply }
  /** Forgets a provider. */
  'DELETE /api/models/{provider}': { input: { params: { provider: ModelProvider } }; reply: ModelsReply }
  /** The skills of the workspace, or of an `agent`. `catalogue.missing` are enabled ones that do not fit the prompt. */
  'GET /api/skills': { input: { query?: { agent?: string } }; reply: SkillList }
  /** A skill with all files, their texts, and what was approved before. Texts hold invisible characters as they are. */
  'GET /api/skills/{name}': { input: { params: { name: string }; query?: { agent?: string } }; reply: SkillTree }
  /** Deletes the folder and the approval. */
  'DELETE /api/skills/{name}': { input: { params: { name: string }; body: { agent?: string } }; reply: undefined }
  /** Approves the folder with this `hash`. 409 where it has another one by now, or cannot be approved. */
  'POST /api/skills/{name}/approve': { input: { params: { name: string }; body: SkillApproval }; reply: SkillTree }
  /** Turns a skill off. */
  'POST /api/skills/{name}/off': { input: { params: { name: string }; body: { agent?: string } }; reply: SkillTree }
  /** The areas of the workbench: whether each is on, what it lacks on this machine and how to get it, and the roots. */
  'GET /api/workbench': { input: {  }; reply: WorkbenchReply }
  /** Writes the section `workbench` of `policy.yaml`, and keeps the rest of the file. 409 where the file is broken or not the one of `hash`. */
  'PUT /api/workbench': { input: { body: WorkbenchBody }; reply: WorkbenchReply }
  /** The changes of `policy.yaml` that saving a section would make; writes nothing. */
  'POST /api/workbench/preview': { input: { body: WorkbenchBody }; reply: WorkbenchPreview }
  /** Every line that a card’s call changes, where the card shows the first 200. */
  'GET /api/workbench/diff/{toolUseId}': { input: { params: { toolUseId: string } }; reply: DiffReply }
  /** The commands that ran or run in the sandbox for this session, the oldest first. */
  'GET /api/sessions/{id}/commands': { input: { params: { id: string } }; reply: CommandsReply }
  /** Ends a command with all that it started. */
  'POST /api/sessions/{id}/commands/{commandId}/stop': { input: { params: { id: string; commandId: string } }; reply: undefined }
  /** The cards that wait, and those decided in the last day. */
  'GET /api/confirmations': { input: {  }; reply: { items: (ConfirmationRow)[] } }
  /** Decides a card. `grant` is `{minutes?, uses?, forHelpers?, scope?}`; `scope` is the id of the card’s `scope`, for calls of its kind in a folder or on a site, and takes both bounds. With a denial, `alternative` is the operator’s own call `{toolName, toolInput}` where the card has `mayHaveAlternative`; `goesBackAfterMin` (1 to 1440) where it has `mayGoBack`. An approval takes `proof`, a signature, where the card has `proof`. */
  'POST /api/confirmations/{id}': { input: { params: { id: string }; body: ConfirmBody }; reply: { ok: true } }
  /** The challenge to sign to approve a card, once, within two minutes: `statement` is the exact text, `lines` the same for a person, `options` for `navigator.credentials.get`. */
  'POST /api/confirmations/{id}/challenge': { input: { params: { id: string }; body: ChallengeBody }; reply: DecisionChallenge }
  /** Approves a card as an owner, without the others who must approve it, where `policy.yaml` allows that. Every owner is told of the reason. It takes `proof` where the card has `proof`: a signature of a challenge with `alone`. */
  'POST /api/confirmations/{id}/break-glass': { input: { params: { id: string }; body: BreakGlassBody }; reply: { ok: true } }
  /** Lifts a denial: an MCP client may ask for the call again. */
  'DELETE /api/confirmations/{id}/denial': { input: { params: { id: string } }; reply: undefined }
  /** The roles, those of JARVIS first, with what each may in plain words. */
  'GET /api/roles': { input: {  }; reply: { items: (RoleInfo)[] } }
  /** The verdict on a call if that person, or somebody of that role, asked for it; runs nothing. */
  'POST /api/roles/try': { input: { body: TryRoleBody }; reply: TryRoleReply }
  /** Questions that wait, and those that ended in the last day. */
  'GET /api/questions': { input: {  }; reply: QuestionsReply }
  /** Answers a question: with `answers`, one `{chosen?, text?}` to each item, with `said` or with `declined`. 409 where it was answered before, 410 where it is over. */
  'POST /api/questions/{id}': { input: { params: { id: string }; body: AnswerBody }; reply: { ok: true } }
  /** Grants that count now. */
  'GET /api/grants': { input: {  }; reply: { items: (Grant)[] } }
  /** Revokes a grant. */
  'DELETE /api/grants/{id}': { input: { params: { id: string } }; reply: undefined }
  /** The tools. */
  'GET /api/tools': { input: {  }; reply: { items: (ToolInfo)[] } }
  /** How often each tool was called in seven days. */
  'GET /api/tools/calls': { input: {  }; reply: ToolCalls }
  /** One tool. */
  'GET /api/tools/{name}': { input: { params: { name: string } }; reply: ToolInfo }
  /** The verdict that a call of yours would get, and what its card would say; runs nothing. Nothing is read for whoever may only look. */
  'POST /api/tools/{name}/classify': { input: { params: { name: string }; body: ClassifyBody }; reply: ClassifyReply }
  /** Asks the cluster again for the outcome of a lost call; runs nothing. */
  'POST /api/executions/{id}/check': { input: { params: { id: string } }; reply: { outcome: "done" | "failed" | "unknown"; text: string; upid?: string } }
  /** Passages that fit a question. `limit` is 1 to 50. */
  'GET /api/memory/search': { input: { query: { q: string; limit?: number } }; reply: MemoryFound }
  /** The state of the index. */
  'GET /api/memory/status': { input: {  }; reply: MemoryStatus }
  /** Makes the index anew; `/memory/status` tells how far it is. */
  'POST /api/memory/reindex': { input: {  }; reply: { started: true } }
  /** Notes and prompt files of the workspace. */
  'GET /api/memory/files': { input: {  }; reply: { items: (WorkspaceFile)[] } }
  /** A file with its `checksum`. Viewers get it redacted. */
  'GET /api/memory/files/{path}': { input: { params: { path: string } }; reply: WorkspaceText }
  /** Writes a file. 409 where it changed since `checksum`. */
  'PUT /api/memory/files/{path}': { input: { params: { path: string }; body: { text: string; checksum?: string } }; reply: WorkspaceText }
  /** Deletes a file. */
  'DELETE /api/memory/files/{path}': { input: { params: { path: string } }; reply: undefined }
  /** The memory of a session. */
  'GET /api/memory/sessions/{id}': { input: { params: { id: string } }; reply: { items: (MemoryPassage)[] } }
  /** Forgets a session. */
  'DELETE /api/memory/sessions/{id}': { input: { params: { id: string } }; reply: undefined }
  /** Takes a `memory_write` back. */
  'POST /api/memory/writes/{id}/undo': { input: { params: { id: string } }; reply: undefined }
  /** Alerts now, gravest first. `checkedAt` is null before the first look, `ended` counts seven days. Alerts has the states. */
  'GET /api/alerts': { input: {  }; reply: AlertsReply }
  /** Alerts that ended, newest first. `object` is an id such as `node/pve`. */
  'GET /api/alerts/history': { input: { query?: { limit?: number; before?: string; check?: string; object?: string; node?: string } }; reply: AlertHistory }
  /** One alert with what is known of it; `missing` says what could not be read. */
  'GET /api/alerts/{id}': { input: { params: { id: string } }; reply: AlertDetail }
  /** Acknowledges an alert. `untilValue`, in the check’s unit, ends that when the value is worse. */
  'POST /api/alerts/{id}/acknowledge': { input: { params: { id: string }; body: AcknowledgeBody }; reply: Alert }
  /** Takes an acknowledgement back. */
  'POST /api/alerts/{id}/unacknowledge': { input: { params: { id: string } }; reply: Alert }
  /** Silences an alert `until` a time at most 30 days ahead, or without an end. */
  'POST /api/alerts/{id}/silence': { input: { params: { id: string }; body: SilenceBody }; reply: Alert }
  /** Ends a silence, also of an alert that has ended. */
  'POST /api/alerts/{id}/unsilence': { input: { params: { id: string } }; reply: Alert }
  /** Checks: what each looks at, its limit, when it looked, and what it did not see. */
  'GET /api/checks': { input: {  }; reply: ChecksReply }
  /** Switches a check off or on. Its alerts end when it is switched off. */
  'PATCH /api/checks/{id}': { input: { params: { id: string }; body: CheckBody }; reply: CheckRow }
  /** Lets all checks look now. */
  'POST /api/checks/run': { input: {  }; reply: { ok: true } }
  /** Maintenance windows that have not ended. */
  'GET /api/windows': { input: {  }; reply: { items: (MaintenanceWindow)[] } }
  /** Makes a window of at most 30 days. `objects` are ids as in alerts, of which a node stands for all on it, or `*`. */
  'POST /api/windows': { input: { body: WindowBody }; reply: MaintenanceWindow }
  /** Ends a window. */
  'DELETE /api/windows/{id}': { input: { params: { id: string } }; reply: undefined }
  /** Sessions, and on the first page without `q` their `total`. `q` takes words and `"exact words"`. */
  'GET /api/sessions': { input: { query?: { limit?: number; before?: string; q?: string; source?: SessionSource; archived?: "no" | "only" | "all" } }; reply: SessionsPage }
  /** Makes a session. With `message` its first run begins. */
  'POST /api/sessions': { input: { body: SessionCreateBody }; reply: { id: string; title: string; source: SessionSource; createdAt: number; updatedAt: number; isRehearsal: boolean; isRunning: boolean; pendingCount: number; archivedAt?: number; model?: string; effort?: Effort; agent?: string; person?: string; sharedWith?: (SessionShare)[]; branchedFrom?: BranchedFrom; versions?: number; usage?: Usage; isUsagePartial?: true; costUsd?: number; context?: { usedTokens: number; limitTokens: number }; found?: { seq: number; text: string }; sessionId?: SessionId; runId?: RunId; queued?: boolean; messageId?: MessageId } }
  /** A session, with how full its model’s window is. */
  'GET /api/sessions/{id}': { input: { params: { id: string } }; reply: SessionSummary }
  /** Renames or archives a session, sets its model or effort, turns rehearsal on or off. */
  'PATCH /api/sessions/{id}': { input: { params: { id: string }; body: SessionPatchBody }; reply: SessionSummary }
  /** Deletes a session with all its versions. */
  'DELETE /api/sessions/{id}': { input: { params: { id: string } }; reply: undefined }
  /** The versions of each message. */
  'GET /api/sessions/{id}/versions': { input: { params: { id: string } }; reply: { items: (Versions)[]; next?: string } }
  /** Its child runs, oldest first. */
  'GET /api/sessions/{id}/children': { input: { params: { id: string } }; reply: { items: (ChildRunRow)[]; next?: string } }
  /** Its entries, oldest first. */
  'GET /api/sessions/{id}/entries': { input: { params: { id: string }; query?: { limit?: number; before?: string } }; reply: { items: (Entry)[]; next?: string } }
  /** `before` a message’s `seq` makes another version of it; `after` an answer’s makes a separate session. With `restoreFiles`, `restored` says what became of each file. */
  'POST /api/sessions/{id}/branch': { input: { params: { id: string }; body: SessionBranchBody }; reply: { id: string; title: string; source: SessionSource; createdAt: number; updatedAt: number; isRehearsal: boolean; isRunning: boolean; pendingCount: number; archivedAt?: number; model?: string; effort?: Effort; agent?: string; person?: string; sharedWith?: (SessionShare)[]; branchedFrom?: BranchedFrom; versions?: number; usage?: Usage; isUsagePartial?: true; costUsd?: number; context?: { usedTokens: number; limitTokens: number }; found?: { seq: number; text: string }; restored?: (CheckpointFile)[] } }
  /** A tool’s picture. */
  'GET /api/sessions/{id}/images/{imageId}': { input: { params: { id: string; imageId: string } }; reply: Response }
  /** A session as a file. */
  'GET /api/sessions/{id}/export': { input: { params: { id: string }; query?: { format?: "jsonl" | "markdown" } }; reply: Response }
  /** Shares a session and all its versions with a person: `look` to read it, `talk` to write in it too. */
  'PUT /api/sessions/{id}/shares/{person}': { input: { params: { id: string; person: string }; body: SessionShareBody }; reply: undefined }
  /** Ends the sharing with a person at once. Whoever it is shared with may end their own. */
  'DELETE /api/sessions/{id}/shares/{person}': { input: { params: { id: string; person: string } }; reply: undefined }
  /** Uploads a picture (PNG, JPEG, WebP, GIF) or a text file for a message: its `id` goes into `attachments`. Kept for a day until it is sent. */
  'POST /api/attachments': { input: { body: AttachmentBody }; reply: Attachment }
  /** Forgets an upload that was not sent. */
  'DELETE /api/attachments/{id}': { input: { params: { id: string } }; reply: undefined }
  /** An attached file. */
  'GET /api/sessions/{id}/attachments/{attachmentId}': { input: { params: { id: string; attachmentId: string } }; reply: Response }
  /** The parts that fill the model’s window, their cost, and what a fold would take. `count=exact` asks the provider too. */
  'GET /api/sessions/{id}/context': { input: { params: { id: string }; query?: { count?: "exact" } }; reply: ContextReport }
  /** Folds older turns. 409 with the reason while something is open, or where there is nothing to fold. */
  'POST /api/sessions/{id}/fold': { input: { params: { id: string } }; reply: { runId: RunId } }
  /** The messages that one can go back to, newest first. */
  'GET /api/sessions/{id}/checkpoints': { input: { params: { id: string } }; reply: { items: (Checkpoint)[]; next?: string } }
  /** The files that would go back, and the changes that stay. */
  'GET /api/sessions/{id}/checkpoints/{seq}': { input: { params: { id: string; seq: string } }; reply: CheckpointDetail }
  /** Sends a message, as `chat:send` does; a program’s, in a session of its own. `/events` tells what comes of it. */
  'POST /api/sessions/{id}/messages': { input: { params: { id: string }; body: MessageBody }; reply: SentReply }
  /** Stops the model, withdraws what waits and holds queued messages, as `chat:abort` does. */
  'POST /api/sessions/{id}/abort': { input: { params: { id: string } }; reply: { ok: true } }
  /** Sends a message that a stop holds, as `chat:send_held` does. Its writer alone may. */
  'POST /api/sessions/{id}/queue/{messageId}/send': { input: { params: { id: string; messageId: string } }; reply: { ok: true } }
  /** Removes a message that waits or is held, as `chat:unqueue` does. */
  'DELETE /api/sessions/{id}/queue/{messageId}': { input: { params: { id: string; messageId: string } }; reply: undefined }
  /** The answer of `chat:attach`. `since` is the newest `seq` that the client has. */
  'GET /api/sessions/{id}/snapshot': { input: { params: { id: string }; query?: { since?: number } }; reply: Snapshot }
  /** All that happens in a session, as server-sent events. */
  'GET /api/sessions/{id}/events': { input: { params: { id: string }; query?: { after?: number } }; reply: Response }
  /** Rates an answer of the model. `rating: null` takes a rating back. */
  'PUT /api/sessions/{id}/entries/{seq}/rating': { input: { params: { id: string; seq: string }; body: RatingBodyInput }; reply: RatingBody }
  /** The runbooks with inputs, steps, the checks that offer them, and faults by line. */
  'GET /api/runbooks': { input: {  }; reply: { items: (Runbook)[] } }
  /** The faults of a text, and with `inputs` and no fault a dry run; saves nothing. */
  'POST /api/runbooks/check': { input: { body: RunbookCheckBody }; reply: RunbookCheck }
  /** A runbook with its text. Viewers get it redacted. */
  'GET /api/runbooks/{name}': { input: { params: { name: string } }; reply: RunbookText }
  /** Saves a runbook. A text with a fault is refused with its line, and what was saved before stays. 409 where it changed since `hash`. */
  'PUT /api/runbooks/{name}': { input: { params: { name: string }; body: RunbookBody }; reply: RunbookText }
  /** Deletes a runbook. */
  'DELETE /api/runbooks/{name}': { input: { params: { name: string } }; reply: undefined }
  /** Runs a runbook, in a session where its card or its plan appears. */
  'POST /api/runbooks/{name}/run': { input: { params: { name: string }; body: RunbookRunBody }; reply: RunbookRunReply }
  /** Plans that began, newest first. `before` is Unix ms. */
  'GET /api/plans': { input: { query?: { before?: number; limit?: number } }; reply: PlanRunsPage }
  /** One plan. */
  'GET /api/plans/{id}': { input: { params: { id: string } }; reply: PlanRun }
  /** Stops a plan after its present step, or at once where a step waits. 409 where it is over. */
  'POST /api/plans/{id}/stop': { input: { params: { id: string } }; reply: PlanRun }
  /** Starts the plan that takes its changes back, in a session where its card appears. 409 where it is not over or nothing can be taken back. */
  'POST /api/plans/{id}/undo': { input: { params: { id: string } }; reply: RunbookRunReply }
  /** Jobs, with the next five times and the last ten slots of each. Automations has the states. */
  'GET /api/jobs': { input: {  }; reply: JobsReply }
  /** Makes a job. 400 with the reason where it cannot run, and nothing is saved. */
  'POST /api/jobs': { input: { body: JobBody }; reply: Job }
  /** A schedule in words, with its next times; saves nothing. */
  'POST /api/jobs/preview': { input: { body: SchedulePreviewBody }; reply: SchedulePreview }
  /** Stops all jobs. */
  'POST /api/jobs/stop': { input: {  }; reply: JobsReply }
  /** Lets jobs run again. */
  'POST /api/jobs/start': { input: {  }; reply: JobsReply }
  /** One job. */
  'GET /api/jobs/{id}': { input: { params: { id: string } }; reply: Job }
  /** Changes or pauses a job. */
  'PATCH /api/jobs/{id}': { input: { params: { id: string }; body: JobPatchBody }; reply: Job }
  /** Deletes a job; one that comes with JARVIS cannot be. */
  'DELETE /api/jobs/{id}': { input: { params: { id: string } }; reply: undefined }
  /** Runs a job now. 409 while a run of it goes on. */
  'POST /api/jobs/{id}/run': { input: { params: { id: string } }; reply: { slot: number } }
  /** Allows the drills of a drill job beforehand, until `approvedUntil`. */
  'POST /api/jobs/{id}/approval': { input: { params: { id: string } }; reply: Job }
  /** Ends that. */
  'DELETE /api/jobs/{id}/approval': { input: { params: { id: string } }; reply: Job }
  /** The job’s slots, newest first. `limit` is 1 to 500, `before` Unix ms. */
  'GET /api/jobs/{id}/slots': { input: { params: { id: string }; query?: { before?: number; limit?: number } }; reply: JobSlotsPage }
  /** A slot with `steps`, each call of its run, and `said`. */
  'GET /api/jobs/{id}/slots/{slot}': { input: { params: { id: string; slot: string } }; reply: JobTrace }
  /** The heartbeat. Times are Unix ms, `interval` is minutes, `cost_today_usd` is null where a price is not known. */
  'GET /api/heartbeat': { input: {  }; reply: HeartbeatReply }
  /** Switches the heartbeat on. */
  'POST /api/heartbeat/start': { input: {  }; reply: HeartbeatReply }
  /** Switches the heartbeat off. */
  'POST /api/heartbeat/stop': { input: {  }; reply: HeartbeatReply }
  /** Runs the heartbeat now. */
  'POST /api/heartbeat/run': { input: {  }; reply: HeartbeatReply }
  /** The channels, whom they reach, and what a tap there may do. */
  'GET /api/channels': { input: {  }; reply: ChannelsReply }
  /** Sets a channel up, or changes its settings. With other settings, everything that was paired is void. */
  'PUT /api/channels/{channel}': { input: { params: { channel: string }; body: ChannelBody }; reply: ChannelInfo }
  /** Takes a channel out, with whom it reached. */
  'DELETE /api/channels/{channel}': { input: { params: { channel: string } }; reply: undefined }
  /** Asks a channel’s service whether all is well. */
  'POST /api/channels/{channel}/check': { input: { params: { channel: string } }; reply: ChannelInfo }
  /** Sends a test to one recipient of a channel; without one, to your own, or to its first. */
  'POST /api/channels/{channel}/test': { input: { params: { channel: string }; body: ChannelTestBody }; reply: ChannelDelivery }
  /** Begins to pair you with a channel: a code for ten minutes and one use. */
  'POST /api/channels/{channel}/pairings': { input: { params: { channel: string } }; reply: ChannelPairingBegun }
  /** Your pairings that wait, and who used their codes. */
  'GET /api/channel-pairings': { input: {  }; reply: ChannelPairings }
  /** Confirms that the number which used the code is yours. */
  'POST /api/channel-pairings/{id}/confirm': { input: { params: { id: string }; body: ChannelPairingBody }; reply: ChannelRecipient }
  /** Ends a pairing that waits. */
  'DELETE /api/channel-pairings/{id}': { input: { params: { id: string } }; reply: undefined }
  /** Group chats that JARVIS is in and does not tell. */
  'GET /api/channels/{channel}/groups': { input: { params: { channel: string } }; reply: ChannelGroups }
  /** Has a group chat told from now on, by the service’s number of it. It is never heard. */
  'POST /api/channels/{channel}/groups': { input: { params: { channel: string }; body: ChannelGroupBody }; reply: ChannelRecipient }
  /** Changes what a tap of yours may do, and whether names are hidden. The password is asked for where it allows more. */
  'PATCH /api/channel-recipients/{id}': { input: { params: { id: string }; body: ChannelRecipientBody }; reply: ChannelRecipient }
  /** Ends a pairing of yours; an owner ends any. */
  'DELETE /api/channel-recipients/{id}': { input: { params: { id: string } }; reply: undefined }
  /** Messages and what became of them, newest first. */
  'GET /api/channel-deliveries': { input: { query?: { before?: number; limit?: number } }; reply: ChannelDeliveries }
  /** Sends a message again that was not sent. */
  'POST /api/channel-deliveries/{id}/again': { input: { params: { id: string } }; reply: ChannelDelivery }
  /** Denies a card as a button of a message was pressed on a phone: by its token, once. It approves nothing (ntfy). */
  'POST /api/channel-taps/{channel}': { input: { params: { channel: string }; body: ChannelTapBody }; reply: ChannelTapReply }
  /** The rules of messages: who is told what, and when. */
  'GET /api/channel-rules': { input: {  }; reply: ChannelRules }
  /** Replaces the rules: quiet hours, routes and escalation. */
  'PUT /api/channel-rules': { input: { body: ChannelRulesInput }; reply: ChannelRules }
  /** Your browsers that web push reaches: an operator’s hear of everything, a member’s of their own. */
  'GET /api/push': { input: {  }; reply: PushReply }
  /** Adds a browser by its push subscription. */
  'POST /api/push': { input: { body: PushBody }; reply: PushDevice }
  /** Removes a browser. */
  'DELETE /api/push/{id}': { input: { params: { id: string } }; reply: undefined }
  /** Decides a card as a button of a notification was pressed: signed with the key of the device, once. 403 where it does not count. */
  'POST /api/push/decide': { input: { body: PushDecideBody }; reply: { ok: true } }
  /** Says that the browser is here. One that was not for 90 days is marked (`isUnseen`); whoever has it is told of cards still. One that lost its subscription has a `problem`. */
  'POST /api/push/{id}/seen': { input: { params: { id: string }; body: PushSeenBody }; reply: { ok: true } }
  /** Sends a browser a test. */
  'POST /api/push/{id}/test': { input: { params: { id: string } }; reply: PushDevice }
  /** Turns a recording of up to two minutes into text. Nothing is sent: the text is for the composer. */
  'POST /api/transcriptions': { input: { body: TranscriptionBody }; reply: TranscriptionReply }
  /** The agents. */
  'GET /api/agents': { input: {  }; reply: AgentsReply }
  /** The agent that answers at a `door`, and by which binding. */
  'GET /api/agents/which': { input: { query?: { door?: "dashboard" | "mcp" | "job" | "channel" | "v1"; person?: string; token?: string; job?: string; channel?: string; account?: string; chat?: string } }; reply: AgentWhichReply }
  /** Says something to one or two agents, each in a rehearsal. */
  'POST /api/agents/try': { input: { body: AgentTryBody }; reply: AgentTryReply }
  /** One agent, with its `body` in `agents.yaml`, files, tools offered, and what it did lately. */
  'GET /api/agents/{id}': { input: { params: { id: string } }; reply: AgentDetail }
  /** Makes or changes an agent. 409 where the file is not the one of `hash`. */
  'PUT /api/agents/{id}': { input: { params: { id: AgentId }; body: AgentPutBody }; reply: AgentDetail }
  /** Removes an agent; its folder and conversations stay. */
  'DELETE /api/agents/{id}': { input: { params: { id: string } }; reply: undefined }
  /** The verdict on a call of the agent’s in your name, and of the main agent’s; runs nothing. */
  'POST /api/agents/{id}/classify': { input: { params: { id: string }; body: AgentClassifyBody }; reply: AgentClassifyReply }
  /** A file of the agent’s folder with its `checksum`. Not for those who may only look. */
  'GET /api/agents/{id}/files/{path}': { input: { params: { id: string; path: string } }; reply: WorkspaceText }
  /** Writes a file. 409 where it changed since `checksum`. */
  'PUT /api/agents/{id}/files/{path}': { input: { params: { id: string; path: string }; body: AgentFileBody }; reply: WorkspaceText }
  /** Deletes a file. */
  'DELETE /api/agents/{id}/files/{path}': { input: { params: { id: string; path: string } }; reply: undefined }
  /** The use of models, and its limits: Limits. */
  'GET /api/budgets': { input: {  }; reply: BudgetsReply }
  /** Sets limits. */
  'PUT /api/budgets': { input: { body: BudgetsChange }; reply: BudgetsReply }
  /** Allows a run `usd` dollars more. 409 where it has ended. */
  'POST /api/budgets/runs/{runId}': { input: { params: { runId: string }; body: BudgetRaise }; reply: RunBudget }
  /** A guest’s configuration, snapshots, backups and the rest beside its live state. A part that could not be read is null, and `missing` says why. */
  'GET /api/guests/{vmid}': { input: { params: { vmid: string } }; reply: GuestReply }
  /** The configuration that a snapshot would bring back, without secrets. */
  'GET /api/guests/{vmid}/snapshots/{name}': { input: { params: { vmid: string; name: string } }; reply: SnapshotConfigReply }
  /** Changes that JARVIS made, newest first, and `now`, the server’s clock. `target` is such as `vm/101`, `before` Unix ms. With `armed`: changes that go back by themselves, soonest first. */
  'GET /api/changes': { input: { query?: { target?: string; before?: number; limit?: number; armed?: "true" } }; reply: ChangesReply }
  /** One change. */
  'GET /api/changes/{id}': { input: { params: { id: string } }; reply: Change }
  /** Keeps a change that would go back by itself. 409 where it does not any more. */
  'POST /api/changes/{id}/keep': { input: { params: { id: string } }; reply: { ok: true } }
  /** Starts the run that takes a change back, by a call through the gate. */
  'POST /api/changes/{id}/undo': { input: { params: { id: string } }; reply: SentReply }
  /** Signs in. Without `name` the first owner signs in, or the only one. A person with a second factor is told `second_factor_required`, and gives `code` too. `expiresIn` is seconds. */
  'POST /api/auth/login': { input: { body: LoginBody }; reply: SignInReply }
  /** Gives the password, with a `code` where there is a second factor, or a passkey again, which counts for this token for `expiresIn` seconds. */
  'POST /api/auth/step-up': { input: { body: StepUpBody }; reply: StepUpReply }
  /** Changes the password and ends all other sign-ins of this person. A person with a second factor gives `code` too. */
  'POST /api/auth/password': { input: { body: PasswordBody }; reply: SignInReply }
  /** Revokes the token and ends its sockets. */
  'POST /api/auth/logout': { input: {  }; reply: { ok: true } }
  /** The purpose of a link that somebody was given: `secret` is the part after the last `/`. A link that does not count is 404, whatever the reason. */
  'POST /api/auth/link': { input: { body: LinkBody }; reply: LinkReply }
  /** Uses an invitation: makes the person, with the role that it has, and signs in. */
  'POST /api/auth/join': { input: { body: JoinBody }; reply: SignInReply }
  /** Uses a link for a new password: sets it, ends all sign-ins of that person, and signs in. A person with a second factor gives `code` too. */
  'POST /api/auth/reset': { input: { body: ResetBody }; reply: SignInReply }
  /** Begins to sign in elsewhere: the browser goes to `redirectTo`. Only our own page may. */
  'POST /api/auth/oidc': { input: { body: ElsewhereBody }; reply: ElsewhereReply }
  /** The address to which the other service sends the browser back. Its answer counts once, in the browser that began, and the browser goes on to a page. */
  'GET /api/auth/oidc/callback': { input: {  }; reply: Response }
  /** Ends a sign-in elsewhere with the secret of the page that began it. An account of nobody is refused and waits for an owner. */
  'POST /api/auth/oidc/finish': { input: { body: ElsewhereFinishBody }; reply: SignInReply }
  /** Accounts of another service that you sign in with. */
  'GET /api/auth/accounts': { input: {  }; reply: ForeignAccountsReply }
  /** Begins to link an account of another service, as `POST /api/auth/oidc` does to sign in. */
  'POST /api/auth/accounts': { input: { body: ElsewhereBody }; reply: ElsewhereReply }
  /** Links the account, for the sign-in that began it. */
  'POST /api/auth/accounts/finish': { input: { body: ElsewhereFinishBody }; reply: ForeignAccount }
  /** Unlinks an account of yours; what was signed in with an account of another service ends. */
  'DELETE /api/auth/accounts/{id}': { input: { params: { id: string } }; reply: undefined }
  /** Everybody’s accounts of another service, and those that wait to be let in (without `person`). */
  'GET /api/people/accounts': { input: {  }; reply: { items: (ForeignAccount)[] } }
  /** Lets a waiting account in as a new person, who has no password. */
  'POST /api/people/accounts/{id}/admit': { input: { params: { id: string }; body: AdmitBody }; reply: Person }
  /** Unlinks anybody’s account, or refuses one that waits. */
  'DELETE /api/people/accounts/{id}': { input: { params: { id: string } }; reply: undefined }
  /** Your passkeys. `problem` says why none works at this address, and what to do. */
  'GET /api/passkeys': { input: {  }; reply: PasskeysReply }
  /** Enrols your first passkey. Beside others the reply has `countersign`: options by which an older one signs the new one. */
  'POST /api/passkeys': { input: { body: PasskeyBody }; reply: PasskeyReply }
  /** Options for `navigator.credentials.create`; they count for five minutes. */
  'POST /api/passkeys/options': { input: {  }; reply: WebAuthnOptions }
  /** Enrols a passkey that an older one of yours has signed now. */
  'POST /api/passkeys/countersign': { input: { body: PasskeyCountersignBody }; reply: Passkey }
  /** Renames a passkey of yours. */
  'PATCH /api/passkeys/{id}': { input: { params: { id: string }; body: PasskeyPatchBody }; reply: undefined }
  /** Removes a passkey of yours. It signs in and decides no more, and the sign-ins made with it end, except this one; what it has signed stays valid. */
  'DELETE /api/passkeys/{id}': { input: { params: { id: string } }; reply: undefined }
  /** A person’s passkeys. */
  'GET /api/people/{id}/passkeys': { input: { params: { id: string } }; reply: { items: (Passkey)[] } }
  /** Removes a passkey of a person who has lost it. It signs in and decides no more, and the sign-ins made with it end; what it has signed stays valid. */
  'DELETE /api/people/{id}/passkeys/{passkey}': { input: { params: { id: string; passkey: string } }; reply: undefined }
  /** Options for `navigator.credentials.get`, to sign in or to step up. They count once, for five minutes. Refused with what to do at an address where passkeys do not work. */
  'POST /api/auth/passkey/options': { input: {  }; reply: WebAuthnOptions }
  /** Signs in with a passkey. `expiresIn` is seconds. */
  'POST /api/auth/passkey': { input: { body: PasskeySignInBody }; reply: SignInReply }
  /** Facts for somebody who is not signed in: whether a name is asked for, whether passkeys are there and work at this address, and which other service people sign in at. */
  'GET /api/auth/ways': { input: {  }; reply: WaysReply }
  /** The person who is signed in, since when and with what. */
  'GET /api/auth/me': { input: {  }; reply: MeReply }
  /** Sets how the dashboard looks for you, in browsers where you chose nothing else. What is left out is as it comes. */
  'PUT /api/auth/display': { input: { body: DisplayInput }; reply: Display }
  /** Your sign-ins, the newest use first, and until when each lasts at most: `idleEndsAt` without another use, `endsAt` whatever happens. */
  'GET /api/auth/sign-ins': { input: {  }; reply: { items: (SignInInfo)[] } }
  /** Ends one of them. */
  'DELETE /api/auth/sign-ins/{id}': { input: { params: { id: string } }; reply: undefined }
  /** Ends all of them but this one, and what you paired with channels and web push. */
  'POST /api/auth/sign-out-others': { input: {  }; reply: { ok: true } }
  /** Offers a seed for your authenticator app. It counts once its first code was given, within 15 minutes; until then what was before does. */
  'POST /api/second-factor': { input: {  }; reply: SecondFactorOffer }
  /** Turns your second factor off. Your password alone signs in then. */
  'DELETE /api/second-factor': { input: {  }; reply: undefined }
  /** Turns the offered second factor on, by a code of it. The recovery codes are shown this once. */
  'POST /api/second-factor/confirm': { input: { body: SecondFactorBody }; reply: RecoveryCodesReply }
  /** Makes new recovery codes; the ones before count no more. */
  'POST /api/second-factor/recovery-codes': { input: {  }; reply: RecoveryCodesReply }
  /** Turns a person’s second factor off who has lost the device and the recovery codes. */
  'DELETE /api/people/{id}/second-factor': { input: { params: { id: string } }; reply: undefined }
  /** Your SSH keys that sign decisions. */
  'GET /api/signers/ssh': { input: {  }; reply: SshKeysReply }
  /** Enrols your first key. Beside other keys or passkeys the reply has `countersign`: what an older one must sign within five minutes. */
  'POST /api/signers/ssh': { input: { body: SshKeyBody }; reply: SshKeyReply }
  /** Enrols a key that an older key or passkey of yours has signed now. */
  'POST /api/signers/ssh/countersign': { input: { body: SshCountersignBody }; reply: SshKeyInfo }
  /** Removes a key of yours. It decides no more; what it has signed stays valid. */
  'DELETE /api/signers/ssh/{id}': { input: { params: { id: string } }; reply: undefined }
  /** A person’s SSH keys. */
  'GET /api/people/{id}/signers/ssh': { input: { params: { id: string } }; reply: { items: (SshKeyInfo)[] } }
  /** Removes an SSH key of a person who has lost it. It decides no more; what it has signed stays valid. */
  'DELETE /api/people/{id}/signers/ssh/{key}': { input: { params: { id: string; key: string } }; reply: undefined }
  /** The state of the running server: version, models, policy and the health of each part. */
  'GET /api/status': { input: {  }; reply: Status }
  /** Nodes, guests, storages and tasks; `missing` says what could not be read. */
  'GET /api/cluster': { input: {  }; reply: ShownCluster }
  /** Profile, protected targets, SSH. */
  'GET /api/settings': { input: {  }; reply: SettingsReply }
  /** Sets the safety profile. A looser one needs the password. */
  'PUT /api/settings': { input: { body: SettingsBody }; reply: SettingsReply }
  /** Entries, newest first. Whoever may only look gets no words of conversations that are closed to them. */
  'GET /api/journal': { input: { query?: { limit?: number; before?: number; kind?: string; toolUseId?: string; sessionId?: string; toolName?: string; actor?: string; tier?: Tier; outcome?: string; signed?: "true" } }; reply: JournalPage }
  /** Checks the chain of all entries. */
  'GET /api/journal/verify': { input: {  }; reply: JournalVerification }
  /** The whole journal as JSON lines. */
  'GET /api/journal/export': { input: {  }; reply: Response }
  /** The newest 500 lines of the log, oldest first. */
  'GET /api/logs': { input: { query?: { level?: "error" | "warn" | "info" | "debug" } }; reply: { items: (LogLine)[] } }
  /** The activity feed, as server-sent events. */
  'GET /api/events': { input: {  }; reply: Response }
  /** The line that makes role, user and token on a node, and what is configured. `choices` are wider sets of rights. */
  'GET /api/setup': { input: {  }; reply: SetupReply }
  /** Forgets the cluster: the demo serves from the next start on. */
  'DELETE /api/setup': { input: {  }; reply: undefined }
  /** The certificate of an address. */
  'POST /api/setup/probe': { input: { body: SetupProbeBody }; reply: SetupProbeReply }
  /** Tries addresses and token; changes nothing. `choices` are those that the token does not have. */
  'POST /api/setup/test': { input: { body: SetupClusterBody }; reply: SetupTestReply }
  /** Saves the cluster for the next start. */
  'POST /api/setup/save': { input: { body: SetupClusterBody }; reply: SetupSaveReply }
  /** Closes everything and starts again with the saved settings. 409 where that start would fail. */
  'POST /api/restart': { input: {  }; reply: RestartReply }
  /** Runs the doctor’s checks. `model=0` leaves the model’s server out. */
  'GET /api/doctor': { input: { query?: { model?: "0" | "1" } }; reply: DoctorReply }
  /** The tokens of programs; of whoever is no operator, their own. */
  'GET /api/tokens': { input: {  }; reply: { items: (ApiTokenInfo)[] } }
  /** Makes a token. `token` is shown once. It acts in your name and never does more than you may. */
  'POST /api/tokens': { input: { body: ApiTokenBody }; reply: ApiTokenReply }
  /** Revokes a token; whoever is no operator, one of their own. */
  'DELETE /api/tokens/{name}': { input: { params: { name: string } }; reply: undefined }
  /** Tokens of the door `mcp`, in an older form of `/api/tokens`. */
  'GET /api/mcp-tokens': { input: {  }; reply: { items: (McpTokenInfo)[] } }
  /** Makes a token of the door `mcp`. `token` is shown once. */
  'POST /api/mcp-tokens': { input: { body: McpTokenBody }; reply: McpTokenReply }
  /** Revokes a token of the door `mcp`. */
  'DELETE /api/mcp-tokens/{name}': { input: { params: { name: string } }; reply: undefined }
  /** Whether there is a key of the webhook. */
  'GET /api/hooks': { input: {  }; reply: { pve: ({ createdAt: number; lastUsedAt: unknown } | null) } }
  /** Makes the webhook’s `key`, which is shown once and replaces the one before. */
  'POST /api/hooks': { input: {  }; reply: { pve: ({ createdAt: number; lastUsedAt: unknown } | null); key: string } }
  /** Takes the key back. */
  'DELETE /api/hooks': { input: {  }; reply: undefined }
  /** A hint of Proxmox’s to look, once a minute at most. Asks for the webhook’s key. */
  'POST /api/hooks/pve': { input: {  }; reply: { ok: true } }
  /** Opens an MCP client’s request to sign in, by the query of the consent page. */
  'POST /api/oauth/requests': { input: { body: OAuthOpenBody }; reply: (OAuthAsk | OAuthProblem) }
  /** Allows or refuses an MCP client. Allowing needs the password. */
  'POST /api/oauth/requests/{id}': { input: { params: { id: string }; body: OAuthDecisionBody }; reply: OAuthDecisionReply }
  /** This API as an OpenAPI 3.1 document. */
  'GET /api/openapi.json': { input: {  }; reply: Record<string, unknown> }
}

type Input<Request extends keyof Operations> = Operations[Request]['input']
/** Asked for where a request needs any part of it. */
type Given<Request extends keyof Operations> =
  Record<never, never> extends Input<Request> ? [input?: Input<Request>] : [input: Input<Request>]

/**
 * Makes a client. `url`: of JARVIS, without `/api`. `token`: of a person or a program.
 * Each request resolves with its reply, or with the `Response` of a file or stream. @throws ApiError
 */
export function createClient({ url, token, fetch = globalThis.fetch }: { url: string; token?: string; fetch?: typeof globalThis.fetch }) {
  return async <Request extends keyof Operations>(
    request: Request,
    ...[input]: Given<Request>
  ): Promise<Operations[Request]['reply']> => {
    const { params = {}, query = {}, body } = (input ?? {}) as {
      params?: Record<string, string>
      query?: Record<string, string | number | boolean | undefined>
      body?: unknown
    }
    const [method = '', path = ''] = request.split(' ')
    // The last parameter of a file's path may hold slashes.
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = encodeURIComponent(params[name] ?? '')
      return name === 'path' ? value.replaceAll('%2F', '/') : value
    })
    const asked = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]))
    const search = asked.length === 0 ? '' : `?${new URLSearchParams(asked)}`
    const response = await fetch(url + filled + search, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const reply: unknown = isJson ? await response.json() : undefined
    if (!response.ok) {
      const { code, message } = (reply as { error?: { code: string; message: string } } | undefined)?.error ?? {
        code: 'unknown',
        message: `${request}: ${response.status}`,
      }
      throw new ApiError(code, message, response.status)
    }
    return (isJson || response.status === 204 ? reply : response) as Operations[Request]['reply']
  }
}
