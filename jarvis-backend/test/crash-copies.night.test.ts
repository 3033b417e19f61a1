import { expect, test } from 'vitest'
import { approves, expectCopiesAsKills, type Plain, type Point, runsJob } from './support/copies.ts'
import type { Life } from './support/killed-house.ts'

const families: [what: string, house: Plain, points: Point[], works: (one: Life) => Promise<unknown>][] = [
  [
    'a slot of a job',
    'jobs',
    [
      ['insert job_slots written'],
      ['insert job_slots committed'],
      ['insert runs written'],
      ['insert runs committed'],
      ['insert executions written'],
      ['effect begun'],
      ['effect done'],
      ['insert journal result committed'],
    ],
    runsJob,
  ],
  [
    'a red call',
    'v1',
    [
      ['insert runs committed'],
      ['insert entries assistant committed'],
      ['insert confirmations written'],
      ['insert confirmations committed'],
      ['update confirmations decision begun'],
      ['update confirmations decision written'],
      ['insert executions written'],
      ['insert journal execution written'],
      ['insert journal execution committed'],
      ['effect begun'],
      ['effect done'],
      ['insert journal result written'],
      ['insert journal result committed'],
      ['insert entries done committed'],
    ],
    async (one) => {
      await one.ask('sessions', { message: 'call note_down {"line":"once"}' })
      await approves(one)
    },
  ],
  [
    'a child’s run',
    'delegates',
    [
      ['insert entries subrun written', 1],
      ['insert entries subrun committed', 1],
      ['insert entries confirm_needed committed', 1],
      ['insert entries subrun written', 2],
      ['insert entries subrun committed', 2],
      ['insert entries tool_result written', 2],
      ['insert entries assistant begun', 4],
    ],
    async (one) => {
      await one.ask('sessions', { message: 'Ask another agent to write a line.' })
      await approves(one)
    },
  ],
  [
    'a question',
    'jobs',
    [
      ['insert questions written'],
      ['insert questions committed'],
      ['insert entries question written'],
      ['update questions ended_at written'],
      ['update questions ended_at committed'],
      ['insert entries question_resolved written'],
    ],
    async (one) => {
      await one.types('Ask me what you need.')
      const questions = async () => (await one.ask<{ items: { questionId: string }[] }>('questions')).items
      await expect.poll(() => questions().catch(() => 'gone')).not.toEqual([])
      await one.ask(`questions/${(await questions())[0]?.questionId}`, { said: 'Where they always go.' })
    },
  ],
]

test.each(families)(
  'the copies of %s are what SIGKILLs at the same points leave',
  async (_what, house, points, works) => expectCopiesAsKills(house, points, works),
  300_000,
)
