import { z } from 'zod'
import type { PowerAction } from '../effect.ts'
import { type EffectKind, effectKindFacts, effectKindNames, type FormerKind, isFormerKind } from '../effect-kinds.ts'
import { Days, Hours, keys, markForm, matching, some, ToolName } from './forms.ts'

const powerWords = ['start', 'stop', 'restart'] as const satisfies readonly PowerAction[]
/** The words in a scope for the allowed calls: an action of `power`, or a kind of effect. No word allows an unknown effect. */
export type MayWord = PowerAction | Exclude<EffectKind, 'unknown'> | FormerKind

const isPowerAction = (word: string): word is PowerAction => powerWords.some((action) => action === word)
const MayWord = z.custom<MayWord>(
  (word) =>
    typeof word === 'string' &&
    word !== 'unknown' &&
    (isPowerAction(word) || effectKindFacts(word) !== undefined || isFormerKind(word)),
  {
    error: () => `must be of ${[...powerWords, ...effectKindNames().filter((kind) => kind !== 'unknown')].join(', ')}`,
  },
)

export const scopeTargetForm = new RegExp(
  `^(?:vm|ct)/[1-9]\\d{2,8}$|^node/[A-Za-z0-9][A-Za-z0-9-]{0,62}$|${markForm.source}`,
)
const scopeTargets = 'all, vm/ID, ct/ID, node/NAME, tag:NAME or pool:NAME, for example ct/130'
export const scopeKinds = 'may, tools or tiers'

/**
 * One scope of a role: the calls for which the person may ask, on which targets, and when. If several of the keys `may`, `tools` and `tiers` are
 * given, all of them must hold.
 */
export const ScopeForm = keys(
  {
    may: some(MayWord).optional(),
    tools: some(ToolName).optional(),
    tiers: some(z.enum(['green', 'yellow', 'red'], { error: 'must be of green, yellow, red' })).optional(),
    on: z.union([z.literal('all'), some(matching(scopeTargetForm, scopeTargets))], {
      error: `must be ${scopeTargets}`,
    }),
    hours: Hours.optional(),
    days: Days.optional(),
  },
  'a scope, for example {may: restart, on: ct/130}',
)
export type ScopeForm = z.output<typeof ScopeForm>

/** The built-in roles. Roles of policy.yaml must have other names. A person with a role of policy.yaml counts as `member`. */
export const builtInRoleNames = ['owner', 'operator', 'viewer'] as const
/** The roles that may decide cards. */
export const approverRoles: readonly string[] = ['owner', 'operator']
const taken: ReadonlySet<string> = new Set([...builtInRoleNames, 'member'])
const RoleName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, { error: 'must be a short name in lower case, for example minecraft' })
  .refine((name) => !taken.has(name), { error: 'is a name that JARVIS uses itself; choose another' })

export const RolesForm = z.record(
  RoleName,
  z
    .array(ScopeForm, { error: 'must be a list of scopes, for example [{may: restart, on: ct/130}]' })
    .min(1, { error: 'must have at least one scope' })
    .max(50, { error: 'must have at most 50 scopes' }),
  { error: 'must be roles by name, each a list of scopes' },
)

/** A form for the people who must approve calls for which a rule asks. */
export const ApproveForm = keys(
  {
    count: z
      .int({ error: 'must be a whole number, 1 to 5' })
      .min(1, { error: 'must be 1 or more' })
      .max(5, { error: 'must be 5 or less' })
      .optional(),
    by: some(z.string({ error: 'must be the name of a role' })).optional(),
    notAsker: z.boolean({ error: 'must be true or false' }).optional(),
  },
  'count, by and notAsker, for example {count: 2, by: operator}',
)
export type ApproveForm = z.output<typeof ApproveForm>
