import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, expect } from 'vitest'
import { dashboardDir, go, say, test, useBrowser } from './support/browser.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { useSharedChat } from './support/shared-chat.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const { operator } = useBrowser()
const env = { JARVIS_EMBEDDINGS: 'none' }
const notes = '# Media\n\nThe transcoder of jellyfin needs the GPU of pve.\n'
const looks = [
  calls(['get_cluster_status', {}], ['execute_ssh', { node: 'pve', command: 'rm -rf /' }]),
  says('Looked.'),
] as const

function write(jarvis: TestJarvis, path: string, text: string) {
  const place = join(jarvis.dataDir, 'workspace', path)
  mkdirSync(join(place, '..'), { recursive: true })
  writeFileSync(place, text)
}

/** Somebody asks, so that each page has something to show. */
async function lookAround(jarvis: TestJarvis) {
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Look around.' })
  await screen.next('chat:done')
  screen.socket.disconnect()
}

const newChat = useSharedChat({ env: { ...env, LOG_LEVEL: 'warn' } })
beforeAll(async () => {
  const { jarvis } = await newChat(...looks)
  write(jarvis, 'MEMORY.md', notes)
  await lookAround(jarvis)
})
/** The shared page, at a path. */
async function visit(path: string) {
  const { jarvis, page } = await newChat()
  await go(page, path)
  return { jarvis, page }
}

test('on a phone every page is reached, and none scrolls sideways', async () => {
  const { jarvis } = await newChat()
  const page = await operator(jarvis, { viewport: { width: 320, height: 700 }, isMobile: true, hasTouch: true })
  const shows = async (name: string, seen: string) => {
    await page.getByText(seen).first().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(320)
  }
  const reached = {
    Journal: 'get_cluster_status',
    Agents: 'Which agent would answer?',
    Sessions: 'Look around.',
    Settings: 'What programs may do',
    System: 'the database takes',
  }
  for (const [name, seen] of Object.entries(reached)) {
    await page.getByRole('link', { name: 'More', exact: true }).tap()
    await page.getByRole('navigation', { name: 'More pages' }).getByRole('link', { name }).tap()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await shows(name, seen)
  }
  for (const [path, seen] of [
    ['/agents/memory?q=transcoder', 'by words no. 1'],
    ['/agents/tools?tool=stop_vm', 'What would happen?'],
    ['/agents/memory?file=MEMORY.md', 'needs the GPU'],
    ['/settings/tokens', 'Make a token'],
    ['/settings/people', 'Your devices'],
    ['/settings/policy', 'A draft of policy.yaml'],
  ] as const) {
    await go(page, path)
    await shows(path, seen)
  }
})

test('the journal is filtered, an entry is opened, and the whole of it is exported', async () => {
  const { page } = await visit('/journal')
  const rows = page.getByRole('list', { name: 'Entries' }).getByRole('listitem')
  await page.getByText('get_cluster_status').first().waitFor()
  await page.getByRole('button', { name: 'Never', exact: true }).click()
  await page.waitForURL('**/journal?tier=black')
  await page.getByText('get_cluster_status').waitFor({ state: 'detached' })
  await rows.getByText('execute_ssh').waitFor()
  expect(await rows.count()).toBe(1)
  await rows.getByRole('button').first().click()
  await page.getByRole('definition').getByText('rm -rf /').waitFor()
  await page.getByText('The exact entry').click()
  await page.getByText('"rm -rf /"').waitFor()
  await page.getByRole('link', { name: 'All of this tool' }).click()
  await page.waitForURL('**/journal?toolName=execute_ssh')

  await page.getByRole('button', { name: 'Failed' }).click()
  await page.getByText('No entry is like that.').waitFor()
  await page.getByRole('button', { name: 'Show all entries' }).click()
  await page.getByText('The first entry there is.').waitFor()

  const today = await page.evaluate<string>('new Date().toLocaleDateString("sv")')
  const narrow = page.getByRole('form', { name: 'Narrow the journal' })
  await narrow.getByLabel('Words').fill('-RF rm')
  await narrow.getByLabel('From').fill(today)
  await narrow.getByRole('button', { name: 'Narrow the journal' }).click()
  await page.waitForURL(`**/journal?words=-RF+rm&from=${today}`)
  await expect.poll(() => rows.count()).toBe(1)
  await narrow.getByLabel('To', { exact: true }).fill('2020-01-01')
  await narrow.getByRole('button', { name: 'Narrow the journal' }).click()
  await page.getByText('No entry is like that.').waitFor()
  await page.getByRole('button', { name: 'Show all entries' }).click()

  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export as JSONL' }).click()
  const lines = readFileSync(await (await saved).path(), 'utf8')
    .trim()
    .split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual(lines.map((_, at) => at + 1))
})

test('a journal is verified, one that was doctored is cut at the entry', async () => {
  const { jarvis, page } = await visit('/journal')
  await page.getByRole('button', { name: 'Verify now' }).click()
  await page
    .getByText(/entries looked at, the chain is whole/)
    .first()
    .waitFor()
  const sql = new Sqlite(join(jarvis.dataDir, 'jarvis.db'))
  const doctor = sql.prepare('UPDATE journal SET body = replace(body, ?, ?) WHERE body LIKE ? RETURNING seq').pluck()
  const seqs = (...change: [string, string, string]) => doctor.all(...change) as number[]
  const [first = 0, later = 0] = [
    ...seqs('get_cluster_status', 'get_storage', '%get_cluster_status%'),
    ...seqs('rm -rf /', 'rm -rf /srv', '%"rm -rf /"%'),
  ].sort((a, b) => a - b)
  expect(later).toBeGreaterThan(first)
  await page.getByRole('button', { name: 'Verify now' }).click()
  await page.getByText(`Entry ${first} does not follow ${first - 1}.`).waitFor()
  seqs('get_storage', 'get_cluster_status', '%get_storage%')
  seqs('rm -rf /srv', 'rm -rf /', '%rm -rf /srv%')
  sql.close()
})

test('a tool’s page tells the verdict as its arguments are typed, and a red call becomes a card like any other', async () => {
  const { jarvis, page } = await visit('/tools?tool=stop_vm')
  const before = jarvis.controls.effects.length
  const form = page.getByRole('form', { name: 'What would happen?' })
  await form.getByText('Fill in what must be given.').waitFor()
  await form.getByLabel(/^vmid/).fill('1')
  await form.getByText('It would not run like this.').waitFor()
  await form.getByLabel(/^vmid/).fill('101')
  await form.getByText('Ask: it would wait for you.').waitFor()
  expect(jarvis.controls.effects).toHaveLength(before)
  await form.getByRole('button', { name: 'Ask for it in a new chat' }).click()
  await page.getByRole('button', { name: 'Approve: stop 101' }).waitFor()

  await go(page, '/agents/tools?tool=execute_ssh')
  await form.getByLabel(/^node/).fill('pve')
  await form.getByLabel(/^command/).fill('rm -rf /')
  await form.getByText('Never: it would be refused.').waitFor()
  expect(await form.getByRole('button', { name: 'Refused' }).getAttribute('aria-disabled')).toBe('true')
  expect(jarvis.controls.effects).toHaveLength(before)
})

test('the memory is searched as one types, and an edit that meets another keeps both, or is saved over it', async () => {
  const { jarvis, page } = await visit('/memory')
  await page.getByRole('searchbox', { name: 'Search the memory' }).pressSequentially('jellyfin gpu')
  await page.locator('mark').filter({ hasText: 'GPU' }).first().waitFor()
  await page.getByRole('link', { name: 'MEMORY.md: Media' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  const field = page.getByRole('textbox', { name: 'Text of MEMORY.md' })
  await field.fill(`${notes}Mine.\n`)
  write(jarvis, 'MEMORY.md', `${notes}Theirs.\n`)
  await page.keyboard.press('Control+s')
  await page.getByText('It was changed meanwhile.').waitFor()
  expect(await field.inputValue()).toContain('Mine.')

  await page.reload()
  expect(await field.inputValue()).toContain('Mine.')
  await page.keyboard.press('Tab')
  await field.focus()
  await field.press('End')
  await field.pressSequentially(' Still.')
  await page.getByRole('button', { name: 'Save the text' }).click()
  await page.getByText('Saved.').waitFor()
  expect(readFileSync(join(jarvis.dataDir, 'workspace/MEMORY.md'), 'utf8')).toContain('Mine.')

  await field.fill('Mine alone.\n')
  write(jarvis, 'MEMORY.md', 'Theirs.\n')
  await page.keyboard.press('Control+s')
  await page.getByText('What stands there now').click()
  await page.getByText('Theirs.').waitFor()
  await page.getByRole('button', { name: 'Save mine over it' }).click()
  await page.getByText('Saved.').waitFor()
  expect(readFileSync(join(jarvis.dataDir, 'workspace/MEMORY.md'), 'utf8')).toBe('Mine alone.\n')

  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete MEMORY.md' }).click()
  await page.getByText('Ask what JARVIS knows').waitFor()
  expect(existsSync(join(jarvis.dataDir, 'workspace/MEMORY.md'))).toBe(false)
})

test('the memory of a session is shown and can be forgotten, and everything can be indexed again', async () => {
  const { page } = await visit('/agents/memory')
  await page
    .getByRole('region', { name: 'Remembered of sessions' })
    .getByRole('link', { name: /Look around/ })
    .click()
  await page.getByRole('button', { name: 'Forget…' }).click()
  await page.getByRole('button', { name: 'Forget all of it' }).click()
  await page.getByText('Nothing is remembered of this session.').waitFor()
  await page.getByRole('button', { name: 'Read all again' }).click()
  await page.getByText(/All is read again/).waitFor()
})

test('a note of the memory is undone from the chat, and recalled text is shown', async () => {
  const { jarvis, page } = await newChat(
    calls(['memory_write', { text: 'The UPS battery is from 2019.' }]),
    says('Noted.'),
    says('From 2019.'),
  )
  write(jarvis, 'MEMORY.md', notes)
  await expect.poll(async () => (await jarvis.rest('/api/memory/search?q=gpu')).text()).toContain('transcoder')
  await say(page, 'Remember that the UPS battery is from 2019.')
  await page.getByText('Noted.', { exact: true }).waitFor()
  await say(page, 'What does the transcoder of jellyfin need?')
  await page.getByText('From 2019.', { exact: true }).waitFor()
  await page
    .getByRole('button', { name: /^Recalled \d passages?/ })
    .last()
    .click()
  await page.getByRole('link', { name: 'MEMORY.md' }).waitFor()
  await page.getByRole('button', { name: 'Take it back' }).click()
  await page.getByText('Taken back.').waitFor()
  expect((await (await jarvis.rest('/api/journal?kind=memory')).text()).includes('undone')).toBe(true)
})

test('a token is made for its doors, shown once and revoked, the profile is changed, the theme is chosen', async () => {
  const { jarvis, page } = await visit('/settings/tokens')
  const form = page.getByRole('form', { name: 'Make a token' })
  await form.getByLabel('Name').fill('ops laptop')
  await form.getByRole('button', { name: 'Make a token' }).click()
  await page.getByText('Choose at least one door.').waitFor()
  await form.getByRole('checkbox', { name: 'v1' }).check()
  await form.getByRole('checkbox', { name: 'metrics' }).check()
  await form.getByLabel('May').selectOption('ask')
  await form.getByRole('button', { name: 'Make a token' }).click()
  await page.getByText(/A token name has 1 to 64/).waitFor()
  await form.getByLabel('Name').fill('ops-laptop')
  await form.getByRole('button', { name: 'Make a token' }).click()
  const secret = (await page.getByText(/^jarvis_/).textContent()) ?? ''
  await page.getByText(`…${secret.slice(-4)}`).waitFor()
  await page.getByText('As most programs write it down').click()
  expect(await page.getByText(/^OPENAI_BASE_URL/).textContent()).toContain(`OPENAI_API_KEY=${secret}`)
  expect(await (await jarvis.rest('/api/tokens')).json()).toMatchObject({
    items: [{ name: 'ops-laptop', doors: ['v1', 'metrics'], scope: 'ask' }],
  })
  await page.getByRole('button', { name: 'I have it' }).click()
  expect(await page.getByText(/^jarvis_/).count()).toBe(0)
  await page.getByRole('button', { name: 'Revoke ops-laptop…' }).click()
  await page.getByRole('button', { name: 'Revoke ops-laptop', exact: true }).click()
  await page.getByText('No tokens yet').waitFor()

  await go(page, '/settings/safety')
  await page.getByRole('radio', { name: /Permissive/ }).click()
  await page.getByText('permissive asks less than now.').waitFor()
  expect(await (await jarvis.rest('/api/settings')).json()).toMatchObject({ profile: 'balanced' })
  await page.getByRole('button', { name: 'Use permissive' }).click()
  await page.getByRole('button', { name: 'Use permissive' }).waitFor({ state: 'detached' })
  await page.getByRole('radio', { name: /Lockdown/ }).click()
  await expect.poll(async () => (await jarvis.rest('/api/settings')).json()).toMatchObject({ profile: 'lockdown' })

  await go(page, '/settings/display')
  await page.getByRole('radio', { name: /^Dark/ }).click()
  await page.locator('html[data-theme=dark]').waitFor()
  await jarvis.rest('/api/settings', { method: 'PUT', json: { profile: 'balanced' } })
})

test('the password is changed; this browser stays signed in', async () => {
  const jarvis = await startJarvis({ dashboardDir, env: { ...env, JARVIS_PASSWORD: '' } })
  const password = jarvis.newPassword ?? ''
  const page = await operator(jarvis, {}, '/settings/people')
  const form = page.getByRole('form', { name: 'Change the password' })
  const fill = async (current: string, next: string, again = next) => {
    await form.getByLabel('Present password').fill(current)
    await form.getByLabel('New password', { exact: true }).fill(next)
    await form.getByLabel('New password again').fill(again)
    await form.getByRole('button', { name: 'Change the password' }).click()
  }
  await fill(password, 'another-horse-battery', 'another-horse-batterie')
  await page.getByText('The two new ones differ.').waitFor()
  await fill(password, 'another-horse-battery')
  await page.getByText(/^Changed\. /).waitFor()
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
})

test('the palette and the keys go everywhere without a mouse', async () => {
  const { jarvis, page } = await newChat()
  const before = jarvis.controls.effects.length
  const composer = page.getByRole('textbox', { name: 'Message' })
  await composer.focus()
  for (const leave of ['Escape', 'Control+k']) {
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press(leave)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await composer.evaluate((field) => field.matches(':focus'))).toBe(true)
  }
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search or run' })
  await field.fill('jour')
  // This Enter belongs to the input method.
  await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true })
  expect(await field.isVisible()).toBe(true)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/journal')
  // Until then the composer has the focus back, and letters are its own.
  await page.getByText('get_cluster_status').first().waitFor()
  for (const [key, path] of [
    ['n', '/agents'],
    ['m', '/agents/memory'],
    ['s', '/settings'],
    ['y', '/system'],
  ] as const) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await page.waitForURL(`**${path}`)
  }
  await page.keyboard.press('Control+k')
  await field.fill('budg')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/settings/budgets')
  await page.getByRole('heading', { name: 'Budgets' }).waitFor()
  await page.keyboard.press('[')
  await page.getByRole('navigation', { name: 'Main' }).waitFor({ state: 'detached' })
  await page.keyboard.press('[')
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await field.fill('stop truenas')
  await page.getByRole('option', { name: /Stop 103 truenas.*Ask, waits for you/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Approve: stop 103' }).waitFor()
  expect(jarvis.controls.effects).toHaveLength(before)
})

test('a key in the very moment the palette closes is not lost', async () => {
  const { page } = await visit('/journal')
  await page.getByText('get_cluster_status').first().waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Search or run' }).waitFor()
  // The browser tells of the closing later than this.
  await page.evaluate(`new MutationObserver(() =>
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true })),
  ).observe(document.querySelector('dialog'), { attributeFilter: ['open'] })`)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
})

test('without a server the pages keep their data and disable their actions', async () => {
  const jarvis = await startJarvis({ dashboardDir, model: scripted(...looks), env })
  await lookAround(jarvis)
  const page = await operator(jarvis, { fetchesAhead: true }, '/journal')
  await page.getByText('get_cluster_status').first().waitFor()
  // Pages that were not opened yet are fetched meanwhile; this one comes last.
  await page.waitForFunction(() => performance.getEntriesByType('resource').some(({ name }) => /more-page-/.test(name)))
  await jarvis.stop()
  await page.getByText('offline').first().waitFor()
  expect(await page.getByRole('button', { name: 'Verify now' }).getAttribute('aria-disabled')).toBe('true')
  expect(await page.getByText('get_cluster_status').first().isVisible()).toBe(true)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByText('Without a connection nothing can be changed.').first().waitFor()
  await page.getByRole('link', { name: 'System' }).click()
  await page.getByText(/not reached for/).waitFor()
  // Nothing is promised: what is written stays, and no button sends it.
  await page.getByRole('link', { name: 'Chat', exact: true }).click()
  await page.getByText(/Nothing is sent now; what you write stays here/).waitFor()
  const field = page.getByLabel('Message')
  await field.fill('How is the cluster?')
  await page.keyboard.press('Enter')
  expect(await field.inputValue()).toBe('How is the cluster?')
  expect(await page.getByRole('button', { name: 'Send', exact: true }).getAttribute('aria-disabled')).toBe('true')
  expect(await page.locator('.prompts button:not([aria-disabled=true])').count()).toBe(0)
})
