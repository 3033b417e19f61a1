import { NodeRole, profileNames } from 'protocol'
import { z } from 'zod'
import { things } from '../effect.ts'
import { proofModes } from '../proof.ts'
import { Days, Hours, KindWord, keys, markForm, matching, some, ToolName, text } from './forms.ts'
import { protectedForm, protectedForms } from './protected.ts'
import { ApproveForm, RolesForm } from './roles-schema.ts'
import { WorkbenchForm } from './workbench.ts'

const guestForm = /^(?:vm|ct)\/[1-9]\d{2,8}$/
const nodeForm = /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/
const GuestId = matching(guestForm, 'vm/ID or ct/ID, for example vm/105')
const placeForm = /^(?:(?:vm|ct)\/[1-9]\d{2,8}|node\/[A-Za-z0-9][A-Za-z0-9-]{0,62})$/
const PlaceId = matching(placeForm, 'vm/ID, ct/ID or node/NAME, for example ct/110')
const targetForm = new RegExp(`${protectedForm.source}|${markForm.source}`)

const Sentence = text('a sentence: it stands on cards and refusals')
  .trim()
  .min(1, { error: 'must say why: it stands on cards and refusals' })
  .max(300, { error: 'must have at most 300 characters' })
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, { error: 'must be one line of visible characters' })

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000 }
const Duration = matching(/^[1-9]\d{0,3}[smh]$/, 'a time such as 90s, 5m or 2h').transform(
  (value) => Number(value.slice(0, -1)) * unitMs[value.at(-1) as keyof typeof unitMs],
)
const Rate = matching(/^[1-9]\d{0,4}\/(?:min|h)$/, 'calls in a time, for example 20/min or 100/h').transform(
  (value) => {
    const [calls, unit] = value.split('/')
    return { calls: Number(calls), perMs: unit === 'h' ? unitMs.h : unitMs.m }
  },
)

const scalar = z.union([z.string(), z.number(), z.boolean()])
const ArgumentCondition = z.union(
  [
    some(scalar),
    z.strictObject({ equals: some(z.string()) }),
    z.strictObject({ startsWith: some(z.string().min(1)) }),
    z.strictObject({ contains: some(z.string().min(1)) }),
  ],
  { error: 'must be a value, a list of values, or one of {equals: …}, {startsWith: …}, {contains: …}' },
)
export type ArgumentCondition = z.output<typeof ArgumentCondition>

export const When = keys(
  {
    target: some(
      matching(
        targetForm,
        'vm/ID, ct/ID, node/NAME, service/NAME, storage/NAME, storage/NODE/NAME, tag:NAME or pool:NAME',
      ),
    ).optional(),
    node: some(matching(nodeForm, 'the name of a node')).optional(),
    args: z.record(z.string(), ArgumentCondition, { error: 'must be arguments by name' }).optional(),
    hours: Hours.optional(),
    days: Days.optional(),
    profile: some(z.enum(profileNames, { error: `must be of ${profileNames.join(', ')}` })).optional(),
  },
  'conditions, for example {target: tag:prod}',
)
export type When = z.output<typeof When>

export const someTools = 'must be all, or a list of tools, for example [stop_vm, restart_vm]'
export const PolicyRule = keys(
  {
    name: matching(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'a short name of its own, for example prod-at-night'),
    tools: z
      .union([z.literal('all'), z.array(ToolName).min(1, { error: someTools }).max(200)], { error: someTools })
      .optional(),
    effect: some(KindWord).optional(),
    on: some(z.enum(things, { error: `must be of ${things.join(', ')}` })).optional(),
    when: When.optional(),
    /** `observed` raises no tier: the call runs as its tier says, and the operator is told. */
    tier: z.enum(['yellow', 'red', 'black', 'observed'], {
      error: 'must be yellow, red or black, for a rule only raises, or observed',
    }),
    because: Sentence,
    /** For red rules: the people who must approve, and their number; absent: one operator. */
    approve: ApproveForm.optional(),
    /** For red rules: `passkey` if the approvals must be signed. */
    proof: z.enum(['session', 'passkey'], { error: 'must be session or passkey' }).optional(),
  },
  'a rule with name, tools or effect, tier and because',
)
export type PolicyRule = z.output<typeof PolicyRule>

const listOf = <S extends z.ZodType>(item: S, what: string) =>
  z.array(item, { error: `must be a list of ${what}` }).max(200, { error: 'must have at most 200 items' })

/** The schema of policy.yaml. `crossProblems` checks the names of tools and arguments. */
export const PolicyFile = keys(
  {
    timezone: text('the name of a time zone')
      .refine(isTimezone, { error: 'must be the name of a time zone, for example Europe/Amsterdam' })
      .optional(),
    tiers: z
      .record(z.string(), z.enum(['yellow', 'red', 'black'], { error: 'must be yellow, red or black' }), {
        error: 'must be tiers by tool, for example restart_service: red',
      })
      .optional(),
    protected: listOf(matching(protectedForm, `${protectedForms}, for example vm/105`), 'targets').optional(),
    rules: listOf(PolicyRule, 'rules').optional(),
    ssh: keys(
      {
        refuse: listOf(
          keys(
            { command: text('the first words of a command').trim().min(1).max(200), because: Sentence },
            'the first words of a command and because',
          ),
          'commands',
        ).optional(),
        hosts: listOf(
          matching(/^[A-Za-z0-9][\w.:-]{0,252}$/, 'the name or the address of a host, for example nas.lan'),
          'hosts',
        ).optional(),
      },
      'refuse and hosts, for example {hosts: [nas.lan]}',
    ).optional(),
    allow: listOf(
      keys({ tool: ToolName, target: GuestId, because: Sentence }, 'a tool, a target and because'),
      'entries with tool, target and because',
    ).optional(),
    /** True if an owner may decide alone a card that several people must approve. */
    breakGlass: z.boolean({ error: 'must be true or false' }).optional(),
    /** The file's own roles by name, each a list of scopes. */
    roles: RolesForm.optional(),
    proof: z.enum(proofModes, { error: `must be of ${proofModes.join(', ')}` }).optional(),
    enable: listOf(ToolName, 'tools that are refused otherwise, for example [destroy_guest]').optional(),
    limits: keys(
      {
        rates: z
          .record(z.string(), Rate, { error: 'must be rates by tool, for example execute_ssh: 20/min' })
          .optional(),
        breaker: keys(
          {
            failures: z.int({ error: 'must be a whole number' }).min(1).max(5, { error: 'must be 1 to 5' }).optional(),
            within: Duration.refine((ms) => ms >= 300_000, { error: 'must be 5m or more' }).optional(),
            pause: Duration.refine((ms) => ms >= 300_000, { error: 'must be 5m or more' }).optional(),
          },
          'failures, within and pause',
        ).optional(),
      },
      'rates and breaker',
    ).optional(),
    topology: keys(
      {
        jarvis: PlaceId.optional(),
        dns: some(PlaceId).optional(),
        gateway: some(PlaceId).optional(),
        storage: some(PlaceId).optional(),
        roles: z
          .record(matching(nodeForm, 'the name of a node'), NodeRole, {
            error: 'must be what nodes are for by name, for example pve1: main',
          })
          .optional(),
        groups: z
          .record(
            z.string().regex(/^[A-Za-z0-9][\w -]{0,62}$/, { error: 'must be a short name' }),
            listOf(GuestId, 'guests').min(2, { error: 'must have at least two guests, which stand in for each other' }),
            { error: 'must be lists of guests by name' },
          )
          .optional(),
      },
      'jarvis, dns, gateway, storage, roles and groups',
    ).optional(),
    /** The objects outside the cluster with which JARVIS may work. Without this section all of them are off. */
    workbench: WorkbenchForm.optional(),
  },
  'keys such as rules: and protected:',
)
export type PolicyFile = z.output<typeof PolicyFile>

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
