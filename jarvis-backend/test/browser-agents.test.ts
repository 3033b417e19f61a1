import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { BudgetsReply } from 'protocol'
import { expect } from 'vitest'
import { dashboardDir, go, say, test, useBrowser } from './support/browser.ts'
import { folder } from './support/data-dir.ts'
import { says, scripted } from './support/scripted-model.ts'
import { skillText, writeSkill } from './support/skills.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const { operator } = useBrowser()
const env = { JARVIS_EMBEDDINGS: 'none' }
const answers = Array.from({ length: 4 }, () => says('At your service.'))

/** One server for the whole walk: each act meets what the one before it left. */
test('agents, skills and budgets are made, read, tried and taken away at their pages', async () => {
  const jarvis = await startJarvis({ dashboardDir, env, model: scripted(...answers) })
  const page = await operator(jarvis, { viewport: { width: 1280, height: 800 } }, '/agents')
  await makesAnAgent(page, jarvis)
  await judgesAndCompares(page)
  await talksToIt(page)
  await approvesASkill(page, jarvis)
  await usesIt(page)
  await approvesAnAgentsOwn(page, jarvis)
  await setsABudget(page, jarvis)
  await removesTheAgent(page, jarvis)
})

const agentsYaml = (jarvis: TestJarvis) => readFileSync(join(jarvis.dataDir, 'agents.yaml'), 'utf8')

async function makesAnAgent(page: Page, jarvis: TestJarvis) {
  const made = page.getByRole('form', { name: 'New agent' })
  await page.getByRole('link', { name: 'New agent' }).click()
  await made.getByLabel(/^Id/).focus()
  await page.keyboard.press('Escape')
  await made.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'New agent' }).click()
  await made.getByLabel(/^Id/).fill('films')
  await made.getByLabel(/^May use/).fill('get_*, get_vmz')
  // Five fields at first; the others are under More.
  expect(await made.locator('.field:visible').count()).toBe(5)
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/agent-new.png` })
  await made.getByText(/^More/).click()
  await made.getByLabel(/^Skills/).fill('disk-*')
  // Typed text stays.
  await page.keyboard.press('Escape')
  await made.getByRole('button', { name: 'Save the agent' }).click()
  await made.getByRole('alert').filter({ hasText: 'get_vmz' }).waitFor()
  await made.getByLabel(/^May use/).fill('get_*')
  await made.getByRole('button', { name: 'Save the agent' }).click()
  await page.getByRole('heading', { name: 'films', exact: true }).waitFor()

  await page.getByRole('button', { name: 'Edit' }).click()
  const edited = page.getByRole('form', { name: 'Edit films' })
  await edited.getByLabel('What it is for, in a sentence').fill('Looks after 104.')
  await edited.getByRole('button', { name: 'Save the agent' }).click()
  await page.getByText('Looks after 104.').waitFor()
  // Members that the form was not asked to change stay.
  expect(agentsYaml(jarvis)).toMatch(/films:[\s\S]*about: Looks after 104\.[\s\S]*disk-\*/)
}

async function judgesAndCompares(page: Page) {
  const judged = page.getByRole('form', { name: 'What would happen?' })
  await judged.getByLabel('Tool', { exact: true }).fill('stop_vm')
  await judged.getByLabel('vmid').fill('103')
  await judged.getByRole('button', { name: 'Judge it' }).click()
  await judged.getByText('films: Never').waitFor()
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/agent-judged.png` })
  await judged.getByText('main: Ask').waitFor()

  const tried = page.getByRole('region', { name: 'Try a message' })
  await tried.getByLabel(/^and/).selectOption('films')
  await tried.getByLabel('Message').fill('Who are you?')
  await tried.getByRole('button', { name: 'Try it' }).click()
  for (const id of ['main', 'films'])
    await tried
      .getByRole('article', { name: `Answer of ${id}` })
      .getByText('At your service.')
      .waitFor()
}

/** The head of its chat names it; a phone's menu opens what fills its window, in place of the chat. */
async function talksToIt(page: Page) {
  await go(page, '/')
  await say(page, '@films who are you?')
  await page.locator('.head').getByRole('link', { name: 'films' }).waitFor()
  await page.getByText('At your service.').waitFor()
  const desk = page.viewportSize() ?? { width: 1280, height: 800 }
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Context and cost' }).click()
  const context = page.getByRole('region', { name: 'Context and cost' })
  await context.getByText('Kept for the answer').waitFor()
  await context.getByRole('button', { name: 'Close the context' }).click()
  await page.getByText('At your service.').waitFor()
  await page.setViewportSize(desk)
  await go(page, '/agents')
}

async function approvesASkill(page: Page, jarvis: TestJarvis) {
  const steps = Array.from({ length: 90 }, (_, at) => `${at + 1}. Look at sensor ${at + 1}.`).join('\n')
  const elsewhere = folder()
  writeSkill(elsewhere, 'hot-node', {
    'SKILL.md': skillText('hot-node', { description: 'Cools a node whose fans are loud.', body: steps }),
    'references/sensors.md': 'Tctl counts.\n',
    '.git/config': 'hidden',
  })
  await page.getByRole('navigation', { name: 'Agents' }).getByRole('link', { name: 'Skills' }).click()
  const add = page.getByRole('region', { name: 'Add a skill' })
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/skill-add.png` })
  await add.locator('input[webkitdirectory]').setInputFiles(join(elsewhere, 'workspace/skills/hot-node'))
  await page.waitForURL('**/agents/skills/hot-node')
  expect(existsSync(join(jarvis.dataDir, 'workspace/skills/hot-node/.git'))).toBe(false)
  const side = page.getByRole('complementary', { name: 'Approve this tree' })
  const approve = side.getByRole('button', { name: /^Approve tree/ })
  await side.getByText('0 of 2 changed files read to the end.').waitFor()
  expect(await approve.isDisabled()).toBe(true)
  await page.locator('.skill-end').scrollIntoViewIfNeeded()
  await side.getByText('1 of 2 changed files read to the end.').waitFor()
  await side.getByRole('button', { name: 'Next unread file' }).click()
  await page.getByRole('region', { name: 'references/sensors.md' }).waitFor()
  await approve.and(page.locator(':enabled')).click()
  await side.getByRole('button', { name: 'Turn it off' }).waitFor()
}

/** A line that names a skill is offered, sent, and shows the skill in the chat; off, it is offered no more. */
async function usesIt(page: Page) {
  await go(page, '/')
  const field = page.getByRole('textbox', { name: 'Message' })
  const offered = page.getByRole('option', { name: /hot-node Skill: Cools a node/ })
  await field.fill('/hot')
  await offered.waitFor()
  await field.press('Enter')
  await say(page, '/hot-node why is pve loud?')
  const row = page.getByRole('button', { name: 'Skill hot-node, named by operator' })
  await row.click()
  await page.getByText('90. Look at sensor 90.').waitFor()
  await page.getByRole('link', { name: 'Approved tree' }).click()
  await page.getByRole('button', { name: 'Turn it off' }).click()
  await page.getByText('off', { exact: true }).first().waitFor()
  await go(page, '/')
  await field.fill('/hot')
  await offered.waitFor({ state: 'detached' })
  await field.fill('')
}

async function approvesAnAgentsOwn(page: Page, jarvis: TestJarvis) {
  writeSkill(jarvis.dataDir, 'reels', {}, 'agents/films')
  await go(page, '/agents?agent=films')
  await page.getByRole('link', { name: /reels new: not approved/ }).click()
  await page
    .getByRole('button', { name: /^Approve tree/ })
    .and(page.locator(':enabled'))
    .click()
  await page.getByRole('button', { name: 'Turn it off' }).waitFor()
  await page.getByRole('link', { name: 'films' }).click()
  await page.getByRole('link', { name: /reels approved/ }).waitFor()
}

async function setsABudget(page: Page, jarvis: TestJarvis) {
  await go(page, '/settings/budgets')
  const title = page.getByRole('heading', { name: 'Budgets' })
  // The address lands on its section, though those above it load later.
  await expect.poll(async () => (await title.boundingBox())?.y).toBeLessThan(200)
  const run = page.getByRole('group', { name: 'A run, with its helpers' })
  await run.getByLabel('model calls').fill('7')
  await page.getByRole('button', { name: 'Keep these limits' }).click()
  await page.getByRole('status').filter({ hasText: 'The limits are kept.' }).waitFor()
  const kept = (await (await jarvis.rest('/api/budgets')).json()) as BudgetsReply
  expect(kept.run.calls).toBe(7)
}

async function removesTheAgent(page: Page, jarvis: TestJarvis) {
  await go(page, '/agents?agent=films')
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('button', { name: 'Delete films' }).click()
  await page.getByRole('heading', { name: 'films', exact: true }).waitFor({ state: 'detached' })
  expect(agentsYaml(jarvis)).not.toContain('films')
}
