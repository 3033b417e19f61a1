import { expect, onTestFinished, test } from 'vitest'
import { telegram } from '../src/channels/adapters/telegram.ts'
import type { Incoming } from '../src/channels/channel.ts'
import { startTelegram } from './fake-services/telegram.ts'
import { quickClock } from './support/real-time.ts'

const mira = 88120411
const soon = { timeout: 15_000 }
const quick = quickClock(200)
type Fake = Awaited<ReturnType<typeof startTelegram>>

/** One program that listens with the token. */
function listening({ token, url }: Pick<Fake, 'token' | 'url'>) {
  const problems: (string | undefined)[] = []
  const heard: Incoming[] = []
  const channel = telegram.open({ TOKEN: token, URL: url }, { clock: quick, problem: (why) => void problems.push(why) })
  const ending = new AbortController()
  const ended = channel
    .incoming?.(
      async (incoming) => {
        heard.push(incoming)
        return {}
      },
      undefined,
      ending.signal,
    )
    .catch(() => undefined)
  const stop = async () => {
    ending.abort()
    await ended
  }
  onTestFinished(stop)
  return { channel, problems, heard, stop, contests: () => problems.filter((one) => one?.startsWith('Another')).length }
}

test('two programs with one token: both say so, though each has its turns; the one that stays is well again', async () => {
  const service = await startTelegram()
  const one = listening(service)
  await expect.poll(service.polls, soon).toBeGreaterThan(0)
  const other = listening(service)
  await expect
    .poll(() => {
      // A message may end a poll, so each poll gets its turns in between.
      service.write(mira, 'Hello')
      return [one.contests() > 0, other.contests() > 0]
    }, soon)
    .toEqual([true, true])
  expect(JSON.stringify(one.problems)).not.toContain(service.token)
  // To send needs no poll, so what is told goes out meanwhile.
  service.start(mira)
  expect(await one.channel.health(AbortSignal.timeout(5_000))).toMatchObject({ account: '@jarvis_homelab_bot' })
  await other.stop()
  const texts = () => one.heard.flatMap((incoming) => (incoming.kind === 'text' ? [incoming.text] : []))
  await expect
    .poll(() => {
      if (service.unconfirmed() === 0) service.write(mira, 'Is all well?')
      return one.problems.at(-1)
    }, soon)
    .toBeUndefined()
  await expect.poll(texts, soon).toContain('Is all well?')
})

test('one refused poll is what a start after a crash meets, and is no problem', async () => {
  const service = await startTelegram()
  const { problems, heard } = listening(service)
  await expect.poll(service.polls, soon).toBe(1)
  const refused = await fetch(`${service.url}/bot${service.token}/getUpdates`, {
    method: 'POST',
    body: JSON.stringify({ timeout: 0, allowed_updates: [] }),
  })
  expect(refused.status).toBe(200)
  await expect.poll(service.polls, soon).toBe(3)
  service.write(mira, 'Hello')
  await expect.poll(() => heard.length, soon).toBe(1)
  expect(problems.filter((one) => one !== undefined)).toEqual([])
})
