import { expect, test } from 'vitest'
import { runExperiment } from './crash/experiment.ts'
import { type Mutant, mutants } from './crash/mutants.ts'
import { type Kill, namedSteps } from './crash/steps.ts'

/** Starting processes is slow where others have the machine too. */
const patienceMs = 300_000

test(
  'killed with SIGKILL at each named step, nothing is lost and nothing runs twice',
  async () => {
    const report = await runExperiment({ kills: namedSteps.map((at): Kill => ({ at })), seed: 7 })
    expect(report).toMatchObject({ doubles: [], lostDecisions: [], lostCards: [], lostMessages: [], faults: [] })
    expect([...report.kills.keys()]).toEqual(namedSteps)
    expect(report.interrupted.length).toBeGreaterThan(0)
    expect(report.requests).toBeGreaterThan(0)
  },
  patienceMs,
)

test.each(Object.keys(mutants) as Mutant[])(
  'the experiment catches %s',
  async (mutant) => {
    const { doubles } = await runExperiment({ kills: [{ at: 'request received' }], seed: 7, mutant })
    expect(doubles).not.toEqual([])
  },
  patienceMs,
)
