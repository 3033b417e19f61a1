import type { Runs } from '../../agent/runs.ts'
import type { Foundation } from '../../foundation.ts'
import { defineRoom, type JarvisFacts } from '../../house.ts'
import type { Gate } from '../room.ts'
import { Askers } from './askers.ts'

/** Ends the cards and runs of people and programs that may no longer ask. Listens for `cards.changed`, `run.for_another` and `person.changed`. */
export const askersRoom = defineRoom({
  name: 'askers',
  open(needs: {
    foundation: Pick<Foundation, 'clock' | 'isStopping' | 'report'>
    facts: JarvisFacts
    gate: Pick<Gate, 'confirmations' | 'cardGoneBecause'>
    runs: Pick<Runs, 'look' | 'haveOthers'>
  }) {
    const { clock, isStopping, report } = needs.foundation
    const { confirmations, cardGoneBecause } = needs.gate
    const askers = new Askers({
      clock,
      isStopping,
      report,
      runs: needs.runs,
      goneBecause: cardGoneBecause,
      pending: () => confirmations.pending(),
      withdraw: (toolUseId, because) => confirmations.cancel(toolUseId, 'jarvis', because),
    })
    needs.facts.on('cards.changed', () => askers.arm())
    needs.facts.on('run.for_another', () => askers.arm())
    needs.facts.on('person.changed', () => askers.look())
    return { resume: () => askers.look(), stop: () => askers.stop() }
  },
})
