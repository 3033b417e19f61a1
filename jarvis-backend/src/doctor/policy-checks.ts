import type { DoctorCheck } from 'protocol'
import { warn } from './check.ts'

/** What to look at in a policy that is in force, a sentence each. */
export const policyChecks = (warnings: readonly string[]): DoctorCheck[] =>
  warnings.map((text) =>
    warn('Policy', text, 'Change policy.yaml, or let more people in. docs/roles.md says who approves.'),
  )
