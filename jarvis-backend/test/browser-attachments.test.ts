import { Buffer } from 'node:buffer'
import { expect } from 'vitest'
import { pictureFacts } from '../src/lib/picture.ts'
import { findingsAtNight } from './support/axe.ts'
import { dashboardDir, test, useBrowser } from './support/browser.ts'
import { bitmapOf, noiseOf, onePixel, pngOf } from './support/pictures.ts'
import { calls, pauses, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const { operator } = useBrowser()

test('files are pasted, dropped, picked and removed on a phone, and stand with the message that was sent', async () => {
  const asks = calls(['ask_operator', { questions: [{ question: 'Which pool?' }] }])
  const long = pauses('It takes', ' its time.')
  const model = scripted(says('Two files.'), long, says('One more.'), asks, says('So be it.'))
  const jarvis = await startJarvis({ dashboardDir, model, env: { JARVIS_EMBEDDINGS: 'none', JARVIS_TITLES: 'off' } })
  const page = await operator(jarvis, { viewport: { width: 390, height: 844 }, hasTouch: true })
  const field = page.getByRole('textbox', { name: 'Message' })
  const files = page.getByRole('list', { name: 'Attached files' })
  await page.getByRole('button', { name: 'Attach' }).waitFor()

  /** As a browser tells of files that come with an event. */
  const give = (type: 'paste' | 'drop', name: string, mimeType: string, base64: string) =>
    page.evaluate(`{
      const [kind, name, type, data] = ${JSON.stringify([type, name, mimeType, base64])}
      const given = new DataTransfer()
      given.items.add(new File([Uint8Array.from(atob(data), (char) => char.charCodeAt(0))], name, { type }))
      const init = { bubbles: true, cancelable: true, clipboardData: given, dataTransfer: given }
      const event = kind === 'paste' ? new ClipboardEvent(kind, init) : new DragEvent(kind, init)
      document.getElementById('composer').dispatchEvent(event)
    }`)
  await give('paste', 'screen.png', 'image/png', onePixel.png)
  await files.getByText('screen.png').waitFor()
  await give('drop', 'wide.png', 'image/png', pngOf(9_000, 10).toString('base64'))
  await files.getByText(/wide\.png is 9000×10 pixels/).waitFor()
  const picking = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach' }).click()
  await (await picking).setFiles({ name: 'pve.log', mimeType: 'text/plain', buffer: Buffer.from('it broke at noon') })
  await files.getByText('16 B').waitFor()
  expect(await findingsAtNight(page.locator('.composer'))).toEqual([])

  // A file that failed holds the message back, with its words kept.
  await field.fill('What happened?')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('status').getByText('Remove wide.png before you send.').waitFor()
  await expect.poll(() => field.inputValue()).toBe('What happened?')
  await page.getByRole('button', { name: 'Remove wide.png' }).click()
  await files.getByText('wide.png').waitFor({ state: 'detached' })
  await field.press('Control+Enter')

  await page.getByText('Two files.').first().waitFor()
  await page
    .getByRole('button', { name: /^Picture 1 of 1 from screen\.png/ })
    .locator('img')
    .waitFor()
  await page.getByRole('button', { name: 'pve.log, 16 B' }).click()
  await page.getByText('it broke at noon').waitFor()
  expect(await files.count()).toBe(0)
  expect(await findingsAtNight(page)).toEqual([])
  const [asked] = model.requests[0]?.messages ?? []
  expect(asked?.role === 'user' && [asked.images?.length, asked.text]).toEqual([
    1,
    expect.stringContaining('it broke at noon'),
  ])

  // A message that waits keeps its file, also while it is written anew.
  await field.fill('Go on.')
  await field.press('Control+Enter')
  await page.getByText('It takes').first().waitFor()
  await give('paste', 'later.png', 'image/png', onePixel.png)
  await page.getByRole('status').getByText('later.png is attached.').waitFor()
  await field.fill('And this one?')
  await field.press('Control+Enter')
  const queued = page.locator('.queued')
  await queued.getByText('1 file').waitFor()
  await page.getByRole('button', { name: 'Edit what is queued' }).click()
  await queued.waitFor({ state: 'detached' })
  await files.getByText('later.png').waitFor()
  await expect.poll(() => field.inputValue()).toBe('And this one?')
  await field.press('Control+Enter')
  await queued.getByText('1 file').waitFor()
  long.release()
  await page.getByText('One more.').first().waitFor()
  const last = model.requests[2]?.messages.at(-1)
  expect(last?.role === 'user' && [last.images?.length, last.text]).toEqual([
    1,
    expect.stringContaining('And this one?'),
  ])

  // An answer takes no files: it is kept until they are removed.
  await field.fill('Ask me.')
  await field.press('Control+Enter')
  await page.getByText('Which pool?').first().waitFor()
  await give('paste', 'pool.png', 'image/png', onePixel.png)
  await page.getByRole('status').getByText('pool.png is attached.').waitFor()
  await field.fill('tank')
  await field.press('Control+Enter')
  await page.getByRole('status').getByText('Files go with a message, not with an answer.').waitFor()
  await expect.poll(() => field.inputValue()).toBe('tank')
  await page.getByRole('button', { name: 'Remove pool.png' }).click()
  await files.getByText('pool.png').waitFor({ state: 'detached' })
  await field.press('Control+Enter')
  await page.getByText('So be it.').first().waitFor()
})

test('the browser scales a large picture and turns a format that models refuse into JPEG', async () => {
  const model = scripted(says('Four pictures.'))
  const jarvis = await startJarvis({ dashboardDir, model, env: { JARVIS_EMBEDDINGS: 'none', JARVIS_TITLES: 'off' } })
  const page = await operator(jarvis)
  const picking = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Attach' }).click()
  await (await picking).setFiles([
    { name: 'wide.png', mimeType: 'image/png', buffer: noiseOf(9_000, 30) },
    { name: 'large.png', mimeType: 'image/png', buffer: noiseOf(1_200, 1_100) },
    { name: 'old.scan.bmp', mimeType: 'image/bmp', buffer: bitmapOf(3, 2) },
    { name: 'still.gif', mimeType: 'image/gif', buffer: Buffer.from(onePixel.gif, 'base64') },
  ])
  const files = page.getByRole('list', { name: 'Attached files' })
  for (const name of ['wide.png', 'large.jpg', 'old.scan.jpg', 'still.gif']) await files.getByText(name).waitFor()
  await expect.poll(() => files.getByText('%').count()).toBe(0)
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('What is this?')
  await field.press('Enter')
  await page.getByText('Four pictures.').first().waitFor()
  const [asked] = model.requests[0]?.messages ?? []
  const images = asked?.role === 'user' ? (asked.images ?? []) : []
  expect(new Set(images.map(({ data }) => JSON.stringify(pictureFacts(Buffer.from(data)))))).toEqual(
    new Set(
      [
        { mimeType: 'image/png', widthPx: 2_000, heightPx: 7 },
        { mimeType: 'image/jpeg', widthPx: 1_200, heightPx: 1_100 },
        { mimeType: 'image/jpeg', widthPx: 3, heightPx: 2 },
        { mimeType: 'image/gif', widthPx: 1, heightPx: 1 },
      ].map((facts) => JSON.stringify(facts)),
    ),
  )
})
