import { ApiError } from 'protocol/client'
import { expect, test } from 'vitest'
import { type Checked, Checks } from './executions.ts'

function start() {
  const asked: { id: string; answer: (checked: Checked) => void; refuse: (error: Error) => void }[] = []
  let now = 0
  const checks = new Checks(
    (id) => new Promise<Checked>((answer, refuse) => asked.push({ id, answer, refuse })),
    () => now++,
  )
  return { asked, checks, check: () => checks.value.get().get('a') }
}
const unknown = (text: string): Checked => ({ outcome: 'unknown', text })

test('a look is under way once, then its answer and time stand', async () => {
  const { asked, checks, check } = start()
  const done = checks.again('a')
  void checks.again('a')
  expect(asked.map(({ id }) => id)).toEqual(['a'])
  expect(check()).toEqual({ isLooking: true })
  asked[0]?.answer(unknown('122 is running.'))
  await done
  expect(check()).toEqual({ isLooking: false, seen: { outcome: 'unknown', text: '122 is running.', at: 0 } })
})

test('the newest answer replaces the one before, which stays while it is looked for', async () => {
  const { asked, checks, check } = start()
  const first = checks.again('a')
  asked[0]?.answer(unknown('first'))
  await first
  const second = checks.again('a')
  expect(check()).toMatchObject({ isLooking: true, seen: { text: 'first' } })
  asked[1]?.answer(unknown('second'))
  await second
  expect(check()).toEqual({ isLooking: false, seen: { outcome: 'unknown', text: 'second', at: 1 } })
})

test('a refusal is said in words and keeps what was seen; the next look clears it', async () => {
  const { asked, checks, check } = start()
  const first = checks.again('a')
  asked[0]?.answer(unknown('first'))
  await first
  const second = checks.again('a')
  asked[1]?.refuse(new ApiError('already_decided', 'The outcome of this call is known.'))
  await second
  expect(check()).toMatchObject({
    isLooking: false,
    problem: 'The outcome of this call is known. Nothing was run.',
    seen: { text: 'first' },
  })
  void checks.again('a')
  expect(check()?.problem).toBeUndefined()
})

test('an answer for one who left is dropped', async () => {
  const { asked, checks, check } = start()
  const done = checks.again('a')
  checks.forget()
  asked[0]?.answer(unknown('theirs'))
  await done
  expect(check()).toBeUndefined()
})
