export { secretAskedFor, secretNamed } from 'redaction/asks-for-secret'
export { createRedactor, type Redactor, type SearchingRedactor } from 'redaction/redact'
export { createStreamRedactor, type StreamRedactor } from 'redaction/stream'
export { legible, legibleValue, named, quoted } from 'redaction/visible'
export { judgeCommand, parseCommand, quote, quotePipe } from 'ssh-grammar/judge-command'
export { bindingHash } from './binding-hash.ts'
export { type CardFacts, describe } from './card/card.ts'
export { decide, usualTier } from './decide.ts'
export { type Effect, Mistake, type Place, type Touch } from './effect.ts'
export { effectsOf } from './effects-of.ts'
export { observedBy } from './observed.ts'
export { pathReason } from './places/path-reason.ts'
export { isProtectedPlace } from './places/protected.ts'
export { absoluteOf, isWithin, placeOf, sessionRoot } from './places/roots.ts'
export { type Scope, scopesOf } from './places/scopes.ts'
export { containerTarget, pathEffect, sandboxTarget, webEffect } from './places/targets.ts'
export { compilePolicy } from './policy/compile.ts'
export { type ParsedPolicy, parsePolicy } from './policy/parse.ts'
export { policyLines } from './policy/print.ts'
export { profiles } from './policy/profile.ts'
export { parseProtected, unseenTargets } from './policy/protected.ts'
export { type ChangedVerdict, Replay } from './policy/replay.ts'
export type { PolicyFile } from './policy/schema.ts'
export { type ArgumentType, rateOfChanges, shippedPolicy, type ToolFacts, type Tools } from './policy/shipped.ts'
export { attachedToolsIn, changesOf, summaryOf } from './policy/summary.ts'
export { type Raise, raisesOf } from './raises.ts'
export {
  type Approver,
  approversOf,
  approveWords,
  both,
  mayApprove,
  unmet,
  unmetIn,
  usualApprovers,
} from './roles/approve.ts'
export { beyondRole, notYours, notYoursReason, roleGone } from './roles/role.ts'
export { seenBy } from './roles/view.ts'
export type { Source, Sources } from './taint/source.ts'
export { promptSource, repeatsOthers } from './taint/sources.ts'
export { noQuorumRule, restsOnQuorum } from './topology/rules.ts'
export { groupsOf, isOwnGuest, lossesWithout } from './topology/topology.ts'
export { unitAsked } from './topology/units.ts'
export type {
  Allow,
  Call,
  Limits,
  Policy,
  Rate,
  Role,
  Root,
  Rule,
  SeenUnit,
  Topology,
  WorkbenchPolicy,
  World,
} from './world.ts'
