import type { PlanStep } from 'protocol'
import { Mistake } from '../gate/index.ts'

/** Where a step stands: its number, its title or id, and its line where a text has it. */
export type Place = { number: number; title: string; line?: number | undefined }

/** `step 2 "disks", line 9` */
export const placeWords = ({ number, title, line }: Place): string =>
  `step ${number} "${title}"${line === undefined ? '' : `, line ${line}`}`

/** Why no plan can be made, and at which step. */
export class PlanProblem extends Mistake {
  readonly step: number
  readonly line: number | undefined
  /** What was found of the steps before. */
  steps: readonly PlanStep[] = []
  constructor(place: Place, message: string) {
    super(`${placeWords(place)}: ${message}`)
    this.step = place.number
    this.line = place.line
  }
}
