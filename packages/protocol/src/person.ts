import { z } from 'zod'
import { firstOwnerId } from './facts.ts'
import { Role } from './role.ts'

export { firstOwnerId }

/** Tests if an id is a person's. The ids of tokens that were signed by hand, and JARVIS's own id, are not. */
export const isPersonId = (id: string): boolean => id === firstOwnerId || id.startsWith('per_')
/** Returns the person for whom the `by` of a journal entry acts. An id that is no person's acts for the first owner. */
export const personOf = (by: string): string => (isPersonId(by) ? by : firstOwnerId)
/** Returns `personOf` as a field; no field for the first owner. */
export const personFor = (by: string): { person?: string } => (personOf(by) === firstOwnerId ? {} : { person: by })

/** The name with which a person signs in. Names that differ only in case are the same. */
export const PersonName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,40}$/, 'has 1 to 40 letters, digits, dots, underscores or dashes')

/**
 * A person's role. `owner`: everything, including people, secrets and policy. `operator`: the whole cluster. `viewer`: reads only. Any other name is
 * a role in `policy.yaml`: a person with such a role is a member and may ask only within the role's scopes.
 */
export const PersonRole = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, 'is owner, operator, viewer or a role of policy.yaml')
export type PersonRole = z.infer<typeof PersonRole>
export const houseRoles = ['owner', 'operator', 'viewer'] as const

/** A person as other people see them. `role`: the person's role, limited by the rights of the token that was sent. */
export const PersonRef = z.object({ id: z.string(), name: z.string(), role: z.string() })
export type PersonRef = z.infer<typeof PersonRef>

/** A person who may sign in. Times in Unix ms. */
export const Person = PersonRef.extend({
  createdAt: z.int(),
  /** Time since which this person cannot sign in; absent: the person can. */
  disabledAt: z.int().optional(),
  lastSeenAt: z.int().optional(),
})
export type Person = z.infer<typeof Person>

/** How somebody signed in: `password`, `passkey`, `oidc` and more to come. */
export const SignInMethod = z.string()
/** A browser or program in which a person is signed in. Times in Unix ms. */
export const SignInInfo = z.object({
  id: z.string(),
  /** The browser's user agent or the program's name, unchecked. */
  client: z.string(),
  address: z.string(),
  method: SignInMethod,
  createdAt: z.int(),
  lastSeenAt: z.int(),
  /** When the sign-in ends if it is not used again. */
  idleEndsAt: z.int(),
  /** When the sign-in ends in any case. */
  endsAt: z.int(),
  /** The request was sent with this sign-in. */
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
/** A new seed for the codes of an authenticator app. `secret`: the seed in base32. `uri`: the seed with a name, for a QR code. */
export const SecondFactorOffer = z.object({ secret: z.string(), uri: z.string() })
export type SecondFactorOffer = z.infer<typeof SecondFactorOffer>
export const SecondFactorBody = z.strictObject({ code: z.string().max(20) })
/** Each recovery code replaces a code of the second factor once. They are shown only once. */
export const RecoveryCodesReply = z.object({ recoveryCodes: z.array(z.string()) })
export type RecoveryCodesReply = z.infer<typeof RecoveryCodesReply>

/**
 * The requirements of a sign-in. `named`: the name is needed, because there are several people. `passkeys`: at least one person has a passkey.
 * `problem`: why passkeys do not work at this address, and what to do. `elsewhere`: another service that people can sign in at, and the reason if it
 * does not work at this address.
 */
export const WaysReply = z.object({
  named: z.boolean(),
  passkeys: z.boolean(),
  problem: z.string().optional(),
  elsewhere: z.object({ name: z.string(), problem: z.string().optional() }).optional(),
})
export type WaysReply = z.infer<typeof WaysReply>

/**
 * Display settings of a person, for browsers in which the person chose nothing else. Absent: the default. `letters`: keyboard shortcuts of one
 * letter.
 */
export const Display = z.strictObject({
  theme: z.enum(['system', 'dark', 'light']).optional(),
  density: z.enum(['compact', 'comfortable']).optional(),
  letters: z.boolean().optional(),
})
export type Display = z.infer<typeof Display>

/**
 * The person who sends the request. `role`: the older name on the wire for the role. `signIn`: absent for a token that was signed by hand or by an
 * older release.
 */
export const MeReply = z.object({
  person: PersonRef,
  role: Role,
  signIn: SignInInfo.optional(),
  factors: Factors,
  display: Display,
})
export type MeReply = z.infer<typeof MeReply>

/**
 * Everybody who may sign in. Owners also get, for each person, `signIns`: the number of sign-ins, and `secondFactor`: true if it is on. `roles`: the
 * roles that can be given. `removed`: removed people, because older records name them by id.
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
