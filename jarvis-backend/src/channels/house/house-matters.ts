import type { ChangeStore } from '../../calls/changes/change.ts'
import type { QuestionStore } from '../../calls/questions/question.ts'
import type { Gate } from '../../calls/room.ts'
import type { Foundation } from '../../foundation.ts'
import { SqliteChangeStore } from '../../store/sqlite/calls/changes.ts'
import { SqliteConfirmationStore } from '../../store/sqlite/calls/confirmations.ts'
import { SqliteQuestionStore } from '../../store/sqlite/calls/questions.ts'
import type { KnownCard, Matters, TapDecision } from '../parts.ts'
import type { Open } from '../ports.ts'

export type HouseMattersParts = {
  foundation: Pick<Foundation, 'database' | 'now'>
  gate: Pick<Gate, 'confirmations'>
}

/** The cards, questions and changes of JARVIS, for the channels. */
export class HouseMatters implements Matters {
  readonly #parts: HouseMattersParts
  readonly #cards: InstanceType<typeof SqliteConfirmationStore>
  readonly #questions: QuestionStore
  readonly #changes: ChangeStore

  constructor(parts: HouseMattersParts) {
    const { database } = parts.foundation
    this.#parts = parts
    this.#cards = new SqliteConfirmationStore(database)
    this.#questions = new SqliteQuestionStore(database)
    this.#changes = new SqliteChangeStore(database)
  }

  card(toolUseId: string): KnownCard | undefined {
    const found = this.#cards.get(toolUseId)
    if (found === undefined) return undefined
    const { card, bindingHash, resolution } = found
    return { card, bindingHash, isDecided: resolution !== undefined, ending: resolution }
  }

  isOpen({ kind, id }: Open): boolean {
    if (kind === 'question') {
      const question = this.#questions.get(id)
      return question !== undefined && question.resolution === undefined
    }
    const change = this.#changes.get(id)
    return change?.state === 'armed' && (change.goesBackAt ?? 0) > this.#parts.foundation.now()
  }

  decide({ remember, ...request }: TapDecision): void | Promise<void> {
    const { confirmations } = this.#parts.gate
    return confirmations.decide({ ...request, once: { isAnswered: () => false, remember } })
  }

  seen(toolUseId: string): void {
    this.#parts.gate.confirmations.seen(undefined, toolUseId)
  }
}
