import type { Runs } from '../agent/runs.ts'
import type { Gate } from '../calls/room.ts'
import { defineRoom, type JarvisFacts } from '../house.ts'

/** The last room before the doors open: it takes up cards, questions and runs of the last process. Tells `questions.changed` and `notice.due`. */
export const doorsRoom = defineRoom({
  name: 'doors',
  open(needs: {
    facts: JarvisFacts
    formerCluster: { isAnother: boolean; leave(): void; keep(): void }
    gate: Pick<Gate, 'grants' | 'questions'>
    runs: Pick<Runs, 'resume' | 'goesOn'>
  }) {
    const { facts, formerCluster, gate, runs } = needs
    const questionsChanged = facts.teller('questions.changed')
    return {
      /** Tells people of something over their channels. */
      notice: facts.teller('notice.due'),
      resume() {
        gate.grants.resume()
        formerCluster.leave()
        runs.resume(!formerCluster.isAnother)
        gate.questions.leave((...run) => runs.goesOn(...run))
        questionsChanged(gate.questions.open())
        formerCluster.keep()
      },
    }
  },
})
