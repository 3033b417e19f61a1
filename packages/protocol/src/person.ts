import { z } from 'zod'
import { firstOwnerId } from './facts.ts'
import { Role } from './role.ts'

export { firstOwnerId }

/** Tests if an id is a person's. Ids of tokens signed by hand and of JARVIS itself are not. */
export const isPersonId = (id: string): boolean => id === firstOwnerId || id.startsWith('per_')
/** The person in whose name somebody acts that a journal line calls `by`: what is no person's id acts for the first owner. */
export const personOf = (by: string): string => (isPersonId(by) ? by : firstOwnerId)
/** The same as a field; absent for the first owner. */
export const personFor = (by: string): { person?: string } => (personOf(by) === firstOwnerId ? {} : { person: by })

/** How a person signs in. Names that differ in case alone are the same. */
export const PersonName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,40}$/, 'has 1 to 40 letters, digits, dots, underscores or dashes')

/**
 * What a person may do. `owner`: everything, with people, secrets and policy; `operator`: the whole cluster; `viewer`: reads. Another name is a
 * role of `policy.yaml`, whose holder is a member: asks within its scopes.
 */
export const PersonRole = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, 'is owner, operator, viewer or a role of policy.yaml')
export type PersonRole = z.infer<typeof PersonRole>
export const houseRoles = ['owner', 'operator', 'viewer'] as const

/** A person as others are told of them. `role`: at most what the token allows that was sent. */
export const PersonRef = z.object({ id: z.string(), name: z.string(), role: z.string() })
export type PersonRef = z.infer<typeof PersonRef>

/** A person who may sign in. Times in Unix ms. */
export const Person = PersonRef.extend({
  createdAt: z.int(),
  /** Since when this person cannot sign in. */
  disabledAt: z.int().optional(),
  lastSeenAt: z.int().optional(),
})
export type Person = z.infer<typeof Person>

/** How somebody signed in: `password`, `passkey`, `oidc` and more to come. */
export const SignInMethod = z.string()
/** Where a person is signed in. Times in Unix ms. */
export const SignInInfo = z.object({
  id: z.string(),
  /** The browser's user agent or the program's name, unchecked. */
  client: z.string(),
  address: z.string(),
  method: SignInMethod,
  createdAt: z.int(),
  lastSeenAt: z.int(),
  /** When it ends without another use. */
  idleEndsAt: z.int(),
  /** When it ends whatever happens. */
  endsAt: z.int(),
  /** The request that asks came with it. */
  isThis: z.literal(true).optional(),
})
export type SignInInfo = z.infer<typeof SignInInfo>

/**
 * The factors that a person can sign in with. `totp`: the codes of an app beside the password. `totpLocked`: codes are refused after too many wrong
 * ones.
 */
export const Factors = z.object({
  password: z.boolean(),
  passkeys: z.int(),
  totp: z.boolean(),
  totpLocked: z.literal(true).optional(),
  recoveryCodesLeft: z.int(),
})
export type Factors = z.infer<typeof Factors>
/** A new seed of codes, for an authenticator app. `secret`: base32. `uri`: the same with its name, for a QR code. */
export const SecondFactorOffer = z.object({ secret: z.string(), uri: z.string() })
export type SecondFactorOffer = z.infer<typeof SecondFactorOffer>
export const SecondFactorBody = z.strictObject({ code: z.string().max(20) })
/** Each counts once in place of a code. They are shown this once. */
export const RecoveryCodesReply = z.object({ recoveryCodes: z.array(z.string()) })
export type RecoveryCodesReply = z.infer<typeof RecoveryCodesReply>

/**
 * What signing in takes here. `named`: the name too, because there are several people. `passkeys`: somebody has one. `problem`: why passkeys do
 * not work at this address, and what to do. `elsewhere`: another service that people sign in at, and why it does not work at this address.
 */
export const WaysReply = z.object({
  named: z.boolean(),
  passkeys: z.boolean(),
  problem: z.string().optional(),
  elsewhere: z.object({ name: z.string(), problem: z.string().optional() }).optional(),
})
export type WaysReply = z.infer<typeof WaysReply>

/** How the dashboard looks for a person, in browsers without a choice of their own. Absent: as it comes. `letters`: keys of one letter. */
export const Display = z.strictObject({
  theme: z.enum(['system', 'dark', 'light']).optional(),
  density: z.enum(['compact', 'comfortable']).optional(),
  letters: z.boolean().optional(),
})
export type Display = z.infer<typeof Display>

/** The person who sends the request. `role`: the wire's older word. `signIn`: absent for a token that was signed by hand or by an older release. */
export const MeReply = z.object({
  person: PersonRef,
  role: Role,
  signIn: SignInInfo.optional(),
  factors: Factors,
  display: Display,
})
export type MeReply = z.infer<typeof MeReply>

/**
 * Everybody who may sign in, with more about each for owners: `signIns`, in how many places; `secondFactor`: on. `roles`: those that can be given. `removed`: who was
 * removed; old lines name them by id.
 */
export const PeopleReply = z.object({
  items: z.array(
    PersonRef.extend({
      createdAt: z.int().optional(),
      disabledAt: z.int().optional(),
      lastSeenAt: z.int().optional(),
      signIns: z.int().optional(),
      secondFactor: z.literal(true).optional(),
    }),
  ),
  removed: z.array(PersonRef.pick({ id: true, name: true })),
  roles: z.array(z.string()),
})
export type PeopleReply = z.infer<typeof PeopleReply>
export const PersonPatchBody = z
  .strictObject({ name: PersonName.optional(), role: PersonRole.optional(), disabled: z.boolean().optional() })
  .refine((body) => Object.values(body).some((value) => value !== undefined), 'must name what to change')
