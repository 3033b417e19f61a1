export type { Activity, ActivityEvents } from './activity.ts'
export {
  AgentBinding,
  AgentBody,
  AgentId,
  AgentMemory,
  Ceiling,
  mainAgentId,
} from './agent.ts'
export {
  type AgentChoice,
  AgentClassifyBody,
  type AgentClassifyReply,
  type AgentDeed,
  type AgentDetail,
  type AgentFile,
  AgentFileBody,
  type AgentInfo,
  AgentPutBody,
  type AgentsReply,
  AgentTryBody,
  type AgentTryReply,
  AgentWhichQuery,
  type AgentWhichReply,
} from './agent-rest.ts'
export {
  AcknowledgeBody,
  Alert,
  AlertDetail,
  AlertHistory,
  AlertHistoryQuery,
  AlertObject,
  AlertsReply,
  CheckBody,
  CheckRow,
  ChecksReply,
  MaintenanceWindow,
  OfferedRunbook,
  Severity,
  SilenceBody,
  WindowBody,
} from './alert.ts'
export { Alternative } from './alternative.ts'
export {
  type AttachedLogLine,
  type AttachedServer,
  AttachedServerConfig,
  type AttachedServersReply,
  type AttachedState,
  AttachedTier,
  AttachedTierBody,
  type AttachedToolInfo,
  attachedServerOf,
  parseAttachedServer,
  ServerName,
} from './attached.ts'
export {
  BudgetLimits,
  BudgetRaise,
  BudgetState,
  Budgets,
  BudgetsChange,
  BudgetsReply,
  RunBudget,
  Spending,
} from './budget.ts'
export { Change, ChangesReply } from './change.ts'
export {
  BranchedFrom,
  type ChatEvents,
  type ChatReplies,
  type ChatRequests,
  chatRequests,
  type EventBase,
  MessageBody,
  maxMessageBytes,
  QueuedMessage,
  SessionEventsQuery,
  Snapshot,
  SnapshotQuery,
  type StreamEvents,
} from './chat.ts'
export {
  asShown,
  type Backup,
  type ClusterEvents,
  ClusterPart,
  ClusterState,
  type ClusterUpdate,
  type Guest,
  type Node,
  type ShownCluster,
  type Storage,
  type Task,
} from './cluster.ts'
export {
  Checkpoint,
  CheckpointChange,
  CheckpointDetail,
  CheckpointFile,
  ContextItem,
  ContextPart,
  ContextQuery,
  ContextReport,
} from './context.ts'
export { type ErrorBody, type ErrorCode, errorStatus, JarvisError } from './errors.ts'
export { usualLimits } from './facts.ts'
export { Grant, GrantRequest } from './grant.ts'
export { GuestReply, type SnapshotConfigReply } from './guest.ts'
export { MessageId, RequestId, RunId, SessionId, ToolUseId } from './ids.ts'
export { Image, type ImageType, imageTypes } from './image.ts'
export {
  HeartbeatReply,
  Job,
  JobBody,
  JobBudget,
  JobPatchBody,
  JobSlot,
  JobSlotsPage,
  JobsReply,
  JobTrace,
  JobWork,
  Schedule,
  SchedulePreview,
  SchedulePreviewBody,
  SlotState,
  TraceStep,
} from './job.ts'
export { Limits } from './limits.ts'
export {
  type MemoryFound,
  type MemoryHit,
  type MemoryPassage,
  type MemorySourceKind,
  type MemoryStatus,
  promptFiles,
  type WorkspaceFile,
  type WorkspaceText,
} from './memory.ts'
export {
  Effort,
  ModelBody,
  ModelProvider,
  type ModelProviderInfo,
  type ModelsReply,
  ModelTestBody,
  type ModelTestReply,
  ModelUseBody,
} from './models.ts'
export { NodeRole, NodeRoles, NodeRolesBody, type NodeRolesReply } from './node-roles.ts'
export { type OAuthAsk, OAuthDecisionBody, type OAuthDecisionReply, OAuthOpenBody, type OAuthProblem } from './oauth.ts'
export { type Page, pageOf } from './page.ts'
export {
  PlanFacts,
  PlanPointer,
  PlanProposal,
  PlanRun,
  PlanStep,
  ProposedCheck,
  ProposedStep,
  StepState,
  TodoItem,
} from './plan.ts'
export { OpenDrill, ProofsReply, RestoreProof } from './proof.ts'
export { PushBody, type PushDevice, type PushMessage, type PushReply } from './push.ts'
export {
  Answer,
  AnswerBody,
  Asking,
  maxAnswerChars,
  Question,
  QuestionEnd,
  QuestionId,
  QuestionItem,
  QuestionOption,
  QuestionResolution,
  type QuestionRow,
  type QuestionsReply,
} from './question.ts'
export { readAs } from './read-as.ts'
export {
  ClassifyBody,
  type ClassifyReply,
  type ConfirmationRow,
  ConfirmBody,
  type Health,
  type JournalEntry,
  type JournalPage,
  JournalQuery,
  type JournalVerification,
  LoginBody,
  type LoginReply,
  type LogLine,
  LogsQuery,
  McpTokenBody,
  type McpTokenInfo,
  type McpTokenReply,
  type NextStart,
  PageQuery,
  type PartStatus,
  PasswordBody,
  type PolicyStatus,
  RatingBody,
  type RestartReply,
  Role,
  SessionBranchBody,
  SessionCreateBody,
  SessionPatchBody,
  type SessionSummary,
  type SessionsPage,
  SessionsQuery,
  SettingsBody,
  type SettingsReply,
  type Status,
  StepUpBody,
  type StepUpReply,
  type ToolCalls,
  type ToolInfo,
  type Versions,
} from './rest.ts'
export {
  Fault,
  PlanRunsPage,
  Runbook,
  RunbookBody,
  RunbookCheck,
  RunbookCheckBody,
  RunbookInput,
  RunbookRunBody,
  type RunbookRunReply,
  RunbookText,
} from './runbook.ts'
export {
  type SampleField,
  type SampleKind,
  SampleRange,
  SampleSeries,
  SamplesQuery,
  type SamplesReply,
  sampleFields,
} from './samples.ts'
export {
  type DoctorCheck,
  type DoctorReply,
  type SetupChoice,
  SetupClusterBody,
  SetupProbeBody,
  type SetupProbeReply,
  type SetupReply,
  type SetupSaveReply,
  type SetupTestReply,
  type SetupToolRights,
} from './setup.ts'
export {
  Skill,
  SkillApproval,
  SkillFault,
  SkillFile,
  SkillHint,
  SkillList,
  SkillState,
  SkillTree,
} from './skill.ts'
export {
  type TerminalEvents,
  TerminalId,
  type TerminalReplies,
  type TerminalRequests,
  terminalRequests,
} from './terminal.ts'
export {
  Card,
  Decision,
  Effect,
  Principal,
  ProfileName,
  profileNames,
  Target,
  Tier,
  tiers,
  UnitState,
  type Verdict,
} from './tier.ts'
export {
  ChildRunRow,
  Content,
  Entry,
  type EntryOf,
  Fact,
  noUsage,
  Recalled,
  StopReason,
  SubrunState,
  type ToolCall,
  ToolInput,
  TurnStop,
  Usage,
} from './transcript.ts'
export { GoesBackAfterMin, UndoFacts } from './undo.ts'
