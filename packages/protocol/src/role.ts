import { z } from 'zod'

/** The older name on the wire for a person's role: owners and operators are `operator`, all others `viewer`. */
export const Role = z.enum(['operator', 'viewer'])
export type Role = z.infer<typeof Role>
