import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { PushSender } from '../src/channels/web-push/ports.ts'
import { findingsAtNight } from './support/axe.ts'
import { dashboardDir, givePassword, go, passwordDialog, say, test, useBrowser } from './support/browser.ts'
import { startModelServer } from './support/model-server.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { useSharedChat } from './support/shared-chat.ts'
import { password, startJarvis } from './support/start-jarvis.ts'

const { operator } = useBrowser()
const env = { JARVIS_EMBEDDINGS: 'none' }

const newChat = useSharedChat({ env })
/** The shared page, at a path. */
async function visit(path: string) {
  const { jarvis, page } = await newChat()
  await go(page, path)
  return { jarvis, page }
}

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('a provider is added from a preset, tried, used, followed by another one where it fails, and removed', async () => {
  const key = 'sk-test-0123456789-wxyz'
  const server = await startModelServer({ key, model: 'qwen3:14b', says: 'I am qwen.' })
  const { jarvis, page } = await visit('/settings/models')
  const models = region(page, 'Models')
  await models.getByRole('button', { name: 'Add a provider…' }).click()
  const form = models.getByRole('form', { name: 'Add a provider' })
  await form.getByLabel('Service').selectOption('Azure OpenAI')
  await form.getByRole('combobox', { name: 'Models', exact: true }).fill('gpt-5.4')
  await form.getByRole('button', { name: 'Test the model' }).click()
  await form.getByText('Put your own NAME into the address.').waitFor()
  await form.getByLabel('Service').selectOption('Ollama')
  await form.getByText('Start Ollama with OLLAMA_CONTEXT_LENGTH=32768').waitFor()
  await form.getByLabel('Name').fill('gpu')
  await form.getByLabel('Address').fill(server.url)
  await form.getByRole('combobox', { name: 'Models', exact: true }).fill('qwen3:14b, qwen3:32b')
  await form.getByLabel('Key').fill(key)
  await form.getByRole('button', { name: 'Test the model' }).click()
  await form.getByText('Works: it answered in').waitFor()
  await form.getByRole('button', { name: 'Save and use it' }).click()
  await form.waitFor({ state: 'hidden' })
  await models.getByText('key ends in wxyz').waitFor()
  await models.getByText('gpu/qwen3:14b: not asked since the start.').waitFor()

  const fallback = models.getByRole('form', { name: 'Add a fallback' })
  await fallback.getByLabel('Where this fails').selectOption('gpu/qwen3:14b')
  await fallback.getByLabel('this one answers').selectOption('gpu/qwen3:32b')
  await fallback.getByRole('button', { name: 'Add' }).click()
  await models.getByRole('list', { name: 'Fallbacks' }).getByText('then gpu/qwen3:32b').waitFor()
  expect(await jarvis.rest('/api/models').then((response) => response.json())).toMatchObject({
    inUse: 'gpu/qwen3:14b',
    fallbacks: [{ model: 'gpu/qwen3:14b', then: ['gpu/qwen3:32b'] }],
  })
  expect(await findingsAtNight(models)).toEqual([])
  // The other model of the provider is one choice away.
  await models.getByLabel('Model of gpu').selectOption('qwen3:32b')
  await models.getByRole('button', { name: 'Test gpu' }).click()
  await models.getByText('has no model named qwen3:32b').waitFor()
  await models.getByRole('button', { name: 'Remove gpu…' }).click()
  await models.getByRole('button', { name: 'Remove gpu with its key' }).click()
  await models.getByText('key ends in wxyz').waitFor({ state: 'detached' })
  await models.getByText('Connect a second model to name one.').waitFor()
})

test('a model is connected without reading anything but the screen: tried, mended, saved, used', async () => {
  const key = 'sk-test-0123456789-wxyz'
  const server = await startModelServer({ key, model: 'qwen3:14b', says: 'I am qwen.' })
  const { jarvis, page } = await newChat()
  await page.getByText('Demo cluster: nothing here is real.').waitFor()
  await go(page, '/settings/models')
  const models = region(page, 'Models')
  await models.getByRole('button', { name: 'Connect OpenAI-compatible…' }).click()
  const form = models.getByRole('form', { name: 'Connect an OpenAI-compatible model' })
  // An address without http:// is refused with the completed address as an offer. Another server has other models than OpenAI.
  await form.getByLabel('Address').fill(server.url.replace('http://', ''))
  expect(await form.getByLabel('Model').inputValue()).toBe('')
  await form.getByLabel('Key').fill(key)
  await form.getByRole('button', { name: 'Test the model' }).click()
  await form.getByRole('button', { name: `Use ${server.url}` }).click()
  await form.getByRole('button', { name: 'Test the model' }).click()
  await form.getByText('has qwen3:14b. Name the one to ask.').waitFor()
  expect(await form.locator('option[value="qwen3:14b"]').count()).toBe(1)
  await form.getByLabel('Model').fill('qwen9')
  await form.getByLabel('Key').fill('sk-wrong-0123456789')
  const verdict = form.getByRole('status')
  const tried = async (words: string) => {
    await form.getByRole('button', { name: 'Test the model' }).click()
    await verdict.filter({ hasText: words }).waitFor()
  }
  await tried('refuses the key')
  await form.getByLabel('Key').fill(key)
  await tried('has no model named qwen9')
  await form.getByRole('button', { name: 'Save and use it' }).click()
  await verdict.filter({ hasText: 'has no model named qwen9. It has qwen3:14b. Nothing was saved.' }).waitFor()
  await form.getByRole('button', { name: 'Save it anyway' }).click()
  // Only then it is saved: to leave the page before would end the request.
  await form.waitFor({ state: 'hidden' })
  expect(server.asked.at(-1)?.key).toBe(key)
  // A run that its server refuses leads back here.
  await go(page, '/')
  await say(page, 'Who are you?')
  await page.getByRole('link', { name: 'Open Settings, Models' }).click()
  await models.getByRole('button', { name: 'Change OpenAI-compatible…' }).click()
  await form.getByLabel('Model').fill('qwen3:14b')
  await tried('Works: it answered in')
  expect(await findingsAtNight(form)).toEqual([])
  await form.getByRole('button', { name: 'Save and use it' }).click()
  // The row says the key's end before the save too.
  await form.waitFor({ state: 'hidden' })
  await models.getByText('key ends in wxyz').waitFor()
  expect(await page.content()).not.toContain(key)

  await go(page, '/')
  await say(page, 'Who are you?')
  await page.getByText('I am qwen.', { exact: true }).waitFor()
  await go(page, '/settings/models')
  await models.getByRole('button', { name: 'Test OpenAI-compatible' }).click()
  await models.getByText('Works: it answered in').waitFor()
  await models.getByRole('button', { name: 'Use the demo' }).click()
  await page.getByText('Demo model: its answers are scripted.').waitFor()
  await models.getByRole('button', { name: 'Forget OpenAI-compatible…' }).click()
  await models.getByRole('button', { name: 'Forget the key of OpenAI-compatible' }).click()
  await models.getByRole('button', { name: 'Connect OpenAI-compatible…' }).waitFor()
  expect(readFileSync(join(jarvis.dataDir, 'settings.env'), 'utf8')).not.toContain(key)
})

test('the persona is edited, previewed and reset; density and theme are kept; SSH and what is protected are shown', async () => {
  const { jarvis, page } = await visit('/settings/persona')
  const persona = region(page, 'Persona')
  const soul = () => readFileSync(join(jarvis.dataDir, 'workspace/SOUL.md'), 'utf8')
  const shipped = soul()
  await persona.getByText('butler of this homelab').waitFor()
  await expect.poll(() => persona.evaluate((part) => Math.round(part.getBoundingClientRect().top))).toBeLessThan(120)
  await persona.getByRole('button', { name: 'Edit' }).click()
  await persona.getByRole('textbox', { name: 'Text of SOUL.md' }).fill('# Jeeves\n\nYou are Jeeves.\n')
  await persona.getByRole('button', { name: 'Preview' }).click()
  await persona.getByText('You are Jeeves.').waitFor()
  await persona.getByRole('button', { name: 'Save the text' }).click()
  await expect.poll(soul).toContain('Jeeves')
  await persona.getByRole('button', { name: 'Reset to the shipped text…' }).click()
  await persona.getByRole('button', { name: 'Put the shipped text in its place' }).click()
  await expect.poll(soul).toBe(shipped)
  await persona.getByRole('button', { name: 'You', exact: true }).click()
  await persona.getByText('Who you are and what you want to be told.').waitFor()

  // The list leads from one section to the next. An address of before leads on.
  const sections = page.getByRole('navigation', { name: 'Settings' })
  await sections.getByRole('link', { name: 'SSH' }).click()
  await page.waitForURL('**/settings/ssh')
  await page.getByText('none needed: the demo cluster').waitFor()
  await go(page, '/settings#policy')
  await page.waitForURL('**/settings/policy')
  const policy = region(page, 'Policy')
  await policy.getByText('node/agent1').first().waitFor()
  const draft = policy.getByLabel('A draft of policy.yaml')
  const judge = policy.getByRole('button', { name: 'Judge the newest calls by it' })
  await draft.fill('tiers: {stop_vm: black}\nfoo: 1\n')
  await policy.getByText('Line 2, column 1:').waitFor()
  expect(await judge.isDisabled()).toBe(true)
  await draft.fill('tiers: {stop_vm: black}\n')
  await policy.getByText('stop_vm: red becomes black').waitFor()
  await judge.click()
  await policy.getByText('would be judged differently.').waitFor()
  expect(await findingsAtNight(policy)).toEqual([])
  expect(existsSync(join(jarvis.dataDir, 'policy.yaml'))).toBe(false)
  // The draft stays when the page is left and when the file changes.
  await sections.getByRole('link', { name: 'Display' }).click()
  await sections.getByRole('link', { name: 'Policy' }).click()
  expect(await draft.inputValue()).toBe('tiers: {stop_vm: black}\n')
  writeFileSync(join(jarvis.dataDir, 'policy.yaml'), 'tiers: {start_vm: red}\n')
  await policy.getByText('The file has changed since this draft began.').waitFor()
  expect(await draft.inputValue()).toBe('tiers: {stop_vm: black}\n')
  await policy.getByRole('button', { name: 'Drop the draft' }).click()
  expect(await draft.inputValue()).toBe('tiers: {start_vm: red}\n')
  await sections.getByRole('link', { name: 'Display' }).click()
  await page.getByRole('radio', { name: /^Comfortable/ }).click()
  await page.reload()
  expect(await page.locator('html').getAttribute('data-density')).toBe('comfortable')
  expect(await page.locator('meta[name=theme-color]').getAttribute('content')).toMatch(/^#[0-9a-f]{6}$/)
})

const browserSaysYes = `
  Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
  Notification.requestPermission = async () => 'granted'
  PushManager.prototype.subscribe = async () => ({
    toJSON: () => ({
      endpoint: 'https://push.example.org/1', keys: { p256dh: 'B' + 'A'.repeat(86), auth: 'A'.repeat(22) },
    }),
  })`
const keepNotes = `
  self.kept = []
  self.closed = []
  const close = (tag) => ({ close: () => self.closed.push(tag) })
  Object.defineProperty(self, 'registration', {
    value: {
      showNotification: async (...note) => void self.kept.push(note),
      getNotifications: async ({ tag }) => [close(tag)],
    },
  })`

test('a browser is told of a card while nobody looks: worker, device, message, and nothing but Open', async () => {
  const sent: string[] = []
  const push: PushSender = {
    publicKey: 'BA'.padEnd(87, 'A'),
    send: async (_to, { payload }) => {
      sent.push(payload)
      return { kind: 'sent' }
    },
  }
  const model = scripted(
    ...[calls(['stop_vm', { vmid: 103 }]), says('Well.')],
    ...[calls(['restart_vm', { vmid: 101 }]), says('Then.')],
  )
  const jarvis = await startJarvis({ dashboardDir, model, push, env })
  // A headless browser says `denied` here whatever was granted, and its maker's push service is not reached from here.
  const page = await operator(jarvis, { first: browserSaysYes }, '/settings/notifications', false)
  const part = region(page, 'Notifications')
  await part.getByRole('checkbox', { name: /Also while it is closed/ }).click()
  await givePassword(page)
  const devices = part.getByRole('list', { name: 'Devices that are told' })
  await devices.getByText('this one').waitFor()
  await devices.getByRole('button', { name: /^Test/ }).click()
  await devices.getByText(/^last told/).waitFor()
  expect(await findingsAtNight(part)).toEqual([])

  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 103.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await expect.poll(() => sent.at(-1) ?? '').toContain('Stop VM 103 truenas on pve?')
  await expect.poll(() => page.title()).toBe('(1) Notifications · JARVIS')

  // The worker takes the message as the browser would hand it over.
  const browserSide = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) =>
    browserSide.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations
      if (first !== undefined) resolve(first.registrationId)
    }),
  )
  await browserSide.send('ServiceWorker.enable')
  // A headless browser draws no notification: what the worker would have drawn is kept.
  const [worker] = page.context().serviceWorkers()
  if (worker === undefined) throw new Error('No worker runs.')
  await worker.evaluate(keepNotes)
  const registrationId = await registered
  const take = (data = '') =>
    browserSide.send('ServiceWorker.deliverPushMessage', { origin: jarvis.url, registrationId, data })
  await take(sent.at(-1))
  const shown = () => worker.evaluate<[string, Record<string, unknown>][]>('self.kept')
  await expect.poll(async () => (await shown()).length).toBe(1)
  const [[title, note] = ['', {}]] = await shown()
  expect({ title, ...note }).toMatchObject({
    title: 'Stop VM 103 truenas on pve?',
    body: expect.stringMatching(/^Too heavy for a tap: look at the card\.[\s\S]*It waits until \d\d:\d\d \S+\.$/),
    tag: toolUseId,
    data: { path: `/waiting?card=${toolUseId}` },
  })
  expect(note).not.toHaveProperty('actions')
  // A press opens the card, and does nothing else.
  await worker.evaluate(`self.dispatchEvent(Object.assign(new Event('notificationclick'), {
    notification: { close() {}, data: ${JSON.stringify(note.data)} }, waitUntil() {} }))`)
  await page.waitForURL(`**/waiting?card=${toolUseId}`)
  await page.getByRole('button', { name: 'Approve: stop 103' }).waitFor()
  expect(jarvis.controls.effects).toEqual([])
  // Decided on another device, the card leaves no notification here.
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await expect.poll(() => sent.at(-1) ?? '').toContain('"withdraws":true')
  await worker.evaluate(
    `self.closed = []; Object.defineProperty(self, 'clients', { value: { matchAll: async () => [] } })`,
  )
  await take(sent.at(-1))
  await expect.poll(() => worker.evaluate('self.closed')).toEqual([toolUseId])
  // Nothing is answered from a cache.
  expect(await page.evaluate('caches.keys()')).toEqual([])

  // With a key of its own, a button of a light card decides it.
  await go(page, '/settings/notifications')
  await part.getByRole('checkbox', { name: /Decide in the notification/ }).click()
  await devices.getByText('decides light calls').waitFor()
  await screen.ask('chat:send', { sessionId, message: 'Restart 101.' })
  const light = await screen.next('chat:confirm_needed')
  await expect.poll(() => sent.at(-1) ?? '').toContain('"buttons"')
  await worker.evaluate('self.kept = []')
  await take(sent.at(-1))
  await expect.poll(async () => (await shown()).length).toBe(1)
  const [[, withButtons] = ['', {}]] = await shown()
  const actions = [
    { action: 'deny', title: expect.stringMatching(/^Do not restart 101 /) },
    { action: 'approve', title: expect.stringMatching(/^Restart 101 /) },
  ]
  expect(withButtons).toMatchObject({ tag: light.toolUseId, actions })
  const press = `self.dispatchEvent(Object.assign(new Event('notificationclick'), { action: 'approve',
    notification: { close() {}, tag: 'x', data: ${JSON.stringify(withButtons.data)} }, waitUntil() {} }))`
  await worker.evaluate(press)
  await expect.poll(() => jarvis.controls.effects.length).toBe(1)
  // The same press again.
  await worker.evaluate(press)
  await expect.poll(async () => (await shown()).at(-1)?.[0]).toBe('Nothing was decided')

  await devices.getByRole('button', { name: /^Revoke/ }).click()
  await devices.waitFor({ state: 'detached' })
})

test('the terminal says that it is not guarded, runs what is typed, leaves the keyboard, and ends', async () => {
  const jarvis = await startJarvis({ dashboardDir, model: scripted(), env: { ...env, JARVIS_TERMINAL: '1' } })
  const page = await operator(jarvis, {}, '/terminal?node=pve')
  await page.getByText('You will be root on pve.').waitFor()
  await page.getByRole('button', { name: 'Open a shell on pve' }).click()
  await page.getByText('You are root on pve. JARVIS does not guard this.').waitFor()
  const screen = page.locator('.xterm-rows')
  await screen.getByText('root@pve:~#').first().waitFor()
  await page.keyboard.type('pveversion\n')
  await screen.getByText('pve-manager/').waitFor()
  expect(await findingsAtNight(page)).toEqual([])
  const ground = () =>
    page.evaluate<string>("getComputedStyle(document.querySelector('.xterm-scrollable-element')).backgroundColor")
  const before = await ground()
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect.poll(ground).not.toBe(before)
  await page.keyboard.press('Shift+Tab')
  await page.locator('button:focus', { hasText: 'Close the shell' }).waitFor()
  await page.locator('.xterm-screen').click()
  await page.keyboard.type('exit\n')
  await page.getByText('The shell on pve ended with exit code 0.').waitFor()
  expect(await (await jarvis.rest('/api/journal?kind=terminal')).text()).toContain('"pve"')
})

test('where terminal and consoles are off their pages say how to turn them on, and nothing links to them', async () => {
  const { page } = await visit('/terminal')
  await page.getByText('The terminal is off.').waitFor()
  expect(await page.getByRole('link', { name: 'Terminal' }).count()).toBe(0)
  await go(page, '/console?vmid=101')
  await page.getByText('Consoles are off.').waitFor()
  await go(page, '/cluster?guest=101')
  await region(page, 'Detail: guest 101').getByText('Memory', { exact: true }).first().waitFor()
  expect(await page.getByRole('link', { name: 'Screen', exact: true }).count()).toBe(0)
})

test('an action that a sign-in alone may not do asks for the password, and then continues', async () => {
  const { jarvis } = await newChat()
  const page = await operator(jarvis, {}, '/settings/safety', false)
  const profile = region(page, 'Safety').getByRole('radio', { name: /^Permissive/ })
  const loosen = async () => {
    await profile.click()
    await page.getByRole('button', { name: 'Use permissive' }).click()
  }
  await loosen()
  await passwordDialog(page).waitFor()
  expect(await findingsAtNight(passwordDialog(page))).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByText('This needs the password again. Nothing was changed.').waitFor()
  expect(await profile.isChecked()).toBe(false)

  await loosen()
  await givePassword(page, 'not-the-password')
  await passwordDialog(page).getByText('That is not the password.').waitFor()
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await passwordDialog(page).waitFor({ state: 'detached' })
  await expect.poll(() => profile.isChecked()).toBe(true)
})
