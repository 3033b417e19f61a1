import type { DoctorCheck } from 'protocol'
import type { LeftOut } from '../providers/learned.ts'
import { warn } from './check.ts'

/** The sentence for a person on a tool that a model's server refuses. */
export const leftOutWords = (id: string, { tool, why }: LeftOut): string => `${tool} is left out for ${id}: ${why}`

export const leftOutCheck = (id: string, left: LeftOut): DoctorCheck =>
  warn(
    'Tools',
    leftOutWords(id, left),
    'Choose another model where the tool is needed. Save the provider again to have it tried anew.',
  )
