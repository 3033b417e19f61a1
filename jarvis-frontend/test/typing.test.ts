import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { morning } from './scenery/scenes/morning.ts'
import { openStage, type Stage, test } from './support/browser.ts'
import { typeAtOnce } from './support/type-at-once.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

test('what is typed while a new chat becomes a session stays in the composer, and what is sent goes to that session', async () => {
  const server = await stage.play(morning(Date.now()))
  const page = await stage.open(server, '/')
  const field = page.getByRole('textbox', { name: 'Message' })
  let acknowledge = () => {}
  const acknowledged = new Promise<void>((resolve) => {
    acknowledge = resolve
  })
  server.behaviour.beforeAck = () => acknowledged
  await field.fill('Why is pve hot?')
  await page.keyboard.press('Enter')
  await page.keyboard.type('And the disks?')
  await page.keyboard.press('Enter')
  await page.keyboard.type('logs ')
  acknowledge()
  await page.keyboard.type('please, get the ')
  await page.waitForURL(/\/chat\//)
  await page.keyboard.type('backups')
  expect(await field.inputValue()).toBe('logs please, get the backups')
  expect(page.url()).toContain('/chat/')
  await expect.poll(() => server.sent.map(({ message }) => message)).toEqual(['Why is pve hot?', 'And the disks?'])
  expect(new Set(server.sent.map(({ sessionId }) => sessionId)).size).toBe(1)
})

/** Confirms a composed word as Safari does: the composition ends before the key press. */
const confirmWord = (field: Locator) =>
  field.evaluate((element) => {
    element.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }))
    element.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true, data: '漢' }))
    const press = { key: 'Enter', code: 'Enter', keyCode: 229, bubbles: true, cancelable: true }
    element.dispatchEvent(new KeyboardEvent('keydown', press))
    element.dispatchEvent(new KeyboardEvent('keydown', { ...press, key: 'Escape', ctrlKey: true, isComposing: true }))
    element.dispatchEvent(new KeyboardEvent('keydown', { ...press, ctrlKey: true }))
  })

test('Enter that confirms a composed word sends nothing and opens nothing', async () => {
  const server = await stage.play(morning(Date.now()))
  const page = await stage.open(server, '/')
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('漢')
  await confirmWord(field)
  expect(await field.inputValue()).toBe('漢')
  await page.keyboard.press('Control+k')
  const search = page.getByRole('combobox', { name: /search/i })
  await search.fill('journal')
  await confirmWord(search)
  expect(await search.inputValue()).toBe('journal')
  await page.keyboard.press('Escape')
  await field.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => server.sent.map(({ message }) => message)).toEqual(['漢'])
})

test('on a touch keyboard Enter breaks the line, the button and Ctrl+Enter send, and Settings have another choice', async () => {
  const server = await stage.play(morning(Date.now()))
  const page = await stage.open(server, '/', { isPhone: true })
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.tap()
  expect(await field.getAttribute('enterkeyhint')).toBe('enter')
  await page.keyboard.type('first')
  await page.keyboard.press('Enter')
  await page.keyboard.type('second')
  expect(await field.inputValue()).toBe('first\nsecond')
  await page.getByRole('button', { name: 'Send' }).tap()
  await expect.poll(() => server.sent.length).toBe(1)
  await field.fill('third')
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => server.sent.length).toBe(2)
  await page.evaluate(() => localStorage.setItem('jarvis.enter', 'send'))
  await field.fill('fourth')
  await page.keyboard.press('Enter')
  await expect.poll(() => server.sent.map(({ message }) => message)).toEqual(['first\nsecond', 'third', 'fourth'])
})

test('words that are typed where nothing has the focus go into the composer, and g with a letter to a page', async () => {
  const server = await stage.play(morning(Date.now()))
  const page = await stage.open(server, '/chat/s2')
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.waitFor()
  for (const words of ['logs please', 'get the backups', 'go', 'g', 'show 123']) {
    expect(await field.evaluate((element) => element.matches(':focus')), words).toBe(false)
    await typeAtOnce(page, words)
    await expect.poll(() => field.inputValue()).toBe(words)
    expect(page.url()).toBe(`${server.url}/chat/s2`)
    await field.fill('')
    await field.blur()
  }

  // g and a letter alone go to a page.
  await field.fill('later')
  await page.keyboard.press('Escape')
  expect(await field.evaluate((element) => element.matches(':focus'))).toBe(true)
  await field.fill('')
  // Escape leaves an empty composer for the conversation.
  await page.keyboard.press('Escape')
  expect(await page.getByRole('log').evaluate((element) => element.matches(':focus'))).toBe(true)
  await typeAtOnce(page, 'gl')
  await page.waitForURL('**/cluster')
  // Without a composer nothing is waited for.
  await typeAtOnce(page, 'gw')
  await page.waitForURL('**/waiting')
})

test.each(['/chat/ses_main', '/waiting'])(
  'words that are typed on a card, and Enter after them, approve nothing: %s',
  async (path) => {
    const server = await stage.play(morning(Date.now()))
    const page = await stage.open(server, path, { height: 1_600 })
    const card = page.locator('[data-pending]').first()
    const approve = card.getByRole('button', { name: /^Approve/ })
    const isWaiting = path === '/waiting'
    const enter = async (sent: number) => {
      await page.keyboard.press('Enter')
      await approve.waitFor()
      await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)))
      await expect.poll(() => server.sent.length).toBe(isWaiting ? 0 : sent)
      expect(server.decisions).toEqual([])
    }
    const awake = card.locator('.risk[aria-disabled="false"]')
    await awake.waitFor()
    await card.focus()
    // Its first letter arms.
    const armed = async () => {
      await page.keyboard.press('a')
      return card.locator('.armed').count()
    }
    await expect.poll(armed, { interval: 1_000 }).toBe(1)
    await typeAtOnce(page, 'an')
    await enter(1)

    await awake.waitFor()
    await card.focus()
    await typeAtOnce(page, 'pizza')
    await enter(2)
  },
)
