import type { DoctorCheck, Invitation, Person } from 'protocol'
import { bad, ok, warn } from './check.ts'

/** Tests if a policy asks for signed approvals, for all calls or some. */
export const wantsProof = ({
  proof,
  rules,
}: {
  proof?: string | undefined
  rules?: readonly { proof?: string | undefined }[] | undefined
}) => (proof !== undefined && proof !== 'session') || rules?.some((rule) => rule.proof === 'passkey') === true

/** Checks that somebody can manage people, and that an owner can sign if approvals must be signed. */
export function peopleChecks(seen: {
  people: readonly Person[]
  invitations: readonly Invitation[]
  /** Tests if the person has a passkey or an SSH key that signs. */
  hasSigner(person: string): boolean
  /** Browsers that get notifications of cards and have not opened JARVIS for 90 days, each with its person. */
  unseen: readonly { name: string; person: string }[]
  /** A rule of policy.yaml wants signed approvals. */
  wantsProof: boolean
}): DoctorCheck[] {
  const area = 'People'
  const owners = seen.people.filter(({ role }) => role === 'owner')
  const present = owners.filter(({ disabledAt }) => disabledAt === undefined)
  const checks = owners
    .filter(({ disabledAt }) => disabledAt !== undefined)
    .map(({ name }) =>
      warn(
        area,
        `${name} is an owner and is disabled.`,
        `npm run jarvis -- user enable ${name}, or user remove ${name}`,
      ),
    )
  if (present.length === 0) {
    checks.push(bad(area, 'No owner can sign in.', 'npm run jarvis -- user role NAME owner, or user invite owner'))
  } else if (seen.wantsProof && !present.some(({ id }) => seen.hasSigner(id))) {
    const text = 'policy.yaml wants approvals signed, and no owner has a passkey or an SSH key.'
    checks.push(
      warn(
        area,
        text,
        'Add a passkey: Settings, People and devices. Or: npm run jarvis -- signers add FILE.pub (docs/signed-decisions.md).',
      ),
    )
  }
  if (seen.unseen.length > 0) {
    const nameOf = (id: string) => seen.people.find((person) => person.id === id)?.name ?? id
    const named = seen.unseen.map(({ name, person }) => `${name} of ${nameOf(person)}`).join(', ')
    const text = `Not seen for 90 days, and still told of cards: ${named}.`
    checks.push(warn(area, text, 'Its person revokes it: Settings, Notifications.'))
  }
  const count = `${seen.people.length} may sign in, ${present.length} of them as owner`
  const open = seen.invitations.length
  return [...checks, ok(area, open === 0 ? `${count}.` : `${count}; ${open} invited and not here yet.`)]
}
