import type { ChannelPairing, ChannelPairingBegun, ChannelsReply } from 'protocol'
import { expect } from 'vitest'
import { startService } from './fake-services/service.ts'
import { startTelegram } from './fake-services/telegram.ts'
import { findingsAtNight } from './support/axe.ts'
import { dashboardDir, go, test, useBrowser } from './support/browser.ts'
import { says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const { operator } = useBrowser()
const mira = 88120411

/** A microphone that hears nothing: what a browser records of it is a real recording. */
const microphone = `navigator.mediaDevices.getUserMedia = async () => new AudioContext().createMediaStreamDestination().stream`

test('what is said into the microphone becomes text in the composer and is sent by its person; conversation and its agent are chosen in the settings', async () => {
  const speech = await startService(({ path }) =>
    path === '/v1/audio/transcriptions' ? { json: { text: 'Is pve hot?' } } : { status: 404 },
  )
  const telegram = await startTelegram()
  const jarvis = await startJarvis({
    dashboardDir,
    model: scripted(says('It is.')),
    env: {
      JARVIS_EMBEDDINGS: 'none',
      JARVIS_TITLES: 'off',
      JARVIS_TRANSCRIBE_URL: `${speech.url}/v1`,
      JARVIS_CHANNEL_TELEGRAM_TOKEN: telegram.token,
      JARVIS_CHANNEL_TELEGRAM_URL: telegram.url,
    },
  })
  const page = await operator(jarvis)
  await page.evaluate(microphone)
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('Tell me:')
  await page.getByRole('button', { name: 'Dictate' }).click()
  await page.getByRole('status').getByText('Recording. Press again when you have said it.').waitFor()
  expect(await findingsAtNight(page.locator('.composer'))).toEqual([])
  await page.getByRole('button', { name: 'Stop recording' }).click()
  await expect.poll(() => field.inputValue()).toBe('Tell me: Is pve hot?')
  expect(speech.taken[0]?.body).toContain('filename="voice.webm"')
  // Nothing is sent by itself.
  await page.getByRole('status').getByText('Read it, then send it.').waitFor()
  await field.press('Enter')
  await page.getByText('It is.').first().waitFor()

  const ask = async <T>(method: string, path: string, json?: unknown) =>
    (await (await jarvis.rest(`/api/${path}`, { method, ...(json !== undefined && { json }) })).json()) as T
  const { code, id } = await ask<ChannelPairingBegun>('POST', 'channels/telegram/pairings')
  telegram.start(mira, code)
  const opened = async () => (await ask<{ items: ChannelPairing[] }>('GET', 'channel-pairings')).items[0]?.opened?.user
  await expect.poll(opened, { timeout: 15_000 }).toBe(String(mira))
  await ask('POST', `channel-pairings/${id}/confirm`, { user: String(mira) })
  const recipient = async () =>
    (await ask<ChannelsReply>('GET', 'channels')).items.find((one) => one.id === 'telegram')?.recipients[0]
  await go(page, '/settings/channels')
  await page.locator('.channel-row', { hasText: 'Telegram' }).click()
  const talks = page.getByRole('checkbox', { name: 'Conversation', exact: true })
  expect(await talks.isChecked()).toBe(true)
  expect(await findingsAtNight(page)).toEqual([])
  await talks.click()
  await expect.poll(async () => (await recipient())?.talks).toBe(false)
  // The server knows before the page does.
  await expect.poll(() => talks.isChecked()).toBe(false)
  await talks.click()
  await expect.poll(async () => (await recipient())?.talks).toBe(true)
})
