import type { PlanStep } from 'protocol'
import { Mistake } from '../gate/index.ts'

/** The place of a step: its number, its title or id, and its line, if it was written in a file. */
export type Place = { number: number; title: string; line?: number | undefined }

/** `step 2 "disks", line 9` */
export const placeWords = ({ number, title, line }: Place): string =>
  `step ${number} "${title}"${line === undefined ? '' : `, line ${line}`}`

/** The reason why no plan can be made, with the step that causes it. */
export class PlanProblem extends Mistake {
  readonly step: number
  readonly line: number | undefined
  /** The steps before this one, with the outputs of reads. */
  steps: readonly PlanStep[] = []
  constructor(place: Place, message: string) {
    super(`${placeWords(place)}: ${message}`)
    this.step = place.number
    this.line = place.line
  }
}
