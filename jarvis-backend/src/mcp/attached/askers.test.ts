import type { Asking, QuestionResolution } from 'protocol'
import { expect, test } from 'vitest'
import { Askers } from './askers.ts'

const asked = { message: 'Which shelf?', requestedSchema: { properties: { shelf: { type: 'string' } } } }
const never = new AbortController().signal

/** Two calls to one server, the newer one second. `typed`: what the person of each answers; undefined: the question stays open. */
function twoCalls(older: string | undefined | null, newer: string | undefined) {
  const askers = new Askers('odd', () => {})
  const shown: [call: string, message: string | undefined][] = []
  const ends: (() => void)[] = []
  for (const [call, typed] of [
    ['older', older],
    ['newer', newer],
  ] as const) {
    const ask = ({ message }: Asking, signal = never) => {
      shown.push([call, message])
      return new Promise<QuestionResolution>((end) => {
        if (typeof typed === 'string') return end({ end: 'answered', by: 'mira', answers: [{ text: typed }] })
        signal.addEventListener('abort', () => end({ end: 'withdrawn', by: 'jarvis' }), { once: true })
      })
    }
    void askers.during(typed === null ? undefined : ask, () => new Promise<void>((end) => ends.push(end)))
  }
  return { askers, shown, ends }
}

test('a question during several calls is asked for the newest, and says that it may be another call’s', async () => {
  const { askers, shown } = twoCalls('A', 'B')
  expect(await askers.elicit(asked, never)).toEqual({ action: 'accept', content: { shelf: 'B' } })
  expect(shown).toEqual([['newer', expect.stringMatching(/^Which shelf\?\n\[JARVIS: several calls/)]])
})

test('where that call ends unanswered, the question was another call’s and is asked there', async () => {
  const { askers, shown, ends } = twoCalls('A', undefined)
  const answer = askers.elicit(asked, never)
  ends[1]?.()
  expect(await answer).toEqual({ action: 'accept', content: { shelf: 'A' } })
  expect(shown.map(([call]) => call)).toEqual(['newer', 'older'])
})

test('where all of them end, or the server takes it back, it is cancelled', async () => {
  const { askers, ends } = twoCalls(undefined, undefined)
  const answer = askers.elicit(asked, never)
  for (const end of ends.reverse()) end()
  expect(await answer).toEqual({ action: 'cancel' })
  const other = twoCalls('A', undefined)
  const back = new AbortController()
  const taken = other.askers.elicit(asked, back.signal)
  back.abort()
  expect(await taken).toEqual({ action: 'cancel' })
  expect(other.shown).toHaveLength(1)
})

test('a question that could be that of a client’s call is shown to nobody', async () => {
  const { askers, shown } = twoCalls(null, 'B')
  await expect(askers.elicit(asked, never)).rejects.toThrow('one of them for a client')
  expect(shown).toEqual([])
})
